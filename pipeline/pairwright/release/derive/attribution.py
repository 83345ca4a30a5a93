"""attribution.csv: where each post and question stands, and under which licence.

Who wrote it is named at the address. A cell that a spreadsheet would take for a formula begins
with an apostrophe, which a spreadsheet does not show.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pairwright.dataset import Row, RowPost

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Line(NamedTuple):
    """One post or question; empty where nothing is known."""

    id: str
    address: str
    licence: str
    created: str


def attribution(rows: Iterable[Row]) -> Iterator[str]:
    """The file, line by line: every post and question, sorted, each once.

    In memory is one line for each, and no text of theirs.
    """
    yield _written(Line._fields)
    for line in sorted(set(_lines(rows))):
        yield _written(line)


def _lines(rows: Iterable[Row]) -> Iterator[Line]:
    for row in rows:
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
