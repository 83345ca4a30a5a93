"""What people say of the aspects, and the automatic judge compared with people.

On all sampled subjects, before any decision. Shares of answers draw dyads and annotators. Shares of
aspects, and comparisons with the judge, take people by their majority or mean, so they draw dyads
alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from pairwright.estimate import Estimate
from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright_human_eval.agreement.intervals import cohen_kappas
from pairwright_human_eval.records import BOTH, CANNOT_TELL, NEITHER, Support
from pairwright_human_eval.report.answers import (
    AspectVote,
    SampledAnswers,
    Vote,
    majority,
)
from pairwright_human_eval.report.claims import groups
from pairwright_human_eval.report.resample import (
    Draws,
    answer_ratio,
    measure,
    missing,
    rank_correlations,
    ratio,
)

SUPPORT: tuple[Support, ...] = ("contradicted", "no", "plausibly", "clearly")
DELIVERS = 1
"""The least adherence score at which the judge finds an aspect delivered."""


class SupportShares(Record):
    """Whether the posts carry the aspects, in one group of pairs."""

    group: str
    answers: dict[Support, Estimate]
    """Each as a share of all answers."""
    there: Estimate
    """Aspects that more than half of their answers call clearly or plausibly there."""


class DeliveryShares(Record):
    """Which responses deliver the aspects, in one group of pairs: shares of the aspects for which
    more than half of the answers say the same, "cannot tell" left out."""

    group: str
    undecided: int
    """Aspects without such a majority."""
    chosen: Estimate
    """Only the chosen response, as `other` is only the other."""
    other: Estimate
    both: Estimate
    neither: Estimate


class DeliveryAgreement(Record):
    """Judge against people: does a response deliver an aspect? People by majority."""

    responses: str
    n: int
    """Aspect and response, where people have a majority."""
    undecided: int
    """Where they have none."""
    both_yes: int
    only_judge: int
    only_people: int
    both_no: int
    agree: Estimate
    kappa: Estimate
    """Cohen's, of the judge and the majority."""


class JudgeQuality(Record):
    """Judge against people's mean score of a response on one scale."""

    scale: str
    judge: Estimate
    people: Estimate
    difference: Estimate
    """Judge less people, in points."""
    near: Estimate
    """Share at most half a point apart: the same after rounding."""
    within_one: Estimate
    spearman: Estimate


class JudgePreference(Record):
    """The judge's say, which is the chosen response, against people's majority on each pair."""

    group: str
    pairs: int
    for_chosen: int
    for_other: int
    no_choice: int
    """Pairs with no majority for either response, or one for `equal`."""
    agree: Estimate
    """Of the pairs with a majority for a response."""


def support_shares(answers: SampledAnswers, draws: Draws) -> tuple[SupportShares, ...]:
    """Of all and by mode. An aspect is there if more than half of its answers say so."""
    rows = []
    for group, votes in _by_mode(answers):
        aspects = _by_aspect(votes)
        rows.append(
            SupportShares(
                group=group,
                answers={
                    support: answer_ratio(
                        draws, votes, [v.answer.support == support for v in votes]
                    )
                    for support in reversed(SUPPORT)
                },
                there=ratio(
                    draws,
                    [own[0].about.dyad for own in aspects],
                    [2 * sum(vote.there for vote in own) > len(own) for own in aspects],
                ),
            )
        )
    return tuple(rows)


def delivery_shares(answers: SampledAnswers, draws: Draws) -> tuple[DeliveryShares, ...]:
    """Of all and by mode. A majority is more than half of an aspect's answers but "cannot tell"."""
    rows = []
    for group, votes in _by_mode(answers):
        aspects = _by_aspect(votes)
        found = [(own[0].about.dyad, most) for own in aspects if (most := _delivered_by(own))]
        dyads, by = [dyad for dyad, _ in found], [most for _, most in found]
        shares = {
            answer: ratio(draws, dyads, [most == answer for most in by])
            for answer in ("chosen", "other", BOTH, NEITHER)
        }
        rows.append(DeliveryShares(group=group, undecided=len(aspects) - len(by), **shares))
    return tuple(rows)


def _by_mode(answers: SampledAnswers) -> list[tuple[str, list[AspectVote]]]:
    return [group for group in groups(answers.aspects) if not group[0].startswith("domain: ")]


def _by_aspect(votes: Sequence[AspectVote]) -> list[list[AspectVote]]:
    found: defaultdict[tuple[str, str], list[AspectVote]] = defaultdict(list)
    for vote in votes:
        found[vote.about.pair.id, vote.answer.aspect].append(vote)
    return list(found.values())


def _delivered_by(votes: Sequence[AspectVote]) -> str:
    """`chosen`, `other`, `both` or `neither`; empty where no answer has more than half."""
    answers = (vote.answer.delivered for vote in votes)
    most = majority(Counter(answer for answer in answers if answer != CANNOT_TELL))
    return most if most in ("", BOTH, NEITHER) else votes[0].about.choice(most)


class DeliveryCase(NamedTuple):
    """One aspect and one response: what the judge and most people say; None without a majority."""

    dyad: str
    side: str
    judge: bool
    people: bool | None


