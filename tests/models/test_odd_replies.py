"""Replies that say another model answered, or that nothing can be made of: what people learn."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from endpoint import Asked, Body, altered, double_url, in_thread
from model_double import DOUBLE
from study import Study, pairwright


def put_in(finish: str = "stop", **message: object) -> Callable[[Asked, Body], None]:
    def alter(_: Asked, reply: Body) -> None:
        reply["choices"] = [{"message": message, "finish_reason": finish}]

    return alter


def writers_refuse(asked: Asked, reply: Body) -> None:
    if "response_format" not in asked.body:
        reply["choices"][0]["message"] = {"content": None, "refusal": "I cannot help with it."}


BROKEN: dict[str, tuple[Callable[[Asked, Body], None], str, str]] = {
    "a tool call": (put_in("tool_calls", content=None, tool_calls=[{"function": {"name": "x"}}]),
                    "tool_call", "plan: tool calls instead of replies (4)"),
    "a refusal": (writers_refuse, "model_refused", "the model declined"),
    "not a number": (put_in(content="NaN"), "unparseable", "plan: unreadable replies (4)"),
}  # fmt: skip


@pytest.mark.parametrize(("alter", "reason", "meaning"), BROKEN.values(), ids=BROKEN)
def test_a_run_without_usable_replies_says_why(
    alter: Callable[[Asked, Body], None], reason: str, meaning: str, tmp_path: Path
) -> None:
    with in_thread(altered(alter)) as endpoint:
        study = Study.make(tmp_path / "study", endpoint.url, limit=2)
        done = study.build()
    assert done.code == 1
    assert "because a model gave no usable reply" in done.err
    assert meaning in done.err
    assert reason in {row["dropped"]["reason"] for row in study.rows("dropped.jsonl")}
    assert "I cannot help" not in (study.run / "pairs.jsonl").read_text()
    assert pairwright("status", study.run).code == 1
    assert json.loads((study.run / "manifest.json").read_text())["state"] == "short"
    if reason == "unparseable":
        # What is stored is not asked again by itself; further draws are.
        study.change(served__base_url=double_url())
        assert study.build().code == 1
        study.change(sampling__planner={"attempts": 6})
        assert study.build("--accept-changes").code == 0
        assert study.rows("pairs.jsonl")


def test_people_and_the_manifest_learn_which_other_models_replies_name(tmp_path: Path) -> None:
    def other(_: Asked, body: Body) -> None:
        body["model"] = "/srv/other-8b"
        # Half an emoji, cut inside its escape.
        body["choices"][0]["message"]["reasoning_content"] = "hm \ud83d"

    with in_thread(altered(other)) as near:
        study = Study.make(tmp_path / "study", near.url, limit=3, modes=["violate"])
        done = study.build()
    assert done.code == 0, done.said
    assert done.err.count("replies name the model /srv/other-8b") == 1
    counts = study.manifest["calls"]["n"]
    assert study.manifest["served_models"] == {DOUBLE: {"/srv/other-8b": counts}}
    printed = pairwright("status", study.run).out
    assert f"for {DOUBLE}, with replies that name /srv/other-8b" in printed
    recorded = pairwright("batch", "record", study.run, "--out", tmp_path / "replies.jsonl")
    assert recorded.code == 0, recorded.said
