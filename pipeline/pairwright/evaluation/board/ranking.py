"""The rows of one mode in one condition, best first, and which of them differ.

A row is one scorer in one condition, with all its figures. Rows that share a letter cannot be
distinguished. They are ranked by accuracy, and on twins by net right flips where the release has
placebos.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from string import ascii_lowercase
from typing import Literal

from pydantic import Field

from pairwright.evaluation.board.comparisons import (
    RowComparison,
    compare_flips,
    compare_rows,
    six_digits,
)
from pairwright.evaluation.board.sign_flips import RankingTest
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.measure.calibration import Calibration
from pairwright.evaluation.measure.figure import ScorerFigure, mode_group
from pairwright.evaluation.measure.flips import UnitFlip
from pairwright.evaluation.release import BuildTie
from pairwright.evaluation.results import ResultSummary
from pairwright.intervals import LEVEL, Floats, Places
from pairwright.modes import MODES, PLACEBO, is_twin
from pairwright.records import Mode, Record

COVERAGE = 0.95
"""Share of a mode's twins or pairs that must have a score for a row to be ranked: below it, too
much of an accuracy is what was left out."""
RankingFigure = Literal["accuracy", "net_right_flips"]
SET_APART = "set apart: a model prefers what it wrote or accepted itself"
"""Why a scorer is not ranked that has something to do with the models that built the release."""


class BoardEntry(Record):
    """A row of the leaderboard."""

    about: ResultSummary
    figures: tuple[ScorerFigure, ...]
    gains: tuple[ScorerFigure, ...] = ()
    """In condition profile: the gain over each control that was evaluated."""
    calibrations: tuple[Calibration, ...] = ()
    """How far its margins can be trusted, by mode."""
    build_ties: tuple[BuildTie, ...] = ()
    """What its scorer has to do with the models that built the release: it is marked, and not
    ranked."""

    @property
    def name(self) -> str:
        """`SCORER.CONDITION`."""
        return self.about.stem

    @property
    def baseline(self) -> bool:
        """Whether its scorer is a baseline, an embedding's cosine included."""
        return self.about.scorer.kind in ("baseline", "embedding")

    def figure(self, name: str, mode: Mode | None) -> ScorerFigure | None:
        """A figure or gain of all pairs of a mode; None where there is none."""
        return self.groups(name, mode).get(mode_group(mode).name)

    def value(self, name: str, mode: Mode | None) -> float | None:
        """Its value; None where there is none."""
        figure = self.figure(name, mode)
        return figure.value if figure else None

    def groups(self, name: str, mode: Mode | None) -> dict[str, ScorerFigure]:
        """The figures or gains of one name in a mode, by group: all pairs, configurations, ..."""
        every = (*self.figures, *self.gains)
        return {one.group: one for one in every if (one.name, one.mode) == (name, mode)}

    def unranked(self, mode: Mode | None) -> str:
        """Why it is shown and not ranked; empty where it is ranked."""
        if why := CONDITIONS[self.about.condition].unranked:
            return why
        if self.about.self_agreement:
            return "self-agreement: its planner has the model or prompt that built the pairs"
        if self.build_ties:
            return SET_APART
        if self.value("accuracy", mode) is None:
            return "no pair has a score"
        # Both decide on net right flips.
        for part in (mode, PLACEBO.name) if self.figure("net_right_flips", mode) else (mode,):
            coverage = self.value("coverage", part)
            if not coverage:
                return "no pair has a score"
            if coverage < COVERAGE:
                units = (
                    f"{MODES[part].units} have both scores"
                    if part and is_twin(part)
                    else "pairs have a score"
                )
                return f"only {coverage:.1%} of the {units}"
        return ""


def gain_over(control: ConditionName) -> str:
    """What a gain over a control is called among an entry's figures."""
    return f"gain over {control}"


def group_letters(
    rows: Sequence[str], differing_pairs: Iterable[tuple[str, str]]
) -> dict[str, str]:
    """The letters of each row, from the pairs of rows that differ; `a` is the first row's group."""
    groups = [frozenset(rows)]
    for first, second in differing_pairs:
        split = [group for group in groups if first in group and second in group]
        left = [group for group in groups if group not in split]
        for group in split:
            left += [group - {first}, group - {second}]
        left = list(dict.fromkeys(left))
        groups = [group for group in left if not any(group < other for other in left)]
    place = {row: n for n, row in enumerate(rows)}
    groups.sort(key=lambda group: sorted(place[row] for row in group))
    # a to z, then a2 to z2 and so on.
    turns = ("" if turn == 1 else str(turn) for turn in count(1))
    letters = (f"{letter}{turn}" for turn in turns for letter in ascii_lowercase)
    lettered = list(zip(letters, groups, strict=False))
    return {row: " ".join(name for name, group in lettered if row in group) for row in rows}


