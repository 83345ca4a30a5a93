"""Scores: a line per pair, for one scorer in one condition, without the pair's content.

SCORER.CONDITION.jsonl has the lines, in the order of the pairs. SCORER.CONDITION.json has their
origin, and is written last. Figures join the lines with the pairs by id.

A figure of a mode is the mean over its pairs, or over its twins if it is of twins; each counts the
same. Modes are never averaged. A pair without a score counts as wrong: leaving out what is hard
does not pay.

A scorer flips where it prefers one response for one user, and the other response for the other
user. On a twin a flip is right in one direction. On a placebo nothing about the two users speaks
for either response, so a flip in either direction is wrong. A tie on one side is not a flip.

    net_right_flips = both_right on twins - 1/2 of the flips on placebos

A flip that has nothing to do with the users goes either way, so half of such flips would be right
on a twin. The figure is near 1 for a scorer that reads its users. It is 0 for one that cannot see
them, answers by chance (1/4 - 1/4) or always flips (1/2 - 1/2).
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from pairwright.assets import __version__
from pairwright.errors import InputError
from pairwright.evaluation.benchmark import QUESTIONS, Benchmark, BenchmarkRef
from pairwright.evaluation.conditions import CONDITIONS, ConditionName, ScorerHistory
from pairwright.evaluation.scorers.scorer import BLIND, NOTHING_TO_SHOW, Choice, ScorerRef
from pairwright.lines import read_lines, read_one, write_lines, write_one
from pairwright.records import Record
from pairwright.stats import (
    Estimate,
    Jackknife,
    cluster_numbers,
    jackknife_difference,
    jackknife_mean,
    mean,
    mean_points,
)

_AGAIN = "Run `pairwright evaluate` again: nothing is scored twice."


class Score(Record):
    """A line of the scores table."""

    pair: str
    condition: ConditionName
    chosen: float | None = None
    """The score of the chosen response; None for judges that compare."""
    rejected: float | None = None
    forward: Choice | None = None
    """A comparing judge's verdict with the chosen response first; None for scores, and for an order
    without a verdict."""
    backward: Choice | None = None
    """The judge's verdict with the chosen response second."""
    unscored: str = ""
    """The reason for no score, as `reason` or `reason (detail)`; empty if there is a score."""
    tokens: int = 0
    """Number of tokens that were read and written for it."""


class ScoresOf(Record):
    """The origin of a table of scores: pairs, scorer and condition."""

    benchmark: BenchmarkRef
    path: str
    """The pairs: a path from the folder of the table."""
    columns: dict[str, str] = Field(default={})
    labels: dict[str, tuple[str, ...]] = Field(default={})
    """The labels by which a file of pairs was read."""
    scorer: ScorerRef
    condition: ConditionName
    history: ScorerHistory | None = None
    """The rules for the posts that are shown; None if a file has the scores."""
    pairwright: str = __version__

    @property
    def stem(self) -> str:
        """The name of its files: `SCORER.CONDITION`."""
        return f"{self.scorer.name}.{self.condition}"

    @property
    def blind(self) -> bool:
        """Whether its scorer could not see the user."""
        return self.scorer.name in BLIND or CONDITIONS[self.condition].blind


class ScoreTable(NamedTuple):
    """A table of scores in its files."""

    path: Path
    """The .json file."""
    about: ScoresOf
    scores: tuple[Score, ...]


def write_scores(folder: Path, about: ScoresOf, scores: Sequence[Score]) -> ScoreTable:
    """Write both files, whole. Raises StoreError."""
    path = folder / f"{about.stem}.json"
    # A header is never beside lines that it is not of.
    path.unlink(missing_ok=True)
    write_lines(path.with_suffix(".jsonl"), scores)
    write_one(path, about)
    return ScoreTable(path, about, tuple(scores))


def check_results(folder: Path, pairs: BenchmarkRef) -> None:
    """Check that the tables of a folder are of these pairs. Raises InputError."""
    for path in sorted(folder.glob("*.*.json")):
        try:
            own = read_one(path, ScoresOf).benchmark
        except InputError:
            continue
        if own.digest != pairs.digest:
            named = own.title if own.title != pairs.title else f"another state of {own.title}"
            what = f"has results of {named}, and the pairs are {pairs.title}"
            raise InputError(what, where=folder, fix="Give --out another folder.")


