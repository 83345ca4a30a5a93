"""Reports of human verification: against truths that were put in, and against brute force."""

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score
from threadpoolctl import threadpool_info, threadpool_limits

from pairwright.records import Adherence, AspectScore, Pair, Quality
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import (
    AspectAnswer,
    KeyedTask,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    SetAside,
    Verdict,
    response_id,
)
from pairwright_human_eval.report import StudyReport, claims, compute_report, write_report
from pairwright_human_eval.report.page import page_of
from pairwright_human_eval.report.resample import Draws, ratio
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Subject
from small_studies import OF_THREE, SCALES, Made, mixed, study_of

Answer = Callable[[KeyedTask, Subject], Any]
near = partial(pytest.approx, abs=1e-6)
"""Estimates are rounded to six places."""


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
        aside = options.pop("set_aside", ())
        options = {"replicates": 100, **options}
        return compute_report(self.made.subjects, self.fixed, verdicts, aside, policy, **options)


def uncontrolled(twins: int, violates: int, **options: Any) -> Asked:
    return Asked(mixed(twins, violates), wrong_profile=0.0, narrative=0.0, **options)


def verdict(keyed: KeyedTask, answers: Any, **changes: Any) -> Verdict:
    same = keyed.model_dump(exclude={"expected", "aspects", "foils", "data_hash"})
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
        if keyed.purpose == "attention" or chance.random() < accuracy:
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


def preferred(report: StudyReport) -> dict[str, Any]:
    return {of.group: of for of in report.preferred}


def brief(report: StudyReport) -> str:
    """The page as Markdown, in one line."""
    return " ".join(page_of(report, brief=True).markdown.split())


def test_figures_are_computed_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """More would sum in another order, and wait for each other on a busy machine."""
    found, whole = list[set[int]](), claims.by_chance

    def counted(*given: Any) -> Any:
        blas = (one for one in threadpool_info() if one["user_api"] == "blas")
        found.append({one["num_threads"] for one in blas})
        return whole(*given)

    monkeypatch.setattr(claims, "by_chance", counted)
    with threadpool_limits(2, user_api="blas"):
        Asked(mixed(2, 2)).report(right)
    assert found == [{1}]


# Claims


def test_halves_of_twins_are_told_apart() -> None:
    """All who are asked take the asker's response, in both halves."""
    report = Asked(mixed(12, 0)).report(voting(lambda _, subject: response_id(subject.first)))
    shares = {group: of.of_choices.value for group, of in preferred(report).items()}
    assert shares["twin: asked half"] == 1
    assert shares["twin: counterfactual half"] == 0
    assert shares["all"] == 0.5
    assert report.consensus
    assert report.consensus.share.value == 0.5
    assert {row.group: row.agree.value for row in report.judged_preference}["all"] == 0.5
    assert report.decisions[0].states["verified"].k == 0


def test_equal_and_cannot_tell_count_in_one_share_only() -> None:
    said = itertools.cycle(("chosen", "equal", "chosen", "cannot_tell", "rejected", "chosen"))

    def choice(_: KeyedTask, subject: Subject) -> str:
        word = next(said)
        texts = {"chosen": subject.first, "rejected": subject.second}
        return response_id(texts[word]) if word in texts else word

    of = preferred(Asked(mixed(0, 8)).report(voting(choice)))["all"]
    assert 0 < of.equal == of.cannot_tell
    assert of.of_all.n == of.chosen + of.other + of.equal + of.cannot_tell
    assert of.of_choices.n == of.chosen + of.other
    for share in (of.of_choices, of.of_all):
        assert share.value == pytest.approx(of.chosen / share.n, abs=1e-6)


