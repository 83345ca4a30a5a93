"""Reports of human verification: against truths that were put in, and against counts by hand."""

import itertools
import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pairwright.records import Adherence, AspectScore, Pair, Quality
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import (
    AspectAnswer,
    KeyedTask,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Verdict,
    response_id,
)
from pairwright_human_eval.report import StudyReport, compute_report, write_report
from pairwright_human_eval.report.page import page_of
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Subject
from small_studies import OF_THREE, SCALES, Made, mixed, study_of

Answer = Callable[[KeyedTask, Subject], Any]


class Asked:
    """A study whose tasks are answered by a function; None leaves a task unanswered."""

    def __init__(self, pairs: list[Pair], **options: Any) -> None:
        self.made: Made = study_of(pairs, **options)
        rules = {name: of for name, of in options.items() if name in HumanRules.model_fields}
        policy = HumanRules(**OF_THREE | rules)
        study = self.made.study(overlap=options.get("overlap", 3), policy=policy)
        self.fixed = FixedStudy(study, {keyed.task: keyed for keyed in self.made.keyed()})

    def change(self, *more: KeyedTask, **study: Any) -> None:
        """Other settings of the study, and more tasks."""
        key = self.fixed.key | {keyed.task: keyed for keyed in more}
        self.fixed = FixedStudy(self.fixed.study.model_copy(update=study), key)

    def verdicts(self, answer: Answer, **changes: Any) -> list[Verdict]:
        first = self.made.subjects[0]
        said = {
            task: answer(keyed, self.made.by_id.get(keyed.subject, first))
            for task, keyed in self.fixed.key.items()
        }
        return [
            verdict(keyed, said[task], **changes)
            for task, keyed in self.fixed.key.items()
            if said[task] is not None
        ]

    def report(self, answers: Answer | Iterable[Verdict], **options: Any) -> StudyReport:
        verdicts = self.verdicts(answers) if callable(answers) else list(answers)
        policy = options.pop("policy", self.fixed.study.policy)
        return compute_report(self.made.subjects, self.fixed, verdicts, policy)


def verdict(keyed: KeyedTask, answers: Any, **changes: Any) -> Verdict:
    same = keyed.model_dump(exclude={"expected", "aspects", "data_hash"})
    other = {
        "comment": "", "created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z",
        "seconds": 30.0, "raw": "", "simulated": False,
    }  # fmt: skip
    return Verdict.model_validate({**same, **other, "answers": answers, **changes})


# What people answer


def best(keyed: KeyedTask, _: object = None) -> str:
    return keyed.a if keyed.expected == "A" else keyed.b


def worst(keyed: KeyedTask) -> str:
    return keyed.b if keyed.expected == "A" else keyed.a


def right(keyed: KeyedTask, subject: Subject) -> Any:
    """Votes for the chosen response, 4 throughout, every aspect there and delivered by it."""
    if keyed.kind == "preference":
        return PreferenceAnswer(choice=best(keyed))
    if keyed.kind == "quality":
        return scored(subject, 4, 4)
    return weighed(keyed, itertools.repeat(("clearly", best(keyed))))


def scored(subject: Subject, first: int | None, second: int | None) -> QualityAnswers:
    given = ((subject.first, first), (subject.second, second))
    return QualityAnswers(
        scores={response_id(of): {s.name: score for s in SCALES} for of, score in given}
    )


def weighed(keyed: KeyedTask, rows: Iterable[tuple[Any, str]]) -> RubricAnswers:
    """Of each aspect, whether the posts support it and what delivers it."""
    return RubricAnswers(
        aspects=tuple(
            AspectAnswer(aspect=name, support=support, delivered=delivered)
            for name, (support, delivered) in zip(keyed.aspects, rows, strict=False)
        )
    )


def voting(choice: Callable[[KeyedTask, Subject], str]) -> Answer:
    """As `right`, but for what preferences with the pair's own posts choose."""

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        if keyed.kind == "preference" and keyed.purpose == "vote":
            return PreferenceAnswer(choice=choice(keyed, subject))
        return right(keyed, subject)

    return answer