def read_scores(given: Iterable[Path]) -> list[ScoreTable]:
    """Read the tables of folders and of single .json files, by scorer and condition; one that is
    named twice counts once.

    Raises InputError for what is no table, and for two tables of one scorer and condition.
    """
    paths, tables = dict[Path, None](), dict[str, ScoreTable]()
    for one in given:
        found = [one] if one.is_file() else sorted(one.glob("*.*.json"))
        if not found or found[0].suffix != ".json":
            what = "holds no scores" if one.exists() else "no such file or folder"
            fix = "Name a folder that `pairwright evaluate` made, or one SCORER.CONDITION.json."
            raise InputError(what, where=one, fix=fix)
        paths |= dict.fromkeys(path.resolve() for path in found)
    for path in paths:
        about = read_one(path, ScoresOf, fix=_AGAIN)
        if other := tables.get(about.stem):
            what = f"scorer {about.scorer.name} in condition {about.condition} is in {other.path}"
            fix = "Name one of the two, or evaluate one again under another name. A file of"
            fix += " scorers gives it as [scorers.OTHER-NAME]."
            raise InputError(what, where=path, fix=fix)
        scores = read_lines(path.with_suffix(".jsonl"), Score, fix=_AGAIN)
        tables[about.stem] = ScoreTable(path, about, tuple(scores))
    order = list(CONDITIONS)
    return sorted(
        tables.values(), key=lambda one: (one.about.scorer.name, order.index(one.about.condition))
    )


def joined(table: ScoreTable, benchmark: Benchmark) -> pd.DataFrame:
    """Join the lines of a table with the keys of their pairs, in the order of the pairs.

    Further columns are `reason`, `twice` (both orders have a verdict), `choice` (empty without a
    score; verdicts that change with the order are a tie) and `point`. The point is 1 for the chosen
    response, 0 for the other, 1/2 for a tie, and nan without a score. Units without content to show
    of their users, and incomplete units, are left out. A question with options is one line.

    Raises InputError if the pairs are not those that were scored.
    """
    own, its = table.about.benchmark, benchmark.ref
    if own.digest != its.digest:
        what = f"is of {own.title} ({own.digest}), and the pairs are {its.title} ({its.digest})"
        fix = "Name scores of one set of pairs, and that set with --pairs."
        raise InputError(what, where=table.path, fix=fix)
    lines = [one.model_dump() for one in table.scores]
    frame = pd.DataFrame(lines, columns=list(Score.model_fields))
    wrong = frame.pair[frame.pair.duplicated() | ~frame.pair.isin(benchmark.keys.pair)]
    if len(wrong):
        what = f"the pair {wrong.iloc[0]} is there twice, or is not one of the pairs"
        raise InputError(what, where=table.path.with_suffix(".jsonl"), fix=_AGAIN)
    frame = benchmark.keys.merge(frame, on="pair")
    frame["reason"] = frame.unscored.astype(str).str.split(" (", n=1, regex=False).str[0]
    frame["twice"] = frame.forward.notna() & frame.backward.notna()
    chosen, rejected = frame.chosen.astype(float), frame.rejected.astype(float)
    same = frame.twice & (frame.forward == frame.backward)
    frame["choice"] = np.select(
        [same, frame.twice, chosen > rejected, chosen < rejected, chosen == rejected],
        [frame.forward, "tie", "chosen", "rejected", "tie"],
        default="",
    )
    frame["point"] = frame.choice.map({"chosen": 1.0, "rejected": 0.0, "tie": 0.5})
    absent = frame.reason.isin(NOTHING_TO_SHOW).groupby(frame.unit).transform("any")
    whole = frame.groupby("unit").pair.transform("size") == frame.halves
    frame = frame[whole & ~absent]
    asked = frame["mode"] == QUESTIONS
    return pd.concat([frame[~asked], by_question(frame[asked])]).sort_index(ignore_index=True)


