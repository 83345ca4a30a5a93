"""Pairs of any origin as rows.

source.py      what a source gives: rows with their split, and what could not be read
release.py     a release folder
run_folder.py  a run's pairs, and what people decided on them
files.py       JSON, JSONL, CSV and Parquet of others, a file or a folder of them
columns.py     which column holds what, by name or by option
fields.py      one row of theirs as a Row: the official schema, or prompt, chosen and rejected
messages.py    chosen and rejected as messages, lists of them, or transcripts
hub.py         a Hugging Face id
"""

from collections.abc import Iterable
from pathlib import Path

from pairwright.audit.read.columns import Columns
from pairwright.audit.read.files import open_files
from pairwright.audit.read.hub import open_hub
from pairwright.audit.read.release import is_release, open_release
from pairwright.audit.read.run_folder import is_run, open_run
from pairwright.audit.read.source import Found, PairSource, Unread
from pairwright.errors import InputError
from pairwright.sources.hub import looks_like_id

__all__ = ["Found", "PairSource", "Unread", "open_source"]


def open_source(given: str, columns: Iterable[str] = ()) -> PairSource:
    """What a path or a Hugging Face id stands for; `columns` are options such as `chosen=better`.

    Raises InputError where it is none of what an audit reads, or its first row cannot be read.
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
