"""A build against real `vllm serve` with a tiny model of random weights, on a CPU.

What the model writes means nothing. What must hold: every call is stored once, every unit ends with
a reason, a second run sends nothing, and a server that dies costs no finished call.
"""

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest
from aiohttp import web
from gold_study import rewritten, with_gold
from own_process import StoredCall, stored

from endpoint import Asked, Handler, drop, in_thread
from engines.fixtures import engines, tiny_chat
from engines.served import NAME, STRICT, Served, serving_vllm
from study import Done, Study, pairwright

pytestmark = pytest.mark.real
__all__ = ["engines", "tiny_chat"]

CONTEXT = 12288
"""Tokens, which are bytes here: what doctor asks fits, and long histories do not."""
ROOM = 192
"""Tokens of a reply at first."""


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
        for key, value in (("temperature", 1.0), ("max_tokens", ROOM), ("attempts", 2))
    }
    return Study.make(folder, url, limit=limit, **(settings | changes))


def longer(row: dict[str, Any]) -> None:
    for post in row["profile"]:
        post["text"] += f" {post['text']}"


def calls(made: Study) -> list[StoredCall]:
    return [*stored(made.run).values()]


ENDED = (0, 1)
"""A build has ended. Where a model of random weights gave few usable replies, it is short."""


def finished(done: Done) -> None:
    assert done.code in ENDED, done.said


@pytest.fixture(scope="module")
def planned(server: Served, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Two items with long histories in both modes, with the planner."""
    made = study(tmp_path_factory.mktemp("planned") / "s", server.url, 2)
    rewritten(made, longer)
    finished(made.build())
    return made


@pytest.fixture(scope="module")
def judged(server: Served, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Three items of which writers and judges are asked."""
    made = with_gold(study(tmp_path_factory.mktemp("judged") / "s", server.url, 3))
    finished(made.build())
    return made


def test_every_unit_ends_with_a_reason(planned: Study, judged: Study) -> None:
    planned.assert_whole(4)
    judged.assert_whole(3)
    assert {call.purpose for call in calls(planned)} >= {"plan"}
    # What is asked after a comparison depends on what the model says there.
    assert {call.purpose for call in calls(judged)} >= {"write_adhering", "compare"}


def test_a_second_run_sends_nothing_and_gives_the_same_files(planned: Study, judged: Study) -> None:
    for made in (planned, judged):
        before = made.outcomes()
        done = made.build()
        finished(done)
        assert "0 sent now" in done.out
        assert made.outcomes() == before


def test_a_history_over_the_context_is_asked_about_with_fewer_posts(planned: Study) -> None:
    over = [call for call in calls(planned) if call.reply.finish == "context_length"]
    assert over
    assert all("maximum context length" in call.reply.text for call in over)
    answered = [
        c for c in calls(planned) if c.purpose == "plan" and c.reply.finish != "context_length"
    ]
    assert answered
    most = max(len(c.request["messages"][-1]["content"]) for c in answered)
    assert all(len(c.request["messages"][-1]["content"]) > most // 2 for c in over)


def test_doctor_finds_a_strict_server_in_order(planned: Study) -> None:
    done = pairwright("doctor", planned.config)
    finished(done)
    for said in (f"{CONTEXT:,} tokens", "reachable", "follows the schema"):
        assert said in done.out, done.out


# A server that dies


class Survived(NamedTuple):
    """A build whose server died in the middle and came back, with other flags, on its port."""

    study: Study
    code: int
    said: str
    answers: Counter[str]
    """How often each request got a reply."""


def through(server: Served, answers: Counter[str]) -> Handler:
    """Pass each request on, and count what was answered: a server that died cannot tell."""

    async def handler(asked: Asked) -> web.StreamResponse:
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

    return handler


@pytest.fixture(scope="module")
def survived(server: Served, judged: Study, tmp_path_factory: pytest.TempPathFactory) -> Survived:
    """After `judged`, which needs the server as it was."""
    answers: Counter[str] = Counter()
    with in_thread(through(server, answers)) as endpoint:
        made = with_gold(
            study(
                tmp_path_factory.mktemp("died") / "s", endpoint.url, 3,
                served__concurrency=2, served__attempts=60,
            )
        )  # fmt: skip
        build = made.start_build()
        while sum(answers.values()) < 6:
            assert build.poll() is None, build.communicate()
            time.sleep(0.1)
        server.kill()
        assert build.poll() is None, "the build ended before its server did"
        server.start("--max-model-len", str(CONTEXT))
        out, err = build.communicate(timeout=900)
    return Survived(made, build.returncode, out + err, answers)


def test_a_build_outlives_its_server(survived: Survived) -> None:
    assert survived.code in ENDED, survived.said
    survived.study.assert_whole(3)
    assert set(survived.answers.values()) == {1}, "an answered call was sent again"
    assert len(calls(survived.study)) == len(survived.answers)
