"""Reports of human verification: against truths that were put in, and against brute force."""

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score
from threadpoolctl import threadpool_info, threadpool_limits

from pairwright import assets
from pairwright.records import Adherence, AspectScore, Pair, Quality
from pairwright.settings.domains import load_scales
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.looks import Look, Looks
from pairwright_human_eval.records import (
    AspectAnswer,
    KeyedTask,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    SetAside,
    StoppingRule,
    Verdict,
    response_id,
)
from pairwright_human_eval.report import StudyReport, claims, compute_report, write_report
from pairwright_human_eval.report.page import page_of, stranger_sentence
from pairwright_human_eval.report.resample import CELLS, Draws, kappas, rank_correlations, ratio
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Subject, subjects_of
from small_studies import OF_THREE, Made, mixed, study_of

SCALES = load_scales(assets.RUBRICS)
Answer = Callable[[KeyedTask, Subject], Any]


class Asked:
    """A study whose tasks are answered by a function; None leaves a task unanswered."""

    def __init__(self, pairs: list[Pair], **options: Any) -> None:
        self.made: Made = study_of(pairs, **options)
        of = {name: of for name, of in options.items() if name in HumanRules.model_fields}
        study = self.made.study(
            overlap=options.get("overlap", 3), policy=HumanRules(**OF_THREE | of)
        )
        self.fixed = FixedStudy(study, {of.task: of for of in self.made.keyed()})
        self.subjects = {subject.id: subject for subject in self.made.subjects}

    def verdicts(self, answer: Answer, **changes: Any) -> list[Verdict]:
        found = []
        for keyed in self.fixed.key.values():
            said = answer(keyed, self.subjects.get(keyed.subject, self.made.subjects[0]))
            if said is not None:
                found.append(verdict(keyed, said, **changes))
        return found

    def report(self, answers: Answer | Iterable[Verdict], **options: Any) -> StudyReport:
        verdicts = self.verdicts(answers) if callable(answers) else answers
        options.setdefault("replicates", 100)
        policy = options.pop("policy", self.fixed.study.policy)
        aside = options.pop("set_aside", ())
        return compute_report(
            self.made.subjects, self.fixed, list(verdicts), aside, policy, **options
        )


def verdict(keyed: KeyedTask, answers: Any, **changes: Any) -> Verdict:
    same = keyed.model_dump(exclude={"expected", "aspects", "foils", "data_hash"})
    other = {
        "comment": "", "created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z",
        "seconds": 30.0, "raw": "", "simulated": False,
    }  # fmt: skip
    return Verdict.model_validate({**same, **other, "answers": answers, **changes})


def right(keyed: KeyedTask, subject: Subject) -> Any:
    """Votes for the chosen response, 4 throughout, every aspect there and delivered by it."""
    best = keyed.a if keyed.expected == "A" else keyed.b
    if keyed.kind == "preference":
        return PreferenceAnswer(choice=best)
    if keyed.kind == "rubric":
        return RubricAnswers(
            aspects=tuple(
                AspectAnswer(aspect=name, support="clearly", delivered=best)
                for name in keyed.aspects
            )
        )
    return scored(subject, 4, 4)