def by_question(pairs: pd.DataFrame) -> pd.DataFrame:
    """Make the pairs of each question with options one line, as an audit counts it.

    The point is 1 if the right option wins all its pairs, one in t + 1 if it ties with t others and
    loses to none, or else 0; of several right ones it is their share of pairs. The rest is of a
    pair without a score, else of one whose verdicts differ, if there is any.
    """

    def count(which: pd.Series) -> pd.Series:
        return which.groupby(pairs.unit).transform("sum")

    missing, point = pairs.point.isna(), pairs.point
    best = (count(point == 0) == 0) / (1 + count(point == 0.5))
    best = best.where(pairs.chance < 0.5, count(point) / pairs.halves)
    lines = pairs.assign(
        point=best.where(count(missing) == 0), pair=pairs.unit, halves=1,
        first=~missing * 2 + (pairs.forward == pairs.backward),
    )  # fmt: skip
    return lines.sort_values("first", kind="stable").drop_duplicates("unit").drop(columns="first")


# Figures, as functions of the joined table

FIGURES: dict[str, str] = {
    "accuracy": "share of pairs where the chosen response is ahead, ties counting 1/2 and pairs"
    " without a score as wrong; of questions with options, share where the right one is ahead"
    " of all others, and ties share",
    "both_right": "share of twins with both sides right: 0 for a scorer that cannot see the user",
    "coverage": "share of pairs with a score; for twins, of those with both sides scored",
    "swap_consistency": "share of pairs where a comparing judge says the same in both orders",
    "placebo_flips": "share of placebos where another response is preferred for the other user, of"
    " those with both sides scored",
    "net_right_flips": "right flips on twins less 50 % of the flips on placebos, of those with both"
    " sides scored: near 1 for a scorer that reads its users, 0 for one that cannot see them",
}
"""The description of each figure by name. Gains over controls are figures, too."""
FOLLOWS = {
    "stated": "all aspects stated",
    "inferred": "an aspect inferred, none a pattern",
    "pattern": "an aspect shown by a pattern",
}
"""The groups of pairs by how the aspect follows that is hardest to find."""
IDENTITY = "exact"
"""The note instead of an interval if the figure is exact by construction."""


class ScorerFigure(Estimate):
    """The estimate of one group of pairs: n are pairs or twins; no value where it is empty."""

    name: str
    """A key of FIGURES, or a gain over a control."""
    mode: str
    group: str
    """The mode for all of its pairs, a domain, or a value of FOLLOWS."""
    chance: float | None = None
    """The accuracy of blind choice, 0 to 1; only for the accuracy of questions with options."""


def units_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """One line per unit: `mode, label, halves, cluster, domain, follows`, whether it is `whole`
    (scored in full), and its `flip`: 1 for a right one on a twin or any on a placebo, else 0."""
    by_unit = pairs.groupby("unit", sort=False)
    units = by_unit[["mode", "label", "halves", "cluster", "domain", "follows"]].first()
    units["whole"] = pairs.point.notna().groupby(pairs.unit, sort=False).all()
    right, wrong = (
        pairs.choice.eq(side).groupby(pairs.unit, sort=False).sum() == units.halves
        for side in ("chosen", "rejected")
    )
    units["flip"] = (right | (wrong & (units.label == "equal"))).astype(float)
    return units


def figures_of(pairs: pd.DataFrame, *, blind: bool = False) -> tuple[ScorerFigure, ...]:
    """All figures of one table: of each mode in turn, and the corrected twin accuracy.

    A `blind` scorer gives both sides of a twin the same scores, and the chosen response of one
    side is the rejected one of the other. So it is right on exactly one side, or tied on both.
    Such a figure is exact by construction, and has no interval.
    """
    figures, units = list[ScorerFigure](), units_of(pairs)
    for mode, own in pairs.groupby("mode", sort=False):
        figures += _of_mode(str(mode), own, units[units["mode"] == mode], blind=blind)
    for mode in units[(units.label == "chosen") & (units.halves == 2)]["mode"].unique():
        if net := net_right_flips(units, mode):
            found = net.estimate(least=-0.5, most=1)
            even = blind and found.value == 0
            figures.append(_figure("net_right_flips", mode, mode, found, even=even))
    return tuple(figures)