def scoring(scores: Callable[[Subject], tuple[int | None, int | None]]) -> Answer:
    """As `right`, but for the scores of the first and the second response."""
    return lambda keyed, subject: (
        scored(subject, *scores(subject)) if keyed.kind == "quality" else right(keyed, subject)
    )


def noisy(accuracy: float) -> Answer:
    """As `right`, but each answer is another one with this probability."""
    chance = random.Random(0)

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        if chance.random() < accuracy:
            return right(keyed, subject)
        if keyed.kind == "preference":
            choices = (keyed.a, keyed.b, "equal", "cannot_tell")
            return PreferenceAnswer(choice=chance.choice(choices))
        if keyed.kind == "quality":
            return scored(subject, chance.choice((2, 3, 5)), chance.choice((3, 4, None)))
        support, delivered = ("plausibly", "no", "contradicted"), (*"ab", "both", "neither")
        sides = {"a": keyed.a, "b": keyed.b}
        rows = ((chance.choice(support), chance.choice(delivered)) for _ in keyed.aspects)
        return weighed(keyed, [(there, sides.get(by, by)) for there, by in rows])

    return answer


def by_group(report: StudyReport) -> dict[str, Any]:
    return {of.group: of for of in report.preferred}


# Decisions


def test_decisions_are_counted_by_mode_with_their_reasons() -> None:
    """Every second pair is of poor quality."""
    asked = Asked(mixed(6, 10))

    def poor(subject: Subject) -> tuple[int, int]:
        return (1, 1) if asked.made.subjects.index(subject) % 2 else (4, 4)

    report = asked.report(scoring(poor))
    whole, twins, violates = report.decisions
    assert [one.group for one in report.decisions] == ["all", "mode: twin", "mode: violate"]
    assert (whole.units, twins.units, violates.units) == (16, 6, 10)
    assert whole.states == {"verified": 8, "refused": 8, "disputed": 0, "waiting": 0}
    assert (whole.verified.k, whole.verified.n, whole.verified.clusters) == (8, 16, 16)
    assert {state: sum(own.values()) for state, own in report.reasons.items()} == {"refused": 8}


def test_the_other_figures_know_nothing_of_decisions() -> None:
    """A changed rule decides otherwise, and estimates the same."""
    asked = Asked(mixed(6, 10))
    verdicts = asked.verdicts(noisy(0.7))
    strict = HumanRules(votes=3, rule="unanimity", quality_floor=4, aspects_supported=1)
    lax, hard = asked.report(verdicts), asked.report(verdicts, policy=strict)
    assert lax.decisions != hard.decisions
    for part in ("agreement", "preferred", "quality", "aspects", "judge", "annotators"):
        assert getattr(lax, part) == getattr(hard, part), part
    assert hard.changed["rule"] == ("majority", "unanimity")
    assert lax.changed == {}


def test_pairs_on_which_people_differ_come_with_what_they_wrote() -> None:
    asked = Asked(mixed(0, 6))
    name = asked.made.subjects[0].id

    def choice(keyed: KeyedTask, subject: Subject) -> str:
        return worst(keyed) if subject.id == name else best(keyed)

    verdicts = [
        one.model_copy(update={"comment": f"Hm, <b>{one.annotator[-1]}</b>."})
        if one.subject == name
        else one
        for one in asked.verdicts(voting(choice))
    ]
    (found,) = asked.report(verdicts).disagreements
    assert (found.state, found.votes.pair, found.votes.rejected) == ("refused", name, 3)
    assert len(found.comments) > 1
    page = page_of(asked.report(verdicts)).html
    assert "Hm, &lt;b&gt;" in page
    assert not any(f"Hm, <b>{n}" in page for n in range(10))


# Votes


def test_halves_of_twins_are_told_apart() -> None:
    """All who are asked take the asker's response, in both halves."""
    report = Asked(mixed(12, 0)).report(voting(lambda _, subject: response_id(subject.first)))
    shares = {group: of.of_choices.value for group, of in by_group(report).items()}
    assert shares["twin: asked half"] == 1
    assert shares["twin: other half"] == 0
    assert shares["all"] == 0.5
    assert report.decisions[0].states["verified"] == 0


