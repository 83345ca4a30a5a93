"""The table that a path names: a file by its suffix, or a dataset of the Hugging Face Hub. The only
file that imports `datasets`."""

import re
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.errors import SourceError
from pairwright.extras import install
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.problems import Problems
from pairwright.sources.tables import AGAIN, FLAT, OPENERS, Rows, SourceRow, SourceTable, numbered

_DUMP_FIX = 'If it is the dump of a site, set format = "stackexchange".'
SHOWN = 40
"""Columns that a message names."""


class Source(NamedTuple):
    """What a source is read with: its rules, and where its problems go."""

    rules: SourceRules
    domains: Domains
    folder: Path
    """The config's: a relative path starts there."""
    problems: Problems

    def of_one_user(self) -> "Source":
        """The same for one user, whose posts may be in several items: a problem counts once."""
        return Source(self.rules, self.domains, self.folder, self.problems.once())


def open_table(source: Source, given: str, columns: list[str], advice: str) -> SourceTable:
    """The rows of the table that `given` names, which must have these columns; `advice` is what to
    do if one is missing.

    Raises SourceError; if only rows know their columns, after the last of them, for a column that
    the rules rename and no row has.
    """
    path = _locate(given, source.folder)
    table = (
        _hub_dataset(source.rules, given)
        if path is None
        else _open(path, lists="profile" in columns)
    )
    if table.columns is not None:
        _check_columns(table.source, table.columns, columns, advice)
        return table
    usual = {field.default for field in SourceRules.model_fields.values()}
    renamed = [name for name in columns if name not in usual]

    def rows() -> Rows:
        there: dict[str, None] = {}
        for row in table.rows:
            if isinstance(row, SourceRow):
                there.update(dict.fromkeys(row.fields))
            yield row
        if there and "profile" not in columns:
            _check_columns(table.source, list(there), renamed, advice)

    return SourceTable(table.source, None, rows())


def table_hash(given: str, folder: Path) -> str:
    """What identifies a table's content: a hash of its bytes, or `id@commit`."""
    path = _locate(given, folder)
    return _hub_commit(given) if path is None else content_hash(path)


def content_hash(path: Path) -> str:
    """`b2:` and a hash of what the file holds."""
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return f"b2:{digest.hexdigest()}"


def renamed_keys(rules: SourceRules, *keys: str) -> list[str]:
    """Those of the keys by which the rules name another column than the usual one."""
    usual = SourceRules.model_fields
    return [key for key in keys if getattr(rules, key) != usual[key].default]


def check_readable(path: Path, missing: str) -> None:
    """Raises SourceError for a file that is not there (`missing` is what to do then), that cannot
    be read, or that is empty."""
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except FileNotFoundError:
        raise SourceError("no such file", where=path, fix=missing) from None
    except OSError as error:
        raise SourceError(
            f"cannot be read: {error.strerror}", where=path, fix="Check its permissions."
        ) from None
    if empty:
        raise SourceError("the file is empty", where=path, fix=AGAIN)


def _locate(given: str, folder: Path) -> Path | None:
    """The file of this path, or None for a Hub id; raises SourceError."""
    path = folder / Path(given).expanduser()
    if path.is_dir():
        raise SourceError("a folder, not a file", where=path, fix=f"Name a file in it. {_DUMP_FIX}")
    if not path.is_file() and path.suffix.lower() not in OPENERS and looks_like_id(given):
        return None
    check_readable(path, f"`path` is relative to {folder}: correct it.")
    return path


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


# The Hub

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


def _hub_commit(given: str) -> str:
    """`org/name@commit`, with the commit that the id means now."""
    name, _, revision = given.partition("@")
    if _COMMIT.fullmatch(revision):
        return given
    hub = _import("huggingface_hub", given)
    try:
        info = hub.HfApi().dataset_info(name, revision=revision or None)
    except Exception as error:
        raise _unusable(given, error) from error
    return f"{name}@{info.sha}"


def _import(module: str, given: str) -> Any:
    try:
        return __import__(module)
    except ImportError:
        raise SourceError(
            f"this file does not exist, and to read it as a Hugging Face id `{module}` is missing",
            where=given,
            fix=f"Run {install('hub')}; or give the path of a file.",
        ) from None


def _unusable(given: str, error: Exception) -> SourceError:
    return SourceError(
        f"neither a file here nor a dataset that could be loaded: {type(error).__name__}: {error}",
        where=given,
        fix="Check the id, `config` and `split`; a private one needs `hf auth login`. "
        "Without network, name a file, or pin a downloaded version: org/name@<commit>.",
    )
