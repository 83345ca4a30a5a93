"""The band that the accuracies of a table are read against: two floors, word overlap and an
embedding's cosine, and a ceiling; and each scorer's share of the way from the higher floor. The
ceiling is people, one reader against the others;
for natural twins, whose labels nobody else can know, what the choices of others tell.

The share is (scorer - floor) / (ceiling - floor). Scorer and floor are of the same pairs, so their
errors go together; the ceiling is taken as independent of both. Of people it is of the study's
pairs. Of the choices of others it is of the release's, but of other data: over the couples of six
Polis conversations its errors and those of word overlap correlate by -.03. The interval is
Fieller's (1954, J. R. Stat. Soc. B 16, 175-185), with the variances that the intervals by cluster
show of scorer, floor, their difference and the ceiling. Where floor and ceiling cannot be
distinguished there is no share.
"""

import math
from collections.abc import Mapping

import numpy as np
from pydantic import Field

from pairwright.evaluate.results import ScorerRef
from pairwright.intervals import (
    LEVEL,
    Floats,
    Interval,
    Places,
    accuracy,
    difference,
    z_of,
)
from pairwright.modes import MODES, mode_pairs
from pairwright.records import Mode, Record
from pairwright_human_eval.report.people import PeopleAccuracy

FLOOR = "overlap"
"""The baseline that is the floor."""
PEOPLE, OTHERS = "people", "the choices of others"
CEILINGS = {
    PEOPLE: "one reader against the others",
    OTHERS: "how often those who choose like the user elsewhere lean to the chosen response",
}
"""What a ceiling is, by its name."""


class Band(Record):
    """Floor and ceiling of one table, and each row's share of the way between them."""

    floor: Interval | None
    """The accuracy of word overlap on the table's pairs; None where it was not evaluated."""
    meaning_floors: dict[str, Interval] = Field(default={})
    """The accuracy of each embedding's cosine, by row: a second floor where it is at hand."""
    ceiling: Interval | None
    """One reader against the majority of the others; its n are votes. Of natural twins, how often
    those who choose like the user lean to the chosen response; its n are pairs. None where there is
    neither."""
    shares: dict[str, Interval] = Field(default={})
    """By row, the share of the way; without the rows of the floors."""
    why: str = ""
    """Why there are no shares; empty where there are."""

    @property
    def base(self) -> tuple[str, Interval] | None:
        """The higher floor, which shares are of, by its name; None where word overlap was not
        evaluated."""
        if self.floor is None:
            return None
        cosines = {f"the cosine of {row}": one for row, one in self.meaning_floors.items()}
        floors = {"word overlap": self.floor, **cosines}
        return max(floors.items(), key=lambda item: item[1].value or 0.0)


def band_of(
    mode: Mode | None,
    scorers: Mapping[str, ScorerRef],
    points: Mapping[str, Floats],
    clusters: Places,
    people: PeopleAccuracy | None,
    neighbours: Interval | None = None,
) -> Band:
    """The band of a table whose rows are of these scorers.

    `points` are by row, of shape (n,) over the mode's pairs, NaN where one counts for no row;
    `clusters` is of shape (n,).
    """
    due = {row: own[~np.isnan(own)] for row, own in points.items()}
    due_clusters = clusters[~np.isnan(next(iter(points.values())))]
    base = next((row for row, scorer in scorers.items() if scorer.name == FLOOR), None)
    cosines = [row for row, scorer in scorers.items() if scorer.kind == "embedding"]
    ceiling = people.accuracy if people and not people.simulated else None
    if mode and MODES[mode].own_choice:
        ceiling = neighbours
    band = Band(
        floor=None if base is None else _accuracy(due[base], due_clusters),
        meaning_floors={row: one for row in cosines if (one := _accuracy(due[row], due_clusters))},
        ceiling=ceiling,
    )
    if why := _why_no_shares(mode, band, people):
        return band.model_copy(update={"why": why})
    assert ceiling
    assert base
    floors = [base, *cosines]
    higher = max(floors, key=lambda row: float(due[row].mean()))
    shares = {
        row: share
        for row, own in due.items()
        if row not in floors and (share := way_share(own, due[higher], due_clusters, ceiling))
    }
    why = "" if shares else "floor and ceiling cannot be distinguished"
    return band.model_copy(update={"shares": shares, "why": why})


def way_share(own: Floats, floor: Floats, clusters: Places, ceiling: Interval) -> Interval | None:
    """The share of the way from floor to ceiling, with Fieller's 95 % interval; None where the
    ceiling cannot be distinguished from the floor.

    `own` and `floor` are points of the same pairs and `clusters` their clusters, of shape (n,).
    """
    lead, base, z = difference(own - floor, clusters), _accuracy(floor, clusters), z_of(LEVEL)
    known = _accuracy(own, clusters)
    if not (lead and base and known) or ceiling.value is None or lead.clusters < 2:
        return None
    above, way = float(own.mean() - floor.mean()), float(ceiling.value - floor.mean())
    above_var, floor_var, own_var = (_variance(one, z) for one in (lead, base, known))
    way_var = _variance(ceiling, z) + floor_var
    if way <= 0 or not way_var or (g := z * z * way_var / way**2) >= 1:
        return None
    # Of scorer - floor with ceiling - floor: the variance of the floor less its covariance.
    together = (floor_var - own_var + above_var) / 2
    share = above / way
    spread = (
        above_var
        - 2 * share * together
        + share**2 * way_var
        - g * (above_var - together**2 / way_var)
    )
    centre, width = share - g * together / way_var, z / way * math.sqrt(max(0.0, spread))
    low, high = ((centre + sign * width) / (1 - g) for sign in (-1, 1))
    return Interval(
        value=round(share, 6),
        low=round(low, 6),
        high=round(high, 6),
        n=lead.n,
        clusters=lead.clusters,
    )


def _variance(interval: Interval, z: float) -> float:
    """The variance that an interval shows, with all that it allows for ties and few clusters."""
    assert interval.low is not None
    assert interval.high is not None
    return ((interval.high - interval.low) / (2 * z)) ** 2


def ceiling_name(mode: Mode | None) -> str:
    """What the ceiling of a mode's tables is."""
    return OTHERS if mode and MODES[mode].own_choice else PEOPLE


def _accuracy(points: Floats, clusters: Places) -> Interval | None:
    estimate = accuracy(points, clusters)
    return estimate and estimate.found(z_of(LEVEL))


def _why_no_shares(mode: Mode | None, band: Band, people: PeopleAccuracy | None) -> str:
    if band.ceiling is None:
        if people:
            return "there is no ceiling, because the annotators of the study are a program"
        if mode and MODES[mode].own_choice:
            return (
                "there is no ceiling, because the labels are the users' own choices and the release"
                " has no choices of others"
            )
        return (
            f"there is no ceiling, because the release has no votes of people on {mode_pairs(mode)}"
        )
    return "" if band.floor else "there is no floor, because word overlap was not evaluated"
