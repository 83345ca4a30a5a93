"""Builds against real vLLM with a tiny model of random weights, on a CPU: `vllm serve`, and the
engine in process.

What the model writes means nothing, but it is the same for the same request. What must hold: both
ways send and store the same, every call is stored once, every unit ends with a reason, a second run
sends nothing, and a server that dies costs no finished call.
"""

import asyncio
import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import aiohttp
import pytest
from aiohttp import web
from own_process import StoredCall, building, stored

from endpoint import Asked, drop, in_thread
from engines.fixtures import HERE, engines, environment, tiny_chat
from engines.served import NAME, STRICT, THREADS, Served, serving_vllm
from pairwright.errors import StoreError
from pairwright.models import CONTEXT_LENGTH, Completion, Request
from pairwright.models.client import Meter, Server
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import Message
from pairwright.settings.rules import TextGate
from study import Done, Study, pairwright

pytestmark = pytest.mark.real
__all__ = ["engines", "tiny_chat"]

CONTEXT = 12288
"""Tokens, which are bytes here: what doctor asks fits, and long histories do not."""
FLAGS = {
    "dtype": "float32",
    "max_model_len": CONTEXT,
    "enforce_eager": True,
    "block_size": 32,
    "enable_chunked_prefill": False,
    "structured_outputs_config": {"backend": "guidance", "disable_any_whitespace": True},
}
ENDED = (0, 1)
"""A build has ended. Where a model of random weights gave few usable replies, it is short."""
# A machine that does other work needs minutes to start an engine.
PATIENCE_S = 1500


