"""The leaderboard: tables of scores of the same pairs side by side. They are ranked within a mode
and a condition, since the content shown decides most of an accuracy.

Rows are ranked by accuracy, and on twins by corrected twin accuracy if there are placebos. Each
ranked row is compared with the one above it, pair by pair.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Literal, get_args

import pandas as pd
from pydantic import Field
from statsmodels.stats.multitest import multipletests

from pairwright.errors import InputError
from pairwright.evaluation.benchmark import OTHERS, Benchmark, BenchmarkRef, build_mark
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.scorers.scorer import COVERAGE, Choice
from pairwright.evaluation.scores import (
    IDENTITY,
    ScorerFigure,
    ScoresOf,
    ScoreTable,
    compared,
    figures_of,
    gains,
    joined,
)
from pairwright.modes import MODES
from pairwright.records import Record
from pairwright.stats import Estimate, cluster_numbers, mean_points

Frames = Mapping[str, pd.DataFrame]
JUDGES = ("pairwise", "pointwise")
"""The kinds of scorers that are judges."""
RankedBy = Literal["accuracy", "net_right_flips"]
UNSCORED = "no placebo or no twin is scored in full"
"""The reason that a row without a corrected twin accuracy is not ranked beside rows with one."""


class BoardRow(Record):
    """A row of the leaderboard, of one scorer in one condition."""

    about: ScoresOf
    mark: str
    """The relation of its model to the models that built the pairs; empty if unrelated."""
    tokens: float
    """Mean number of tokens per pair."""
    unscored: dict[str, int]
    """Pairs that count as wrong because they have no score, by reason."""
    verdicts: dict[Choice, tuple[int, int]] = Field(default={})
    """Verdicts of a comparing judge in the other order of pairs with one verdict, and those of
    pairs with both, by verdict: a loss that leans to ties is seen. Empty if no pair has one."""
    figures: tuple[ScorerFigure, ...]
    """The figures of the row, including gains over controls."""

    @property
    def baseline(self) -> bool:
        return self.about.scorer.kind == "baseline"

    @property
    def short(self) -> str:
        """A text on each mode with too few scores; empty if all modes have enough."""
        missing = (self.missing(one.mode) for one in self.figures if one.name == "coverage")
        return (
            "; ".join(dict.fromkeys(filter(None, missing)))
            if self.figures
            else "no pair is part of it"
        )

    def missing(self, mode: str) -> str:
        """A text on the share of a mode that has scores; empty if it is enough."""
        coverage, units = self.value("coverage", mode), MODES[mode].units if mode in MODES else mode
        if coverage is None or coverage >= COVERAGE:
            return ""
        return (
            f"only {coverage:.1%} of the {units} are scored" if coverage else "no pair has a score"
        )

    def figure(self, name: str, mode: str) -> ScorerFigure | None:
        """The figure or gain of all pairs of a mode; None if it does not exist."""
        wanted = (name, mode, mode)
        return next((f for f in self.figures if (f.name, f.mode, f.group) == wanted), None)

    def value(self, name: str, mode: str) -> float | None:
        figure = self.figure(name, mode)
        return figure.value if figure else None

    def unranked(self, mode: str) -> str:
        """The reason that it is shown and not ranked; empty if it is ranked."""
        if why := CONDITIONS[self.about.condition].unranked:
            return why
        # Both decide on corrected twin accuracy.
        modes = (mode, "placebo") if self.figure("net_right_flips", mode) else (mode,)
        return next(filter(None, map(self.missing, modes)), "")


class RowComparison(Estimate):
    """The row above a ranked row less this row, on the same pairs or units."""

    p: float | None
    """The p value after Holm over the comparisons of its table; None if no two clusters differ."""


class Ranking(Record):
    """Rows by their names, SCORER.CONDITION."""

    mode: str
    condition: ConditionName
    ranked_by: RankedBy
    ranked: tuple[str, ...]
    """The ranked rows, best first; equal ones by name."""
    unranked: dict[str, str]
    """The reason that each of the other rows is not ranked, best row first."""
    with_above: dict[str, RowComparison]
    """Each ranked row but the first, compared with the one above it."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of all rows, ranked rows first."""
        return (*self.ranked, *self.unranked)


