"""vLLM in process against vLLM's server, for real: a tiny model of random weights on a CPU.

Its replies mean nothing, but they are the same for the same request: what is shown is that both
ways send and store the same.
"""

import asyncio
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from gold_study import rewritten, with_gold
from own_process import building, stored

from engines.fixtures import HERE, engines, environment, tiny_chat
from engines.served import NAME, STRICT, THREADS, serving_vllm
from pairwright.errors import StoreError
from pairwright.models import CONTEXT_LENGTH, Completion, Request
from pairwright.models.client import Meter, Server
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import Message
from study import Study

__all__ = ["engines", "tiny_chat"]

pytestmark = pytest.mark.real

CONTEXT = 8192
"""Tokens, which are bytes here."""
FLAGS = {
    "dtype": "float32",
    "max_model_len": CONTEXT,
    "enforce_eager": True,
    "block_size": 32,
    "enable_chunked_prefill": False,
    "structured_outputs_config": {"backend": "guidance", "disable_any_whitespace": True},
}
# A machine that does other work needs minutes to start an engine.
PATIENCE_S = 1500

ENDED = (0, 1)
"""A build has ended. Where a model of random weights gave few usable replies, it is short."""


@pytest.fixture(scope="module")
def server(
    engines: str, tiny_chat: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The base URL of `vllm serve` with the same flags."""
    folder = tmp_path_factory.mktemp("served")
    with serving_vllm(
        engines, tiny_chat, folder, *STRICT, "--max-model-len", str(CONTEXT)
    ) as served:
        yield served.url


def in_process(folder: Path) -> dict[str, Any]:
    return {"engine": "vllm", "model": NAME, "vllm": {**FLAGS, "model": str(folder)}}


# ---- single calls ---------------------------------------------------------------------------

SCHEMA = {
    "type": "object",
    "properties": {
        "aspects": {
            "type": "array",
            "items": {"type": "string", "enum": ["warm", "brief", "exact"]},
            "minItems": 1,
            "maxItems": 3,
        },
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
    },
    "required": ["aspects", "score"],
    "additionalProperties": False,
}


def ask(text: str, **changes: Any) -> Request:
    messages = (Message("system", "You answer."), Message("user", text))
    given = {"temperature": 0.9, "top_p": 0.95, "seed": 0, "max_tokens": 48, **changes}
    return Request(model=NAME, messages=messages, **given)


def requests() -> list[Request]:
    plain = [
        ask(f"How do I keep bread fresh, {n}?", draw=draw, seed=draw)
        for n in range(8)
        for draw in range(3)
    ]
    structured = [
        ask(f"Is this warm, {n}?", schema_name="judge", schema_json=json.dumps(SCHEMA), seed=seed)
        for n in range(6)
        for seed in (0, 7)
    ]
    odd = [ask("naïve 👩‍🚀 {{ x }} </post> <|end|>"), ask("Coldest.", temperature=0.0)]
    return [*plain, *structured, *odd, too_long()]


def too_long() -> Request:
    return ask("bread " * 2000)


def test_in_process_and_the_server_give_the_same_texts_for_the_same_keys(
    engines: str, tiny_chat: Path, server: str, tmp_path: Path
) -> None:
    asked = requests()
    given, lines, out = (tmp_path / name for name in ("endpoint.json", "asked.jsonl", "replies"))
    given.write_text(json.dumps(in_process(tiny_chat)), encoding="utf-8")
    lines.write_text("\n".join(json.dumps(asdict(r)) for r in asked), encoding="utf-8")
    command = [engines, str(HERE / "in_process.py"), *map(str, (given, lines, out))]
    done = subprocess.run(
        command, env=environment(**THREADS), capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
    *here, last = map(json.loads, out.read_text(encoding="utf-8").splitlines())

    there = asyncio.run(_of_server(server, asked))
    assert here == [{"key": r.key, "text": r.text, "finish": r.finish} for r in there]
    # Draws differ, schemas are followed, and one prompt that is too long fails alone.
    plain, structured = here[:24], here[24:36]
    for n in range(0, len(plain), 3):
        assert len({line["text"] for line in plain[n : n + 3]}) == 3
    for line in structured:
        assert json.loads(line["text"])["score"] in range(1, 6)
    assert [line["finish"] for line in here].count(CONTEXT_LENGTH) == 1
    assert here[-1]["finish"] == CONTEXT_LENGTH
    assert str(CONTEXT) in here[-1]["text"]
    assert last["most_running"] > 8


async def _of_server(url: str, asked: list[Request]) -> list[Completion]:
    endpoint = Endpoint(base_url=url, model=NAME)
    async with Server("served", endpoint, Meter()) as llm:
        return await asyncio.gather(*(llm.complete(request) for request in asked))


# ---- a build --------------------------------------------------------------------------------

HUGE = "boardgames-01"
"""An item whose question is longer than the model's context."""


def lengthened(row: dict[str, Any]) -> None:
    if row["id"] == HUGE:
        row["question"] = "How do I bake bread? " * (CONTEXT // 20)


@pytest.fixture
def study(tmp_path: Path, tiny_chat: Path) -> Study:
    sampling = {"max_tokens": 64, "attempts": 4}
    made = Study.make(
        tmp_path / "s", "unused", limit=6, endpoints__served=in_process(tiny_chat),
        sampling={"generator": sampling, "judge": {**sampling, "temperature": 0.7}},
    )  # fmt: skip
    return rewritten(with_gold(made, draws=2), lengthened)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit code and everything that it said."""
    try:
        said, _ = process.communicate(timeout=PATIENCE_S)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, said


def texts(run: Path) -> dict[str, str]:
    """The text of every stored call by its key."""
    return {key: call.reply.text for key, call in stored(run).items()}


def n_stored(run: Path) -> int:
    try:
        return len(stored(run))
    except StoreError:
        return 0


def test_a_build_in_process_stops_at_ctrl_c_goes_on_and_can_be_left_to_a_server(
    engines: str, server: str, study: Study
) -> None:
    run = study.run

    # Ctrl-C reaches the engine's processes, too: they must answer what is in flight.
    process = building(engines, study, **THREADS)
    while n_stored(run) < 3:
        assert process.poll() is None, ended(process)
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    code, said = ended(process)
    assert code == 130, said
    assert "waiting for" in said
    assert "has died" not in said
    before = texts(run)
    assert not (run / "pairs.jsonl").exists()

    code, said = ended(building(engines, study, **THREADS))
    assert code in ENDED, said
    assert "vLLM is ready" in said
    whole, files = texts(run), study.outcomes()
    assert whole.items() > before.items()
    rejected = [json.loads(line) for line in files["dropped.jsonl"].splitlines()]
    too_long = [r["item_id"] for r in rejected if r["dropped"]["reason"] == CONTEXT_LENGTH]
    assert too_long == [HUGE]
    assert study.failed() == []
    # Both kinds of calls: free text, and replies that follow a schema.
    assert {"write_adhering", "adherence"} <= {call.purpose for call in stored(run).values()}

    # Everything is stored: no engine is started, nothing is sent.
    code, said = ended(building(engines, study, **THREADS))
    assert (code in ENDED, "vLLM starts" in said) == (True, False), said
    assert study.outcomes() == files

    # A server goes on with it, once it is said that it has the same flags, and need not answer.
    study.change(endpoints__served={"base_url": server, "model": NAME})
    code, said = ended(building(engines, study, **THREADS))
    assert (code, "endpoints.served.vllm" in said) == (2, True), said
    code, said = ended(building(engines, study, "--accept-changes", **THREADS))
    assert code in ENDED, said
    assert texts(run) == whole
    for name in ("pairs.jsonl", "dropped.jsonl"):
        assert study.outcomes()[name] == files[name]