def test_claims_and_agreement_know_nothing_of_decisions() -> None:
    """A changed rule decides otherwise, and estimates the same."""
    asked = Asked(mixed(6, 10))
    verdicts = asked.verdicts(noisy(0.7))
    strict = HumanRules(
        votes=3, rule="unanimity", quality_floor=4, aspects_supported=1, parity_margin=0.1
    )
    lax, hard = asked.report(verdicts), asked.report(verdicts, policy=strict)
    assert lax.decisions != hard.decisions
    for part in ("agreement", "preferred", "consensus", "parity", "scores",
                 "delivered", "judged_quality", "judged_preference", "annotators"):  # fmt: skip
        assert getattr(lax, part) == getattr(hard, part), part
    assert {of.parity.margin for of in hard.parity} == {0.5}
    assert {(of.name, of.fixed, of.in_force) for of in hard.head.changes} >= {
        ("rule", "majority", "unanimity"), ("parity_margin", "0.5", "0.1"),
    }  # fmt: skip


# The verdict


# Decisions and the second round


def test_controls_are_left_out_of_the_share_that_is_read_against_chance() -> None:
    asked = Asked(mixed(0, 20), wrong_profile=0.5, narrative=0.0)

    def poor(subject: Subject) -> tuple[int, int]:
        """Every second pair is of no quality: refused, control or not."""
        return (1, 1) if asked.made.subjects.index(subject) % 2 else (4, 4)

    verdicts = asked.verdicts(scoring(poor))
    whole = asked.report(verdicts).decisions[0]
    assert (whole.states["refused"].k, whole.of_verifiable.n) == (10, 10)
    assert whole.of_verifiable.k == whole.states["verified"].k
    # A rule that asks nothing about aspects can verify the controls as well.
    lax = asked.fixed.study.policy.model_copy(update={"rubric_votes": 0})
    assert asked.report(verdicts, policy=lax).decisions[0].of_verifiable.n == 20


def test_adjudicators_stand_apart() -> None:
    asked, seen = uncontrolled(0, 4), Counter[str]()

    def split(keyed: KeyedTask, subject: Subject) -> str:
        seen[subject.id] += 1
        return (keyed.a, keyed.b, "equal")[seen[subject.id] - 1]

    verdicts = asked.verdicts(voting(split))
    before = asked.report(verdicts)
    assert before.adjudication is None
    assert before.decisions[0].states["disputed"].k == 4
    again = {
        keyed.subject: keyed.model_copy(
            update={"task": f"again {keyed.subject}", "round": 2, "annotator": "adjudicator-01"}
        )
        for keyed in asked.made.keyed("vote", kind="preference")
    }
    asked.change(*again.values())
    one, two, other, _ = again.values()
    verdicts += [
        verdict(keyed, PreferenceAnswer(choice=choice), seconds=seconds)
        for keyed, choice, seconds in ((one, best(one), 90), (two, best(two), 90),
                                       (other, worst(other), 60))
    ]  # fmt: skip
    after = asked.report(verdicts)
    assert after.adjudication
    (row,) = after.adjudication.by_kind
    assert (row.kind, row.tasks, row.answered) == ("preference", 4, 3)
    assert (row.for_label, row.refused) == (2, 1)
    assert (row.seconds.median, row.seconds.n) == (90, 3)
    assert after.adjudication.states == {"verified": 2, "refused": 1, "disputed": 1}
    assert (after.adjudication.subjects, after.adjudication.adjudicators) == (4, 1)
    assert (after.annotators, after.seconds) == (before.annotators, before.seconds)


@pytest.mark.parametrize(
    ("dyads", "people", "votes", "reason"),
    [
        ("aa", "pq", [1.0, 0.0], "no interval: a single dyad of users"),
        ("ab", "pp", [1.0, 0.0], "no interval: a single annotator"),
        ("ab", "pq", [1.0, 1.0], "no interval: nothing varies"),
        ("", "", [], "none was given"),
    ],
)
def test_what_has_no_interval_says_why(
    dyads: str, people: str, votes: list[float], reason: str
) -> None:
    of = ratio(Draws("ab", "pq", 200, 0), dyads, votes, [1.0] * len(votes), people)
    assert (of.low, of.high, of.note) == (None, None, reason)
    assert (of.value is None) == (not votes)


# Quality