def delivery_agreement(answers: SampledAnswers, draws: Draws) -> tuple[DeliveryAgreement, ...]:
    """For the chosen responses, the rejected ones, and all."""
    every = list(_delivery_cases(answers))
    rows = []
    for name in ("chosen", "rejected", "all"):
        cases = [case for case in every if name in (case.side, "all")]
        decided = [case for case in cases if case.people is not None]
        counts = Counter((case.judge, bool(case.people)) for case in decided)
        alike = [case.judge == case.people for case in decided]
        rows.append(
            DeliveryAgreement(
                responses=name,
                n=len(decided),
                undecided=len(cases) - len(decided),
                both_yes=counts[True, True],
                only_judge=counts[True, False],
                only_people=counts[False, True],
                both_no=counts[False, False],
                agree=ratio(draws, [case.dyad for case in decided], alike),
                kappa=_kappa(decided, draws),
            )
        )
    return tuple(rows)


def _delivery_cases(answers: SampledAnswers) -> Iterator[DeliveryCase]:
    for own in _by_aspect(answers.aspects):
        pair, place = own[0].about.pair, own[0].about.pair.aspects.index(own[0].answer.aspect)
        given = [pair.side(vote.answer.delivered) for vote in own]
        heard = sum(answer != CANNOT_TELL for answer in given)
        for side, scores in pair.adherence.items():
            yes = sum(answer in (side, BOTH) for answer in given)
            people = None if 2 * yes == heard else 2 * yes > heard
            yield DeliveryCase(own[0].about.dyad, side, scores[place] >= DELIVERS, people)


def _kappa(cases: Sequence[DeliveryCase], draws: Draws) -> Estimate:
    dyads = [case.dyad for case in cases]
    if not cases:
        return missing((), "none was given")
    judges, people = {case.judge for case in cases}, {case.people for case in cases}
    if len(judges) == 1 or len(people) == 1:
        who = "judges" if len(judges) == 1 else "people"
        return missing(dyads, f"{who} always say the same")
    cells = np.eye(4)[[2 * case.judge + bool(case.people) for case in cases]]
    value = float(cohen_kappas(cells.sum(axis=0).reshape(1, 2, 2))[0])
    drawn = cohen_kappas(draws.sums(dyads, cells).reshape(-1, 2, 2))
    return measure(value, drawn, len(cases), dyads)


def judge_quality(
    answers: SampledAnswers, scales: tuple[Scale, ...], draws: Draws
) -> tuple[JudgeQuality, ...]:
    """By scale, over all responses that both have scored."""
    rows = []
    for scale in scales:
        judged: dict[tuple[str, str], tuple[str, float]] = {}
        scores: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for given in answers.scores:
            by_judge = given.about.quality.get(given.response, {}).get(scale.name)
            if given.scale == scale.name and given.score is not None and by_judge is not None:
                judged[given.about.id, given.response] = given.about.dyad, float(by_judge)
                scores[given.about.id, given.response].append(given.score)
        dyads = [dyad for dyad, _ in judged.values()]
        judge = [score for _, score in judged.values()]
        people = [fmean(own) for own in scores.values()]
        apart = [one - other for one, other in zip(judge, people, strict=True)]
        rows.append(
            JudgeQuality(
                scale=scale.name,
                judge=ratio(draws, dyads, judge),
                people=ratio(draws, dyads, people),
                difference=ratio(draws, dyads, apart),
                near=ratio(draws, dyads, [abs(points) <= 0.5 for points in apart]),
                within_one=ratio(draws, dyads, [abs(points) <= 1 for points in apart]),
                spearman=_spearman(dyads, judge, people, draws),
            )
        )
    return tuple(rows)


def _spearman(dyads: list[str], judge: list[float], people: list[float], draws: Draws) -> Estimate:
    """Pearson's correlation of mid-ranks, with the ranks of each replicate."""
    tables = [np.unique(each, return_inverse=True) for each in (judge, people)]
    if any(len(levels) < 2 for levels, _ in tables):
        reason = "one of the two gave one and the same score" if dyads else "none was given"
        return missing(dyads, reason)
    levels, cell = np.unique(
        np.column_stack([place for _, place in tables]), axis=0, return_inverse=True
    )
    given = np.zeros((len(dyads), len(levels)))
    given[np.arange(len(dyads)), cell.ravel()] = 1
    value = float(rank_correlations(given.sum(axis=0, keepdims=True), levels)[0])
    replicates = rank_correlations(draws.sums(dyads, given), levels)
    return measure(value, replicates, len(dyads), dyads)


def judge_preference(
    grouped: Iterable[tuple[str, Sequence[Vote]]], draws: Draws
) -> tuple[JudgePreference, ...]:
    """Each pair's majority: more than half of all its votes but "cannot tell"."""
    rows = []
    for name, votes in grouped:
        by_pair: defaultdict[str, list[Vote]] = defaultdict(list)
        for vote in votes:
            if vote.choice != "cannot_tell":
                by_pair[vote.about.pair.id].append(vote)
        choices = [
            majority(Counter(vote.choice for vote in own)) or "equal" for own in by_pair.values()
        ]
        rows.append(
            JudgePreference(
                group=name,
                pairs=len(choices),
                for_chosen=choices.count("chosen"),
                for_other=choices.count("other"),
                no_choice=choices.count("equal"),
                agree=ratio(
                    draws,
                    [own[0].about.dyad for own in by_pair.values()],
                    [choice == "chosen" for choice in choices],
                    [choice != "equal" for choice in choices],
                ),
            )
        )
    return tuple(rows)
