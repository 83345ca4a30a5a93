"""Replies that say another model answered, or that nothing can be made of: what people learn."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from endpoint import Asked, Body, altered, double_url, in_thread
from model_double import DOUBLE
from pairwright.construct.status import status
from pairwright.models.call import is_same_model
from study import Study, pairwright


def put_in(finish: str = "stop", **message: object) -> Callable[[Body], None]:
    def alter(reply: Body) -> None:
        reply["choices"] = [{"message": message, "finish_reason": finish}]

    return alter


BROKEN: dict[str, tuple[Callable[[Body], None], str, str]] = {
    "thinking alone": (put_in(content=None, reasoning_content="Let me see."), "unusable_reply",
                       "replies empty, or thinking alone"),
    "a tool call": (put_in("tool_calls", content=None, tool_calls=[{"function": {"name": "x"}}]),
                    "tool_call", "tool calls instead of replies"),
    "a refusal": (put_in(content=None, refusal="No."), "model_refused", "the model declined"),
    "cut short": (put_in("length", content='{"asp'), "cut_short", "replies cut short"),
    "not a number": (put_in(content="NaN"), "unparseable", "unreadable replies"),
    "nothing": (put_in(content=None), "unparseable", "unreadable replies"),
}  # fmt: skip


@pytest.mark.parametrize(("alter", "reason", "meaning"), BROKEN.values(), ids=BROKEN)
def test_a_run_without_usable_replies_says_why(
    alter: Callable[[Body], None], reason: str, meaning: str, tmp_path: Path
) -> None:
    with in_thread(altered(lambda _, reply: alter(reply))) as endpoint:
        study = Study.make(tmp_path / "study", endpoint.url, limit=2)
        done = study.build()
    assert done.code == 1
    assert "This run is short: 4 units were dropped of 4 because a model gave" in done.err
    assert f"plan: {meaning} (4)" in done.err
    assert reason in study.rows("dropped.jsonl")[0]["dropped"]["reason"]
    assert pairwright("status", study.run).code == 1
    assert json.loads((study.run / "manifest.json").read_text())["state"] == "short"
    if reason == "unparseable":
        # What is stored is not asked again by itself; further draws are.
        study.change(served__base_url=double_url())
        assert study.build().code == 1
        study.change(sampling__planner={"attempts": 6})
        assert study.build("--accept-changes").code == 0
        assert study.rows("pairs.jsonl")


def test_a_refusal_in_place_of_content_is_no_response(tmp_path: Path) -> None:
    def writers_refuse(asked: Asked, reply: Body) -> None:
        if "response_format" not in asked.body:
            reply["choices"][0]["message"] = {"content": None, "refusal": "I cannot help with it."}

    with in_thread(altered(writers_refuse)) as endpoint:
        study = Study.make(tmp_path / "study", endpoint.url, limit=2)
        done = study.build()
    assert done.code == 1
    assert "the model declined" in done.err
    assert "I cannot help" not in (study.run / "pairs.jsonl").read_text()


# The model that a reply names


@pytest.mark.parametrize(
    ("served", "asked", "same"),
    [
        ("openai/gpt-4o-2024-08-06", "gpt-4o", True),
        ("gpt-4o", "openai/gpt-4o-2024-08-06", True),
        ("claude-3-5-sonnet@20240620", "claude-3-5-sonnet", True),
        ("claude-3-5-sonnet", "claude-3-5-sonnet-latest", True),
        ("gemini-1.5-pro-002", "models/gemini-1.5-pro", True),
        ("/srv/models/Qwen2.5-7B-Instruct/", "Qwen/Qwen2.5-7B-Instruct", True),
        ("llama3.1:latest", "llama3.1", True),
        ("gpt-4o-mini", "gpt-4o", False),
        ("gpt-4o-2024-08-06", "gpt-4o-2024-05-13", False),
        ("gpt-4-32k", "gpt-4", False),
        ("llama3.1:8b", "llama3.1:70b", False),
        ("", "m", False),
    ],
)
def test_dates_paths_and_case_do_not_make_another_model_but_a_size_or_another_date_does(
    served: str, asked: str, same: bool
) -> None:
    assert is_same_model(served, asked) == same


def test_status_and_the_manifest_count_the_replies_of_other_models(tmp_path: Path) -> None:
    names = ("/srv/other-8b", f"{DOUBLE}-20240806")
    with in_thread(
        altered(lambda asked, body: body.update(model=names[asked.number % 2]))
    ) as server:
        study = Study.make(tmp_path / "study", server.url, limit=3, modes=["violate"])
        done = study.build()
    assert done.code == 0, done.said
    assert done.err.count("replies name the model /srv/other-8b") == 1
    counts = study.manifest["served_models"][DOUBLE]
    assert counts["/srv/other-8b"] > 5
    assert sum(counts.values()) == study.manifest["calls"]["n"]
    assert status(study.run).served == {DOUBLE: {"/srv/other-8b": counts["/srv/other-8b"]}}
    printed = pairwright("status", study.run).out
    assert f"for {DOUBLE}, with replies that name /srv/other-8b" in printed
    assert "20240806" not in printed