def test_equal_and_cannot_tell_count_in_one_share_only() -> None:
    said = itertools.cycle(("chosen", "equal", "chosen", "cannot_tell", "rejected", "chosen"))

    def choice(_: KeyedTask, subject: Subject) -> str:
        word = next(said)
        texts = {"chosen": subject.first, "rejected": subject.second}
        return response_id(texts[word]) if word in texts else word

    of = by_group(Asked(mixed(0, 8)).report(voting(choice)))["all"]
    assert 0 < of.equal == of.cannot_tell
    assert of.of_all.n == of.chosen + of.rejected + of.equal + of.cannot_tell
    assert of.of_choices.n == of.chosen + of.rejected
    for share in (of.of_choices, of.of_all):
        assert share.value == pytest.approx(of.chosen / share.n, abs=1e-6)
        assert share.low < share.value < share.high


def test_the_label_of_a_placebo_is_no_difference() -> None:
    pairs = [
        pair.model_copy(update={"mode": "placebo"}) if pair.twin_id else pair
        for pair in mixed(6, 6)
    ]
    found = by_group(Asked(pairs).report(voting(lambda keyed, _: "equal")))
    assert found["mode: placebo"].of_all.value == 1
    assert found["mode: placebo"].of_choices.n == 0
    assert found["all"].of_all == found["mode: violate"].of_all
    assert found["all"].of_all.value == 0


def test_with_four_dyads_there_is_a_figure_and_no_interval() -> None:
    of = by_group(Asked(mixed(0, 4)).report(noisy(0.8)))["all"].of_all
    assert of.value is not None
    assert (of.low, of.high, of.clusters) == (None, None, 4)
    assert of.note == "no interval: fewer than 5 dyads"


# Quality, aspects and the judge


def test_quality_is_given_for_both_responses_and_their_difference() -> None:
    points = itertools.cycle((0, 1, 0, 0))
    base = {"twin": 3, "violate": 4}
    report = Asked(mixed(10, 10)).report(
        scoring(lambda subject: (base[subject.mode] + next(points), 3))
    )
    found = {(of.mode, of.scale): of for of in report.quality}
    for scale in SCALES:
        twins, violates = found["twin", scale.name], found["violate", scale.name]
        assert (twins.second.value, violates.second.value) == (3, 3)
        assert 0.1 < (twins.difference.value or 0) < 0.4
        assert 1.1 < (violates.difference.value or 0) < 1.4
        assert (violates.difference.low or 0) > 0.5
        assert violates.difference.n == 30


def test_who_cannot_judge_is_missing_from_means() -> None:
    report = Asked(mixed(0, 6)).report(scoring(lambda _: (4, None)))
    for of in report.quality:
        assert (of.first.value, of.second.value, of.difference.value) == (4, None, None)
    assert all(of.n == 0 for question, of in report.judge.items() if "point apart" in question)


@pytest.mark.parametrize(
    ("said", "supported", "by"),
    [
        (("clearly", "plausibly", "no"), 1, ("chosen", "chosen", "both")),
        (("no", "contradicted", "clearly"), 0, ("rejected", "rejected", "cannot_tell")),
    ],
)
def test_an_aspect_goes_by_what_most_say(
    said: tuple[Any, ...], supported: float, by: tuple[str, ...]
) -> None:
    asked, order = Asked(mixed(0, 6)), dict[str, int]()

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        if keyed.kind != "rubric":
            return right(keyed, subject)
        n = order[subject.id] = order.get(subject.id, -1) + 1
        names = {"chosen": best(keyed), "rejected": worst(keyed)}
        return weighed(keyed, itertools.repeat((said[n], names.get(by[n], by[n]))))

    whole = asked.report(answer).aspects[0]
    assert (whole.supported.value, whole.supported.n) == (supported, 12)
    assert (whole.chosen.value, whole.rejected.value) == (supported, 1 - supported)


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

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        said, score = people[subject.id]
        if keyed.kind == "rubric":
            by = (best(keyed) if one == "own" else one for one in said)
            return weighed(keyed, (("clearly", name) for name in by))
        return scored(subject, score, score) if keyed.kind == "quality" else right(keyed, subject)

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
    assert found["the chosen response is this user's"].value == 1


