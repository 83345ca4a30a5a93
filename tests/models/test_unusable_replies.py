"""Replies that nothing can be made of: the run is short and says why, and they are asked again."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from endpoint import Asked, Body, altered, in_thread
from study import Study, pairwright

MODEL = "pairwright-double"
BROKEN: dict[str, tuple[Body, str, str, str]] = {
    "thinking alone": (
        {"content": None, "reasoning_content": "Let me see."}, "stop", "unusable_reply",
        "replies empty, or thinking alone",
    ),
    "a tool call": (
        {"content": None, "tool_calls": [{"function": {"name": "search"}}]}, "tool_calls",
        "tool_call",
        "tool calls instead of replies",
    ),
    "a refusal": (
        {"content": None, "refusal": "I cannot help."}, "stop", "model_refused",
        "the model declined",
    ),
    "cut short": (
        {"content": '{"asp'}, "length", "cut_short",
        "replies cut short",
    ),
    "not a number": ({"content": "NaN"}, "stop", "unparseable", "unreadable replies"),
    "nothing": ({"content": None}, "stop", "unparseable", "unreadable replies"),
}  # fmt: skip


class Server:
    """The model's double, with one message in place of all replies while there is one."""

    message: Body | None = None
    finish = "stop"

    def alter(self, _: Asked, reply: Body) -> None:
        if self.message is not None:
            reply["choices"] = [{"message": self.message, "finish_reason": self.finish}]


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def study(server: Server, tmp_path: Path) -> Iterator[Study]:
    with in_thread(altered(server.alter), models=(MODEL,)) as endpoint:
        yield Study.make(tmp_path / "study", endpoint.url, limit=2)


@pytest.mark.parametrize("kind", BROKEN)
def test_a_run_without_usable_replies_says_why(server: Server, study: Study, kind: str) -> None:
    server.message, server.finish, reason, meaning = BROKEN[kind]
    done = study.build()
    assert done.code == 1
    assert "This run is short: 4 units were dropped of 4 because a model gave" in done.err
    assert f"plan: {meaning} (4)" in done.err
    assert reason in study.rows("dropped.jsonl")[0]["dropped"]["reason"]
    assert pairwright("status", study.run).code == 1
    assert json.loads((study.run / "manifest.json").read_text())["state"] == "short"
    # What is stored is not asked again by itself; further draws are.
    server.message = None
    assert study.build().code == 1
    study.change(sampling__planner={"attempts": 6})
    assert study.build("--accept-changes").code == 0
    assert study.rows("pairs.jsonl")


def test_a_refusal_in_place_of_content_is_no_response(study: Study) -> None:
    def writers_refuse(asked: Asked, reply: Body) -> None:
        if "response_format" not in asked.body:
            reply["choices"][0]["message"] = {"content": None, "refusal": "I cannot help with it."}

    with in_thread(altered(writers_refuse), models=(MODEL,)) as endpoint:
        study.change(served__base_url=endpoint.url)
        done = study.build()
    assert done.code == 1
    assert "the model declined" in done.err
    assert "I cannot help" not in (study.run / "pairs.jsonl").read_text()
