"""Reports of human verification: against truths that were put in, and against counts by hand."""

import itertools
import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import released
from pairwright.pairs import RowDelivery, RowSupport
from pairwright.records import Adherence, AspectScore, Pair, Quality
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.decisions import table_of
from pairwright_human_eval.folder import HumanFolder, OpenStudy
from pairwright_human_eval.forms import read_form
from pairwright_human_eval.records import Answer, KeyedTask, Objection
from pairwright_human_eval.report import (
    StudyReport,
    compute_report,
    decide,
    page_of,
    write_report,
)
from pairwright_human_eval.units import Unit, outline_of
from small_studies import OF_THREE, SCALES, Made, mixed, study_of
from study import pairwright

Ticks = dict[str, str]
Person = Callable[[KeyedTask, Unit], Ticks | None]


class Asked:
    """A study whose tasks are answered by a function; None leaves a task unanswered."""

    def __init__(self, pairs: list[Pair], **options: Any) -> None:
        self.made: Made = study_of(pairs, **options)
        rules = {name: of for name, of in options.items() if name in HumanRules.model_fields}
        policy = HumanRules(**OF_THREE | rules)
        study = self.made.study(overlap=options.get("overlap", 3), policy=policy)
        key = {keyed.task: keyed for keyed in self.made.keyed()}
        self.open = OpenStudy(HumanFolder(Path("run")), study, key)

    def answers(self, person: Person, **changes: Any) -> list[Answer]:
        found: list[Answer] = []
        for keyed in self.open.key.values():
            ticks = person(keyed, self.made.by_id[keyed.unit])
            if ticks is not None:
                found += answers_of(keyed, ticks, **changes)
        return found

    def report(self, answers: Person | Iterable[Answer], **options: Any) -> StudyReport:
        given = self.answers(answers) if callable(answers) else list(answers)
        policy = options.pop("policy", self.open.fixed.policy)
        outlines = [*map(outline_of, self.made.units)]
        return compute_report(outlines, self.open, table_of(given), policy)[0]


def answers_of(keyed: KeyedTask, ticks: Ticks, **changes: Any) -> list[Answer]:
    fields: dict[str, Any] = {
        "task": keyed.task, "annotator": keyed.annotator,
        "round": 0 if keyed.purpose == "repeat" else keyed.round, "unit": keyed.unit,
        "pair": keyed.pair, "seconds": 30.0, "at": "", "source": "0001-0.json", **changes,
    }  # fmt: skip
    said = read_form(ticks.items(), keyed, SCALES)
    assert not isinstance(said, Objection)
    return [Answer(kind=kind, item=item, label=label, **fields) for kind, item, label in said]


# What people answer

right = cast(Callable[[KeyedTask, Unit | None], Ticks], released.right())
"""Votes for the chosen response, 4 throughout, every aspect there and delivered by it."""


def worst(keyed: KeyedTask) -> str:
    return "B" if keyed.a == "chosen" else "A"


def scored(keyed: KeyedTask, first: int, second: int) -> Ticks:
    scores = {"first": first, "second": second}
    sides = [(place.lower(), str(scores[role])) for place, role in keyed.sides.items()]
    return {f"{scale.name}_{side}": score for scale in SCALES for side, score in sides}


def preferring(choice: Callable[[KeyedTask, Unit], str | None]) -> Person:
    """As `right`, but for what votes choose, if it says anything of them."""

    def answer(keyed: KeyedTask, unit: Unit) -> Ticks:
        said = choice(keyed, unit) if keyed.kind == "preference" else None
        return {"preference": said} if said else right(keyed, unit)

    return answer


# Decisions


def test_decisions_are_counted_by_mode_with_their_reasons() -> None:
    """Every second unit is of poor quality."""
    asked = Asked(mixed(6, 10))

    def answer(keyed: KeyedTask, unit: Unit) -> Ticks:
        poor = keyed.kind == "quality" and asked.made.units.index(unit) % 2
        return scored(keyed, 1, 1) if poor else right(keyed, unit)

    report = asked.report(answer)
    whole, twins, violates = report.decisions
    assert [one.group for one in report.decisions] == ["all", "twin", "violate"]
    assert (whole.units, twins.units, violates.units) == (16, 6, 10)
    assert whole.states == {"verified": 8, "refused": 8, "disputed": 0, "waiting": 0}
    assert (whole.verified.k, whole.verified.n, whole.verified.clusters) == (8, 16, 16)
    assert whole.reasons == {"refused: quality: correctness": 8}


