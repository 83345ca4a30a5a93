"""The automatic judge held against people: its aspects, its scores, and what it lets through.

People are taken by their majority or mean, so the intervals draw dyads alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairwright.settings.domains import Scale
from pairwright_human_eval.records import BOTH, CANNOT_TELL
from pairwright_human_eval.report.data import About, Answers, Vote
from pairwright_human_eval.report.records import (
    Delivered,
    JudgedPreference,
    JudgedQuality,
    Measure,
)
from pairwright_human_eval.report.resample import Draws, measure, ratio

Floats = npt.NDArray[np.float64]
DELIVERS = 1
"""Least adherence score, of 0 to 2, at which the judge finds an aspect delivered."""


class Case(NamedTuple):
    """One aspect and one response: what the judge and most people say; None without a majority."""

    dyad: str
    side: str
    judge: bool
    people: bool | None


def delivered(answers: Answers, draws: Draws) -> tuple[Delivered, ...]:
    """For the chosen responses, the rejected ones, and all."""
    cases = list(_cases(answers))
    sides = (("chosen", ("chosen",)), ("rejected", ("rejected",)), ("all", ("chosen", "rejected")))
    return tuple(
        _delivered(name, [of for of in cases if of.side in of_sides], draws)
        for name, of_sides in sides
    )


def _cases(answers: Answers) -> Iterator[Case]:
    said: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    abouts: dict[str, About] = {}
    for vote in answers.aspects:
        abouts[vote.about.pair.id] = vote.about
        if vote.answer.delivered != CANNOT_TELL:
            said[vote.about.pair.id, vote.answer.aspect].append(vote.answer.delivered)
    for of in abouts.values():
        for side, scores in of.pair.adherence.items():
            response = getattr(of.pair, side)
            for name, score in zip(of.pair.aspects, scores, strict=True):
                given = said[of.pair.id, name]
                yes = sum(answer in (response, BOTH) for answer in given)
                people = None if 2 * yes == len(given) else 2 * yes > len(given)
                yield Case(of.dyad, side, score >= DELIVERS, people)


def _delivered(name: str, cases: Sequence[Case], draws: Draws) -> Delivered:
    decided = [of for of in cases if of.people is not None]
    counts = Counter((of.judge, bool(of.people)) for of in decided)
    dyads = [of.dyad for of in decided]
    alike = [float(of.judge == of.people) for of in decided]
    return Delivered(
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


def _kappa(cases: Sequence[Case], dyads: Sequence[str], draws: Draws) -> Measure:
    cells = np.array(
        [[(of.judge, of.people) == cell for cell in _CELLS] for of in cases], np.float64
    ).reshape(-1, 4)
    if not cases:
        return measure(None, None, 0, dyads, None, "none was given")
    for who, answers in (
        ("judges", {of.judge for of in cases}),
        ("people", {of.people for of in cases}),
    ):
        if len(answers) == 1:
            return measure(None, None, len(cases), dyads, None, f"{who} always say the same")
    value = float(_kappas(cells.sum(axis=0, keepdims=True))[0])
    return measure(value, _kappas(draws.sums(dyads, cells)), len(cases), dyads, None)


_CELLS = ((True, True), (True, False), (False, True), (False, False))


def _kappas(cells: Floats) -> Floats:
    """Cohen (1960) of tables, shape (tables, 4) in the order of `_CELLS`."""
    both, judge, people, none = cells.T
    total = cells.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = (both + none) / total
        expected = ((both + judge) * (both + people) + (people + none) * (judge + none)) / total**2
        found: Floats = (observed - expected) / (1 - expected)
    return found


def judged_quality(
    answers: Answers, scales: tuple[Scale, ...], draws: Draws
) -> tuple[JudgedQuality, ...]:
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
            [sum(of) / len(of) for place, of in people.items() if place[2] == scale.name],
            draws,
        )
        for scale in scales
    )


def _quality(
    name: str, dyads: list[str], judge: list[float], people: list[float], draws: Draws
) -> JudgedQuality:
    ones = [1.0] * len(dyads)
    apart = [one - other for one, other in zip(judge, people, strict=True)]
    return JudgedQuality(
        scale=name,
        judge=ratio(draws, dyads, judge, ones),
        people=ratio(draws, dyads, people, ones),
        difference=ratio(draws, dyads, apart, ones),
        near=ratio(draws, dyads, [float(abs(of) <= 0.5) for of in apart], ones),
        within_one=ratio(draws, dyads, [float(abs(of) <= 1) for of in apart], ones),
        spearman=_spearman(dyads, judge, people, draws),
    )


def _spearman(dyads: list[str], judge: list[float], people: list[float], draws: Draws) -> Measure:
    """Pearson's correlation of mid-ranks, ranked anew in every replicate."""
    tables = [np.unique(of, return_inverse=True) for of in (judge, people)]
    if any(len(levels) < 2 for levels, _ in tables):
        reason = "one of the two gave one and the same score" if dyads else "none was given"
        return measure(None, None, len(dyads), dyads, None, reason)
    levels, cell = np.unique(
        np.column_stack([place for _, place in tables]), axis=0, return_inverse=True
    )
    given = np.zeros((len(dyads), len(levels)))
    given[np.arange(len(dyads)), cell.ravel()] = 1
    value = float(_rank_correlations(given.sum(axis=0, keepdims=True), levels)[0])
    replicates = _rank_correlations(draws.sums(dyads, given), levels)
    return measure(value, replicates, len(dyads), dyads, None)


def _rank_correlations(counts: Floats, levels: npt.NDArray[np.intp]) -> Floats:
    """Of cross tables: `counts` has shape (tables, cells), `levels` (cells, 2) says which two
    levels meet in a cell."""
    total = counts.sum(axis=1, keepdims=True)
    products = counts.copy()
    scale = np.ones(len(counts))
    for place in levels.T:
        margin = counts @ np.eye(place.max() + 1)[place]
        ranks = np.cumsum(margin, axis=1) - margin / 2 - total / 2
        products *= ranks[:, place]
        scale *= (margin * ranks**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = products.sum(axis=1) / np.sqrt(scale)
    return found


def judged_preference(
    groups: Iterable[tuple[str, Sequence[Vote]]], draws: Draws
) -> tuple[JudgedPreference, ...]:
    """Each pair's majority: more than half of all its votes but "cannot tell"."""
    found = []
    for name, votes in groups:
        by_pair: defaultdict[str, list[Vote]] = defaultdict(list)
        for vote in votes:
            if vote.choice != "cannot_tell":
                by_pair[vote.about.pair.id].append(vote)
        dyads, said = [], []
        for own in by_pair.values():
            counts = Counter(vote.choice for vote in own)
            choice, most = counts.most_common(1)[0]
            dyads.append(own[0].about.dyad)
            said.append(choice if 2 * most > len(own) else "equal")
        either = [float(choice != "equal") for choice in said]
        chosen = [float(choice == "chosen") for choice in said]
        found.append(
            JudgedPreference(
                group=name,
                pairs=len(said),
                for_chosen=said.count("chosen"),
                for_other=said.count("other"),
                no_choice=said.count("equal"),
                agree=ratio(draws, dyads, chosen, either),
            )
        )
    return tuple(found)
