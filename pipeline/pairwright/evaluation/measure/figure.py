"""A figure, an estimate with its n, its clusters and its 95 % interval; and the pairs that count.

Of twins these are the whole ones: a half alone would let a scorer that cannot see the user be right
on more than one half.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import SerializerFunctionWrapHandler, model_serializer

from pairwright.estimate import Estimate
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.scorers.scorer import NOTHING_TO_SHOW
from pairwright.intervals import Floats, cluster_numbers, mean, mean_points, with_width
from pairwright.modes import has_no_preference, is_twin
from pairwright.records import Cluster, Mode, Record

RULE = (
    "Averages are over pairs, or over twins where a figure is of twins: each counts the same,"
    " whatever its domain. Modes are never averaged with one another."
)


class FigureKind(Record):
    """What figures of one name are, and where the leaderboard has them."""

    meaning: str
    table: Literal["", "ranking", "twins", "judges", "calibration"] = ""
    """Which table has it: `ranking` is a column of those that rank; empty where a table has it in a
    place of its own, or none has it."""
    percent: bool = True
    """Whether it is a share, which is written in percent."""
    interval: bool = True
    """Whether tables have its interval."""
    difference: bool = False
    """Whether it is a difference, which is written in points and with its sign."""
    brief: str = ""
    """What a line about one result calls it; empty: it is not in it."""
    identity: float | None = None
    """Its value where the points of every twin sum to one."""


_TABLES = tomllib.loads(Path(__file__).with_name("figures.toml").read_text(encoding="utf-8"))
FIGURES = {name: FigureKind.model_validate(table) for name, table in _TABLES.items()}
"""The figures by name, in the order of pages."""


class Group(NamedTuple):
    """Pairs of one mode that a figure is of."""

    mode: Mode | None
    name: str


class ScorerFigure(Estimate):
    """The estimate of one group of pairs: n are pairs or twins; no value where it is empty."""

    name: str
    """A key of FIGURES, or a gain over a control."""
    mode: Mode | None
    group: str
    """The mode's name for all of its pairs, or a configuration's, or `twin, asked` and so on."""
    by_identity: bool = False
    """Whether it could not have come out otherwise: then it has no interval."""
    note: str = ""
    """What else there is to know of it; JSON has an empty one, too."""

    @property
    def why(self) -> str:
        """The note is beside the tables."""
        return "by identity" if self.by_identity else ""

    @model_serializer(mode="wrap")
    def _names_first(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What it is a figure of before its numbers, as files of results have it."""
        numbers = fields(self)
        names = {key: numbers.pop(key) for key in ("name", "mode", "group")}
        note = numbers.pop("note")
        return {**names, **numbers, "note": note}


def figure_names(table: str) -> tuple[str, ...]:
    """The figures of one of the leaderboard's tables, in their order."""
    return tuple(name for name, kind in FIGURES.items() if kind.table == table)


def mode_group(mode: Mode | None) -> Group:
    """All pairs of a mode."""
    return Group(mode, mode or "pairs")


def share(
    name: str, group: Group, points: Sequence[float], clusters: Sequence[Cluster], note: str = ""
) -> ScorerFigure:
    """A mean of points from 0 to 1, ties at one half, with Wilson's interval by cluster."""
    estimate = mean_points(np.array(points, np.float64), cluster_numbers(clusters))
    return figure_of(name, group, estimate, note)


def average(
    name: str,
    group: Group,
    values: Floats,
    clusters: Sequence[Cluster],
    note: str = "",
    *,
    least: float = 0,
) -> ScorerFigure:
    """A mean of values up to 1, with Student's interval by cluster; without one where nothing shows
    a spread."""
    estimate = mean(values, cluster_numbers(clusters), least=least, most=1)
    bare = with_width(estimate)
    if bare != estimate:
        note = "; ".join(filter(None, (note, "no interval: no two clusters differ")))
    return figure_of(name, group, bare, note)


def figure_of(name: str, group: Group, estimate: Estimate, note: str = "") -> ScorerFigure:
    """An estimate as a figure."""
    return ScorerFigure(
        name=name, mode=group.mode, group=group.name, **(estimate.model_dump() | {"note": note})
    )


Halves = tuple[PairDecision, PairDecision]
Unit = Sequence[PairDecision]
OTHER_HALF = "other_half_not_part"
"""Why a half is not part of a condition: the other half of its twin is not, or is not there."""