class PanelFigure(Estimate):
    """A figure of the judges of a condition taken together, on the pairs of a mode."""

    mode: str
    condition: ConditionName
    judge: str
    """The judge whose agreement with the majority it is; empty for the majority's accuracy."""


class Leaderboard(Record):
    """The values of the leaderboard. The page shows them and computes none."""

    benchmark: BenchmarkRef
    pairs: int
    """Pairs that were scored."""
    said: tuple[str, ...] = ()
    """Notes on how the columns of a file were read, and which rows are no pairs."""
    builders: dict[str, tuple[str, ...]]
    """The models that built the pairs, by role."""
    rankings: tuple[Ranking, ...]
    entries: dict[str, BoardRow]
    """The rows by name, SCORER.CONDITION."""
    panel: tuple[PanelFigure, ...] = ()
    """Figures of each condition in which two judges or more were asked."""

    @property
    def firsts(self) -> dict[str, Ranking]:
        """The first ranking of each mode that ranks any row, or else its first ranking; in the
        order of the tables."""
        found: dict[str, Ranking] = {}
        for one in self.rankings:
            if not found.setdefault(one.mode, one).ranked and one.ranked:
                found[one.mode] = one
        return found

    def unranked(self, mode: str) -> dict[str, list[str]]:
        """The rows of a mode that are not ranked, by reason: by condition, best first."""
        found: dict[str, list[str]] = {}
        for one in self.rankings:
            for name, why in one.unranked.items() if one.mode == mode else ():
                found.setdefault(why, []).append(name)
        return found

    def exact(self, ranking: Ranking) -> bool:
        """Say whether every row of a ranking is exact by construction: it carries no evidence."""
        figures = (self.entries[name].figure("accuracy", ranking.mode) for name in ranking.rows)
        return all(figure is not None and figure.note == IDENTITY for figure in figures)


def rank_tables(tables: Sequence[ScoreTable], benchmark: Benchmark) -> Leaderboard:
    """Rank tables of scores of these pairs.

    Raises InputError if two tables of a condition have different pairs or show posts by different
    rules, if no table has any pair, or if a scorer's tables are of different versions of it.
    """
    frames = {one.about.stem: joined(one, benchmark) for one in tables}
    _check_together(tables, frames)
    entries = {one.about.stem: _row(one.about, frames, benchmark.builders) for one in tables}
    return Leaderboard(
        benchmark=benchmark.ref,
        pairs=len({score.pair for one in tables for score in one.scores}),
        said=benchmark.said,
        builders=benchmark.builders,
        rankings=tuple(_rankings(entries, frames)),
        entries=entries,
        panel=tuple(figure for of in CONDITIONS for figure in _panel(of, entries, frames)),
    )


def _check_together(tables: Sequence[ScoreTable], frames: Frames) -> None:
    """Raise InputError where a table and an earlier one cannot be ranked together."""
    scorers, conditions = dict[str, ScoreTable](), dict[str, ScoreTable]()
    ruled = [one for one in tables if one.about.history]
    for one in tables:
        about, where = one.about, one.path
        scorer = scorers.setdefault(about.scorer.name, one)
        condition = conditions.setdefault(about.condition, one)
        different = {*frames[about.stem].pair} ^ {*frames[condition.about.stem].pair}
        if about.scorer != scorer.about.scorer:
            what = f"the scorer {about.scorer.name} has changed since {scorer.path} was written"
            fix = "Evaluate it again in every condition, or give the changed one another name."
        elif about.history and about.history != ruled[0].about.history:
            what = f"it shows posts by another [history] than {ruled[0].path}"
            fix = "Evaluate both with the same [history] of the file of scorers."
        elif different:
            what = f"the pair {min(different)} counts here or in {condition.path}, and not in both"
            fix = "Evaluate both with the same --limit and --split, or without."
            where = where.with_suffix(".jsonl")
        else:
            continue
        raise InputError(what, where=where, fix=fix)
    if not any(map(len, frames.values())):
        fix = "No pair is part of these conditions. Evaluate others."
        raise InputError("no pair is in any of the results", where=tables[0].path, fix=fix)