# Votes


def test_votes_for_either_response_are_counted_and_placebos_are_not() -> None:
    said = itertools.cycle(("chosen", "equal", "chosen", "cannot_tell", "rejected", "chosen"))

    def choice(keyed: KeyedTask, unit: Unit) -> str | None:
        if keyed.purpose == "repeat":
            return None
        word = "equal" if unit.mode == "placebo" else next(said)
        return {role: place for place, role in keyed.sides.items()}.get(word, word)

    pairs = [
        pair.model_copy(update={"mode": "placebo"}) if pair.twin_id else pair
        for pair in mixed(6, 8)
    ]
    found = Asked(pairs).report(preferring(choice)).preferred
    assert (found.k, found.n, found.clusters) == (12, 16, 8)
    assert (found.low or 0) < 0.75 < (found.high or 0)


# The judge


def judged(pair: Pair, first: list[int], second: list[int], quality: int) -> Pair:
    """The pair with a judge's scores of its aspects in both responses, and of their quality."""
    adherence = {
        side: Adherence(scores=tuple(AspectScore(reason="", score=n) for n in scores))
        for side, scores in (("first", first), ("second", second))
    }
    rated = Quality(reason="", scores={scale.name: quality for scale in SCALES})
    scores = {"adherence": (adherence, adherence), "quality": {"first": rated, "second": rated}}
    return pair.model_copy(update={"draft": pair.draft.model_copy(update=scores)})


def test_people_are_compared_with_the_judge() -> None:
    """People say the same as each other; the judge agrees with them about as often as not."""
    chance = random.Random(2)
    judge: dict[str, tuple[list[int], list[int], int]] = {}
    people: dict[str, tuple[list[str], int]] = {}
    pairs = mixed(0, 20)
    for n, pair in enumerate(pairs):
        first, second = ([chance.choice((0, 2)) for _ in range(2)] for _ in "ab")
        judge[pair.id] = first, second, chance.randint(1, 5)
        people[pair.id] = [chance.choice(("own", "both", "neither")) for _ in "ab"], n % 4 + 1
        pairs[n] = judged(pair, *judge[pair.id])

    def answer(keyed: KeyedTask, unit: Unit) -> Ticks:
        said, score = people[unit.id]
        if keyed.kind == "quality":
            return scored(keyed, score, score)
        others = {f"delivered_{n}": one for n, one in enumerate(said) if one != "own"}
        return right(keyed, unit) | (others if keyed.aspects else {})

    found = Asked(pairs).report(answer).judge
    for side in ("chosen", "rejected"):
        alike = [
            (score > 0) == (said == "both" or (said == "own" and side == "chosen"))
            for id, (first, second, _) in judge.items()
            for score, said in zip(
                first if side == "chosen" else second, people[id][0], strict=True
            )
        ]
        of = found[f"an aspect is delivered by the {side} response"]
        assert of.n == len(alike)
        assert of.value == pytest.approx(float(np.mean(alike)), abs=1e-6)
    near = float(np.mean([abs(judge[id][2] - people[id][1]) <= 1 for id in judge]))
    for scale in SCALES:
        of = found[f"{scale.name}, at most one point apart"]
        assert of.value == pytest.approx(near, abs=1e-6)


# Annotators


def test_who_fails_the_checks_counts_nowhere() -> None:
    wrong = preferring(lambda task, _: worst(task) if task.annotator == "annotator-02" else None)
    report = Asked(mixed(9, 6)).report(wrong)
    assert report.excluded == ["annotator-02"]
    assert report.preferred.value == 1
    assert max(of.raters for of in report.agreement.values()) == 8
    assert "EXCLUDED by attention checks: annotator-02" in page_of(report).opening[0]