@pytest.fixture(scope="module")
def server(
    engines: str, tiny_chat: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("vllm")
    flags = ("--max-model-len", str(CONTEXT), *STRICT)
    with serving_vllm(engines, tiny_chat, folder, *flags) as server:
        yield server


def study(folder: Path, url: str, limit: int, **changes: Any) -> Study:
    """Few tokens a reply and hot sampling, so that some random replies come to an end."""
    settings: dict[str, Any] = {"served__model": NAME, "served__timeout_s": 300}
    settings |= {
        f"sampling__{role}__{key}": value
        for role in ("planner", "generator", "judge")
        for key, value in (("temperature", 1.0), ("max_tokens", 192), ("attempts", 2))
    }
    return Study.make(folder, url, limit=limit, **(settings | changes))


def rewritten(made: Study, change: Callable[[dict[str, Any]], None]) -> Study:
    """The same with each row of its source changed."""
    path = made.folder / "histories.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        change(row)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return made


def with_gold(made: Study, draws: int = 1) -> Study:
    """The same with gold aspects, so that writers and judges are asked, and with text gates off,
    which nonsense does not pass."""

    def aspects(row: dict[str, Any]) -> None:
        row["rubric_aspects"] = [
            {"aspect": f"what to do {when}", "reason": "", "evidence": ""}
            for when in ("first", "later")
        ]

    off = list(get_args(TextGate))
    made.change(modes=["violate"], aspects="gold", draws=draws, gates__off=off)
    return rewritten(made, aspects)


def calls(made: Study) -> list[StoredCall]:
    return [*stored(made.run).values()]


def finished(done: Done) -> Done:
    assert done.code in ENDED, done.said
    return done


# ---- a server -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def planned(server: Served, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Two items with long histories in both modes, with the planner."""

    def longer(row: dict[str, Any]) -> None:
        for post in row["profile"]:
            post["text"] += f" {post['text']}"

    made = rewritten(study(tmp_path_factory.mktemp("planned") / "s", server.url, 2), longer)
    finished(made.build())
    return made


@pytest.fixture(scope="module")
def judged(server: Served, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Three items of which writers and judges are asked."""
    made = with_gold(study(tmp_path_factory.mktemp("judged") / "s", server.url, 3))
    finished(made.build())
    return made


def test_every_unit_ends_with_a_reason_and_a_second_run_sends_nothing(
    planned: Study, judged: Study
) -> None:
    # What is asked after a comparison depends on what the model says there.
    for made, units, asked in ((planned, 4, {"plan"}), (judged, 3, {"write_adhering", "compare"})):
        made.assert_whole(units)
        assert {call.purpose for call in calls(made)} >= asked
        before = made.outcomes()
        assert " 0 of them new" in finished(made.build()).out
        assert made.outcomes() == before


def test_a_history_over_the_context_is_asked_about_with_fewer_posts(planned: Study) -> None:
    plans = [call for call in calls(planned) if call.purpose == "plan"]
    over = [call for call in plans if call.reply.finish == CONTEXT_LENGTH]
    assert over
    assert all("maximum context length" in call.reply.text for call in over)
    answered = [call for call in plans if call.reply.finish != CONTEXT_LENGTH]
    most = max(len(call.request["messages"][-1]["content"]) for call in answered)
    assert all(len(call.request["messages"][-1]["content"]) > most // 2 for call in over)


def test_doctor_finds_a_strict_server_in_order(planned: Study) -> None:
    done = finished(pairwright("doctor", planned.config))
    for said in (f"{CONTEXT:,} tokens", "reachable", "follows the schema"):
        assert said in done.out, done.out


# ---- the engine in process ------------------------------------------------------------------

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


def in_process(folder: Path) -> dict[str, Any]:
    return {"engine": "vllm", "model": NAME, "vllm": {**FLAGS, "model": str(folder)}}


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
    return [*plain, *structured, *odd, ask("bread " * (CONTEXT // 4))]


def test_in_process_and_the_server_give_the_same_texts_for_the_same_keys(
    engines: str, tiny_chat: Path, server: Served, tmp_path: Path
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

    async def of_server() -> list[Completion]:
        async with Server("served", Endpoint(base_url=server.url, model=NAME), Meter()) as llm:
            return await asyncio.gather(*(llm.complete(request) for request in asked))

    there = asyncio.run(of_server())
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


HUGE = "boardgames-01"
"""An item whose question is longer than the model's context."""


def lengthened(row: dict[str, Any]) -> None:
    if row["id"] == HUGE:
        row["question"] = "How do I bake bread? " * (CONTEXT // 20)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit code and everything that it said."""
    try:
        said, _ = process.communicate(timeout=PATIENCE_S)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, said


def n_stored(run: Path) -> int:
    with suppress(StoreError):
        return len(stored(run))
    return 0


def test_a_build_in_process_stops_at_ctrl_c_goes_on_and_can_be_left_to_a_server(
    engines: str, server: Served, tiny_chat: Path, tmp_path: Path
) -> None:
    sampling = {"max_tokens": 64, "attempts": 4}
    made = Study.make(
        tmp_path / "s", "unused", limit=6, endpoints__served=in_process(tiny_chat),
        sampling={"generator": sampling, "judge": {**sampling, "temperature": 0.7}},
    )  # fmt: skip
    rewritten(with_gold(made, draws=2), lengthened)

    def texts() -> dict[str, str]:
        return {key: call.reply.text for key, call in stored(made.run).items()}

    # Ctrl-C reaches the engine's processes, too: they must answer what is in flight.
    process = building(engines, made, **THREADS)
    while n_stored(made.run) < 3:
        assert process.poll() is None, ended(process)
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    code, said = ended(process)
    assert code == 130, said
    assert "Stopping after" in said
    assert "has died" not in said
    before = texts()
    assert not (made.run / "pairs.jsonl").exists()

    code, said = ended(building(engines, made, **THREADS))
    assert code in ENDED, said
    assert "vLLM is ready" in said
    whole, files = texts(), made.outcomes()
    assert whole.items() > before.items()
    rejected = [json.loads(line) for line in files["dropped.jsonl"].splitlines()]
    too_long = [r["item_id"] for r in rejected if r["dropped"]["reason"] == CONTEXT_LENGTH]
    assert too_long == [HUGE]
    assert made.failed() == []
    # Both kinds of calls: free text, and replies that follow a schema.
    assert {"write_adhering", "adherence"} <= {call.purpose for call in calls(made)}

    # Everything is stored: no engine is started, nothing is sent.
    code, said = ended(building(engines, made, **THREADS))
    assert (code in ENDED, "vLLM starts" in said) == (True, False), said
    assert made.outcomes() == files

    # A server goes on with it, once it is said that it has the same flags, and need not answer.
    made.change(endpoints__served={"base_url": server.url, "model": NAME})
    code, said = ended(building(engines, made, **THREADS))
    assert (code, "endpoints.served.vllm" in said) == (2, True), said
    code, said = ended(building(engines, made, "--accept-changes", **THREADS))
    assert code in ENDED, said
    assert texts() == whole
    for name in ("pairs.jsonl", "dropped.jsonl"):
        assert made.outcomes()[name] == files[name]


# ---- a server that dies, after all others need it as it was ---------------------------------


def test_a_build_outlives_its_server(server: Served, judged: Study, tmp_path: Path) -> None:
    assert judged
    answers: Counter[str] = Counter()

    async def through(asked: Asked) -> web.StreamResponse:
        """Pass each request on, and count what was answered: a server that died cannot tell."""
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.post(f"{server.url}/chat/completions", json=asked.body) as response,
            ):
                body = await response.read()
        except aiohttp.ClientError:
            return await drop(asked)
        answers[asked.identity] += response.status == 200
        return web.Response(body=body, status=response.status, content_type="application/json")

    with in_thread(through) as endpoint:
        slow = {"served__concurrency": 2, "served__attempts": 60}
        made = with_gold(study(tmp_path / "s", endpoint.url, 3, **slow))
        build = made.start_build()
        while sum(answers.values()) < 6:
            assert build.poll() is None, build.communicate()
            time.sleep(0.1)
        server.kill()
        assert build.poll() is None, "the build ended before its server did"
        server.start("--max-model-len", str(CONTEXT))
        out, err = build.communicate(timeout=900)
    assert build.returncode in ENDED, out + err
    made.assert_whole(3)
    assert set(answers.values()) == {1}, "an answered call was sent again"
    assert len(calls(made)) == len(answers)
