"""Rows of the table at a path: CSV, TSV, JSON, JSON Lines, Parquet, or a dataset of the Hugging
Face Hub. The only file that imports `datasets`.

What is wrong with a row takes its place as a SourceRefusal, and the next one is read; a file of no
use is a SourceError.
"""

import codecs
import csv
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b, file_digest
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pairwright.assets import install
from pairwright.errors import InputError, SourceError
from pairwright.lines import read_batches
from pairwright.settings.rules import SourceRules
from pairwright.sources.problems import REMEDIES, SourceRefusal, refuse

AGAIN = "Write or download it again."
Rows = Iterator[tuple[int, object]]
"""Rows by their lines, or counted from 1; for `fields_of`."""
Table = tuple[list[str] | None, Rows]
"""The columns, or None if only the rows know theirs; and the rows."""
Opener = Callable[[Path], Table]


def fields_of(row: object) -> dict[str, Any]:
    """The fields of a row of a table. Raises SourceRefusal for a row without fields."""
    if isinstance(row, SourceRefusal):
        raise row
    if not isinstance(row, dict):
        refuse("not_an_object", f"the row is {kind(row)}, not an object")
    return row


def sound_rows(
    path: Path, opener: Opener, fix: str
) -> tuple[list[str], Iterator[tuple[str, dict[str, Any]]]]:
    """The columns of a file's table (none if only its rows know theirs), and the place and fields
    of each row.

    Raises InputError, when it is reached, for what is not a row: here nothing is left out.
    """
    columns, found = opener(path)

    def rows() -> Iterator[tuple[str, dict[str, Any]]]:
        for number, row in found:
            try:
                yield f"{path}:{number}", fields_of(row)
            except SourceRefusal as why:
                raise InputError(why.detail, where=f"{path}:{number}", fix=fix) from None

    return columns or [], rows()