def test_parity_subtracts_the_second_side_from_the_first() -> None:
    points = itertools.cycle((0, 1, 0, 0))
    base = {"twin": 3, "violate": 4}
    report = Asked(mixed(10, 10)).report(
        scoring(lambda subject: (base[subject.mode] + next(points), 3))
    )
    found = {(of.mode, of.scale): of.parity for of in report.parity}
    for scale in (*(s.name for s in SCALES), "mean of all scales"):
        twin, violate = found["twin", scale], found["violate", scale]
        assert 0.1 < (twin.mean or 0) < 0.4 < 1.1 < (violate.mean or 0) < 1.4
        assert violate.equivalent is False
        assert violate.apart.k == violate.pairs == 10
    # A p that is nearly 0 is not 0.
    assert "| 0.000 |" not in page_of(report, brief=True).markdown
    sides = {(of.mode, of.side, of.scale): of for of in report.scores}
    partner = sides["twin", "partner's response", SCALES[0].name]
    assert partner.counts == {1: 0, 2: 0, 3: 30, 4: 0, 5: 0}
    assert partner.mean.value == 3


def test_who_cannot_judge_is_missing_from_means_and_pairs_without_a_judge_from_comparisons() -> (
    None
):
    report = Asked(mixed(0, 6)).report(scoring(lambda _: (4, None)))
    sides = {of.side: of for of in report.scores}
    assert sides["rejected response"].cannot_judge == 18
    assert sides["rejected response"].mean.value is None
    assert all(of.parity.mean is None and of.parity.pairs == 0 for of in report.parity)
    assert report.unjudged == 6
    assert all(of.n == 0 and of.kappa.value is None for of in report.delivered)
    assert all(of.difference.value is None for of in report.judged_quality)


def judged(pair: Pair, first: list[int], second: list[int], quality: int) -> Pair:
    """The pair with a judge's scores of its aspects in both responses, and of their quality."""
    adherence = {
        side: Adherence(scores=tuple(AspectScore(reason="", score=n) for n in scores))
        for side, scores in (("first", first), ("second", second))
    }
    rated = Quality(reason="", scores={scale.name: quality for scale in SCALES})
    scores = {"adherence": adherence, "quality": {"first": rated, "second": rated}}
    return pair.model_copy(update={"draft": pair.draft.model_copy(update=scores)})


def test_people_are_held_to_the_judge_as_the_libraries_do() -> None:
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

    asked = Asked(pairs, wrong_profile=0.0, narrative=0.0)
    report = asked.report(answer)
    found = {of.responses: of for of in report.delivered}
    cells = [
        (side, score > 0, said == "both" or (said == "own" and side == "chosen"))
        for id, (first, second, _) in judge.items()
        for side, scores in (("chosen", first), ("rejected", second))
        for score, said in zip(scores, people[id][0], strict=True)
    ]
    for name, of in found.items():
        yes, most = zip(*((a, b) for side, a, b in cells if name in (side, "all")), strict=True)
        assert of.kappa.value == near(cohen_kappa_score(yes, most))
        assert (of.n, of.both_yes) == (len(yes), sum(map(all, zip(yes, most, strict=True))))
    rated = [(judge[id][2], people[id][1]) for id in judge for _ in range(2)]
    for by in report.judged_quality:
        assert by.spearman.value == near(spearmanr(*zip(*rated, strict=True))[0])
        assert by.difference.value == near(np.mean([one - other for one, other in rated]))
    assert report.unjudged == 0


# Annotators


def test_who_always_takes_the_first_is_seen() -> None:
    asked = Asked(mixed(30, 30), repeats=0.2)
    lazy = "annotator-04"

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        if keyed.annotator == lazy and keyed.kind == "preference":
            return PreferenceAnswer(choice=keyed.a, seen=keyed.purpose == "repeat")
        return right(keyed, subject)

    report = asked.report(answer)
    own = asked.made.keyed(kind="preference")
    repeats = [keyed.annotator for keyed in own if keyed.purpose == "repeat"]
    seen, mistaken = report.recognition.repeats, report.recognition.others
    assert (seen.k, seen.n) == (repeats.count(lazy), len(repeats))
    assert (mistaken.k, mistaken.n) == (0, len(own) - len(repeats))
    rows = {row.annotator: row for row in report.annotators}
    one, other = rows[lazy], rows["annotator-05"]
    assert one.first.value == 1
    assert (other.first.low or 1) < 0.5 < (other.first.high or 0)
    assert (one.retest.value, other.retest.value) == (0, 1)
    assert one.retest.n > 0
    # Two others, of whom the lazy one may be one: then there is no majority, not a wrong one.
    assert (one.with_majority.value or 1) < 0.8 < (other.with_majority.value or 0) == 1