# The page


def test_what_is_simulated_or_changed_stands_above_everything() -> None:
    asked = Asked(mixed(3, 3))
    strict = HumanRules(**OF_THREE | {"votes": 2})
    report = asked.report(asked.answers(right, source="simulated-a-1-0.json"), policy=strict)
    opening = page_of(report).opening
    assert opening[0].startswith("SIMULATED ANNOTATORS")
    assert "human.votes was 3 and is 2" in opening[1]


def test_the_files_of_a_report_are_the_same_each_time(tmp_path: Path) -> None:
    asked = Asked(mixed(20, 20), annotators=11)
    answers = asked.answers(
        preferring(lambda task, _: worst(task) if task.task < "task-8" else None)
    )
    report, folder = asked.report(answers), HumanFolder(tmp_path)
    folder.path.mkdir()
    write_report(folder, report)
    names = ("report.json", "report.md", "report.html")
    before = [(folder.path / name).read_bytes() for name in names]
    write_report(folder, asked.report(answers[::-1]))
    assert [(folder.path / name).read_bytes() for name in names] == before
    assert StudyReport.model_validate(json.loads(before[0])) == report


def test_the_units_that_are_not_verified_are_listed_with_their_votes() -> None:
    asked = Asked(mixed(5, 5), annotators=11)
    last = preferring(lambda task, unit: worst(task) if task.pair == unit.pairs[-1].id else None)
    given = asked.answers(last)
    page = page_of(asked.report(given)).markdown
    assert len([word for word in page.split() if any(c.isalpha() for c in word)]) <= 900
    for unit in asked.made.units:
        row = "other | 3/0/0/0; 0/3/0/0" if len(unit.pairs) == 2 else "| 0/3/0/0"
        refused = f"| {unit.id} | refused: most preferred the rejected response | {row} |"
        assert refused.replace("| |", "|  |") in page
    some = [one for one in given if one.annotator == "annotator-01"]
    assert "1 annotator answered" in page_of(asked.report(some)).opening[0]


# From the answers to the row


def delivered_by_other(task: KeyedTask, _: object = None) -> Ticks:
    """Only the rejected response delivers."""
    ticks = right(task, None)
    other = {"A": "B", "B": "A"}[task.expected or "A"]
    return {k: other if k.startswith("delivered") else v for k, v in ticks.items()}


def second_refuted(task: KeyedTask, _: object = None) -> Ticks:
    """Nobody finds the second aspect supported, and nobody finds it delivered."""
    refuted = {"support_1": "no", "delivered_1": "neither"}
    return right(task, None) | (refuted if task.kind == "rubric" else {})


def test_the_report_says_reasons_in_words_and_status_how_many(tmp_path: Path) -> None:
    run = released.run_of(tmp_path / "run", released.PAIRS[:6], answer=delivered_by_other)
    assert "last report" not in pairwright("human", "status", run).out
    assert {made.state for made in decide(run).decisions.values()} == {"refused"}
    said = "too few of the supported aspects are delivered by the chosen response alone"
    report = (run / "human/report.md").read_text(encoding="utf-8")
    assert f"| refused: {said} | 4 | 2 | 2 |" in report
    shown = " ".join(pairwright("human", "status", run).out.split())
    assert "Decided by the last report: 4 refused." in shown


def test_a_row_has_what_people_said_of_each_aspect_and_the_supported_ones_as_key(
    tmp_path: Path,
) -> None:
    made = released.run_of(tmp_path / "run", released.PAIRS[:6], answer=second_refuted)
    found = released.rows(released.written(made, tmp_path / "release"))
    none = dict.fromkeys(RowDelivery.model_fields, 0)
    for row in found:
        first, second = row.rubric_aspects
        assert first.support == RowSupport(clearly=3, plausibly=0, no=0, contradicted=0)
        assert first.delivery == RowDelivery(**none | {"chosen": 3})
        assert second.support == RowSupport(clearly=0, plausibly=0, no=3, contradicted=0)
        assert second.delivery == RowDelivery(**none | {"neither": 3})
        assert row.answer_key == (first,)
