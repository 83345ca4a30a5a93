"""A file of scores that somebody computed elsewhere: a line for each pair, response and condition.

    pair,condition,response,score
    pair-1b2c...,profile,chosen,0.731
    pair-1b2c...,profile,rejected,-0.2

CSV with these columns, or JSONL with these keys; others are not read. An empty score, or null, says
that there is none.
"""

import math
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from pairwright.errors import InputError
from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.scorers.scorer import ResponseScore, Unscored
from pairwright.pairs.layout import file_digest
from pairwright.sources.tables import OPENERS, SourceRow, sound_rows

COLUMNS = ("pair", "condition", "response", "score")
SIDES = ("chosen", "rejected")
IN_FILES = tuple(name for name, condition in CONDITIONS.items() if condition.in_release)
"""The conditions that a file may have scores of."""
_FORM = (
    f"A line has pair (its id in the release), condition ({', '.join(IN_FILES[:-1])} or"
    f" {IN_FILES[-1]}), response (chosen or rejected) and score."
)


_Cell = tuple[str, str, str]
"""What a score is of: pair, condition and response."""


class ScoreFile:
    """The scores of one file, by pair and condition: a `ByPair`."""

    def __init__(self, path: Path) -> None:
        """Read the file. Raises InputError, naming the line, for a file that cannot be read, a line
        without the four columns, an unknown condition or response, a score that is not a finite
        number, and a second score for the same pair, condition and response."""
        self.path = path
        self._lines: dict[_Cell, tuple[str, float | None]] = {}
        """By what it is of: the line of each score, and the score."""
        for row in _rows(path):
            cell = pair, condition, side = _cell(row)
            line = row.where, _score(row, path.suffix.lower() == ".csv")
            before = self._lines.setdefault(cell, line)
            if before is not line:
                raise InputError(
                    f"{pair} has a score for its {side} response in condition {condition} already,"
                    f" in line {before[0].rpartition(':')[2]}",
                    where=row.where,
                    fix="Keep one of the two.",
                )
        if not self._lines:
            raise InputError("holds no scores", where=path, fix=_FORM)
        self.digest = file_digest(path)

    def check(self, pairs: Collection[str], conditions: Iterable[str]) -> None:
        """`pairs` are all of the release. Raises InputError for a pair that is not among them,
        naming its line, and for a condition of which the file has no score at all."""
        strangers: dict[str, str] = {}
        for (pair, _, _), (where, _) in self._lines.items():
            if pair not in pairs:
                strangers.setdefault(pair, where)
        if strangers:
            pair, *others = strangers
            raise InputError(
                f"the release has no pair {pair!r}"
                + (f", nor {len(others)} others" if others else ""),
                where=strangers[pair],
                fix="Score this release's pairs: their ids are in the column id of its rows.",
            )
        known = {condition for _, condition, _ in self._lines}
        for condition in conditions:
            if condition not in known:
                options = " ".join(f"--condition {name}" for name in IN_FILES if name in known)
                fix = f"Evaluate what it has: {options}."
                if condition not in IN_FILES:
                    fix += f" What {condition} shows is drawn or inferred while the evaluation"
                    fix += " runs: a scorer of kind 'python' is given it."
                what = f"has no scores of condition {condition}"
                raise InputError(what, where=self.path, fix=fix)

    def scores(self, pair: str, condition: str) -> tuple[ResponseScore, ResponseScore] | Unscored:
        """The scores of the chosen and of the rejected response, or that the file has none."""
        found = [self._lines.get((pair, condition, side)) for side in SIDES]
        missing = [side for side, line in zip(SIDES, found, strict=True) if line is None]
        if missing:
            return Unscored("not_in_file", f"no line for {' and '.join(missing)}")
        lines = [line for line in found if line]
        empty = [where for where, score in lines if score is None]
        if empty:
            numbers = " and ".join(where.rpartition(":")[2] for where in empty)
            return Unscored("no_score", f"empty in line {numbers}")
        chosen, rejected = (ResponseScore(score) for _, score in lines if score is not None)
        return chosen, rejected


def _rows(path: Path) -> Iterator[SourceRow]:
    """The file's rows, each with the four columns."""
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".jsonl"):
        raise InputError("is neither .csv nor .jsonl", where=path, fix=_FORM)
    columns, rows = sound_rows(path, OPENERS[suffix], _FORM)
    if columns:
        _check_columns(f"{path}:1", columns)
    for row in rows:
        _check_columns(row.where, row.fields)
        yield row


def _check_columns(where: str, columns: Collection[str]) -> None:
    if missing := [name for name in COLUMNS if name not in columns]:
        raise InputError(f"has no {', '.join(missing)}", where=where, fix=_FORM)


def _cell(row: SourceRow) -> _Cell:
    pair, condition, side = (row.fields[name] for name in COLUMNS[:3])
    if not isinstance(pair, str) or not pair:
        raise _wrong(row, "pair", "is not an id")
    if condition not in IN_FILES:
        raise _wrong(row, "condition", f"is not one of {', '.join(IN_FILES)}")
    if side not in SIDES:
        raise _wrong(row, "response", f"is not one of {', '.join(SIDES)}")
    return pair, condition, side


def _score(row: SourceRow, text: bool) -> float | None:
    """`text` where the file knows no numbers; in JSON a number in quotes is a slip."""
    cell: Any = row.fields["score"]
    if cell is None or (text and cell == ""):
        return None
    if not text and (isinstance(cell, bool) or not isinstance(cell, int | float)):
        raise _wrong(row, "score", "is not a number")
    if text and "_" in cell:
        raise _wrong(row, "score", "is not a number")  # Python alone takes "1_0" for ten.
    try:
        score = float(cell)
    except (ValueError, OverflowError):
        raise _wrong(row, "score", "is not a number") from None
    if not math.isfinite(score):
        raise _wrong(row, "score", "is not a finite number; leave it empty where there is no score")
    return score


def _wrong(row: SourceRow, column: str, why: str) -> InputError:
    return InputError(
        f"{str(row.fields[column])[:40]!r} {why}", where=f"{row.where} [{column}]", fix=_FORM
    )
