"""Scores: a line per pair, for one scorer in one condition, without the pair's content.

SCORER.CONDITION.jsonl has the lines, in the order of the pairs. SCORER.CONDITION.json has their
origin, and is written last. Figures join the lines with the pairs by id.
"""

from collections.abc import Iterable, Sequence
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
