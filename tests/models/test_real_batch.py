"""The real tier of batch files: rounds through `vllm run-batch` with a tiny model.

Its weights are random, so no plan is of use: units end as refused.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from engines.fixtures import HERE, engines, environment, tiny_chat
from engines.served import NAME, READY_S, STRICT
from study import Study, pairwright

__all__ = ["engines", "tiny_chat"]
pytestmark = pytest.mark.real

CONTEXT = 12_000
"""Tokens of the model, one for each byte of a prompt."""


def run_batch(python: str, model: Path, requests: Path, replies: Path) -> None:
    """Answer a file of requests; vLLM's own words where it fails."""
    command = [
        python, str(HERE / "vllm_cli.py"), "run-batch", "-i", str(requests), "-o", str(replies),
        "--model", str(model), "--served-model-name", NAME, "--enforce-eager",
        "--dtype", "float32", "--block-size", "32", "--max-model-len", str(CONTEXT),
        "--max-num-seqs", "8", *STRICT,
    ]  # fmt: skip
    done = subprocess.run(
        command, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=3 * READY_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def write(file: Path, rows: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_rounds_of_vllm_run_batch_reach_the_end(
    tmp_path: Path, engines: str, tiny_chat: Path
) -> None:
    study = Study.make(
        tmp_path / "study", "http://127.0.0.1:9/v1", limit=3, modes=["violate"],
        served__model=NAME, sampling__planner__max_tokens=64,
        sampling__planner__attempts=1, planner__history_tokens=40_000,
    )  # fmt: skip
    # The first user has two posts, of which not even one fits into the model.
    items = lines(study.folder / "histories.jsonl")
    items[0]["profile"] = items[0]["profile"][:2]
    for post in items[0]["profile"]:
        post["text"] = f"{post['text']} " * (CONTEXT // len(post["text"]) + 1)
    write(study.folder / "histories.jsonl", items)
    failed = ""
    for number in (1, 2, 3):
        done = study.build("--batch")
        if done.code != 3:
            break
        requests = study.run / "batch" / f"round-{number}" / "001.jsonl"
        asked = lines(requests)
        if number == 1:
            # Asked of a model that is not served: this line fails, the others do not.
            shortest = min(asked, key=lambda line: len(json.dumps(line["body"])))
            failed = shortest["custom_id"]
            shortest["body"]["model"] = "nope"
            write(requests, asked)
        replies = requests.with_suffix(".replies.jsonl")
        run_batch(engines, tiny_chat, requests, replies)
        taken = pairwright("batch", "ingest", study.run, replies)
        assert f"{len(asked)} {'line' if len(asked) == 1 else 'lines'}: " in taken.out, taken.said
        if number == 1:
            assert taken.code == 1
            assert "404 The model `nope` does not exist" in taken.out
            assert f"{replies}:" in taken.out
        else:
            assert taken.code == 0, taken.said
        assert pairwright("batch", "ingest", study.run, replies).code == taken.code
        if number == 2:
            assert failed not in {line["custom_id"] for line in asked}, "refused for good"
    # A model of random weights gives few usable replies: the run ends, and is short.
    assert done.code == 1, done.said
    assert number > 1, "a round was answered, and nothing waits"
    study.assert_whole(3)
    reasons = sorted(row["dropped"]["reason"] for row in study.rows("dropped.jsonl"))
    assert reasons == ["context_length", "cut_short"]
    assert [row["reason"] for row in study.failed()] == ["http_404"]
    assert pairwright("status", study.run).code == 1, "short, as the build said"
