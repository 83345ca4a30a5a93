"""The plans before the matching: what they find, what they cost, and what a failure does."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from aiohttp import web
from bread import ASKER, ENGLISH, PARTNER, VICTOR, script

from endpoint import Asked, double, fail, in_thread
from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Outcomes, Planned
from pairwright.construct.partners import TriedUsers, plan_question
from pairwright.models.store import Store
from pairwright.modes.twin import build_twin
from pairwright.records import Rubric
from scripted import (
    Answer,
    Others,
    Scripted,
    expect,
    item,
    models,
    policy,
    posts,
    wait,
)
from study import Study

STRANGER = posts("My canary sings at noon, and I bake bread for it.", prefix="wim")


def people_of(path: Path) -> Corpus:
    """Una, who asks, Victor and Wim."""
    wim = item(STRANGER, user="wim", id="q4")
    return Corpus.write([ASKER, PARTNER, wim], path / "items.jsonl", 0)


def plan(
    folder: Path, modes: tuple[str, ...] = ("twin",), least: int = 1, **answers: Answer
) -> tuple[Planned, Scripted]:
    """The plan of Una's question, which Victor and Wim may suit, and the models that were asked;
    a rubric has so many aspects at least."""
    llm = script(ENGLISH, **answers)
    rules = policy(Others([VICTOR, STRANGER]), modes=modes, planner={"min_aspects": least})
    with closing(people_of(folder)) as corpus:
        tried = TriedUsers(("victor", "wim"), 2, ("wim",))
        return wait(plan_question(ASKER, tried, corpus, models(llm), rules)), llm


def test_the_twin_does_not_infer_the_planned_rubric_again(tmp_path: Path) -> None:
    found, _ = plan(tmp_path)
    rubric = expect(Rubric, found.rubric)
    llm, again = script(), script()
    rules = policy(Others([VICTOR, STRANGER]))
    made = wait(build_twin(ASKER, PARTNER, models(llm), rules, rubric))
    assert made == wait(build_twin(ASKER, PARTNER, models(again), rules))
    assert len(llm.asked("support")) < len(again.asked("support"))


# In a build


def plans(study: Study) -> dict[str, str]:
    """What came of each plan, by item."""
    with closing(Store(study.run / "run.sqlite", writing=False)) as store:
        return {one.item: one.kind for one in Outcomes(store).rows("mode = 'plan'", whole=False)}


@pytest.mark.real
def test_a_failed_plan_holds_nobody_up_and_is_asked_again(tmp_path: Path) -> None:
    broken, asked_by = True, ""

    async def answer(asked: Asked) -> web.StreamResponse:
        if broken and asked_by in asked.said:
            return await fail(500)(asked)
        return await double()(asked)

    with in_thread(answer) as endpoint:
        study = Study.make(tmp_path / "s", endpoint.url, limit=4, served__attempts=1)
        rows = (study.folder / "histories.jsonl").read_text(encoding="utf-8").splitlines()
        asked_by, failed = json.loads(rows[1])["question"], json.loads(rows[1])["id"]
        done = study.build()
        assert done.code == 1, done.said
        assert plans(study)[failed] == "failed"
        assert {row["unit"] for row in study.failed()} == {
            f"twin:{failed}", f"violate:{failed}",
        }  # fmt: skip
        assert {row["mode"] for row in study.rows("pairs.jsonl")} == {"twin", "violate"}
        broken = False
        assert study.build().code == 0
        fresh = Study.make(tmp_path / "fresh", endpoint.url, limit=4, served__attempts=1)
        assert fresh.build().code == 0
    assert set(plans(study).values()) == {"planned"}
    pairs = study.rows("pairs.jsonl")
    assert pairs == fresh.rows("pairs.jsonl")
    couples: dict[str, set[str]] = {}
    for row in pairs:
        if row["mode"] == "twin":
            couples.setdefault(row["twin_id"], set()).add(row["user"])
    assert all(a == b or not a & b for a in couples.values() for b in couples.values())
