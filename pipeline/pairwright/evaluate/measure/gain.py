"""What being shown something adds, pair by pair."""

from collections.abc import Sequence

import numpy as np

from pairwright.evaluate.decision import Decision
from pairwright.evaluate.measure.accuracy import by_config
from pairwright.evaluate.measure.figure import Figure, Group, figure, numbered, whole
from pairwright.evaluate.measure.units import by_mode
from pairwright.intervals import difference


def gains(
    profile: Sequence[Decision], other: Sequence[Decision], name: str = "gain"
) -> tuple[Figure, ...]:
    """Accuracy of `profile` less that of `other`, on the pairs that have a score in both: of each
    mode but `twin`, and of its configs.

    Of twins there are none: without a user their accuracy is one half, so the gain says no more
    than the accuracy.
    """
    there = {of.id: of.points for of in other if of.points is not None}
    found = []
    for of in by_mode(profile):
        if of.mode == "twin":
            continue
        joined = [one for one in of.scored if one.id in there]
        short = len(of.given) - len(joined)
        note = f"{short:,} pairs have no score in one of the two" if short else ""
        found.append(_gain(name, whole(of.mode), joined, there, note))
        found += [
            _gain(name, Group(of.mode, config), some, there)
            for config, some in by_config(joined).items()
        ]
    return tuple(found)


def _gain(
    name: str, group: Group, joined: Sequence[Decision], there: dict[str, float], note: str = ""
) -> Figure:
    differences = [(one.points or 0.0) - there[one.id] for one in joined]
    clusters = numbered([one.cluster for one in joined])
    return figure(name, group, difference(np.array(differences, np.float64), clusters), note)
