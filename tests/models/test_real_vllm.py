"""Builds against real vLLM with a tiny model of random weights, on a CPU: `vllm serve`, and the
engine in process.

What the model writes means nothing, but it is the same for the same request. What must hold: both
ways send and store the same, every call is stored once, every unit ends with a reason, a second run
sends nothing, and a server that dies costs no finished call.
"""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import aiohttp
import pytest
from aiohttp import web
from own_process import building, stored, until

from endpoint import Asked, drop, in_thread
from engines.fixtures import engines, tiny_chat
from engines.served import NAME, STRICT, THREADS, Served, serving_vllm
from pairwright.errors import StoreError
from pairwright.models import CONTEXT_LENGTH
from pairwright.settings.rules import TextGate
from study import Done, Study, pairwright

pytestmark = pytest.mark.real
__all__ = ["engines", "tiny_chat"]

CONTEXT = 12288
"""Tokens, which are bytes here: what doctor asks fits, and long histories do not."""
FLAGS = {
    "dtype": "float32", "max_model_len": CONTEXT, "enforce_eager": True, "block_size": 32,
    "enable_chunked_prefill": False,
    "structured_outputs_config": {"backend": "guidance", "disable_any_whitespace": True},
}  # fmt: skip
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
    how = {"temperature": 1.0, "max_tokens": 192, "attempts": 2}
    settings: dict[str, Any] = {"served__model": NAME, "served__timeout_s": 300}
    settings["sampling"] = {role: dict(how) for role in ("planner", "generator", "judge")}
    return Study.make(folder, url, limit=limit, **(settings | changes))


def rewritten(made: Study, change: Callable[[dict[str, Any]], object]) -> Study:
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
    off = list(get_args(TextGate))
    made.change(modes=["violate"], aspects="gold", draws=draws, gates__off=off)
    aspects = [
        {"aspect": f"what to do {when}", "reason": "", "evidence": ""}
        for when in ("first", "later")
    ]
    return rewritten(made, lambda row: row.update(rubric_aspects=aspects))


def texts(made: Study) -> dict[str, str]:
    """The text of each stored reply by its key."""
    return {key: reply.text for key, (_, reply) in stored(made.run).items()}


def finished(done: Done) -> Done:
    assert done.code in ENDED, done.said
    return done


def test_a_build_ends_with_reasons_asks_with_fewer_posts_and_sends_nothing_twice(
    server: Served, tmp_path: Path
) -> None:
    def longer(row: dict[str, Any]) -> None:
        for post in row["profile"]:
            post["text"] += f" {post['text']}"

    made = rewritten(study(tmp_path / "s", server.url, 2), longer)
    finished(made.build())
    made.assert_whole(4)
    before = made.outcomes()
    assert " 0 of them by this command" in finished(made.build()).out
    assert made.outcomes() == before
    # A history over the context is asked about with fewer posts.
    plans = [call for call in stored(made.run).values() if call[0].purpose == "plan"]
    over = [(asked, reply) for asked, reply in plans if reply.finish == CONTEXT_LENGTH]
    assert over
    assert all("maximum context length" in reply.text for _, reply in over)
    most = max(
        len(asked.messages[-1].content) for asked, reply in plans if reply.finish != CONTEXT_LENGTH
    )
    assert all(len(asked.messages[-1].content) > most // 2 for asked, _ in over)
    # A random string seldom ends within 192 tokens.
    made.change(sampling__planner={"temperature": 1.0, "max_tokens": 1024, "attempts": 6})
    done = finished(pairwright("doctor", made.config))
    for said in (f"{CONTEXT:,} tokens", "reachable", "follows the schema"):
        assert said in done.out, done.out


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


def test_a_build_in_process_stops_at_ctrl_c_goes_on_and_gets_what_a_server_would_say(
    engines: str, server: Served, tiny_chat: Path, tmp_path: Path
) -> None:
    sampling = {"max_tokens": 64, "attempts": 4}
    both = {"generator": sampling, "judge": {**sampling, "temperature": 0.7}}
    local = {"engine": "vllm", "model": NAME, "vllm": {**FLAGS, "model": str(tiny_chat)}}
    made = study(tmp_path / "s", "unused", 6, sampling=both)
    made.change(endpoints__served=local)
    rewritten(with_gold(made, draws=2), lengthened)

    def begun() -> bool:
        with suppress(StoreError):
            return len(stored(made.run)) >= 3
        return False

    # Ctrl-C reaches the engine's processes, too: they must answer what is in flight.
    process = building(engines, made, **THREADS)
    until(begun, process, PATIENCE_S)
    os.killpg(process.pid, signal.SIGINT)
    code, said = ended(process)
    assert code == 130, said
    assert "Stopping after" in said
    assert "has died" not in said
    before = texts(made)
    assert not (made.run / "pairs.jsonl").exists()

    code, said = ended(building(engines, made, **THREADS))
    assert code in ENDED, said
    assert "vLLM is ready" in said
    whole, files = texts(made), made.outcomes()
    assert whole.items() > before.items()
    too_long = [
        row["item_id"]
        for row in made.rows("dropped.jsonl")
        if row["dropped"]["reason"] == CONTEXT_LENGTH
    ]
    assert too_long == [HUGE]
    assert made.failed() == []
    # Both kinds of calls: free text, and replies that follow a schema.
    purposes = {asked.purpose for asked, _ in stored(made.run).values()}
    assert {"write_adhering", "compare"} <= purposes

    # A server says the same to the same requests.
    served = rewritten(
        with_gold(study(tmp_path / "t", server.url, 6, sampling=both), draws=2), lengthened
    )
    finished(served.build())
    assert texts(served) == whole

    # It can go on with the other run, once it is said that it has the same flags: everything is
    # stored, so no engine is started, and nothing is sent.
    made.change(endpoints__served={"base_url": server.url, "model": NAME})
    done = made.build()
    assert (done.code, "endpoints.served.vllm" in done.err) == (2, True), done.said
    assert " 0 of them by this command" in finished(made.build("--accept-changes")).out
    assert texts(made) == whole
    for name in ("pairs.jsonl", "dropped.jsonl"):
        assert made.outcomes()[name] == files[name]


def test_a_build_outlives_its_server(server: Served, tmp_path: Path) -> None:
    """It comes last, because all others need the server as it was."""
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
    assert len(stored(made.run)) == len(answers)