def test_who_fails_the_checks_counts_nowhere_but_where_it_is_said() -> None:
    asked = Asked(mixed(6, 6))

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        wrong = keyed.annotator == "annotator-02" and keyed.kind == "preference"
        return PreferenceAnswer(choice=worst(keyed)) if wrong else right(keyed, subject)

    report = asked.report(answer)
    assert report.head.excluded == ("annotator-02",)
    assert preferred(report)["all"].other == 0
    assert report.with_excluded
    assert report.with_excluded.other > 0
    assert [row.excluded for row in report.annotators].count(True) == 1
    assert max(of.agreement.raters for of in report.agreement) == 8


def test_an_exclusion_that_other_answers_may_still_change_is_said_to_be_such() -> None:
    asked = Asked(mixed(12, 0))
    answer = voting(lambda k, _: worst(k) if k.annotator == "annotator-01" else best(k))
    last = next(name for name, of in asked.fixed.key.items() if of.annotator == "annotator-02")
    for open_task in ("", last):
        verdicts = [v for v in asked.verdicts(answer) if v.task != open_task]
        report = asked.report(verdicts)
        assert report.head.excluded == ("annotator-01",)
        assert ("This may change as others answer" in brief(report)) == bool(open_task)


def test_the_report_says_how_often_who_does_not_read_would_have_passed() -> None:
    report = Asked(mixed(9, 0)).report(right)
    assert {row.attention.n for row in report.annotators} == {6}
    assert {row.nonreader for row in report.annotators} == {7 / 64}
    assert "at most 10.9 %, with 6 checks" in brief(report)
    # By three checks nobody is excluded.
    few = brief(Asked(mixed(4, 0)).report(right))
    assert "Nobody is excluded by fewer than 4" in few
    assert "at most 100.0 %" in few
    # No vote on a single pair is a check.
    single = Asked(mixed(0, 9)).report(right)
    assert {row.nonreader for row in single.annotators} == {None}
    assert "No vote was an attention check" in brief(single)


def test_a_study_of_an_older_version_says_nothing_of_votes_that_are_checks() -> None:
    asked = Asked(mixed(9, 0))
    asked.change(fewest_checks=None, mirrored_checks=True)
    report = asked.report(voting(lambda keyed, _: keyed.a))
    assert {row.attention.n for row in report.annotators} == {0}
    assert not report.head.excluded
    assert "attention checks cannot be said: nobody met" in brief(report)
    assert "a vote on a twin" not in brief(report)


# Files


def files(run: Path, asked: Asked, verdicts: list[Verdict], **options: Any) -> dict[str, str]:
    folder = HumanFolder(run)
    folder.path.mkdir(parents=True)
    report = asked.report(verdicts, **options)
    write_report(folder, report)
    found = {path.suffix[1:]: path.read_text(encoding="utf-8") for path in folder.path.iterdir()}
    assert StudyReport.model_validate_json(found["json"]) == report
    assert sorted(found) == ["html", "json", "md"]
    return found


@pytest.mark.usefixtures("drawn")
@pytest.mark.real
def test_files_are_the_same_bytes_whatever_the_order_of_verdicts(tmp_path: Path) -> None:
    asked = Asked(mixed(6, 6))
    verdicts = asked.verdicts(noisy(0.8))
    steps: list[str] = []
    first = files(tmp_path / "a", asked, verdicts, step=steps.append)
    assert first == files(tmp_path / "b", asked, random.Random(4).sample(verdicts, len(verdicts)))
    assert len(steps) > 5
    assert first["html"].count("<svg ") == 5
    assert first["md"].count("*Plot, in the HTML report:") == 5