def scored(subject: Subject, first: int | None, second: int | None) -> QualityAnswers:
    given = ((subject.first, first), (subject.second, second))
    return QualityAnswers(
        scores={response_id(of): {s.name: score for s in SCALES} for of, score in given}
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


def noisy(accuracy: float, seed: int = 0) -> Answer:
    """As `right`, but each answer is another one with this probability."""
    chance = random.Random(seed)

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        said = right(keyed, subject)
        if keyed.purpose == "attention" or chance.random() < accuracy:
            return said
        if keyed.kind == "preference":
            choices = (keyed.a, keyed.b, "equal", "cannot_tell")
            return PreferenceAnswer(choice=chance.choice(choices))
        if keyed.kind == "quality":
            return scored(subject, chance.choice((2, 3, 5)), chance.choice((3, 4, None)))
        aspects = tuple(
            AspectAnswer(
                aspect=name,
                support=chance.choice(("plausibly", "no", "contradicted")),
                delivered=chance.choice((keyed.a, keyed.b, "both", "neither", "cannot_tell")),
            )
            for name in keyed.aspects
        )
        return RubricAnswers(aspects=aspects)

    return answer


def judged(pair: Pair, adherence: dict[str, list[int]], quality: dict[str, int]) -> Pair:
    draft = pair.draft.model_copy(
        update={
            "adherence": {
                name: Adherence(scores=tuple(AspectScore(reason="", score=n) for n in of))
                for name, of in adherence.items()
            },
            "quality": {
                side: Quality(reason="", scores={s.name: n for s in SCALES})
                for side, n in quality.items()
            },
        }
    )
    return pair.model_copy(update={"draft": draft})


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


def preferred(report: StudyReport) -> dict[str, Any]:
    return {of.group: of for of in report.preferred}


# Counts


def test_every_count_adds_up() -> None:
    asked = Asked(mixed(9, 9, ("Home", "Garden")))
    chance = random.Random(1)
    answer = noisy(0.8)
    verdicts = asked.verdicts(lambda k, s: answer(k, s) if chance.random() < 0.8 else None)
    aside = [
        SetAside(
            reason=reason, detail="", file="", task=None, annotator=None, annotation=None, raw=""
        )
        for reason in ("skipped", "draft", "skipped")
    ]
    report = asked.report(verdicts, set_aside=aside)
    head = report.head
    assert head.set_aside == {"draft": 1, "skipped": 2}
    assert head.annotations == len(verdicts) + 3
    assert head.answered == len(verdicts)
    assert head.answered + head.unanswered == head.tasks == len(asked.fixed.key)
    assert sum(of.tasks for of in head.by_sort) == head.tasks
    assert sum(of.answered for of in head.by_sort) == head.answered
    assert sum(row.answered for row in report.annotators) == len(verdicts)
    assert sum(row.assigned for row in report.annotators) == head.tasks
    for group in report.decisions:
        assert sum(of.k for of in group.states.values()) == group.subjects
    for kind in ("mode", "domain"):
        parts = [of for of in report.decisions if of.group.startswith(f"{kind}: ")]
        for state, of in report.decisions[0].states.items():
            assert of.k == sum(part.states[state].k for part in parts)
    votes = preferred(report)
    assert votes["all"].of_all.n == sum(v.of_all.n for name, v in votes.items() if "mode" in name)
    assert votes["all"].chosen == sum(v.chosen for name, v in votes.items() if "domain" in name)


# Claims


def test_halves_of_twins_are_told_apart() -> None:
    """All who are asked take the asker's response, in both halves."""
    report = Asked(mixed(12, 0)).report(voting(lambda _, subject: response_id(subject.first)))
    found = preferred(report)
    assert found["twin: asked half"].of_choices.value == 1
    assert found["twin: counterfactual half"].of_choices.value == 0
    assert found["all"].of_choices.value == 0.5
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
    assert of.of_all.n == of.chosen + of.other + of.equal + of.cannot_tell
    assert 0 < of.equal == of.cannot_tell
    assert of.of_choices.n == of.chosen + of.other
    assert of.of_choices.value == pytest.approx(of.chosen / (of.chosen + of.other), abs=1e-6)
    assert of.of_all.value == pytest.approx(of.chosen / of.of_all.n, abs=1e-6)


def test_claims_and_agreement_know_nothing_of_decisions() -> None:
    """A changed rule decides otherwise, and estimates the same."""
    asked = Asked(mixed(6, 10))
    verdicts = asked.verdicts(noisy(0.7))
    strict = HumanRules(
        votes=3, rule="unanimity", quality_floor=4, aspects_supported=1, parity_margin=0.1
    )
    lax, hard = asked.report(verdicts), asked.report(verdicts, policy=strict)
    assert lax.decisions != hard.decisions
    for part in ("agreement", "preferred", "consensus", "contrasted", "parity", "scores",
                 "delivered", "judged_quality", "judged_preference", "annotators"):  # fmt: skip
        assert getattr(lax, part) == getattr(hard, part), part
    assert {of.parity.margin for of in hard.parity} == {0.5}
    assert {(of.name, of.fixed, of.in_force) for of in hard.head.changes} >= {
        ("rule", "majority", "unanimity"), ("parity_margin", "0.5", "0.1"),
    }  # fmt: skip


def test_agreement_is_there_with_cannot_tell_as_an_answer_and_without() -> None:
    """On every pair two people take the same response, and the third cannot tell."""
    asked = Asked(mixed(0, 8), wrong_profile=0.0, narrative=0.0)
    before: Counter[str | None] = Counter()

    def choice(keyed: KeyedTask, subject: Subject) -> str:
        before[keyed.pair] += 1
        return "cannot_tell" if before[keyed.pair] == 3 else response_id(subject.first)

    report = asked.report(voting(choice))
    found = {row.question: row.agreement.percent for row in report.agreement}
    without, within = found["preference"], found["preference (with cannot tell)"]
    assert (without.value, without.n) == (1, 16)
    assert within.value == pytest.approx(1 / 3, abs=1e-6)
    assert within.n == 24


def test_agreement_is_the_same_with_chosen_and_rejected_exchanged() -> None:
    asked = Asked(mixed(0, 20))
    verdicts = asked.verdicts(noisy(0.7))
    turned = [
        pair.model_copy(update={"chosen": pair.rejected, "rejected": pair.chosen})
        for subject in asked.made.subjects
        for pair in subject.pairs
    ]
    straight, crooked = asked.report(verdicts), None
    asked.made = Made(subjects_of(turned, Path("x")), asked.made.tasks, asked.made.salts)
    crooked = asked.report(verdicts)
    assert crooked.agreement == straight.agreement
    assert crooked.preferred[0].chosen == straight.preferred[0].other
    assert straight.consensus
    assert crooked.consensus
    assert crooked.consensus.chosen == straight.consensus.other


def test_a_share_that_is_looked_at_has_one_interval() -> None:
    asked = Asked(mixed(0, 30))
    report = asked.report(noisy(0.8))
    claim = report.preferred[0].of_all
    assert claim.value is not None
    look = Look(
        votes=claim.n, information=1, share=claim.value, n=claim.n, dyads=claim.clusters,
        bound=1.96, outcome="above",
    )  # fmt: skip
    looks = Looks(rule=StoppingRule(looks=1, floor=0.5), looks=(look,))
    looked = report.model_copy(update={"looks": looks})
    brief = page_of(looked, brief=True)
    page, lines = brief.markdown, brief.opening[-1]
    share = f"{100 * claim.value:.0f} %"
    assert f"| {share} | {claim.n} | above (1.96) |" in page
    assert f"for the chosen response {claim.percent()} of {claim.n}; to the floor: above" in lines
    # Lines of older versions hold the repeated interval beside it.
    older = json.dumps({**look.model_dump(), "low": 0.111, "high": 0.999})
    assert Look.model_validate_json(older) == look
    assert not {"low", "high"} & look.model_dump().keys()


def leaking(asked: Asked, leak: float) -> Answer:
    """With the own posts everybody is right, with a stranger's the share `leak`: what leaks favours
    the first response of a twin, and so the chosen one of a half alone."""
    shown = asked.made.keyed("wrong_profile")
    drawn = random.Random(0).sample(shown, round(leak * len(shown)))
    for_first = {keyed.task for keyed in drawn}

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        if keyed.purpose != "wrong_profile":
            return right(keyed, subject)
        first = keyed.task in for_first
        return PreferenceAnswer(choice=response_id(subject.first if first else subject.second))

    return answer


@cache
def half_controls() -> Asked:
    return Asked(mixed(0, 100), wrong_profile=0.5, narrative=0.0)


@pytest.mark.parametrize(
    ("leak", "said"),
    [(0, "is NOT SHOWN;"), (0.5, "is shown;"), (0.75, "is NOT SHOWN;"), (0.95, "is NOT SHOWN;")],
)
def test_the_right_profile_is_held_against_the_wrong_one(leak: float, said: str) -> None:
    """On the same pairs: what leaks without the own posts is seen. Nothing is shown where nothing
    varies."""
    asked = half_controls()
    (of,) = asked.report(leaking(asked, leak)).contrasted
    assert (of.control, of.pairs, of.own.chosen, of.own.other) == ("wrong_profile", 50, 150, 0)
    assert of.control_votes.of_choices.value == pytest.approx(leak, abs=0.005)
    assert of.difference.value == of.difference_of_all.value == pytest.approx(1 - leak, abs=0.005)
    assert (of.difference.note == "no interval: nothing varies") == (leak == 0)
    assert said in stranger_sentence(of)


def test_twins_have_no_control_with_a_strangers_posts() -> None:
    asked = Asked(mixed(20, 0), wrong_profile=0.5, narrative=0.0)
    assert not asked.made.keyed("wrong_profile")
    # Older studies showed twins with them.
    key = asked.fixed.key
    other = {
        task: keyed.model_copy(update={"purpose": "wrong_profile"}) if n % 2 else keyed
        for n, (task, keyed) in enumerate(sorted(key.items()))
        if keyed.kind == "preference" and keyed.purpose == "vote"
    }
    asked.fixed = FixedStudy(asked.fixed.study, other)
    assert asked.report(right).contrasted == ()


# Foils


def test_what_people_say_of_foils_is_told_beside_what_they_say_of_aspects() -> None:
    asked = Asked(mixed(10, 10), wrong_profile=0.0, narrative=0.0, foils=0.5)
    foils = {(keyed.pair, *keyed.foils) for keyed in asked.made.keyed() if keyed.foils}
    without = Asked(mixed(10, 10), wrong_profile=0.0, narrative=0.0)
    before = without.report(right)

    def weighing(keyed: KeyedTask, subject: Subject) -> Any:
        said = right(keyed, subject)
        if isinstance(said, RubricAnswers):
            rows = (
                row.model_copy(update={"support": "no"} if row.aspect in keyed.foils else {})
                for row in said.aspects
            )
            said = RubricAnswers(aspects=tuple(rows))
        return said

    for answer, share, ahead in ((weighing, 0.0, True), (right, 1.0, False)):
        found = asked.report(answer)
        assert found.foils
        assert (found.foils.pairs, found.foils.foils.n) == (len(foils), 3 * len(foils))
        assert (found.foils.foils.value, found.foils.aspects.value) == (share, 1.0)
        # A foil decides nothing, and is in no other estimate.
        assert found.decisions == before.decisions
        assert found.supported[0].answers["clearly"].n == before.supported[0].answers["clearly"].n
        page = page_of(found, brief=True)
        assert ("ASPECTS ARE CONFIRMED NO MORE OFTEN THAN FOILS." in page.markdown) is not ahead
        assert "among the aspects of" in page.markdown
        assert any("THAN FOILS" in said for said in page.opening) is not ahead


# The verdict


@cache
def some_report() -> StudyReport:
    return Asked(mixed(0, 20), wrong_profile=0.2).report(noisy(0.9))


@pytest.mark.parametrize(
    ("mean", "at_most", "fears"),
    [
        ((-0.1, 0.1), 0.6, ()),
        ((-0.9, 0.1), 0.6, ("that both responses are equally good is not shown of violate pairs",)),
        ((0.6, 0.9), 0.6, ("of violate pairs one response is the better answer for anybody",)),
        ((-0.1, 0.1), 0.7, ("that other users' posts tell nothing is not shown",)),
        ((0.6, 0.9), None, (
            "of violate pairs one response is the better answer for anybody",
            "that other users' posts tell nothing is not shown",
        )),
    ],
)  # fmt: skip
def test_the_page_opens_with_three_sentences_and_a_figure_and_folds_the_rest(
    mean: tuple[float, float], at_most: float | None, fears: tuple[str, ...]
) -> None:
    found = some_report()
    low, high = mean
    equal = low > -0.5 and high < 0.5
    within = {"low": low, "high": high, "margin": 0.5, "equivalent": equal}
    parity = tuple(
        row.model_copy(update={"parity": row.parity.model_copy(update=within)})
        for row in found.parity
    )
    control = found.contrasted[0].model_copy(update={"at_most": at_most})
    report = found.model_copy(update={"parity": parity, "contrasted": (control,)})
    page = page_of(report)
    opening, _, rest = page.markdown.partition("## In detail")
    verdict, next_step = page.opening[-2:]
    how_many, how_sure, fear = re.split(r" (?=How sure|What to fear)", verdict)
    whole = report.decisions[0]
    assert how_many == (
        f"{whole.states['verified'].k} of 20 twins and pairs are verified,"
        f" {whole.of_verifiable.percent()} of the {whole.of_verifiable.n} that could be."
    )
    assert report.label_error.percent(1) in how_sure
    assert how_sure.endswith("toss a coin would verify 50 % of violate pairs.")
    default = "of pairs whose posts say nothing, this rule verifies up to 50 %"
    assert fear == f"What to fear: {'; '.join((*fears, default))}."
    assert next_step.startswith("Next: ")
    assert opening.count("*Plot, in the HTML report") == 1
    parts = re.split(r"^</?details>$", rest, flags=re.M)
    assert not parts[0].strip()
    assert not page.tables
    assert page_of(report, brief=True).opening[-2:] == page.opening[-2:]


# Aspects


def test_aspects_are_counted_by_answer_and_by_majority() -> None:
    """Two aspects a pair: of the first most say it is there and is the chosen response's alone; of
    the second they disagree, but for twins, where nobody finds it and both have it."""
    asked = Asked(mixed(10, 10), wrong_profile=0.0, narrative=0.0)
    seen: dict[tuple[str, str], int] = {}

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        if keyed.kind != "rubric" or not keyed.pair:
            return right(keyed, subject)
        turn = seen[keyed.pair, "turn"] = seen.get((keyed.pair, "turn"), -1) + 1
        pair = next(of for of in subject.pairs if of.id == keyed.pair)
        best, other = response_id(pair.chosen), response_id(pair.rejected)
        support: Any = ("no", "contradicted", "clearly")[turn]
        delivered = (best, other, "cannot_tell")[turn]
        if subject.mode == "twin":
            support, delivered = "no", ("both", "both", "neither")[turn]
        first, second = keyed.aspects
        return RubricAnswers(
            aspects=(
                AspectAnswer(
                    aspect=first,
                    support=("clearly", "plausibly", "no")[turn],
                    delivered=(best, "cannot_tell", best)[turn],
                ),
                AspectAnswer(aspect=second, support=support, delivered=delivered),
            )
        )

    report = asked.report(answer)
    there = {of.group: of for of in report.supported}
    modes = ["all", "mode: twin", "twin: asked half", "twin: counterfactual half", "mode: violate"]
    assert list(there) == [of.group for of in report.delivered_by] == modes
    for group in there.values():
        assert sum(of.value or 0 for of in group.answers.values()) == pytest.approx(1, abs=1e-5)
        assert {of.n for of in group.answers.values()} == {3 * group.there.n}
        assert group.there.value == 0.5
    violate = there["mode: violate"].answers
    assert {said: of.value for said, of in violate.items()} == {
        "clearly": 0.333333, "plausibly": 0.166667, "no": 0.333333, "contradicted": 0.166667,
    }  # fmt: skip
    by = {of.group: of for of in report.delivered_by}
    assert (by["mode: violate"].chosen.value, by["mode: violate"].undecided) == (1, 10)
    twin = by["mode: twin"]
    shares = (twin.chosen.value, twin.other.value, twin.both.value, twin.neither.value)
    assert (shares, twin.chosen.n, twin.undecided) == ((0.5, 0, 0.5, 0), 40, 0)


def test_shares_of_aspect_answers_draw_annotators_too() -> None:
    asked = Asked(mixed(10, 10))
    verdicts = asked.verdicts(noisy(0.6))
    report = asked.report(verdicts)
    whole = report.supported[0]
    assert whole.answers["clearly"].low is not None
    assert whole.there.low is not None
    assert report.delivered_by[0].chosen.low is not None
    who = next(verdict.annotator for verdict in verdicts if verdict.kind == "rubric")
    alone = asked.report([v for v in verdicts if v.annotator == who]).supported[0]
    assert alone.answers["clearly"].note == "no interval: a single annotator"
    assert alone.there.note != alone.answers["clearly"].note


# Decisions and the second round


def test_controls_are_left_out_of_the_share_that_is_read_against_chance() -> None:
    asked = Asked(mixed(0, 20), wrong_profile=0.5, narrative=0.0)

    def poor(subject: Subject) -> tuple[int, int]:
        """Every second pair is of no quality: refused, control or not."""
        return (1, 1) if asked.made.subjects.index(subject) % 2 else (4, 4)

    verdicts = asked.verdicts(scoring(poor))
    whole = asked.report(verdicts).decisions[0]
    assert whole.states["refused"].k == 10
    assert whole.of_verifiable.n == 10
    assert whole.of_verifiable.k == whole.states["verified"].k
    # A rule that asks nothing about aspects can verify the controls as well.
    lax = asked.fixed.study.policy.model_copy(update={"rubric_votes": 0})
    assert asked.report(verdicts, policy=lax).decisions[0].of_verifiable.n == 20


def test_adjudicators_stand_apart() -> None:
    asked = Asked(mixed(0, 4), wrong_profile=0.0, narrative=0.0)
    split = itertools.cycle((0, 1, 2))

    def choice(_: KeyedTask, subject: Subject) -> str:
        return (response_id(subject.first), response_id(subject.second), "equal")[next(split)]

    ordered = sorted(asked.fixed.key.values(), key=lambda of: of.subject)
    asked.fixed = FixedStudy(asked.fixed.study, {of.task: of for of in ordered})
    verdicts = asked.verdicts(voting(choice))
    before = asked.report(verdicts)
    assert before.adjudication is None
    assert before.decisions[0].states["disputed"].k == 4
    again = {
        of.subject: of.model_copy(
            update={"task": f"again {of.subject}", "round": 2, "annotator": "adjudicator-01"}
        )
        for of in ordered
        if of.kind == "preference" and of.purpose == "vote"
    }
    asked.fixed = FixedStudy(
        asked.fixed.study, asked.fixed.key | {of.task: of for of in again.values()}
    )
    one, two, other, _ = again.values()
    worst = PreferenceAnswer(choice=other.b if other.expected == "A" else other.a)
    closing = [
        verdict(of, right(of, asked.subjects[of.subject]), seconds=90.0) for of in (one, two)
    ]
    after = asked.report([*verdicts, *closing, verdict(other, worst, seconds=60.0)])
    found = after.adjudication
    assert found
    (row,) = found.by_kind
    assert (row.kind, row.tasks, row.answered) == ("preference", 4, 3)
    assert (row.for_label, row.refused) == (2, 1)
    assert (row.seconds.median, row.seconds.n) == (90, 3)
    assert found.states == {"verified": 2, "refused": 1, "disputed": 1}
    assert (found.subjects, found.adjudicators) == (4, 1)
    assert (after.annotators, after.seconds) == (before.annotators, before.seconds)


# Resampling


def test_a_replicate_counts_a_row_as_often_as_both_its_clusters_were_drawn() -> None:
    chance = random.Random(3)
    dyads = [f"d{chance.randrange(7)}" for _ in range(60)]
    people = [f"p{chance.randrange(4)}" for _ in range(60)]
    values = np.array([[chance.random(), chance.choice((0.0, 1.0))] for _ in range(60)])
    draws = Draws(dyads, people, 300, seed=5)
    order = sorted(set(dyads))
    weight = draws._dyad[:, [order.index(name) for name in dyads]].astype(float)
    assert draws.sums(dyads, values) == pytest.approx(weight @ values)
    names = sorted(set(people))
    own = draws._annotator[:, [names.index(name) for name in people]]
    assert draws.sums(dyads, values, people) == pytest.approx((weight * own) @ values)
    assert (draws._dyad.sum(axis=1) == 7).all()


def test_intervals_hold_the_truth_at_least_as_often_as_they_say() -> None:
    """Owen's interval is on the safe side: 60 studies, of which 3 may miss at 95 %."""
    held, widths = 0, []
    for seed in range(60):
        chance = np.random.default_rng(seed)
        lean = {f"d{n}": of for n, of in enumerate(chance.normal(0, 0.8, 80))}
        eye = {f"p{n}": of for n, of in enumerate(chance.normal(0, 0.4, 9))}
        rows = [(d, p) for d in lean for p in chance.choice(list(eye), 3, replace=False)]
        # Symmetric about one half, so the truth is known.
        share = [1 / (1 + np.exp(-(lean[d] + eye[p]))) for d, p in rows]
        votes = (chance.random(len(rows)) < share).astype(float).tolist()
        draws = Draws(lean, eye, 300, seed)
        dyads, people = zip(*rows, strict=True)
        of = ratio(draws, dyads, votes, [1.0] * len(rows), people)
        assert of.low is not None
        assert of.high is not None
        held += of.low <= 0.5 <= of.high
        widths.append(of.high - of.low)
    assert held >= 55
    assert np.mean(widths) < 0.35


@pytest.mark.parametrize(
    ("dyads", "people", "votes", "reason"),
    [
        (["a", "a"], ["p", "q"], [1.0, 0.0], "no interval: a single dyad of users"),
        (["a", "b"], ["p", "p"], [1.0, 0.0], "no interval: a single annotator"),
        (["a", "b"], ["p", "q"], [1.0, 1.0], "no interval: nothing varies"),
        ([], [], [], "none was given"),
    ],
)
def test_what_has_no_interval_says_why(
    dyads: list[str], people: list[str], votes: list[float], reason: str
) -> None:
    draws = Draws(["a", "b"], ["p", "q"], 200, 0)
    of = ratio(draws, dyads, votes, [1.0] * len(votes), people)
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
        assert twin.mean is not None
        assert violate.mean is not None
        assert 0.1 < twin.mean < 0.4 < 1.1 < violate.mean < 1.4
        assert violate.equivalent is False
        assert violate.apart.k == violate.pairs == 10
    # A p that is nearly 0 is not 0.
    assert "| 0.000 |" not in page_of(report, brief=True).markdown
    sides = {(of.mode, of.side, of.scale): of for of in report.scores}
    partner = sides["twin", "partner's response", SCALES[0].name]
    assert partner.counts == {1: 0, 2: 0, 3: 30, 4: 0, 5: 0}
    assert partner.mean.value == 3


def test_who_cannot_judge_is_missing_from_means_and_counted() -> None:
    report = Asked(mixed(0, 6)).report(scoring(lambda _: (4, None)))
    sides = {of.side: of for of in report.scores}
    assert sides["rejected response"].cannot_judge == 18
    assert sides["rejected response"].mean.value is None
    assert all(of.parity.mean is None and of.parity.pairs == 0 for of in report.parity)


# The judge


def test_each_half_is_held_to_the_judges_scores_of_its_own_rubric() -> None:
    cells = {
        "first_own": [2, 2],
        "second_other": [0, 0],
        "second_own": [1, 2],
        "first_other": [0, 1],
    }
    quality = {"first": 5, "second": 3}
    pairs = [judged(pair, cells, quality) for pair in mixed(6, 0)]
    asked = Asked(pairs)
    for pair in pairs:
        found = {side: [s.score for s in of.scores] for side, of in pair.adherence.items()}
        rejected = "second_other" if pair.asked else "first_other"
        chosen = "first_own" if pair.asked else "second_own"
        assert found == {"chosen": cells[chosen], "rejected": cells[rejected]}

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        if keyed.kind == "quality":
            return scored(subject, 4, 3)
        if keyed.kind == "preference":
            return right(keyed, subject)
        pair = next(of for of in subject.pairs if of.id == keyed.pair)
        best = response_id(pair.chosen)
        last = best if pair.asked else "both"  # As the judge says of `first_other`.
        return RubricAnswers(
            aspects=tuple(
                AspectAnswer(aspect=name, support="clearly", delivered=(best, last)[n])
                for n, name in enumerate(keyed.aspects)
            )
        )

    report = asked.report(answer)
    rows = {of.responses: of for of in report.delivered}
    controls = sum(of.states["control"].k for of in report.decisions[:1])
    assert rows["all"].n == 2 * 4 * (6 - controls)
    assert rows["all"].agree.value == rows["all"].kappa.value == 1
    assert rows["chosen"].kappa.note == "judges always say the same"
    assert rows["rejected"].both_yes == 6 - controls
    for of in report.judged_quality:
        assert of.difference.n == 12
        assert (of.judge.value, of.people.value, of.difference.value) == (4, 3.5, 0.5)
        assert (of.near.value, of.within_one.value, of.spearman.value) == (0.5, 1, 1)
    assert report.unjudged == 0


def test_ungated_pairs_are_counted_and_not_compared() -> None:
    asked = Asked(mixed(3, 3))
    report = asked.report(right)
    assert report.unjudged == 9
    assert all(of.n == 0 and of.kappa.value is None for of in report.delivered)
    assert all(of.difference.value is None for of in report.judged_quality)


def test_kappa_and_rank_correlation_are_the_libraries() -> None:
    chance = random.Random(2)
    for _ in range(20):
        n = chance.randint(10, 60)
        one = [chance.randint(1, 5) for _ in range(n)]
        other = [min(5, max(1, of + chance.randint(-2, 2))) / 3 for of in one]
        places = np.array([np.unique(of, return_inverse=True)[1] for of in (one, other)]).T
        times = np.array([[1] * n, [chance.randint(0, 3) for _ in range(n)]], float)
        plain, weighted = rank_correlations(times, places)
        assert plain == pytest.approx(spearmanr(one, other)[0])
        repeated = [np.repeat(of, times[1].astype(int)) for of in (one, other)]
        assert weighted == pytest.approx(spearmanr(*repeated)[0])
        yes, no = [of > 2 for of in one], [of > 1 for of in other]
        cells = [[sum(pair == cell for pair in zip(yes, no, strict=True)) for cell in CELLS]]
        assert kappas(np.array(cells, float))[0] == pytest.approx(cohen_kappa_score(yes, no))


# Annotators


def test_who_always_takes_the_first_is_seen() -> None:
    asked = Asked(mixed(30, 30), repeats=0.2)

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        if keyed.annotator == "annotator-04" and keyed.kind == "preference":
            return PreferenceAnswer(choice=keyed.a, seen=keyed.purpose == "repeat")
        return right(keyed, subject)

    report = asked.report(answer)
    own = [keyed for keyed in asked.made.keyed() if keyed.kind == "preference"]
    repeats = [keyed.annotator for keyed in own if keyed.purpose == "repeat"]
    seen, mistaken = report.recognition.repeats, report.recognition.others
    assert (seen.k, seen.n) == (repeats.count("annotator-04"), len(repeats))
    assert (mistaken.k, mistaken.n) == (0, len(own) - len(repeats))
    rows = {row.annotator: row for row in report.annotators}
    lazy, other = rows["annotator-04"], rows["annotator-05"]
    assert lazy.first.value == 1
    assert other.first.low is not None
    assert other.first.high is not None
    assert other.first.low < 0.5 < other.first.high
    assert lazy.retest.value == 0
    assert other.retest.value == 1
    assert lazy.retest.n > 0
    assert lazy.with_majority.value is not None
    assert lazy.with_majority.value < 0.8
    # Two others, of whom the lazy one may be one: then there is no majority, not a wrong one.
    assert other.with_majority.value == 1


def test_who_fails_the_checks_counts_nowhere_but_where_it_is_said() -> None:
    asked = Asked(mixed(6, 6))

    def answer(keyed: KeyedTask, subject: Subject) -> Any:
        wrong = keyed.annotator == "annotator-02" and keyed.kind == "preference"
        worst = keyed.b if keyed.expected == "A" else keyed.a
        return PreferenceAnswer(choice=worst) if wrong else right(keyed, subject)

    report = asked.report(answer)
    assert report.head.excluded == ("annotator-02",)
    assert preferred(report)["all"].other == 0
    assert report.with_excluded
    assert report.with_excluded.other > 0
    assert [row.excluded for row in report.annotators].count(True) == 1
    assert max(of.agreement.raters for of in report.agreement) == 8


def test_time_is_told_by_kind_and_over_all_people() -> None:
    asked = Asked(mixed(4, 4))
    times = {"quality": 100.0, "preference": 40.0, "rubric": None}
    verdicts = [of.model_copy(update={"seconds": times[of.kind]}) for of in asked.verdicts(right)]
    report = asked.report(verdicts)
    told = {kind: of.median for kind, of in report.seconds.items()}
    assert told == {"quality": 100, "preference": 40, "rubric": None}
    for kind, of in report.seconds.items():
        assert of.n == sum(row.seconds[kind].n for row in report.annotators)
        assert of.n == sum(v.kind == kind for v in verdicts if v.seconds is not None)


# Chance


def test_what_a_coin_would_verify() -> None:
    asked = Asked(mixed(3, 3), overlap=5, annotators=15, rule="unanimity")
    found = {of.mode: (of.votes, of.share) for of in asked.report([]).by_chance}
    assert found == {"twin": (5, 0.000977), "violate": (5, 0.03125)}


# Files


def files(run: Path, asked: Asked, verdicts: list[Verdict], **options: Any) -> dict[str, str]:
    folder = HumanFolder(run)
    folder.path.mkdir(parents=True)
    policy = options.pop("policy", asked.fixed.study.policy)
    report = compute_report(asked.made.subjects, asked.fixed, verdicts, (), policy, **options)
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
    shuffled = random.Random(4).sample(verdicts, len(verdicts))
    steps: list[str] = []
    first = files(tmp_path / "a", asked, verdicts, step=steps.append)
    assert first == files(tmp_path / "b", asked, shuffled)
    assert len(steps) > 5
    assert first["html"].count("<svg ") == 5
    assert first["md"].count("*Plot, in the HTML report:") == 5


def test_a_study_without_answers_has_no_numbers_and_says_so(tmp_path: Path) -> None:
    asked = Asked(mixed(2, 2))
    found = files(tmp_path, asked, [])
    for text in (found["md"], re.sub(r"<[^>]*>", " ", found["html"])):
        assert not re.search(r"\b(nan|inf|None)\b", text)
        assert "n/a (none was given)" in text
        assert 0 < text.index("Nothing is answered yet") < text.index("The study")
    assert json.loads(found["json"])["consensus"] is None


def test_what_is_simulated_or_changed_stands_above_everything(tmp_path: Path) -> None:
    asked = Asked(mixed(2, 2))
    study = asked.fixed.study.model_copy(update={"simulated_pairs": True})
    asked.fixed = FixedStudy(study, asked.fixed.key)
    verdicts = asked.verdicts(right, simulated=True)
    policy = asked.fixed.study.policy.model_copy(update={"votes": 2, "quality_floor": 4})
    found = files(tmp_path, asked, verdicts, policy=policy)
    for text in (found["md"], found["html"]):
        for warning in (
            "SIMULATED ANNOTATORS", "SIMULATED PAIRS",
            "CHANGED AFTER EXPORT: human.votes was fixed at 3 and is now 2",
        ):  # fmt: skip
            assert 0 < text.index(warning) < text.index("The study")
    boxes = re.findall("<blockquote>(.*?)</blockquote>", found["html"], re.DOTALL)
    (box,) = [box for box in boxes if "human.votes was" in box]
    assert "human.quality_floor was" in box


def table_of(page: str, head: str) -> list[list[str]]:
    """The rows of the table whose head begins so."""
    _, _, *lines = page[page.index(head) :].split("\n\n", 1)[0].splitlines()
    return [line.strip("| ").split(" | ") for line in lines]


@pytest.mark.usefixtures("drawn")
def test_comments_are_shown_as_they_are_and_without_who(tmp_path: Path) -> None:
    asked = Asked(mixed(4, 4))
    hostile = "<script>alert(1)</script> | ![x](http://evil.test/x.png) `a` *b*"
    verdicts = asked.verdicts(right, comment=hostile)
    found = files(tmp_path, asked, verdicts)
    html = found["html"]
    assert "<script" not in html
    assert "evil.test/x.png" in html
    assert html[html.index(">Comments<") :].count("&lt;script&gt;") == 50
    assert f"50 of {len(verdicts)}" in html
    comments = found["md"][found["md"].index(">Comments<") : found["md"].index(">The rule<")]
    assert "annotator-" not in comments
    assert "<script" not in found["md"]
    # Everybody is right: markers at the edge of the plot are whole.
    plot = html[html.index('aria-label="Preference votes') :]
    plot = plot[: plot.index("</svg>")]
    blue = re.findall(r"\.(p\d+) \{[^}]*var\(--blue\)", html)
    uses = re.findall(r'(<g[^>]*>)\s*<use [^>]*preference-m[^>]*class="(p\d+)"', plot)
    markers = [before for before, style in uses if style in blue]
    assert markers
    assert all("clip-path" not in before for before in markers)


def test_the_report_says_how_often_who_does_not_read_would_have_passed() -> None:
    asked = Asked(mixed(9, 0))
    report = asked.report(right)
    assert {row.attention.n for row in report.annotators} == {6}
    assert {row.nonreader for row in report.annotators} == {7 / 64}
    assert "at most 10.9 %, with 6 checks" in " ".join(page_of(report, brief=True).markdown.split())
    # By three checks nobody is excluded.
    few = " ".join(page_of(Asked(mixed(4, 0)).report(right), brief=True).markdown.split())
    assert "Nobody is excluded by fewer than 4" in few
    assert "at most 100.0 %" in few
    # No vote on a single pair is a check.
    single = Asked(mixed(0, 9)).report(right)
    assert {row.nonreader for row in single.annotators} == {None}
    assert "No vote was an attention check" in page_of(single, brief=True).markdown


def test_a_study_of_an_older_version_says_nothing_of_votes_that_are_checks() -> None:
    asked = Asked(mixed(9, 0))
    older = asked.fixed.study.model_copy(update={"fewest_checks": None, "mirrored_checks": True})
    asked.fixed = asked.fixed._replace(study=older)
    report = asked.report(voting(lambda keyed, _: keyed.a))
    assert {row.attention.n for row in report.annotators} == {0}
    assert not report.head.excluded
    said = page_of(report, brief=True).markdown
    assert "attention checks cannot be said: nobody met" in said
    assert "a vote on a twin" not in said


def expected(keyed: KeyedTask, _: object = None) -> str:
    return keyed.a if keyed.expected == "A" else keyed.b


def test_who_never_can_tell_is_excluded_and_the_report_says_how_often_they_say_so() -> None:
    def choice(keyed: KeyedTask, _: object) -> str:
        return "cannot_tell" if keyed.annotator == "annotator-01" else expected(keyed)

    row, *others = Asked(mixed(9, 0)).report(voting(choice)).annotators
    assert (row.attention.k, row.attention.n, row.excluded) == (3, 6, True)
    assert row.cannot_tell.value == 1
    assert {other.cannot_tell.value for other in others} == {0}


def test_an_exclusion_that_other_answers_may_still_change_is_said_to_be_such() -> None:
    def choice(keyed: KeyedTask, _: object) -> str:
        if keyed.annotator == "annotator-01":
            return keyed.b if keyed.expected == "A" else keyed.a
        return expected(keyed)

    asked, answer = Asked(mixed(12, 0)), voting(choice)
    report = asked.report(answer)
    assert report.head.excluded == ("annotator-01",)
    assert "may change" not in page_of(report, brief=True).markdown
    last = next(name for name, of in asked.fixed.key.items() if of.annotator == "annotator-02")
    report = asked.report(lambda keyed, s: None if keyed.task == last else answer(keyed, s))
    assert report.head.excluded == ("annotator-01",)
    assert "This may change as others answer" in page_of(report, brief=True).markdown


def test_the_agreement_tables_have_a_row_for_every_question_in_the_order_of_the_work() -> None:
    """Domains are words, and why there is no Fleiss' kappa stands below the table."""
    asked = Asked(mixed(4, 4, ("Home_and_Garden", "Music")))
    skipped = next(of.task for of in asked.fixed.key.values() if of.purpose == "vote")
    answer = noisy(0.7)
    whole = page_of(asked.report(lambda k, s: None if k.task == skipped else answer(k, s)))
    for text in (whole.markdown, whole.html):
        assert "Home and Garden" in text
        assert "Home_and_Garden" not in text
    questions = [f"quality: {scale.name}" for scale in SCALES]
    questions += ["preference", "preference (with cannot tell)", "aspect supported"]
    questions += ["aspect delivered by", "aspect delivered by (with cannot tell)"]
    for head in ("| question | answers |", "| question | items |"):
        rows = table_of(whole.markdown, head)
        assert [row[0] for row in rows] == questions
        assert all(len(row) == 5 for row in rows)
    assert any(row[-1] == "n/a" for row in rows)
    assert re.search(r"- No Fleiss' kappa where items have \d to \d ratings", whole.markdown)