def _panel(
    condition: ConditionName, entries: Mapping[str, BoardRow], frames: Frames
) -> Iterator[PanelFigure]:
    """The majority of the judges of a condition: the response that more of them prefer, or a tie if
    as many prefer the other. A judge without a verdict on a pair has no vote on it."""
    judges = {
        row.about.scorer.name: frames[name].set_index("pair")
        for name, row in entries.items()
        if row.about.condition == condition and row.about.scorer.kind in JUDGES
    }
    if len(judges) < 2:
        return
    votes = pd.DataFrame({name: frame.point for name, frame in judges.items()})
    more = (votes > 0.5).sum(axis=1) - (votes < 0.5).sum(axis=1)
    votes[""] = (more.clip(-1, 1) + 1).div(2).where(votes.notna().any(axis=1))
    # Every judge of a condition was asked about the same pairs.
    pairs = next(iter(judges.values()))
    for mode, own in pairs[pairs.label != "equal"].groupby("mode", sort=False):
        for judge in ("", *judges):
            said, panel = votes.loc[own.index, judge], votes.loc[own.index, ""]
            points = (said == panel).where(said.notna()) if judge else said
            known = points.dropna().astype(float)
            clusters = cluster_numbers(list(own.cluster[known.index]))
            found = mean_points(known.to_numpy(), clusters).model_dump()
            yield PanelFigure(mode=str(mode), condition=condition, judge=judge, **found)


def _row(about: ScoresOf, frames: Frames, builders: Mapping[str, tuple[str, ...]]) -> BoardRow:
    own, gained = frames[about.stem], list[ScorerFigure]()
    for name, control in CONDITIONS.items() if about.condition == "profile" else ():
        other = frames.get(f"{about.scorer.name}.{name}")
        if other is not None and (control.control or control.blind):
            gained += gains(own, other, name, of_twins=control.of_twins and not control.blind)
    return BoardRow(
        about=about,
        mark=build_mark(about.scorer.model, builders),
        tokens=round(float(own.tokens.mean()), 1) if len(own) else 0.0,
        unscored=own.reason[own.point.isna()].value_counts().sort_index().to_dict(),
        verdicts=_verdicts(own),
        figures=(*figures_of(own, blind=about.blind), *gained),
    )


def _verdicts(own: pd.DataFrame) -> dict[Choice, tuple[int, int]]:
    """Count the verdicts of pairs with one and with two; empty if no pair has one."""
    one, two = (
        own.loc[own.twice == twice, ["forward", "backward"]].stack().dropna()
        for twice in (False, True)
    )
    if one.empty:
        return {}
    return {said: (int((one == said).sum()), int((two == said).sum())) for said in get_args(Choice)}


def _rankings(entries: Mapping[str, BoardRow], frames: Frames) -> Iterator[Ranking]:
    """A ranking for each mode and condition with an accuracy."""
    for mode, condition in product((*MODES, *OTHERS), CONDITIONS):
        there = {
            name: one
            for name, one in entries.items()
            if one.about.condition == condition and one.figure("accuracy", mode)
        }
        if not there:
            continue
        net = any(one.figure("net_right_flips", mode) for one in there.values())
        by: RankedBy = "net_right_flips" if net else "accuracy"
        values = {name: one.value(by, mode) for name, one in there.items()}
        best = sorted(there, key=lambda name: (values[name] is None, -(values[name] or 0.0), name))
        unscored = {name: UNSCORED for name in best if values[name] is None}
        why = {name: entries[name].unranked(mode) or unscored.get(name, "") for name in best}
        ranked = tuple(name for name in best if not why[name])
        yield Ranking(
            mode=mode,
            condition=condition,
            ranked_by=by,
            ranked=ranked,
            unranked={name: reason for name, reason in why.items() if reason},
            with_above=_steps(ranked, frames, mode, by),
        )


def _steps(
    ranked: Sequence[str], frames: Frames, mode: str, by: RankedBy
) -> dict[str, RowComparison]:
    """Compare each ranked row but the first with the one above it."""
    steps = {
        below: compared(frames[above], frames[below], mode, by) for above, below in pairwise(ranked)
    }
    known = {name: one.p for name, one in steps.items() if one.p is not None}
    holm = multipletests([*known.values()], method="holm")[1] if known else ()
    adjusted = {name: float(f"{p:.6g}") for name, p in zip(known, holm, strict=True)}
    found = {name: one.estimate(least=-1.5, most=1.5) for name, one in steps.items()}
    return {
        name: RowComparison(**one.model_dump(), p=adjusted.get(name)) for name, one in found.items()
    }