def _of_mode(
    mode: str, pairs: pd.DataFrame, units: pd.DataFrame, *, blind: bool
) -> Iterator[ScorerFigure]:
    points, twins = pairs.point.fillna(0.0), bool((units.halves == 2).all())
    even = blind and twins and bool((points.groupby(pairs.unit).sum() == 1).all())
    yield _figure("coverage", mode, mode, _share(units.whole, units))
    if (units.label == "equal").all():
        whole = units[units.whole]
        yield _figure("placebo_flips", mode, mode, _share(whole.flip, whole), even=even)
        return
    groups = {mode: units.label.notna()}
    groups |= {str(name): units.domain == name for name in units.domain.unique() if name}
    groups |= {title: units.follows == name for name, title in FOLLOWS.items()}
    for group, inside in groups.items():
        if not inside.any():
            continue
        own = pairs[pairs.unit.isin(units.index[inside])]
        chance = round(float(own.chance.mean()), 6) if mode == QUESTIONS else None
        share = _share(points[own.index], own)
        yield _figure("accuracy", mode, group, share, even=even, chance=chance)
        if twins:
            yield _figure("both_right", mode, group, _share(units.flip, units[inside]), even=even)
    if len(judged := pairs[pairs.twice]):
        same = judged.forward == judged.backward
        yield _figure("swap_consistency", mode, mode, _share(same, judged))


def _share(values: pd.Series, lines: pd.DataFrame) -> Estimate:
    """The mean of these lines' values from 0 to 1, with Wilson's interval by cluster."""
    return mean_points(values[lines.index].to_numpy(float), cluster_numbers(list(lines.cluster)))


def _figure(
    name: str, mode: str, group: str, estimate: Estimate, *, even: bool = False,
    chance: float | None = None,
) -> ScorerFigure:  # fmt: skip
    fixed = {"low": None, "high": None, "note": IDENTITY} if even else {}
    return ScorerFigure(
        name=name, mode=mode, group=group, chance=chance, **estimate.model_dump() | fixed
    )


def net_right_flips(units: pd.DataFrame, mode: str) -> Jackknife | None:
    """The mean of the flips on twins less half of that on placebos, of those that are whole; None
    if either has none."""
    own = units[units.whole & ((units["mode"] == mode) | (units.label == "equal"))]
    if own.label.nunique() < 2:
        return None
    twins, clusters = own.label != "equal", cluster_numbers(list(own.cluster))
    return jackknife_difference(
        own.flip.to_numpy(float), twins.to_numpy(bool), clusters, weight=0.5
    )


def compared(above: pd.DataFrame, below: pd.DataFrame, mode: str, by: str) -> Jackknife:
    """The difference of two accuracies on a mode, pair by pair; or of two corrected twin
    accuracies, on the units that both have whole. Units of one couple depend on each other, whether
    they are twins or placebos."""
    if by == "net_right_flips":
        units, other = units_of(above), units_of(below)
        flip, whole = units.flip - other.flip, units.whole & other.whole
        found = net_right_flips(units.assign(flip=flip, whole=whole), mode)
        assert found, "both rows have twins and placebos"
        return found
    both = above[above["mode"] == mode].merge(below[["pair", "point"]], on="pair")
    differences = both.point_x.fillna(0.0) - both.point_y.fillna(0.0)
    return jackknife_mean(differences.to_numpy(float), cluster_numbers(list(both.cluster)))


def gains(
    pairs: pd.DataFrame, control: pd.DataFrame, name: str, *, of_twins: bool
) -> Iterator[ScorerFigure]:
    """The gain in accuracy over a control, on the units that are whole in both.

    Gains on twins need `of_twins`: without a user their accuracy is 50 %, so a gain over that adds
    nothing to the accuracy.
    """
    both = pairs.merge(control[["pair", "point"]], on="pair", suffixes=("", "_control"))
    both["gain"] = both.point - both.point_control
    both["whole"] = both.gain.notna().groupby(both.unit).transform("sum") == both.halves
    for mode, own in both[both.label != "equal"].groupby("mode", sort=False):
        if of_twins or (own.halves == 1).all():
            counted = own[own.whole]
            clusters = cluster_numbers(list(counted.cluster))
            found = mean(counted.gain.to_numpy(float), clusters, least=-1, most=1)
            yield _figure(f"gain over {name}", str(mode), str(mode), found)
