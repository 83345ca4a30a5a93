"""A file of scores that somebody computed elsewhere, in the form of our scores table.

    pair,condition,chosen,rejected
    pair-1b2c...,profile,0.731,-0.2

CSV with these columns, or JSONL with these keys; others are not read. An empty score, or null, is a
missing score.
"""

import math
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import Field

from pairwright.errors import InputError
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.scorers.scorer import ResponseScore, ScorerRef, Unscored
from pairwright.evaluation.session import InFolder, OpenScorer, ScorerSession
from pairwright.pairs.layout import file_digest
from pairwright.records import Record
from pairwright.sources.tables import OPENERS, SourceRow, sound_rows

COLUMNS = ("pair", "condition", "chosen", "rejected")
IN_FILES = tuple(name for name in CONDITIONS if name != "wrong-profile")
"""The conditions that a file may have scores of; a wrong profile is drawn while one runs."""
_FORM = (
    f"A line has pair (its id), condition ({', '.join(IN_FILES[:-1])} or {IN_FILES[-1]}), and the"
    " scores of both responses: chosen and rejected."
)


class ScoresOfFile(Record):
    """Scores that were computed elsewhere, in a file: a line for each pair and condition."""

    kind: Literal["scores"]
    path: InFolder = Field(description="the .csv or .jsonl file, relative to this file's folder")
    model: str = Field("", description="name of the scorer that computed the scores")
    revision: str | None = Field(None, description="revision of this scorer")

    def open(self, name: str, _: ScorerSession) -> OpenScorer:
        """Read the file. Raises InputError as `ScoreFile` does."""
        file = ScoreFile(Path(self.path))
        digest = file_digest(file.path)
        ref = ScorerRef(
            name=name, kind=self.kind, model=self.model, revision=self.revision, settings=digest
        )
        return OpenScorer(file, ref)


class ScoreFile:
    """The scores of one file, by pair and condition: a `ByPair`."""

    def __init__(self, path: Path) -> None:
        """Read the file. Raises InputError, naming the line, for a file that cannot be read or a
        line without the four columns. Also raises it for an unknown condition, a score that is not
        a finite number, and a second line for the same pair and condition."""
        self.path = path
        self._lines = dict[tuple[str, str], tuple[str, list[ResponseScore | Unscored]]]()
        """The place of a line, and both scores, by pair and condition."""
        suffix = path.suffix.lower()
        if suffix not in (".csv", ".jsonl"):
            raise InputError("is neither .csv nor .jsonl", where=path, fix=_FORM)
        columns, rows = sound_rows(path, OPENERS[suffix], _FORM)
        if columns:
            _check(columns, "the header", str(path))
        for row in rows:
            key, scores = _key(row), [_score(row, "chosen"), _score(row, "rejected")]
            if key in self._lines:
                line = self._lines[key][0].rpartition(":")[2]
                what = f"{key[0]} has scores in condition {key[1]} already, in line {line}"
                raise InputError(what, where=row.where, fix="Keep one of the two.")
            self._lines[key] = row.where, scores
        if not self._lines:
            raise InputError("holds no scores", where=path, fix=_FORM)

    def check(
        self, pairs: Collection[str], conditions: Iterable[ConditionName], ids: Path
    ) -> list[ConditionName]:
        """The conditions among these with scores in the file. Raises InputError if it has scores of
        no such condition, and for a pair that is not among `pairs`, which the file `ids` lists."""
        strange = [key for key in self._lines if key[0] not in pairs]
        if strange:
            others = f", nor {len(strange) - 1} others" if strange[1:] else ""
            raise InputError(
                f"there is no pair {strange[0][0]!r}{others}",
                where=self._lines[strange[0]][0],
                fix=f"Use the ids in {ids}: it has the id and the line of each pair.",
            )
        known, wanted = {condition for _, condition in self._lines}, list(conditions)
        if own := [condition for condition in wanted if condition in known]:
            return own
        options = " ".join(f"--condition {name}" for name in IN_FILES if name in known)
        raise InputError(
            f"has no scores of condition {', '.join(wanted)}",
            where=self.path,
            fix=f"Evaluate what it has: {options}. What wrong-profile shows is drawn while the"
            " evaluation runs: a scorer of kind 'python' is given it.",
        )

    def scores(self, pair: str, condition: str) -> list[ResponseScore | Unscored]:
        """Find the scores of the chosen and of the rejected response, or why the file has none."""
        _, scores = self._lines.get((pair, condition), ("", [Unscored("not_in_file")]))
        return scores


def _check(names: Collection[str], what: str, where: str) -> None:
    if missing := [name for name in COLUMNS if name not in names]:
        said = f"{what} has no {', '.join(missing)}; it has {', '.join(names) or 'nothing'}"
        raise InputError(said, where=where, fix=_FORM)


def _key(row: SourceRow) -> tuple[str, str]:
    _check(row.fields, "the line", row.where)
    pair, condition = row.fields["pair"], row.fields["condition"]
    if not isinstance(pair, str) or not pair:
        raise _wrong(row, "pair", "is not an id")
    if condition not in IN_FILES:
        raise _wrong(row, "condition", f"is not one of {', '.join(IN_FILES)}")
    return pair, str(condition)


def _score(row: SourceRow, column: str) -> ResponseScore | Unscored:
    cell = row.fields[column]
    if cell is None or cell == "":
        return Unscored("no_score", f"empty in line {row.where.rpartition(':')[2]}")
    # In JSON a number in quotes is a slip. Python alone takes "1_0" for ten.
    as_number = (str, int, float) if ".jsonl:" not in row.where else (int, float)
    score = math.nan
    if isinstance(cell, as_number) and not isinstance(cell, bool) and "_" not in str(cell):
        with suppress(ValueError, OverflowError):
            score = float(cell)
    if not math.isfinite(score):
        raise _wrong(row, column, "is not a finite number; leave it empty where there is no score")
    return ResponseScore(score)


def _wrong(row: SourceRow, column: str, why: str) -> InputError:
    where = f"{row.where} [{column}]"
    return InputError(f"{str(row.fields[column])[:40]!r} {why}", where=where, fix=_FORM)
