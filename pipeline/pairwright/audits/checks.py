"""The checks of an audit: their words and limits in checks.toml, and functions of their names.

    @row_check
    def empty_text(row: Row) -> str | None:
        return "" if row.question.strip() else "question is empty"

    @table_check
    def duplicate_id(facts: Facts) -> Found:
        again = facts.table.index[facts.table["id"].duplicated()]
        return Found(len(facts.table), dict.fromkeys(again, "an earlier row has this id"))

A function of a row returns what is wrong, an empty text if nothing is, and None if the row has
nothing that the check examines. A function of the table of rows, which `facts.py` describes,
returns the rows that it found; a whole Check; or None for no check at all.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pairwright.audits.records import Check, CheckDefinition
from pairwright.pairs import Row

if TYPE_CHECKING:
    from pairwright.audits.facts import Facts

_WORDS = tomllib.loads(Path(__file__).with_name("checks.toml").read_text(encoding="utf-8"))
DEFINITIONS = {
    name: CheckDefinition.model_validate({"family": family, "name": name, **words})
    for family, checks in _WORDS.items()
    for name, words in checks.items()
}
"""All checks by name, in the order of the report."""
KEPT = 10_000
"""The most rows that a check names; it counts all."""
WIDTH = 120
"""Characters of a flag's detail."""
TEXT = 100_000
"""Characters of a text in which runs of words are looked for."""


@dataclass
class Found:
    """The findings of a check: the rows that it examined, and the faults by row number."""

    of: int = 0
    details: dict[int, str] = field(default_factory=dict)
    """Of the first KEPT rows at least."""
    count: int = 0
    """Rows found, if some have no detail; else 0."""
    note: str = ""
    """The words next to the count."""

    def add(self, number: int, detail: str | None) -> None:
        """Count a row as examined unless there is no detail, and as found unless that is empty."""
        if detail is None:
            return
        self.of += 1
        if detail:
            self.count += 1
            if len(self.details) < KEPT:
                self.details[number] = clip(detail)


RowCheck = Callable[[Row], str | None]
TableCheck = Callable[["Facts"], Found | Check | None]
ROW_CHECKS: dict[str, RowCheck] = {}
TABLE_CHECKS: dict[str, TableCheck] = {}


def row_check(look: RowCheck) -> RowCheck:
    """Make a function of a row the check of its name."""
    ROW_CHECKS[look.__name__] = look
    return look


def table_check(look: TableCheck) -> TableCheck:
    """Make a function of the table of rows the check of its name."""
    TABLE_CHECKS[look.__name__] = look
    return look


def counted(name: str, found: Found, facts: "Facts") -> Check:
    """The check of the rows that were found, compared with its limit."""
    own = DEFINITIONS[name]
    share = own.limit if facts.built or own.others is None else own.others
    limit = share if share < 1 and found.of else None
    count = found.count or len(found.details)
    fails = limit is not None and count > limit * found.of
    flags = islice(sorted(found.details.items()), KEPT)
    return Check(
        family=own.family,
        name=name,
        status="note" if limit is None else "fail" if fails else "pass",
        count=count,
        of=found.of,
        limit=limit,
        detail=(found.note or own.how) if found.of else own.nothing,
        flags=tuple(facts.flag(number, clip(detail)) for number, detail in flags),
    )


def clip(detail: str) -> str:
    """A text on one line, and no longer than a flag's detail may be."""
    line = " ".join(detail[: 4 * WIDTH].split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