class ModeDecisions(NamedTuple):
    """The decisions of one mode."""

    mode: Mode | None
    given: tuple[PairDecision, ...]
    units: tuple[tuple[PairDecision, ...], ...]
    """Whole twins, or in other modes pairs, for which the release has something to show, in their
    order: what a scorer is asked for."""
    whole: tuple[tuple[PairDecision, ...], ...]
    """The units with a score for every pair."""

    @property
    def due(self) -> tuple[PairDecision, ...]:
        """The pairs of the units."""
        return tuple(one for unit in self.units for one in unit)

    @property
    def scored(self) -> tuple[PairDecision, ...]:
        """The pairs of the units that are scored whole."""
        return tuple(one for unit in self.whole for one in unit)

    @property
    def unscored(self) -> Counter[str]:
        """Pairs without a score, by reason."""
        return Counter(
            decision.unscored or "no score" for decision in self.given if decision.choice is None
        )

    @property
    def inapplicable_pairs(self) -> dict[str, int]:
        """Pairs that are not part of the condition, by reason: the release has nothing to show of
        their user, or of the other user of their twin."""
        part = {one.id for one in self.due}
        reasons = Counter(
            one.unscored if one.unscored in NOTHING_TO_SHOW else OTHER_HALF
            for one in self.given
            if one.id not in part
        )
        return dict(sorted(reasons.items()))

    @property
    def lone_halves(self) -> int:
        """Halves with a score whose other half has none or is not there."""
        return sum(decision.choice is not None for decision in self.given) - len(self.scored)


def coverage(mode_pairs: ModeDecisions) -> ScorerFigure:
    """The share of the units that are scored whole; why others are not is its note."""
    covered = [float(all(one.choice is not None for one in unit)) for unit in mode_pairs.units]
    clusters = [unit[0].clusters for unit in mode_pairs.units]
    missing = [f"{reason}: {n:,}" for reason, n in sorted(mode_pairs.unscored.items())]
    if any(reason in NOTHING_TO_SHOW for reason in mode_pairs.unscored):
        missing.append("pairs that the release has nothing to show of are not counted")
    if alone := mode_pairs.lone_halves:
        missing.append(f"halves with a score whose other half has none: {alone:,}")
    return share("coverage", mode_group(mode_pairs.mode), covered, clusters, "; ".join(missing))


def by_mode(decisions: Sequence[PairDecision]) -> Iterator[ModeDecisions]:
    """Each mode whose labels say which response is preferred, in the order of its first decision.
    What is not here has no part in any accuracy, test or table of it: labels of placebos are
    drawn."""
    return (one for one in every_mode(decisions) if not has_no_preference(one.mode))


def every_mode(decisions: Sequence[PairDecision]) -> Iterator[ModeDecisions]:
    """Each mode that there is, placebos among them, in the order of its first decision."""
    modes: dict[Mode | None, list[PairDecision]] = {}
    for decision in decisions:
        modes.setdefault(decision.mode, []).append(decision)
    for mode, of_mode in modes.items():
        yield mode_decisions(mode, of_mode)


def mode_decisions(mode: Mode | None, decisions: Sequence[PairDecision]) -> ModeDecisions:
    """The decisions of a mode that count."""
    together: dict[str, list[PairDecision]] = {}
    for one in decisions:
        unit = (one.twin_id if is_twin(mode) else None) or one.id
        together.setdefault(unit, []).append(one)
    size = 2 if is_twin(mode) else 1
    units = tuple(
        tuple(halves)
        for halves in together.values()
        if len(halves) == size and not any(one.unscored in NOTHING_TO_SHOW for one in halves)
    )
    whole = tuple(unit for unit in units if all(one.choice is not None for one in unit))
    return ModeDecisions(mode, tuple(decisions), units, whole)


def unit_name(unit: Unit) -> str:
    """What identifies a unit in every result: its twin, or its pair."""
    return (unit[0].twin_id if len(unit) > 1 else None) or unit[0].id


def points(decision: PairDecision) -> float:
    """The points of a pair in an accuracy: 1, 0 or one half. A pair without a score has 0, so that
    leaving out hard pairs does not raise an accuracy."""
    return 0.0 if decision.points is None else decision.points
