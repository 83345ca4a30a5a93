"""attribution.csv: where each post and question stands, and under which licence.

Who wrote it is named at the address. A cell that a spreadsheet would take for a formula begins
with an apostrophe, which a spreadsheet does not show.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from pairwright.dataset import Row, RowPost

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Line(NamedTuple):
    """One post or question; empty where nothing is known."""

    id: str
    address: str
    licence: str
    created: str


def attribution(lines: Set[Line]) -> Iterator[str]:
    """The file, line by line: every post and question, sorted."""
    yield _written(Line._fields)
    for line in sorted(lines):
        yield _written(line)


def lines_of(row: Row) -> Iterator[Line]:
    """The question's line, and those of the posts. They hold no text of theirs."""
    yield _line(row.item_id, row)
    for post in row.profile:
        yield _line(post.id, post)


def _line(name: str, of: Row | RowPost) -> Line:
    return Line(name, of.source_url or "", of.licence or "", of.created or "")


def _written(cells: Iterable[str]) -> str:
    file = io.StringIO()
    # Quoted throughout: a lone carriage return would end a line otherwise.
    csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(
        [f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells]
    )
    return file.getvalue()
