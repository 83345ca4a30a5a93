"""What is said about a row or post that was refused or changed on its way in, and by which rule."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn

from pairwright.records import Record

_TABLE = tomllib.loads(Path(__file__).with_name("reasons.toml").read_text(encoding="utf-8"))
REASONS: dict[str, str] = {reason: one["rule"] for reason, one in _TABLE.items()}
"""By reason, the rule."""
REMEDIES: dict[str, str] = {reason: one["fix"] for reason, one in _TABLE.items() if "fix" in one}
"""What to do, by reason, where there is more to do than to mend the row."""
# Controls but tab and newline, bidi controls, invisible marks, surrogates without their half.
# The joiners U+200C and U+200D stay: Persian and emoji need them.
CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def excerpt(value: object) -> str:
    """A value of the file as a message shows it: quoted, short, on one line, printable."""
    line = repr(value if isinstance(value, str) else str(value))
    line = CONTROL.sub("", line)
    return line if len(line) <= 80 else f"{line[:76]}...{line[-1]}"


class SourceProblem(Record):
    """One row or post that was refused, or used after a repair. Data, not an error."""

    action: Literal["refused", "repaired", "noted"]
    """`noted`: nothing was refused or changed, and a person should know of it."""
    reason: str
    """A key of REASONS, to count by."""
    where: str
    """`file:line`; for JSON arrays, Parquet and the Hub `file:row`, counted from 1."""
    id: str | None = None
    """The post, item or user it is about, as far as known."""
    detail: str = ""
    value: str | None = None
    """What could not be used, where it is one value that other rows may have, too: a category or a
    time."""


class SourceRefusal(Exception):
    """Raised while a row is read; the code that reads rows turns it into a SourceProblem."""

    def __init__(self, reason: str, detail: str, value: str | None = None) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.value = value

    def at(self, where: str, id: str | None) -> SourceProblem:
        """The SourceProblem that it is, with its place."""
        return SourceProblem(
            action="refused", reason=self.reason, where=where, id=id, detail=self.detail,
            value=self.value,
        )  # fmt: skip


def refuse(reason: str, detail: str) -> NoReturn:
    """Refuse the row that is being read, where it lacks something: `words = text or refuse(...)`.
    Raises SourceRefusal."""
    raise SourceRefusal(reason, detail)


_FORMAT = re.compile(r"^\([^)]*\) ")
"""The formats that a rule is for, which a reader of one source knows."""
NAMED = 10
"""Values that are named of a reason, such as categories."""
KEPT = 1_000
"""Values that are counted of a reason; a file may hold another bad value in every row."""


class ProblemCount(NamedTuple):
    """The rows and posts that one reason concerns."""

    reason: str
    n: int
    where: str
    """The place of the first."""
    detail: str
    """What was said of the first."""
    values: str
    """What could not be used, most frequent first: `'Chess' (12), 'Knots' (4)`. May be empty."""
    remedy: str
    """May be empty."""

    @property
    def said(self) -> str:
        """The first one's detail, and the values where there is more than one."""
        return f"{self.detail} (all: {self.values})" if self.values else self.detail


class ProblemCounts:
    """Problems, counted as they go by."""

    def __init__(self) -> None:
        self._n: Counter[tuple[str, str]] = Counter()
        self._first: dict[tuple[str, str], SourceProblem] = {}
        self._values: dict[tuple[str, str], Counter[str]] = {}

    def add(self, problem: SourceProblem) -> None:
        """Count one more."""
        key = problem.action, problem.reason
        self._n[key] += 1
        self._first.setdefault(key, problem)
        values = self._values.setdefault(key, Counter())
        if problem.value is not None and (problem.value in values or len(values) < KEPT):
            values[problem.value] += 1

    def of(self, action: Literal["refused", "repaired", "noted"]) -> list[ProblemCount]:
        """The reasons of one action, most frequent first."""
        return [
            ProblemCount(
                reason, n, first.where, first.detail or _FORMAT.sub("", REASONS[reason]),
                _listed(self._values[action, reason]),
                _remedy(reason, list(self._values[action, reason])),
            )
            for (kind, reason), n in self._n.most_common()
            if kind == action
            for first in (self._first[kind, reason],)
        ]  # fmt: skip

    def lines(self) -> Iterator[str]:
        """For a person: what to know, what was refused and why, and then the repairs."""
        for note in self.of("noted"):
            yield f"note: {note.detail} ({note.reason}, {note.where})"
            if note.remedy:
                yield f"  {note.remedy}"
        for refusal in self.of("refused"):
            first = f"the first at {refusal.where}: {refusal.said}"
            yield f"refused {refusal.n:,}: {refusal.reason}; {first}"
            if refusal.remedy:
                yield f"  {refusal.remedy}"
        if repaired := self.of("repaired"):
            yield "repaired: " + ", ".join(f"{repair.n:,} {repair.reason}" for repair in repaired)


def _remedy(reason: str, values: list[str]) -> str:
    """With the line to write, where it follows from the values."""
    if reason == "unknown_category" and values:
        named = ", ".join(json.dumps(value, ensure_ascii=False) for value in values[:NAMED])
        return (
            f"Add also = [{named}] to the file of the domain that they belong to,"
            " rubrics/<domain>.toml, or add a domain file."
        )
    return REMEDIES.get(reason, "")


def _listed(values: Counter[str]) -> str:
    if len(values) < 2:
        return ""
    named = ", ".join(f"{excerpt(value)} ({n:,})" for value, n in values.most_common(NAMED))
    more = len(values) - NAMED
    return f"{named} and {more:,} more" if more > 0 else named