def test_a_study_without_answers_has_no_numbers_and_says_so(tmp_path: Path) -> None:
    found = files(tmp_path, Asked(mixed(2, 2)), [])
    for text in (found["md"], re.sub(r"<[^>]*>", " ", found["html"])):
        assert not re.search(r"\b(nan|inf|None)\b", text)
        assert "n/a (none was given)" in text
        assert 0 < text.index("Nothing is answered yet") < text.index("The study")
    assert json.loads(found["json"])["consensus"] is None


def test_what_is_simulated_or_changed_stands_above_everything(tmp_path: Path) -> None:
    asked = Asked(mixed(2, 2))
    policy = asked.fixed.study.policy.model_copy(update={"votes": 2, "quality_floor": 4})
    verdicts = asked.verdicts(right, simulated=True)
    nowhere = {"detail": "", "file": "", "task": None, "annotator": None, "annotation": None}
    aside = [SetAside(reason=word, raw="", **nowhere) for word in ("skipped", "draft", "skipped")]
    found = files(tmp_path, asked, verdicts, policy=policy, set_aside=aside)
    head = json.loads(found["json"])["head"]
    assert head["set_aside"] == {"draft": 1, "skipped": 2}
    assert (head["annotations"], head["answered"]) == (len(verdicts) + 3, len(verdicts))
    changed = "CHANGED AFTER EXPORT: human.votes was fixed at 3 and is now 2"
    for text in (found["md"], found["html"]):
        for warning in ("SIMULATED ANNOTATORS", changed):
            assert 0 < text.index(warning) < text.index("The study")
    boxes = re.findall("<blockquote>(.*?)</blockquote>", found["html"], re.DOTALL)
    (box,) = [box for box in boxes if "human.votes was" in box]
    assert "human.quality_floor was" in box


@pytest.mark.usefixtures("drawn")
def test_comments_are_shown_as_they_are_and_without_who(tmp_path: Path) -> None:
    asked = Asked(mixed(4, 4))
    hostile = "<script>alert(1)</script> | ![x](http://evil.test/x.png) `a` *b*"
    verdicts = asked.verdicts(right, comment=hostile)
    found = files(tmp_path, asked, verdicts)
    html = found["html"]
    assert "<script" not in html + found["md"]
    assert "evil.test/x.png" in html
    assert html[html.index(">Comments<") :].count("&lt;script&gt;") == 50
    assert f"50 of {len(verdicts)}" in html
    comments = found["md"][found["md"].index(">Comments<") : found["md"].index(">The rule<")]
    assert "annotator-" not in comments
    # Everybody is right: markers at the edge of the plot are whole.
    plot = html[html.index('aria-label="Preference votes') :].partition("</svg>")[0]
    blue = re.findall(r"\.(p\d+) \{[^}]*var\(--blue\)", html)
    uses = re.findall(r'(<g[^>]*>)\s*<use [^>]*preference-m[^>]*class="(p\d+)"', plot)
    markers = [before for before, style in uses if style in blue]
    assert markers
    assert all("clip-path" not in before for before in markers)


def test_the_agreement_tables_have_a_row_for_every_question_in_the_order_of_the_work() -> None:
    """Domains are words, and why there is no Fleiss' kappa stands below the table."""
    asked, answer = Asked(mixed(4, 4, ("Home_and_Garden", "Music"))), noisy(0.7)
    skipped = next(of.task for of in asked.fixed.key.values() if of.purpose == "vote")
    page = page_of(asked.report(lambda k, s: None if k.task == skipped else answer(k, s)))
    for text in (page.markdown, page.html):
        assert "Home and Garden" in text
        assert "Home_and_Garden" not in text
    questions = [f"quality: {scale.name}" for scale in SCALES]
    questions += ["preference", "preference (with cannot tell)", "aspect supported"]
    questions += ["aspect delivered by", "aspect delivered by (with cannot tell)"]
    for head in ("| question | answers |", "| question | items |"):
        table = page.markdown[page.markdown.index(head) :].split("\n\n", 1)[0]
        rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
        assert [row[0] for row in rows] == questions
        assert {len(row) for row in rows} == {5}
    assert any(row[-1] == "n/a" for row in rows)
    assert re.search(r"- No Fleiss' kappa where items have \d to \d ratings", page.markdown)
