"""The table that a path names: a file by its suffix, or a dataset of the Hugging Face Hub. The only
file that imports `datasets`."""

import os
import re
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.errors import SourceError
from pairwright.extras import install
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.problems import Problems
from pairwright.sources.tables import OPENERS, SourceTable, numbered

SHOWN = 40
"""Columns that a message names."""


class Source(NamedTuple):
    """What a source is read with: its rules, and where its problems go."""

    rules: SourceRules
    domains: Domains
    folder: Path
    """The config's: a relative path starts there."""
    problems: Problems


def required_columns(rules: SourceRules, needed: str, optional: str = "") -> list[str]:
    """The columns that must be there: those of the keys `needed`, and of the keys `optional` by
    which the rules name another than the usual one."""
    usual = SourceRules.model_fields
    keys = needed.split()
    keys += [key for key in optional.split() if getattr(rules, key) != usual[key].default]
    return [getattr(rules, key) for key in keys]


def open_table(source: Source, given: str, columns: list[str]) -> SourceTable:
    """The rows of the table that `given` names, which must have these columns if it has columns.
    Raises SourceError."""
    path = _locate(given, source.folder)
    table = OPENERS[path.suffix.lower()](path) if path else _hub_dataset(source.rules, given)
    there = columns if table.columns is None else table.columns
    if missing := [name for name in columns if name not in there]:
        fix = (
            f"It has: {', '.join(there[:SHOWN])}. Name the right ones in [source], such as"
            ' user = "author"; `format` says what a row is.'
        )
        if "category" in missing:
            fix += " Or set `default_category`."
        what = f"no column {', '.join(missing)}"
        raise SourceError(what, where=f"{table.source}:1", fix=fix)
    return table


def table_hash(given: str, folder: Path) -> str:
    """What identifies a table's content: a hash of its bytes, or `id@commit`."""
    path = _locate(given, folder)
    return content_hash(path) if path else _hub_commit(given)


def content_hash(path: Path) -> str:
    """`b2:` and a hash of what the file holds."""
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return f"b2:{digest.hexdigest()}"


def check_file(path: Path, fix: str) -> None:
    """Raises SourceError for what is not a file that can be read."""
    if not path.is_file() or not os.access(path, os.R_OK):
        what = "not a file that can be read" if path.exists() else "no such file"
        raise SourceError(what, where=path, fix=fix)


def _locate(given: str, folder: Path) -> Path | None:
    """The file of this path, or None for a Hub id; raises SourceError."""
    path = folder / Path(given).expanduser()
    suffix = path.suffix.lower()
    if not path.exists() and suffix not in OPENERS and looks_like_id(given):
        return None
    dump = 'or name a dump\'s folder, with format = "stackexchange"'
    check_file(path, f"`path` is relative to {folder}: correct it; {dump}.")
    if suffix not in OPENERS:
        fix = f"Use one of {', '.join(OPENERS)}; unpack a packed file first; {dump}."
        raise SourceError(f"unknown kind of file {suffix!r}", where=path, fix=fix)
    return path


# The Hub

_ID = re.compile(r"[\w.-]+/[\w.-]+(?:@[\w./-]+)?")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def looks_like_id(path: str) -> bool:
    """`org/name`, or `org/name@revision` to hold it to one version."""
    return _ID.fullmatch(path) is not None


def _hub_dataset(rules: SourceRules, given: str) -> SourceTable:
    """The rows of one split, counted from 1. `datasets` keeps them on disk, not in memory."""
    datasets = _imported("datasets", given)
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
    hub = _imported("huggingface_hub", given)
    try:
        info = hub.HfApi().dataset_info(name, revision=revision or None)
    except Exception as error:
        raise _unusable(given, error) from error
    return f"{name}@{info.sha}"


def _imported(module: str, given: str) -> Any:
    try:
        return import_module(module)
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