class Ranking(Record):
    """Rows by their names, SCORER.CONDITION."""

    mode: Mode | None
    condition: ConditionName
    ranked_by: RankingFigure = Field("accuracy", exclude_if=lambda figure: figure == "accuracy")
    """Left out of JSON where it is the accuracy."""
    ranked: tuple[str, ...]
    """The ranked rows, best first; equal ones by name."""
    groups: dict[str, str]
    """The letters of each ranked row."""
    unranked: dict[str, str]
    """Why each of the others is not ranked."""
    comparisons: tuple[RowComparison, ...]
    """The comparisons of all pairs of ranked rows."""
    test: RankingTest | None
    """None below two ranked rows."""
    apart: dict[str, int] = Field(default={})
    """Pairs of the mode that are not part of the condition, by reason; the same for all rows."""

    @property
    def leaders(self) -> tuple[str, ...]:
        """The best row, and those that share a letter with it."""
        best = set(self.groups[self.ranked[0]].split()) if self.ranked else set()
        return tuple(name for name in self.ranked if best & set(self.groups[name].split()))

    def next_to(self, name: str) -> RowComparison | None:
        """A ranked row beside the one below it; None for the last."""
        pair = (name, *self.ranked[self.ranked.index(name) + 1 :][:1])
        found = (one for one in self.comparisons if (one.first, one.second) == pair)
        return next(found, None)


def rank(
    mode: Mode | None,
    condition: ConditionName,
    entries: Sequence[BoardEntry],
    points: Mapping[str, Floats],
    clusters: Places,
    flips: Mapping[str, Mapping[str, UnitFlip]] | None = None,
) -> Ranking:
    """Rank the entries, all of this condition, by accuracy or by the `flips` of each unit.

    `points`: by entry, of shape (n,) over the mode's pairs, NaN where one counts for no entry;
    `clusters`: their `Places`.
    """
    ranked_by: RankingFigure = "net_right_flips" if flips else "accuracy"
    unranked = {entry.name: why for entry in entries if (why := entry.unranked(mode))}
    figures = {
        entry.name: figure
        for entry in entries
        if entry.name not in unranked and (figure := entry.figure(ranked_by, mode))
    }
    names = tuple(sorted(figures, key=lambda name: (-(figures[name].value or 0.0), name)))
    exact = {name for name in names if figures[name].by_identity}
    comparisons, test = list[RowComparison](), None
    if len(names) > 1 and flips:
        comparisons, test = compare_flips(names, flips)
    elif len(names) > 1:
        comparisons, test = compare_rows(names, points, clusters, exact)
    # Between two of these no difference could have come out.
    comparisons = [
        one.model_copy(update={"low": None, "high": None})
        if {one.first, one.second} <= exact
        else one
        for one in comparisons
    ]
    return Ranking(
        mode=mode,
        condition=condition,
        ranked_by=ranked_by,
        ranked=names,
        groups=_groups(names, comparisons),
        unranked=unranked,
        comparisons=tuple(comparisons),
        test=test,
    )


def level_sharers(rankings: Iterable[Ranking]) -> int:
    """The number of rankings that share the 5 % of a leaderboard: those that could distinguish
    rows. Which these are does not depend on who is ahead, so it favours no finding."""
    return sum(one.test.can_distinguish for one in rankings if one.test)


def share_level(rankings: Sequence[Ranking]) -> Iterator[Ranking]:
    """The rankings of a leaderboard, each with its p times the number of those that share 5 %
    (Bonferroni). By Holm's procedure a later table would have more of it, but that holds only where
    every difference of the tables before is true, and a table has many."""
    sharers = max(1, level_sharers(rankings))
    for one in rankings:
        comparisons = [
            pair.model_copy(update={"adjusted": six_digits(min(1.0, sharers * pair.adjusted))})
            for pair in one.comparisons
        ]
        least = one.test and six_digits(min(1.0, sharers * one.test.least))
        yield one.model_copy(
            update={
                "comparisons": tuple(comparisons),
                "groups": _groups(one.ranked, comparisons),
                "test": one.test and one.test.model_copy(update={"least": least}),
            }
        )


def _groups(names: Sequence[str], comparisons: Iterable[RowComparison]) -> dict[str, str]:
    differing_pairs = [(one.first, one.second) for one in comparisons if one.adjusted < LEVEL]
    return group_letters(names, differing_pairs)
