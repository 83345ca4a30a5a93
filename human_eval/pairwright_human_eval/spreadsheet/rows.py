"""The rows of a sheet, as any program saves it."""

import codecs
import csv
import io
import re
from collections.abc import Set
from pathlib import Path

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright_human_eval.spreadsheet.cells import unguarded


def sheet_rows(path: Path) -> list[list[str]]:
    """All rows. Raises InputError for what is not a text of cells."""
    text, separator = _text(path)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise InputError(
            f"cannot be read as cells: {error}", where=path, fix="Save it as CSV (UTF-8) again."
        ) from None


def _text(path: Path) -> tuple[str, str]:
    """The text of a sheet, and what is between its cells."""
    text = _decoded(path)
    first, _, rest = text.partition("\n")
    if re.fullmatch(r"sep=.\s*", first):  # Excel writes and reads such a line.
        first, _, _ = rest.partition("\n")
        text = rest
    return text, max(",;\t", key=first.count)


def _decoded(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            str(error.strerror), where=path, fix="Name a file that is there."
        ) from None
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Identifiers and answers are ASCII; of a comment a few letters may be wrong.
        return content.decode("cp1252", errors="replace")


def drop_rows(path: Path, tasks: Set[str]) -> None:
    """Take the rows of these tasks out of a sheet, and leave all others as they are. A file that
    cannot be read as cells goes as a whole."""
    try:
        rows = sheet_rows(path)
    except InputError:
        path.unlink()
        return
    text = io.StringIO()
    writer = csv.writer(text, delimiter=_text(path)[1])
    writer.writerows(row for row in rows if not tasks & set(map(unguarded, row)))
    write_whole(path, codecs.BOM_UTF8 + text.getvalue().encode(errors="replace"))
