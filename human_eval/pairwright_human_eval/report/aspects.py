"""What people say of the aspects, and the automatic judge compared with people.

On all sampled subjects, before any decision. Shares of answers draw dyads and annotators. Shares of
aspects, and comparisons with the judge, take people by their majority or mean, so they draw dyads
alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairwright.estimate import Estimate
from pairwright.settings.domains import Scale
from pairwright_human_eval.records import BOTH, CANNOT_TELL, NEITHER
from pairwright_human_eval.report.answers import Answers, AspectVote, SubjectPair, Vote
from pairwright_human_eval.report.claims import groups
from pairwright_human_eval.report.quality import SUPPORT
from pairwright_human_eval.report.records import (
    DeliveryAgreement,
    DeliveryShares,
    FoilComparison,
    JudgePreference,
    JudgeQuality,
    SupportShares,
)
from pairwright_human_eval.report.resample import (
    CELLS,
    Draws,
    kappas,
    measure,
    rank_correlations,
    ratio,
    ratio_difference,
)


class AspectAnswers(NamedTuple):
    """One aspect of one pair, with all its answers."""

    dyad: str
    votes: list[AspectVote]


def support_shares(answers: Answers, draws: Draws) -> tuple[SupportShares, ...]:
    """Of all and by mode. An aspect is there if more than half of its answers say so."""
    return tuple(_supported(group, votes, draws) for group, votes in _by_mode(answers))


def foil_comparison(answers: Answers, draws: Draws) -> FoilComparison | None:
    """Whether people confirm a user's aspects more often than another user's."""
    if not answers.foils:
        return None
    votes = [*answers.aspects, *answers.foils]
    dyads, people = [vote.about.dyad for vote in votes], [vote.annotator for vote in votes]
    yes = np.array([vote.answer.support in ("clearly", "plausibly") for vote in votes], np.float64)
    foil = np.arange(len(votes)) >= len(answers.aspects)
    own = ~foil
    return FoilComparison(
        pairs=len({vote.about.pair.id for vote in answers.foils}),
        aspects=ratio(draws, dyads, [*(yes * own)], [*own.astype(float)], people),
        foils=ratio(draws, dyads, [*(yes * foil)], [*foil.astype(float)], people),
        difference=ratio_difference(
            draws, dyads, np.stack([yes * own, own, yes * foil, foil], axis=1), people
        ),
    )


def delivery_shares(answers: Answers, draws: Draws) -> tuple[DeliveryShares, ...]:
    """Of all and by mode. A majority is more than half of an aspect's answers but "cannot tell"."""
    return tuple(_delivered_by(group, votes, draws) for group, votes in _by_mode(answers))


def _by_mode(answers: Answers) -> list[tuple[str, list[AspectVote]]]:
    return [group for group in groups(answers.aspects) if not group[0].startswith("domain: ")]


def _supported(group: str, votes: Sequence[AspectVote], draws: Draws) -> SupportShares:
    dyads, people = [vote.about.dyad for vote in votes], [vote.annotator for vote in votes]
    ones = [1.0] * len(votes)
    aspects = _by_aspect(votes)
    there = []
    for aspect in aspects:
        yes = sum(vote.answer.support in ("clearly", "plausibly") for vote in aspect.votes)
        there.append(float(2 * yes > len(aspect.votes)))
    return SupportShares(
        group=group,
        answers={
            answer: ratio(
                draws, dyads, [float(vote.answer.support == answer) for vote in votes], ones, people
            )
            for answer in reversed(SUPPORT)
        },
        there=ratio(draws, [aspect.dyad for aspect in aspects], there, [1.0] * len(aspects)),
    )


def _delivered_by(group: str, votes: Sequence[AspectVote], draws: Draws) -> DeliveryShares:
    aspects = _by_aspect(votes)
    majorities = [
        (aspect.dyad, majority) for aspect in aspects if (majority := _majority(aspect.votes))
    ]
    dyads = [dyad for dyad, _ in majorities]

    def share(answer: str) -> Estimate:
        return ratio(
            draws,
            dyads,
            [float(majority == answer) for _, majority in majorities],
            [1.0] * len(majorities),
        )

    return DeliveryShares(
        group=group,
        undecided=len(aspects) - len(majorities),
        chosen=share("chosen"),
        other=share("other"),
        both=share(BOTH),
        neither=share(NEITHER),
    )


