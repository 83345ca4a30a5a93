"""The leaderboard of one release: its results side by side, ranked within a mode and a condition,
since what is shown decides most of an accuracy.

Rows are ranked by accuracy, and on twins by net right flips where the release has placebos. Each
ranked row is compared with the one above it, pair by pair.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np
from statsmodels.stats.multitest import multipletests

from pairwright.errors import InputError
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.figures import (
    RULE,
    ScorerFigure,
    UnitFlip,
    by_mode,
    figures_of,
    gains,
    points,
    unit_flips,
)
from pairwright.evaluation.release import ReleaseRef
from pairwright.evaluation.results import Result, ResultSummary, read_results
from pairwright.modes import MODES
from pairwright.records import Record
from pairwright.stats import (
    Clustered,
    Estimate,
    cluster_numbers,
    clustered_difference,
    clustered_mean,
    with_width,
)

COVERAGE = 0.95
"""Share of a mode's twins or pairs that must have a score for a row to be ranked: below it, too
much of an accuracy is what was left out."""
ORDER = tuple(sorted(CONDITIONS, key=lambda name: CONDITIONS[name].table))
"""The order of the tables."""
Decided = Mapping[str, list[PairDecision]]
"""The decisions of each row."""


class BoardEntry(Record):
    """A row of the leaderboard."""

    about: ResultSummary
    figures: tuple[ScorerFigure, ...]
    """Its figures, gains over controls among them."""

    @property
    def baseline(self) -> bool:
        """Whether its scorer is a baseline, an embedding's cosine included."""
        return self.about.scorer.kind in ("baseline", "embedding")

    def figure(self, name: str, mode: str | None) -> ScorerFigure | None:
        """A figure or gain of all pairs of a mode; None where there is none."""
        return self.groups(name, mode).get(mode or "pairs")

    def value(self, name: str, mode: str | None) -> float | None:
        """Its value; None where there is none."""
        figure = self.figure(name, mode)
        return figure.value if figure else None

    def groups(self, name: str, mode: str | None) -> dict[str, ScorerFigure]:
        """The figures of one name in a mode, by group: all pairs, configurations, ..."""
        return {one.group: one for one in self.figures if (one.name, one.mode) == (name, mode)}

    def first(self, name: str) -> ScorerFigure | None:
        """The first figure of a name, whatever its mode."""
        return next((one for one in self.figures if one.name == name), None)

    def unranked(self, mode: str | None) -> str:
        """Why it is shown and not ranked; empty where it is ranked."""
        if why := CONDITIONS[self.about.condition].unranked:
            return why
        # Both decide on net right flips.
        placebos = self.first("placebo_flips") if self.figure("net_right_flips", mode) else None
        for part in (mode, placebos.mode) if placebos else (mode,):
            coverage = self.value("coverage", part)
            if not coverage:
                return "no pair has a score"
            if coverage < COVERAGE:
                units = MODES[part].units if part else "pairs"
                return f"only {coverage:.1%} of the {units} are scored"
        return ""


class RowComparison(Record):
    """A ranked row, and the one above it less this one, on the same pairs or units."""

    difference: Estimate
    p: float | None
    """After Holm over the comparisons of its table; None where no two clusters differ."""


class Ranking(Record):
    """Rows by their names, SCORER.CONDITION."""

    mode: str | None
    condition: ConditionName
    ranked_by: Literal["accuracy", "net_right_flips"]
    ranked: tuple[str, ...]
    """The ranked rows, best first; equal ones by name."""
    unranked: dict[str, str]
    """Why each of the others is not ranked, best first."""
    with_above: dict[str, RowComparison]
    """Each ranked row but the first, compared with the one above it."""

    @property
    def rows(self) -> tuple[str, ...]:
        """All rows, those that are ranked first."""
        return (*self.ranked, *self.unranked)


