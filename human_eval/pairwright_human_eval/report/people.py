"""How far one reader gets: each vote against the majority of the others on the same pair.

Scorers are held to the chosen response of verified pairs. One reader is held to what the other
readers say, on all sampled pairs, verified or not: no scorer can be expected to agree more with
people than people do.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from pairwright.intervals import LEVEL, Interval, accuracy, z_of
from pairwright.modes import MODES, Mode
from pairwright.records import Record
from pairwright_human_eval.report.answers import Vote

SIDES = ("first", "second")


class PeopleAccuracy(Record):
    """One reader against the majority of the others, on the pairs of one mode."""

    mode: Mode
    accuracy: Interval
    """Its n are votes, each 1, 0 or one half; its clusters are the dyads of users."""
    pairs: int
    annotators: int
    tied: int
    """Votes that count one half: the others have no majority for a response, or the reader took
    neither."""
    simulated: bool
    """Whether the annotators are a program."""


def people_accuracies(
    votes: Sequence[Vote], *, simulated: bool = False
) -> tuple[PeopleAccuracy, ...]:
    """By mode, from the counted votes with the pair's own posts; a pair with one vote says
    nothing."""
    return tuple(
        _people_accuracy(mode, own, simulated=simulated)
        for mode in MODES
        if (own := list(_points(vote for vote in votes if vote.about.subject.mode == mode)))
    )


def _people_accuracy(
    mode: Mode, points: list[tuple[Vote, float]], *, simulated: bool
) -> PeopleAccuracy:
    _, clusters = np.unique([vote.about.dyad for vote, _ in points], return_inverse=True)
    values = np.array([point for _, point in points], np.float64)
    found = accuracy(values, clusters)
    assert found
    return PeopleAccuracy(
        mode=mode,
        accuracy=found.found(z_of(LEVEL)),
        pairs=len({vote.about.pair.id for vote, _ in points}),
        annotators=len({vote.annotator for vote, _ in points}),
        tied=int((values == 0.5).sum()),
        simulated=simulated,
    )


def _points(votes: Iterator[Vote]) -> Iterator[tuple[Vote, float]]:
    """Each vote that is not the only one on its pair, with what it counts."""
    by_pair: defaultdict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        by_pair[vote.about.pair.id].append(vote)
    for own in by_pair.values():
        counts = Counter(vote.label for vote in own)
        for vote in own:
            if len(own) > 1:
                yield vote, _point(vote.label, counts - Counter([vote.label]))


def _point(label: str, others: Counter[str]) -> float:
    """1 with most of the others, 0 against them; one half where either has no preference."""
    first, second = (others[side] for side in SIDES)
    if first == second or label not in SIDES:
        return 0.5
    return float((label == "first") == (first > second))
