"""The table that a path names: a file by its suffix, or a dataset of the Hugging Face Hub. The only
file that imports `datasets`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pairwright.errors import SourceError
from pairwright.extras import install
from pairwright.records import Item
from pairwright.settings.rules import SourceRules
from pairwright.sources.choosers import Chooser
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
Choosers = Iterator[Chooser | SourceProblem]


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


def _locate(given: str, folder: Path) -> Path | None:
    """The file of this path, or None for a Hub id; raises SourceError."""
    path = folder / Path(given).expanduser()
    lost = f"`path` is relative to {folder}: correct it."
    if path.is_file():
        check_readable(path, lost)
        return path
    if path.is_dir():
        raise SourceError("a folder, not a file", where=path, fix=f"Name a file in it. {_DUMP_FIX}")
    if path.suffix.lower() not in OPENERS and looks_like_id(given):
        return None
    raise SourceError("no such file", where=path, fix=lost)


def open_table(
    rules: SourceRules, given: str, folder: Path, columns: list[str], advice: str
) -> SourceTable:
    """The rows of the table of this path, once it has these columns, or else with the advice.
    Raises SourceError; if only rows know their columns after the last of them: there a column is
    missed that the rules rename and no row has."""
    path = _locate(given, folder)
    table = _hub_dataset(rules, given) if path is None else _open(path, lists="profile" in columns)
    if table.columns is not None:
        _check_columns(table.source, table.columns, columns, advice)
        return table
    usual = {field.default for field in SourceRules.model_fields.values()}
    renamed = [name for name in columns if name not in usual]

    def rows() -> Iterator[SourceRow | SourceProblem]:
        there: dict[str, None] = {}
        for row in table.rows:
            if isinstance(row, SourceRow):
                there |= dict.fromkeys(row.fields)
            yield row
        if there and "profile" not in columns:
            _check_columns(table.source, list(there), renamed, advice)

    return table._replace(rows=rows())


def table_hash(given: str, folder: Path) -> str:
    """What identifies a table's content: a hash of its bytes, or `id@commit`."""
    path = _locate(given, folder)
    return fingerprint(given) if path is None else content_hash([path])


def _open(path: Path, *, lists: bool) -> SourceTable:
    suffix = path.suffix.lower()
    if suffix not in OPENERS:
        fix = f"Use one of {', '.join(OPENERS)}; unpack a packed file first."
        fix = _DUMP_FIX if suffix == ".xml" else fix
        raise SourceError(f"unknown kind of file {suffix!r}", where=path, fix=fix)
    if lists and suffix in FLAT:
        raise SourceError(
            f"{suffix} cannot hold items, because a profile is a list",
            where=path,
            fix='Use .json, .jsonl or .parquet; or set format = "posts" if each row is one post.',
        )
    return OPENERS[suffix](path)


SHOWN = 40
"""Columns that a message names."""


def _check_columns(source: str, columns: list[str], needed: list[str], advice: str) -> None:
    missing = [name for name in needed if name not in columns]
    if not missing:
        return
    shown, more = ", ".join(columns[:SHOWN]), len(columns) - SHOWN
    fix = f"It has: {shown}{f' and {more:,} more' if more > 0 else ''}. {advice}"
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


def _hub_dataset(rules: SourceRules, given: str) -> SourceTable:
    """The rows of one split, counted from 1. `datasets` keeps them on disk, not in memory."""
    datasets = _import("datasets", given)
    name, _, revision = given.partition("@")
    try:
        loaded = datasets.load_dataset(
            name, rules.config, split=rules.split, revision=revision or None
        )
    except Exception as error:  # whatever datasets, the network and the file formats raise
        raise _unusable(given, error) from error
    return SourceTable(given, list(loaded.column_names), numbered(given, loaded))


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