class Leaderboard(Record):
    """All that the leaderboard has. The page shows these values and computes none."""

    release: ReleaseRef
    limit: int | None
    split: str | None
    rule: str = RULE
    """The rule by which figures are averaged."""
    rankings: tuple[Ranking, ...]
    entries: dict[str, BoardEntry]
    """The rows by name, SCORER.CONDITION."""

    @property
    def modes(self) -> tuple[str | None, ...]:
        """The modes that are ranked, in the order of their tables."""
        return tuple(dict.fromkeys(ranking.mode for ranking in self.rankings))

    def first(self, mode: str | None) -> Ranking:
        """The first ranking of a mode that ranks any row, or else its first."""
        rankings = [one for one in self.rankings if one.mode == mode]
        return next((one for one in rankings if one.ranked), rankings[0])


def gather_results(paths: Iterable[Path]) -> list[Result]:
    """All results of the folders and files, by scorer and condition; a file that is named twice
    counts once.

    Raises InputError naming the two files that cannot be compared.
    """
    results = {one.path.resolve(): one for path in paths for one in read_results(path)}
    by_stem: dict[str, Result] = {}
    shown: dict[tuple[str, ...], Result] = {}
    for one in results.values():
        about = one.about
        first = next(iter(results.values()))
        _check_same(one, first, "release", "Name results of one release.")
        _check_same(one, first, "limit", "Evaluate both with the same --limit, or without.")
        _check_same(one, first, "split", "Evaluate both on the same --split, or without.")
        if (other := by_stem.setdefault(about.stem, one)) is not one:
            raise InputError(
                f"scorer {about.scorer.name} in condition {about.condition} is in {other.path}",
                where=one.path,
                fix="Name one of the two, or call one of the scorers by another name.",
            )
        own = shown.setdefault(("scorer", about.scorer.name), one)
        _check_same(one, own, "scorer", "Evaluate one of the two again, or give them two names.")
        # Of scores in a file nobody knows which posts they are based on.
        if CONDITIONS[about.condition].shows_posts and not about.scorer.of_file:
            fix = "Evaluate both with the same [history] and seed in the file of scorers."
            _check_same(one, shown.setdefault(("history",), one), "history", fix)
            _check_same(one, shown.setdefault(("seed", about.condition), one), "seed", fix)
    order = list(CONDITIONS)
    return sorted(
        results.values(), key=lambda one: (one.about.scorer.name, order.index(one.about.condition))
    )


def _check_same(one: Result, other: Result, key: str, fix: str) -> None:
    own, its = getattr(one.about, key), getattr(other.about, key)
    if own != its:
        raise InputError(
            f"is of another {key} than {other.path}: {_short(own)}, and {_short(its)} there",
            where=f"{one.path} [{key}]",
            fix=fix,
        )


def _short(value: object) -> str:
    match value:
        case ReleaseRef():
            return f"{value.name} {value.version} ({value.digest})"
        case Record():
            return ", ".join(f"{key} {getattr(value, key)!r}" for key in type(value).model_fields)
        case _:
            return str(value or "none")


def leaderboard(results: Sequence[Result], done: Callable[[], None] = lambda: None) -> Leaderboard:
    """Rank results that `gather_results` accepted; `done` is called after each result.

    Raises InputError where two results of a condition have different pairs."""
    decided = dict[str, list[PairDecision]]()
    pairs = dict[ConditionName, Result]()
    for one in results:
        decided[one.about.stem] = list(one.decisions())
        first = pairs.setdefault(one.about.condition, one)
        own, its = (
            {pair.id for mode in by_mode(decided[of.about.stem]) for unit in mode.units
             for pair in unit}
            for of in (one, first)
        )  # fmt: skip
        if different := sorted(own ^ its):
            raise InputError(
                f"the pair {different[0]} counts here or in {first.path}, and not in both",
                where=one.path.with_suffix(".jsonl"),
                fix="Both must be of the same pairs: evaluate the release again in one of them.",
            )
    entries = {}
    for one in results:
        entries[one.about.stem] = _entry(one.about, decided)
        done()
    if not any(decided.values()):
        raise InputError(
            "no pair is in any of the results",
            where=results[0].path,
            fix="No pair of this release is part of these conditions. Evaluate another one.",
        )
    about = results[0].about
    return Leaderboard(
        release=about.release,
        limit=about.limit,
        split=about.split,
        rankings=tuple(_rankings(entries, decided)),
        entries=entries,
    )


