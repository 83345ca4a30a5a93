"""What a format of sources is, and the table that the rules' path names: a file by its suffix, or a
dataset of the Hugging Face Hub. The only file that imports `datasets`."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.errors import SourceError
from pairwright.extras import install
from pairwright.records import Item
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.choosers import Chooser, Voter
from pairwright.sources.problems import SourceProblem
from pairwright.sources.source_table import (
    Opener,
    SourceRow,
    SourceTable,
    check_readable,
    content_hash,
    numbered,
)
from pairwright.sources.table_files import (
    comma_separated,
    json_array,
    jsonl,
    open_parquet,
    tab_separated,
)

Items = Iterator[Item | SourceProblem]
Choosers = Iterator[Chooser | Voter | SourceProblem]


class SourceFormat(NamedTuple):
    """How a source of one format is read: its items, or the people who chose.

    A reader gives the source as messages name it, and its records after their problems; `content`
    what identifies the content. Each raises SourceError.
    """

    content: Callable[[SourceRules, Path], str]
    items: Callable[[SourceRules, Domains, Path], tuple[str, Items]] | None = None
    choosers: Callable[[SourceRules, Domains, Path], tuple[str, Choosers]] | None = None


class TableColumns(NamedTuple):
    """The columns that a table must have."""

    names: list[str]
    advice: str
    """What to do where one is missing."""
    lists: bool = False
    """Whether cells hold lists, so that neither a flat file nor the first row tells the columns."""


def renamed_keys(rules: SourceRules, *keys: str) -> list[str]:
    """Those of the keys by which the rules name another column than the usual one."""
    usual = SourceRules.model_fields
    return [key for key in keys if getattr(rules, key) != usual[key].default]


OPENERS: dict[str, Opener] = {
    ".json": json_array,
    ".jsonl": jsonl,
    ".csv": comma_separated,
    ".tsv": tab_separated,
    ".parquet": open_parquet,
}
"""By suffix, how a file of rows is opened."""
BINARY = (".parquet",)
"""Suffixes of files that are not text, and that nobody packs with gzip."""
_DUMP_FIX = 'If it is the dump of a site, set format = "stackexchange".'
FLAT = (".csv", ".tsv")
"""Suffixes of files whose cells hold no lists."""


def locate(rules: SourceRules, folder: Path) -> Path | None:
    """The file that the rules name, or None for a Hub id; raises SourceError."""
    path = folder / Path(rules.path).expanduser()
    lost = f"`path` is relative to {folder}: correct it."
    if path.is_file():
        check_readable(path, lost)
        return path
    if path.is_dir():
        raise SourceError("a folder, not a file", where=path, fix=f"Name a file in it. {_DUMP_FIX}")
    if path.suffix.lower() not in OPENERS and looks_like_id(rules.path):
        return None
    raise SourceError("no such file", where=path, fix=lost)


def open_table(rules: SourceRules, folder: Path, columns: TableColumns) -> SourceTable:
    """The source's rows, once its columns are known to be the right ones; raises SourceError."""
    path = locate(rules, folder)
    table = hub_dataset(rules) if path is None else _open(path, lists=columns.lists)
    return _with_columns(table, columns)


def table_hash(rules: SourceRules, folder: Path) -> str:
    """What identifies a table's content: a hash of its bytes, or `id@commit`."""
    path = locate(rules, folder)
    return fingerprint(rules.path) if path is None else content_hash([path])


def _open(path: Path, *, lists: bool) -> SourceTable:
    suffix = path.suffix.lower()
    if suffix not in OPENERS:
        raise SourceError(
            f"unknown kind of file {suffix!r}",
            where=path,
            fix=_DUMP_FIX
            if suffix == ".xml"
            else f"Use one of {', '.join(OPENERS)}; unpack a packed file first.",
        )
    if lists and suffix in FLAT:
        raise SourceError(
            f"{suffix} cannot hold items, because a profile is a list",
            where=path,
            fix='Use .json, .jsonl or .parquet; or set format = "posts" if each row is one post.',
        )
    return OPENERS[suffix](path)


SHOWN = 40
"""Columns that a message names."""


def _with_columns(table: SourceTable, needed: TableColumns) -> SourceTable:
    """The table, if it has the columns needed. Raises SourceError, and where only rows know their
    columns after the last of them: there a column is missed that the rules name and no row has."""
    if table.columns is not None:
        check_columns(table.source, table.columns, needed)
        return table
    defaults = {field.default for field in SourceRules.model_fields.values()}
    named = [name for name in needed.names if name not in defaults]

    def rows() -> Iterator[SourceRow | SourceProblem]:
        there: dict[str, None] = {}
        for row in table.rows:
            if isinstance(row, SourceRow):
                there |= dict.fromkeys(row.fields)
            yield row
        if there and not needed.lists:
            check_columns(table.source, list(there), needed._replace(names=named))

    return table._replace(rows=rows())


def check_columns(source: str, columns: list[str], needed: TableColumns) -> None:
    """Raises SourceError where a column is missing."""
    missing = [name for name in needed.names if name not in columns]
    if not missing:
        return
    shown, more = ", ".join(columns[:SHOWN]), len(columns) - SHOWN
    fix = f"It has: {shown}{f' and {more:,} more' if more > 0 else ''}. {needed.advice}"
    if any(";" in name or "\t" in name for name in columns):
        fix += "; only one of comma, semicolon and tab can separate the cells of a .csv"
    if missing == ["category"]:
        fix += "; or set `default_category`"
    raise SourceError(f"no column {', '.join(missing)}", where=f"{source}:1", fix=f"{fix}.")


_ID = re.compile(r"[\w.-]+/[\w.-]+(?:@[\w./-]+)?")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def looks_like_id(path: str) -> bool:
    """`org/name`, or `org/name@revision` to hold it to one version."""
    return _ID.fullmatch(path) is not None


def hub_dataset(rules: SourceRules) -> SourceTable:
    """The rows of one split, counted from 1. `datasets` keeps them on disk, not in memory."""
    datasets = _import("datasets", rules.path)
    name, _, revision = rules.path.partition("@")
    try:
        loaded = datasets.load_dataset(
            name, rules.config, split=rules.split, revision=revision or None
        )
    except Exception as error:  # whatever datasets, the network and the file formats raise
        raise _unusable(rules.path, error) from error
    return SourceTable(rules.path, list(loaded.column_names), numbered(rules.path, loaded))


def fingerprint(path: str) -> str:
    """`org/name@commit`, with the commit that the id means now."""
    name, _, revision = path.partition("@")
    if _COMMIT.fullmatch(revision):
        return path
    hub = _import("huggingface_hub", path)
    try:
        info = hub.HfApi().dataset_info(name, revision=revision or None)
    except Exception as error:
        raise _unusable(path, error) from error
    return f"{name}@{info.sha}"


def _import(module: str, path: str) -> Any:
    try:
        return __import__(module)
    except ImportError:
        raise SourceError(
            f"this file does not exist, and to read it as a Hugging Face id `{module}` is missing",
            where=path,
            fix=f"Run {install('hub')}; or give the path of a file.",
        ) from None


def _unusable(path: str, error: Exception) -> SourceError:
    return SourceError(
        f"neither a file here nor a dataset that could be loaded: {type(error).__name__}: {error}",
        where=path,
        fix="Check the id, `config` and `split`; a private one needs `hf auth login`. "
        "Without network, name a file, or pin a downloaded version: org/name@<commit>.",
    )