def _by_aspect(votes: Sequence[AspectVote]) -> list[AspectAnswers]:
    found: defaultdict[tuple[str, str], list[AspectVote]] = defaultdict(list)
    for vote in votes:
        found[vote.about.pair.id, vote.answer.aspect].append(vote)
    return [AspectAnswers(own[0].about.dyad, own) for own in found.values()]


def _majority(votes: Sequence[AspectVote]) -> str:
    """`chosen`, `other`, `both` or `neither`; empty where no answer has more than half."""
    counts = Counter(
        vote.answer.delivered for vote in votes if vote.answer.delivered != CANNOT_TELL
    )
    if not counts:
        return ""
    name, most = counts.most_common(1)[0]
    if 2 * most <= counts.total():
        return ""
    return name if name in (BOTH, NEITHER) else votes[0].about.choice(name)


Floats = npt.NDArray[np.float64]


DELIVERS = 1
"""The least adherence score at which the judge finds an aspect delivered."""


class DeliveryCase(NamedTuple):
    """One aspect and one response: what the judge and most people say; None without a majority."""

    dyad: str
    side: str
    judge: bool
    people: bool | None


def delivery_agreement(answers: Answers, draws: Draws) -> tuple[DeliveryAgreement, ...]:
    """For the chosen responses, the rejected ones, and all."""
    cases = list(_cases(answers))
    sides = (("chosen", ("chosen",)), ("rejected", ("rejected",)), ("all", ("chosen", "rejected")))
    return tuple(
        _delivered(name, [case for case in cases if case.side in of_sides], draws)
        for name, of_sides in sides
    )


def _cases(answers: Answers) -> Iterator[DeliveryCase]:
    deliveries: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    abouts: dict[str, SubjectPair] = {}
    for vote in answers.aspects:
        abouts[vote.about.pair.id] = vote.about
        if vote.answer.delivered != CANNOT_TELL:
            deliveries[vote.about.pair.id, vote.answer.aspect].append(vote.answer.delivered)
    for about in abouts.values():
        for side, scores in about.pair.adherence.items():
            response = getattr(about.pair, side)
            for name, score in zip(about.pair.aspects, scores, strict=True):
                given = deliveries[about.pair.id, name]
                yes = sum(answer in (response, BOTH) for answer in given)
                people = None if 2 * yes == len(given) else 2 * yes > len(given)
                yield DeliveryCase(about.dyad, side, score >= DELIVERS, people)


def _delivered(name: str, cases: Sequence[DeliveryCase], draws: Draws) -> DeliveryAgreement:
    decided = [case for case in cases if case.people is not None]
    counts = Counter((case.judge, bool(case.people)) for case in decided)
    dyads = [case.dyad for case in decided]
    alike = [float(case.judge == case.people) for case in decided]
    return DeliveryAgreement(
        responses=name,
        n=len(decided),
        undecided=len(cases) - len(decided),
        both_yes=counts[True, True],
        only_judge=counts[True, False],
        only_people=counts[False, True],
        both_no=counts[False, False],
        agree=ratio(draws, dyads, alike, [1.0] * len(decided)),
        kappa=_kappa(decided, dyads, draws),
    )


def _kappa(cases: Sequence[DeliveryCase], dyads: Sequence[str], draws: Draws) -> Estimate:
    cells = np.array(
        [[(case.judge, case.people) == cell for cell in CELLS] for case in cases], np.float64
    ).reshape(-1, 4)
    if not cases:
        return measure(None, None, 0, dyads, None, "none was given")
    for who, answers in (
        ("judges", {case.judge for case in cases}),
        ("people", {case.people for case in cases}),
    ):
        if len(answers) == 1:
            return measure(None, None, len(cases), dyads, None, f"{who} always say the same")
    value = float(kappas(cells.sum(axis=0, keepdims=True))[0])
    return measure(value, kappas(draws.sums(dyads, cells)), len(cases), dyads, None)


