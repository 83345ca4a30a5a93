"""What people say of the pairs of their own posts, beside the labels.

Everything is derived from counts by person, which a release holds, too; every interval takes people
as the sample. A choice of the chosen response counts 1, "no difference" one half, and the other one
0; "cannot tell" is left out. So somebody who cannot tell the label from its opposite is at one half
on their own twins and on the yoked ones, however often they call responses equal.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from pairwright.dataset import RowVotes
from pairwright.estimate import Estimate, no_estimate
from pairwright.intervals import difference_of_means, mean_points
from pairwright.records import Record
from pairwright.text import number_of
from pairwright_human_eval.records import (
    CANNOT_TELL,
    EQUAL,
    LATER,
    OWN,
    KeyedTask,
    PreferenceAnswer,
    Verdict,
)
from pairwright_human_eval.report.answers import majority


class OwnCounts(Record):
    """What one person said."""

    twins: RowVotes
    """On twins of their own."""
    yoked: RowVotes
    """On twins of others."""
    placebos: RowVotes
    """On placebos of their own, whose labels are drawn."""
    repeats: int
    """Twins of their own of which a response was chosen, and again one on a later day."""
    repeated: int
    """Where it was the same."""
    others: int
    """Choices on their own twins where most annotators said one thing."""
    with_others: int
    """Those that were the same."""


class OwnFigures(Record):
    """What all of them said together, with intervals by person."""

    people: int
    days: int
    """How many later they were asked again, at least."""
    simulated: bool
    """Whether a program answered in place of one of them."""
    with_label: Estimate
    """Agreement of their choices with the label, on twins of their own."""
    with_yoked: Estimate
    """The same on twins of others."""
    difference: Estimate
    """The one less the other: of who says yes to whatever looks tailored it is 0."""
    others: Estimate
    """How often most annotators chose as the person does."""
    retest: Estimate
    """How often people chose the same response again, where they chose one both times."""
    ceiling: Estimate
    """The most that any label could agree with them: who prefers a response with probability q
    chooses it again with q^2 + (1 - q)^2, so that of a retest r a label reaches at most
    (1 + sqrt(2r - 1)) / 2, however unlike people and twins are."""
    equal: Estimate
    """Answers "no difference" on twins of their own."""
    equal_placebos: Estimate
    """The same on placebos, where nothing personal should be found."""

    def named(self) -> Iterator[tuple[str, Estimate]]:
        """The figures as a table names them."""
        yield "agree with the label, on own twins", self.with_label
        yield "the same on yoked twins, of others", self.with_yoked
        yield "own less yoked", self.difference
        yield "most annotators chose as the person did", self.others
        yield f"chosen again as before, {number_of(self.days, 'day')} later or more", self.retest
        yield "the most that any label could agree, by that", self.ceiling


def own_counts(
    key: Mapping[str, KeyedTask], verdicts: Sequence[Verdict], excluded: frozenset[str]
) -> dict[str, OwnCounts]:
    """By seat, of everybody who answered. `excluded` annotators have no part in a majority."""
    given: defaultdict[str, defaultdict[str, Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    votes: defaultdict[str | None, Counter[str]] = defaultdict(Counter)
    own: list[tuple[Verdict, str]] = []
    for verdict in verdicts:
        if not isinstance(verdict.answers, PreferenceAnswer):
            continue
        choice = verdict.answers.choice
        if verdict.purpose == "vote" and verdict.round == 1 and verdict.annotator not in excluded:
            votes[verdict.pair][choice] += choice != CANNOT_TELL
        if verdict.round == OWN:
            keyed = key[verdict.task]
            chosen = keyed.b if keyed.expected == "B" else keyed.a
            said = {chosen: "chosen", EQUAL: EQUAL, CANNOT_TELL: CANNOT_TELL}.get(
                choice, "rejected"
            )
            sort = "placebos" if keyed.expected is None else verdict.purpose
            given[verdict.annotator][sort][said] += 1
            if sort == "own" and choice != CANNOT_TELL:
                own.append((verdict, choice))
    again = _retested(verdicts)
    alike: defaultdict[str, list[bool]] = defaultdict(list)
    for verdict, choice in own:
        if most := majority(votes[verdict.pair]):
            alike[verdict.annotator].append(most == choice)
    return {
        seat: OwnCounts(
            twins=_votes(sorts["own"]),
            yoked=_votes(sorts["yoked"]),
            placebos=_votes(sorts["placebos"]),
            repeats=len(again[seat]),
            repeated=sum(again[seat]),
            others=len(alike[seat]),
            with_others=sum(alike[seat]),
        )
        for seat, sorts in sorted(given.items())
    }


def _retested(verdicts: Iterable[Verdict]) -> defaultdict[str, list[bool]]:
    """By seat: whether the response chosen again is the one chosen before."""
    chosen: dict[tuple[int, str, str | None], str] = {
        (verdict.round, verdict.annotator, verdict.pair): verdict.answers.choice
        for verdict in verdicts
        if isinstance(verdict.answers, PreferenceAnswer)
        and verdict.answers.choice in (verdict.a, verdict.b)
    }
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for (turn, seat, pair), choice in chosen.items():
        if turn == LATER and (before := chosen.get((OWN, seat, pair))):
            found[seat].append(choice == before)
    return found


def _votes(counts: Counter[str]) -> RowVotes:
    return RowVotes(**{name: counts[name] for name in RowVotes.model_fields})


def own_figures(
    counts: Sequence[OwnCounts], days: int | None, *, simulated: bool
) -> OwnFigures | None:
    """None where nobody answered. `days` are those until people were asked again."""
    if not counts:
        return None
    twins, yoked = [one.twins for one in counts], [one.yoked for one in counts]
    retest = _mean([1.0] * one.repeated + [0.0] * (one.repeats - one.repeated) for one in counts)
    return OwnFigures(
        people=len(counts),
        days=days or 0,
        simulated=simulated,
        with_label=_mean(map(_points, twins)),
        with_yoked=_mean(map(_points, yoked)),
        difference=_difference([*map(_points, twins)], [*map(_points, yoked)]),
        others=_mean(
            [1.0] * one.with_others + [0.0] * (one.others - one.with_others) for one in counts
        ),
        retest=retest,
        ceiling=retest.model_copy(
            update={end: _ceiling(getattr(retest, end)) for end in ("value", "low", "high")}
        ),
        equal=_mean(map(_equal, twins)),
        equal_placebos=_mean(_equal(one.placebos) for one in counts),
    )


def _ceiling(retest: float | None) -> float | None:
    return None if retest is None else round((1 + math.sqrt(max(0.0, 2 * retest - 1))) / 2, 6)


def _points(votes: RowVotes) -> list[float]:
    return [1.0] * votes.chosen + [0.5] * votes.equal + [0.0] * votes.rejected


def _equal(votes: RowVotes) -> list[float]:
    return [1.0] * votes.equal + [0.0] * (votes.chosen + votes.rejected)


def _mean(by_person: Iterable[list[float]]) -> Estimate:
    """Of everybody's values, with an interval by person."""
    people = [*by_person]
    values = np.array([value for own in people for value in own])
    if not len(values):
        return no_estimate("nobody answered such a task")
    return mean_points(values, np.repeat(np.arange(len(people)), [*map(len, people)]))


def _difference(first: list[list[float]], second: list[list[float]]) -> Estimate:
    """The mean of the first values less that of the second, of people who may have both."""
    values = np.array([value for people in (first, second) for own in people for value in own])
    sizes = [len(own) for people in (first, second) for own in people]
    clusters = np.repeat(np.tile(np.arange(len(first)), 2), sizes)
    own = np.arange(len(values)) < sum(map(len, first))
    if own.all() or not own.any():
        return no_estimate("nobody answered such a task")
    return difference_of_means(values, own, clusters, share=True)