# Annotators


def test_who_always_takes_the_first_agrees_less_and_repeats_otherwise() -> None:
    asked, lazy = Asked(mixed(30, 30), repeats=0.2), "annotator-04"

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        if keyed.annotator == lazy and keyed.kind == "preference":
            return PreferenceAnswer(choice=keyed.a)
        return right(keyed, subject)

    rows = {row.annotator: row for row in asked.report(answer).annotators}
    one, other = rows[lazy], rows["annotator-05"]
    assert (one.repeats.value, other.repeats.value) == (0, 1)
    assert one.repeats.n > 0
    # Two others, of whom the lazy one may be one: then there is no majority, not a wrong one.
    assert (one.with_others.value or 1) < 0.8 < (other.with_others.value or 0) == 1
    assert (one.answered.k, one.answered.n) == (one.answered.n, one.answered.n)


def test_who_fails_the_checks_counts_nowhere() -> None:
    asked = Asked(mixed(9, 6))

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        wrong = keyed.annotator == "annotator-02" and keyed.kind == "preference"
        return PreferenceAnswer(choice=worst(keyed)) if wrong else right(keyed, subject)

    report = asked.report(answer)
    assert report.excluded == ["annotator-02"]
    assert by_group(report)["all"].rejected == 0
    assert max(of.agreement.raters for of in report.agreement) == 8
    assert "EXCLUDED by attention checks: annotator-02" in page_of(report).opening[0]


# The page


def test_a_study_without_answers_has_no_numbers_and_says_so() -> None:
    report = Asked(mixed(3, 3)).report(lambda *_: None)
    page = page_of(report)
    assert page.opening[0].startswith("Nothing is answered yet: none of the")
    assert page.opening[1].startswith("0 of 6 twins and pairs are verified")
    assert report.decisions[0].states["waiting"] == 6
    assert all(of.agreement.percent.value is None for of in report.agreement)


def test_what_is_simulated_or_changed_stands_above_everything() -> None:
    asked = Asked(mixed(3, 3))
    strict = HumanRules(**OF_THREE | {"votes": 2})
    report = asked.report(asked.verdicts(right, simulated=True), policy=strict)
    opening = page_of(report).opening
    assert opening[0].startswith("SIMULATED ANNOTATORS")
    assert "human.votes was 3 and is 2" in opening[1]


def test_the_page_is_short_and_its_files_are_the_same_each_time(tmp_path: Path) -> None:
    asked = Asked(mixed(20, 20), annotators=11)
    verdicts = asked.verdicts(noisy(0.8))
    report, folder = asked.report(verdicts), HumanFolder(tmp_path)
    folder.path.mkdir()
    write_report(folder, report)
    names = ("report.json", "report.md", "report.html")
    before = [(folder.path / name).read_bytes() for name in names]
    write_report(folder, asked.report(verdicts[::-1]))
    assert [(folder.path / name).read_bytes() for name in names] == before
    text = (folder.path / "report.md").read_text(encoding="utf-8")
    words = [word for word in text.split() if any(c.isalpha() for c in word)]
    assert len(words) <= 900
    assert StudyReport.model_validate(json.loads(before[0])) == report


def test_the_agreement_table_has_a_row_for_every_question_in_the_order_of_the_work() -> None:
    rows = Asked(mixed(4, 4)).report(noisy(0.8)).agreement
    assert [(row.question, row.measurement) for row in rows] == [
        *((f"quality: {scale.name}", "ordinal") for scale in SCALES),
        ("preference", "nominal"), ("aspect supported", "ordinal"),
        ("aspect delivered by", "nominal"),
    ]  # fmt: skip
    for row in rows:
        assert row.agreement.percent.value is not None
        assert row.alpha.low is not None