def judge_quality(
    answers: Answers, scales: tuple[Scale, ...], draws: Draws
) -> tuple[JudgeQuality, ...]:
    """By scale, over all responses that both have scored."""
    people: defaultdict[tuple[str, str, str], list[int]] = defaultdict(list)
    judges, dyads = {}, {}
    for score in answers.scores:
        place = score.subject.id, score.response, score.scale
        if score.score is None:
            continue
        if place not in judges:
            judged = score.subject.quality.get(score.response, {})
            if score.scale not in judged:
                continue
            judges[place] = judged[score.scale]
            dyads[place] = score.subject.dyad
        people[place].append(score.score)
    return tuple(
        _quality(
            scale.name,
            [dyads[place] for place in judges if place[2] == scale.name],
            [float(judge) for place, judge in judges.items() if place[2] == scale.name],
            [
                sum(scores) / len(scores)
                for place, scores in people.items()
                if place[2] == scale.name
            ],
            draws,
        )
        for scale in scales
    )


def _quality(
    name: str, dyads: list[str], judge: list[float], people: list[float], draws: Draws
) -> JudgeQuality:
    ones = [1.0] * len(dyads)
    apart = [one - other for one, other in zip(judge, people, strict=True)]
    return JudgeQuality(
        scale=name,
        judge=ratio(draws, dyads, judge, ones),
        people=ratio(draws, dyads, people, ones),
        difference=ratio(draws, dyads, apart, ones),
        near=ratio(draws, dyads, [float(abs(difference) <= 0.5) for difference in apart], ones),
        within_one=ratio(draws, dyads, [float(abs(difference) <= 1) for difference in apart], ones),
        spearman=_spearman(dyads, judge, people, draws),
    )


def _spearman(dyads: list[str], judge: list[float], people: list[float], draws: Draws) -> Estimate:
    """Pearson's correlation of mid-ranks, with the ranks of each replicate."""
    tables = [np.unique(each, return_inverse=True) for each in (judge, people)]
    if any(len(levels) < 2 for levels, _ in tables):
        reason = "one of the two gave one and the same score" if dyads else "none was given"
        return measure(None, None, len(dyads), dyads, None, reason)
    levels, cell = np.unique(
        np.column_stack([place for _, place in tables]), axis=0, return_inverse=True
    )
    given = np.zeros((len(dyads), len(levels)))
    given[np.arange(len(dyads)), cell.ravel()] = 1
    value = float(rank_correlations(given.sum(axis=0, keepdims=True), levels)[0])
    replicates = rank_correlations(draws.sums(dyads, given), levels)
    return measure(value, replicates, len(dyads), dyads, None)


def judge_preference(
    groups: Iterable[tuple[str, Sequence[Vote]]], draws: Draws
) -> tuple[JudgePreference, ...]:
    """Each pair's majority: more than half of all its votes but "cannot tell"."""
    found = []
    for name, votes in groups:
        by_pair: defaultdict[str, list[Vote]] = defaultdict(list)
        for vote in votes:
            if vote.choice != "cannot_tell":
                by_pair[vote.about.pair.id].append(vote)
        dyads, majorities = [], []
        for own in by_pair.values():
            counts = Counter(vote.choice for vote in own)
            choice, most = counts.most_common(1)[0]
            dyads.append(own[0].about.dyad)
            majorities.append(choice if 2 * most > len(own) else "equal")
        either = [float(choice != "equal") for choice in majorities]
        chosen = [float(choice == "chosen") for choice in majorities]
        found.append(
            JudgePreference(
                group=name,
                pairs=len(majorities),
                for_chosen=majorities.count("chosen"),
                for_other=majorities.count("other"),
                no_choice=majorities.count("equal"),
                agree=ratio(draws, dyads, chosen, either),
            )
        )
    return tuple(found)
