"""Reports of human verification: against truths that were put in, and against counts by hand."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import cast

import released
from live_study import LiveStudy
from pairwright.lines import read_one
from pairwright.pairs import RowDelivery, RowSupport
from pairwright.records import Adherence, AspectScore, Pair, Quality
from pairwright_human_eval.records import KeyedTask
from pairwright_human_eval.report import StudyReport, decide, page_of
from pairwright_human_eval.units import Unit, units_of
from small_studies import FILE, SCALES, mixed

Ticks = dict[str, str]
right = cast(Callable[[KeyedTask, Unit | None], Ticks], released.right())
"""Votes for the chosen response, 4 throughout, every aspect there and delivered by it."""


def worst(keyed: KeyedTask) -> str:
    return "B" if keyed.a == "chosen" else "A"


def preferring(choice: Callable[[KeyedTask, Unit], str | None]) -> released.Answer:
    """As `right`, but for what votes choose, if it says anything of them."""

    def answer(keyed: KeyedTask, unit: Unit | None) -> Ticks:
        said = choice(keyed, unit) if unit and keyed.kind == "preference" else None
        return {"preference": said} if said else right(keyed, unit)

    return answer


def report(run: Path, pairs: list[Pair], answer: released.Answer) -> StudyReport:
    return decide(released.run_of(run / "run", pairs, answer=answer)).report


def test_decisions_are_counted_by_mode_with_their_reasons(tmp_path: Path) -> None:
    """Every second unit is of poor quality."""

    def answer(keyed: KeyedTask, unit: Unit | None) -> Ticks:
        poor = unit and int(unit.asked.item_id[-1]) % 2 and keyed.kind == "quality"
        ticks = right(keyed, unit)
        return dict.fromkeys(ticks, "1") if poor else ticks

    whole, twins, violates = report(tmp_path, mixed(6, 10), answer).decisions
    assert (whole.group, twins.group, violates.group) == ("all", "twin", "violate")
    assert (whole.units, twins.units, violates.units) == (16, 6, 10)
    assert whole.states == {"verified": 8, "refused": 8, "disputed": 0, "waiting": 0}
    assert (whole.verified.k, whole.verified.n, whole.verified.clusters) == (8, 16, 16)
    assert whole.reasons == {"refused: quality: correctness": 8}


def test_votes_for_either_response_are_counted_and_placebos_are_not(tmp_path: Path) -> None:
    said = itertools.cycle(("chosen", "equal", "chosen", "cannot_tell", "rejected", "chosen"))

    def choice(keyed: KeyedTask, unit: Unit) -> str | None:
        if keyed.purpose == "repeat":
            return None
        word = "equal" if unit.mode == "placebo" else next(said)
        return {role: place for place, role in keyed.sides.items()}.get(word, word)

    pairs = [Pair(**dict(one) | {"mode": "placebo"} if one.twin_id else dict(one))
             for one in mixed(6, 8)]  # fmt: skip
    found = report(tmp_path, pairs, preferring(choice)).preferred
    assert (found.k, found.n, found.clusters) == (12, 16, 8)
    assert (found.low or 0) < 0.75 < (found.high or 0)


def judged(pair: Pair, first: list[int], second: list[int], quality: int) -> Pair:
    """The pair with a judge's scores of its aspects in both responses, and of their quality."""
    adherence = {
        side: Adherence(scores=tuple(AspectScore(reason="", score=n) for n in scores))
        for side, scores in (("first", first), ("second", second))
    }
    rated = Quality(reason="", scores={scale.name: quality for scale in SCALES})
    scores = {"adherence": (adherence, adherence), "quality": {"first": rated, "second": rated}}
    return pair.model_copy(update={"draft": pair.draft.model_copy(update=scores)})