def kind(value: object) -> str:
    """Type of a value, as a message calls it."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false",
             int: "a number", float: "a number", bytes: "bytes"}  # fmt: skip
    return names.get(type(value), type(value).__name__)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Raises SourceError for what reading a file raises."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        said = getattr(error, "strerror", None) or error
        raise SourceError(f"cannot be read: {said}", where=path, fix=AGAIN) from None


# CSV and TSV

_KEPT = "surrogateescape"
# What it makes of a byte that is not UTF-8.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


def _delimited(path: Path, separators: str) -> Table:
    """The records of a file whose first line names the columns."""
    records = _records(path, separators)
    line, header = next(records, (1, []))
    where = f"{path}:{line}"
    if isinstance(header, SourceRefusal):
        what, fix = f"the column names are {header.detail}", REMEDIES[header.reason]
        raise SourceError(what, where=where, fix=fix)
    columns = header if isinstance(header, list) else []
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise SourceError(f"two columns are named {twice[0]!r}", where=where, fix="Rename one.")
    return columns, records


def _records(path: Path, separators: str) -> Rows:
    """The first line of each record, with the list of column names for the first one, and for the
    others its cells by column, or what is wrong with it; blank ones are left out. Of the
    separators, the file holds the one that divides the first line most often."""
    # The default of 131,072 characters a cell is less than people post.
    csv.field_size_limit(2**31 - 1)
    columns: list[str] | None = None
    # Bytes that are not UTF-8 are kept apart, so that one bad cell does not end the file.
    with _readable(path), path.open(encoding="utf-8-sig", errors=_KEPT, newline="") as file:
        first = next(file, "")
        delimiter = max(separators, key=first.count)
        reader = csv.reader(chain([first], file), delimiter=delimiter, strict=True)
        while True:
            start = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                if "unexpected end" in str(error):
                    what, where = "a quote that is never closed", f"{path}:{start}"
                    raise SourceError(what, where=where, fix=REMEDIES["bad_csv"]) from None
                what = f"not CSV: {error} (lines {start} to {reader.line_num})"
                yield start, SourceRefusal("bad_csv", what)
                continue
            if any(map(_NOT_UTF8.search, cells)):
                yield start, SourceRefusal("invalid_utf8", "not UTF-8")
            elif columns is None and cells:
                columns = [cell.strip() for cell in cells]
                yield start, columns
            elif columns and len(cells) == len(columns):
                yield start, dict(zip(columns, cells, strict=True))
            elif columns and cells:
                what = f"{len(cells)} cells in {len(columns)} columns"
                yield start, SourceRefusal("ragged_row", what)


# JSON and Parquet


def jsonl(path: Path) -> Table:
    """Rows of JSON Lines: one object per line."""

    def rows() -> Rows:
        with _readable(path), path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = line.removeprefix(codecs.BOM_UTF8)  # Joined files have several.
                try:
                    if text.strip():
                        yield number, json.loads(text.decode("utf-8"))
                except UnicodeDecodeError as error:
                    yield number, SourceRefusal("invalid_utf8", f"not UTF-8: {error.reason}")
                except (ValueError, RecursionError) as error:
                    yield number, SourceRefusal("bad_json", str(error))

    return None, rows()


def _json_array(path: Path) -> Table:
    """One array of objects, loaded whole."""
    with _readable(path):
        content = path.read_bytes()
    try:
        values = json.loads(content.decode("utf-8-sig"))
        what = f"the file holds {kind(values)}, not an array of objects"
    except (ValueError, RecursionError) as error:
        values, what = None, f"not JSON in UTF-8: {error}"
    if isinstance(values, list):
        return None, enumerate(values, start=1)
    fix = "Write [{...}, {...}], or one object a line in a .jsonl file."
    raise SourceError(what, where=path, fix=fix)


def open_parquet(path: Path) -> Table:
    """The rows of a Parquet file, a batch of them in memory."""
    with _readable(path):
        file = pq.ParquetFile(path)

    def rows() -> Iterator[object]:
        with _readable(path), file:
            for batch in read_batches(file):
                yield from batch.to_pylist()

    return list(file.schema_arrow.names), enumerate(rows(), start=1)


comma_separated = partial(_delimited, separators=",;\t")
OPENERS: dict[str, Opener] = {
    ".json": _json_array,
    ".jsonl": jsonl,
    ".csv": comma_separated,
    ".tsv": partial(_delimited, separators="\t"),
    ".parquet": open_parquet,
}
"""Openers of files of rows, by suffix."""
FLAT = (".csv", ".tsv")
"""Suffixes of files whose cells hold no lists."""


# What `[source]` names


def locate(given: str, folder: Path) -> Path | None:
    """The file of this path, or None for a Hub id; raises SourceError."""
    path = folder / Path(given).expanduser()
    suffix = path.suffix.lower()
    if not path.exists() and suffix not in OPENERS and looks_like_id(given):
        return None
    if not path.is_file():
        fix = f"Correct the path, which is relative to {folder}."
        what = "is a folder, and a file is wanted" if path.is_dir() else "no such file"
        raise SourceError(what, where=path, fix=fix)
    if suffix not in OPENERS:
        dump = 'or name a dump\'s folder, with format = "stackexchange"'
        fix = f"Use one of {', '.join(OPENERS)}; unpack a packed file first; {dump}."
        raise SourceError(f"unknown kind of file {suffix!r}", where=path, fix=fix)
    return path


def table_hash(given: str, folder: Path) -> str:
    """Identity of a table's content: `b2:` and a hash of its bytes, or `id@commit` with the commit
    that the id means now. Raises SourceError."""
    name, _, revision = given.partition("@")
    if path := locate(given, folder):
        return content_hash(path)
    if re.fullmatch(r"[0-9a-f]{40}", revision):
        return given
    with hub_client(given, "huggingface_hub") as hub:
        return f"{name}@{hub.HfApi().dataset_info(name, revision=revision or None).sha}"


def content_hash(path: Path) -> str:
    """`b2:` and a hash of what the file holds."""
    with path.open("rb") as file:
        return f"b2:{file_digest(file, partial(blake2b, digest_size=16)).hexdigest()}"


# The Hub


def looks_like_id(path: str) -> bool:
    """`org/name`, or `org/name@revision` to hold it to one version."""
    return re.fullmatch(r"[\w.-]+/[\w.-]+(?:@[\w./-]+)?", path) is not None


def open_hub(given: str, rules: SourceRules) -> Table:
    """The rows of a dataset. Raises SourceError."""
    name, _, revision = given.partition("@")
    with hub_client(given, "datasets") as datasets:
        options = {"split": rules.split, "revision": revision or None}
        return hub_table(datasets.load_dataset(name, rules.config, **options))


def hub_table(rows: Any) -> Table:
    """The rows of one split, counted from 1. `datasets` keeps them on disk, not in memory."""
    return list(rows.column_names), enumerate(rows, start=1)


@contextmanager
def hub_client(given: str, module: str) -> Iterator[Any]:
    """A client of the Hub. Raises SourceError for all that it raises."""
    fix = (
        "Check the id, `config` and `split`; a private one needs `hf auth login`. Without network,"
        " name a file, or pin a downloaded version: org/name@<commit>."
    )
    try:
        yield import_module(module)
    except Exception as error:  # whatever the client, the network and the file formats raise
        if isinstance(error, ImportError):
            fix = f"Run {install('hub')}; or give the path of a file."
        what = f"neither a file here nor a dataset of the Hub: {type(error).__name__}: {error}"
        raise SourceError(what, where=given, fix=fix) from None
