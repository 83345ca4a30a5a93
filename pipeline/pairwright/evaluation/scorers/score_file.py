"""A file of scores that somebody computed elsewhere, in the form of our scores table.

    pair,condition,chosen,rejected
    pair-1b2c...,profile,0.731,-0.2

CSV with these columns, or JSONL with these keys; others are not read. An empty score, or null, is a
missing score.
"""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError

from pairwright.errors import InputError
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.scorers.scorer import ResponseScore, ScorerRef, Unscored
from pairwright.evaluation.session import InFolder, Opened, OpenScorer, ScorerSession
from pairwright.lines import unreadable
from pairwright.pairs.layout import file_digest
from pairwright.records import Record
from pairwright.sources.tables import OPENERS, sound_rows

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
        return Opened(file, ref)


def _cell(cell: Any) -> Any:
    """The content of a cell, None if it is empty; True and "1_0" are no numbers here."""
    if isinstance(cell, bool) or "_" in str(cell):
        raise ValueError(f"{cell!r} is not a number")
    return None if cell == "" else cell


def _in_files(name: str) -> str:
    if name not in IN_FILES:
        raise ValueError(f"{name!r} is not one of {', '.join(IN_FILES)}")
    return name


class _Line(Record, extra="ignore"):
    pair: str = Field(min_length=1)
    condition: Annotated[ConditionName, BeforeValidator(_in_files)]
    chosen: Annotated[float | None, BeforeValidator(_cell)]
    rejected: Annotated[float | None, BeforeValidator(_cell)]


class ScoreFile:
    """The scores of one file, by pair and condition: a `ByPair`."""

    def __init__(self, path: Path) -> None:
        """Read the file. Raises InputError, naming the line, for a file that cannot be read, a line
        that is no `_Line`, and a second line for the same pair and condition."""
        self.path = path
        self._lines = dict[tuple[str, str], tuple[str, list[ResponseScore | Unscored]]]()
        """The place of a line, and both scores, by pair and condition."""
        suffix = path.suffix.lower()
        if suffix not in (".csv", ".jsonl"):
            raise InputError("is neither .csv nor .jsonl", where=path, fix=_FORM)
        for where, fields in sound_rows(path, OPENERS[suffix], _FORM)[1]:
            try:
                line = _Line.model_validate(fields)
            except ValidationError as error:
                raise unreadable(where, error, _FORM) from None
            key, number = (line.pair, line.condition), where.rpartition(":")[2]
            if key in self._lines:
                first = self._lines[key][0].rpartition(":")[2]
                what = f"{line.pair} has scores in condition {key[1]} already, in line {first}"
                raise InputError(what, where=where, fix="Keep one of the two.")
            none = Unscored("no_score", f"empty in line {number}")
            both = (line.chosen, line.rejected)
            scores = [none if one is None else ResponseScore(one) for one in both]
            self._lines[key] = where, scores
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
        _, scores = self._lines.get((pair, condition), ("", [Unscored("not_in_file")] * 2))
        return scores