def test_people_are_compared_with_the_judge(tmp_path: Path) -> None:
    """To the judge the chosen response delivers every aspect, and the last rejected one its second;
    the first quality is 2, the others are 5. People give 4."""
    pairs = [
        judged(pair, [2, 2], [0, 2 * (n == 3)], 5 if n else 2) for n, pair in enumerate(mixed(0, 4))
    ]
    said = dict(zip([pair.id for pair in pairs], ("", "", "both", "neither"), strict=True))

    def answer(keyed: KeyedTask, unit: Unit | None) -> Ticks:
        ticks, word = right(keyed, unit), said[keyed.unit]
        return ticks | {name: word for name in ticks if name.startswith("delivered") and word}

    found = report(tmp_path, pairs, answer).judge
    assert {name: (of.value, of.n) for name, of in found.items()} == {
        "an aspect is delivered by the chosen response": (6 / 8, 8),
        "an aspect is delivered by the rejected response": (5 / 8, 8),
        **{f"{scale.name}, at most one point apart": (6 / 8, 8) for scale in SCALES},
    }


def test_who_fails_the_checks_counts_nowhere(tmp_path: Path) -> None:
    wrong = preferring(lambda task, _: worst(task) if task.annotator == "annotator-02" else None)
    found = report(tmp_path, mixed(9, 6), wrong)
    assert found.excluded == ["annotator-02"]
    assert found.preferred.value == 1
    assert max(of.raters for of in found.agreement.values()) == 8
    assert "EXCLUDED by attention checks: annotator-02" in page_of(found).opening[0]


def test_what_is_simulated_or_changed_stands_above_everything(tmp_path: Path) -> None:
    run = released.run_of(tmp_path / "run", mixed(3, 3), simulated_answers=True)
    config = run / "config.toml"
    config.write_text(config.read_text("utf-8").replace("votes = 3", "votes = 2"), "utf-8")
    opening = page_of(decide(run).report).opening
    assert opening[0].startswith("SIMULATED ANNOTATORS")
    assert "human.votes was 3 and is 2" in opening[1]


def test_what_is_not_verified_is_listed_and_the_order_of_the_answers_changes_no_file(
    tmp_path: Path,
) -> None:
    """Of each unit the last pair is refused."""
    last = preferring(lambda task, unit: worst(task) if task.pair == unit.pairs[-1].id else None)
    pairs = mixed(5, 5)
    study = LiveStudy(released.run_of(tmp_path / "run", pairs, answer=last))
    assert "last report" not in study.do("status")
    found = decide(study.run).report
    assert "Decided by the last report: 10 refused." in study.do("status")
    page = page_of(found).markdown
    assert len([word for word in page.split() if any(c.isalpha() for c in word)]) <= 900
    for unit in units_of(pairs, FILE):
        row = " other | 3/0/0/0; 0/3/0/0" if len(unit.pairs) == 2 else "  | 0/3/0/0"
        why = "refused: most annotators preferred the rejected response"
        assert f"| {unit.id} | {why} |{row} |" in page
    before, answers = study.files(), study.folder.answers
    assert read_one(study.folder.report, StudyReport) == found
    lines = answers.read_text("utf-8").splitlines(keepends=True)
    answers.write_text("".join(lines[::-1]), "utf-8")
    assert decide(study.run).report == found
    assert study.files() | {"answers.jsonl": b""} == before | {"answers.jsonl": b""}
    answers.write_text("".join(one for one in lines if "annotator-01" in one), "utf-8")
    assert "1 annotator answered" in page_of(decide(study.run).report).opening[0]


def test_a_row_has_what_people_said_of_each_aspect_and_the_supported_ones_as_key(
    tmp_path: Path,
) -> None:
    """Nobody finds the second aspect supported, and nobody finds it delivered."""
    refuted = {"support_1": "no", "delivered_1": "neither"}

    def answer(task: KeyedTask, _: object) -> Ticks:
        return right(task, None) | (refuted if task.kind == "rubric" else {})

    made = released.run_of(tmp_path / "run", released.PAIRS[:6], answer=answer)
    none = dict.fromkeys(RowDelivery.model_fields, 0)
    for row in released.rows(released.written(made, tmp_path / "release")):
        first, second = row.rubric_aspects
        assert first.support == RowSupport(clearly=3, plausibly=0, no=0, contradicted=0)
        assert first.delivery == RowDelivery(**none | {"chosen": 3})
        assert second.support == RowSupport(clearly=0, plausibly=0, no=3, contradicted=0)
        assert second.delivery == RowDelivery(**none | {"neither": 3})
        assert row.answer_key == (first,)