def _entry(about: ResultSummary, decided: Decided) -> BoardEntry:
    own = decided[about.stem]
    gained = [
        gain
        for control in CONDITIONS[about.condition].compared_with
        if (other := decided.get(f"{about.scorer.name}.{control}"))
        for gain in gains(own, other, control, of_twins=CONDITIONS[control].gains_on_twins)
    ]
    return BoardEntry(about=about, figures=(*figures_of(own, blind=about.blind), *gained))


def _rankings(entries: Mapping[str, BoardEntry], decided: Decided) -> Iterator[Ranking]:
    for mode in (*MODES, None):
        for condition in ORDER:
            there = {
                name: one
                for name, one in entries.items()
                if one.about.condition == condition and one.figure("accuracy", mode)
            }
            if there:
                yield rank(mode, condition, there, decided)


def rank(
    mode: str | None,
    condition: ConditionName,
    entries: Mapping[str, BoardEntry],
    decided: Decided,
) -> Ranking:
    """Rank the entries, all of this condition, which have `decided` the pairs of the mode."""
    by_flips = any(one.figure("net_right_flips", mode) for one in entries.values())
    ranked_by: Literal["accuracy", "net_right_flips"] = (
        "net_right_flips" if by_flips else "accuracy"
    )

    def place(name: str) -> tuple[float, str]:
        value = entries[name].value(ranked_by, mode)
        return (1.0 if value is None else -value, name)

    names = sorted(entries, key=place)
    why = {name: entries[name].unranked(mode) for name in names}
    ranked = [name for name in names if not why[name]]
    if by_flips:
        flips = {name: unit_flips(decided[name], mode) for name in ranked}
        found = [compare_flips(flips[a], flips[b]) for a, b in pairwise(ranked)]
    else:
        own = {name: _points(decided[name], mode) for name in ranked}
        found = [compare_points(own[a], own[b]) for a, b in pairwise(ranked)]
    known = [one.p for one in found if one.p is not None]
    adjusted = iter(multipletests(known, method="holm")[1].tolist() if known else ())
    compared = {
        name: RowComparison(
            difference=with_width(one.estimate(least=-1.5, most=1.5)),
            p=None if one.p is None else float(f"{next(adjusted):.6g}"),
        )
        for name, one in zip(ranked[1:], found, strict=True)
    }
    return Ranking(
        mode=mode,
        condition=condition,
        ranked_by=ranked_by,
        ranked=tuple(ranked),
        unranked={name: reason for name, reason in why.items() if reason},
        with_above=compared,
    )


def _points(decisions: Sequence[PairDecision], mode: str | None) -> dict[str, tuple[float, str]]:
    """Points and cluster of each pair that counts."""
    return {
        one.id: (points(one), one.cluster)
        for of in by_mode(decisions)
        if of.mode == mode
        for unit in of.units
        for one in unit
    }


def compare_points(
    above: Mapping[str, tuple[float, str]], below: Mapping[str, tuple[float, str]]
) -> Clustered:
    """The difference of two accuracies, from points and cluster by pair."""
    differences = [value - below[pair][0] for pair, (value, _) in above.items()]
    clusters = cluster_numbers([cluster for _, cluster in above.values()])
    return clustered_mean(np.array(differences, np.float64), clusters)


def compare_flips(above: Mapping[str, UnitFlip], below: Mapping[str, UnitFlip]) -> Clustered:
    """The difference of two net right flips, on the units that both have whole. Units of one couple
    depend on each other, whether they are twins or placebos."""
    both = [(one, below[unit]) for unit, one in above.items() if unit in below]
    differences = np.array([one.point - other.point for one, other in both], np.float64)
    twins = np.array([not one.placebo for one, _ in both], np.bool_)
    clusters = cluster_numbers([one.cluster for one, _ in both])
    return clustered_difference(differences, twins, clusters, weight=0.5)
