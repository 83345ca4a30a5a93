"""Reading pairs of any origin as rows: releases, run folders, files of others, the Hub.

source.py      what a source gives: rows, and those that cannot be read
folders.py files.py    releases and runs; files of others and datasets of the Hub
columns.py cells.py    the columns of such a file, and what a cell of text holds
fields.py      one row of it: a pair, or a question with several options and a key
"""

from collections.abc import Iterable
from pathlib import Path

from pairwright.audits.read.columns import Columns
from pairwright.audits.read.files import open_files, open_hub
from pairwright.audits.read.folders import is_release, is_run, open_release, open_run
from pairwright.audits.read.source import PairSource, ReadRow
from pairwright.errors import InputError
from pairwright.sources.tables import looks_like_id

__all__ = ["PairSource", "ReadRow", "open_source"]


def open_source(given: str, columns: Iterable[str] = ()) -> PairSource:
    """Open the pairs of a path or a Hugging Face id; `columns` are options such as `chosen=better`.

    Raises InputError where an audit cannot read it, or its first row cannot be read.
    """
    path, mapped = Path(given).expanduser(), Columns.parse(columns)
    if path.is_file() or (path.is_dir() and not (is_release(path) or is_run(path))):
        return open_files(path, mapped)
    if not path.exists():
        if looks_like_id(given):
            return open_hub(given, mapped)
        raise InputError(
            "no such file or folder", where=path, fix="Correct the path; a Hub id is ORG/NAME."
        )
    if not path.is_dir():
        raise InputError(
            "neither a file nor a folder",
            where=path,
            fix="Write the pairs to a file: they are read more than once.",
        )
    mapped.refuse(path)
    return open_release(path) if is_release(path) else open_run(path)
