"""The table that a path names: a file by its suffix, or a dataset of the Hugging Face Hub. The only
file that imports `datasets`."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b, file_digest
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pairwright.errors import SourceError
from pairwright.extras import install
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Cells
from pairwright.sources.problems import Problems
from pairwright.sources.tables import OPENERS, SourceTable, numbered

T = TypeVar("T")


class Source(NamedTuple):
    """What a source is read with: its rules, and where its problems go."""

    rules: SourceRules
    domains: Domains
    folder: Path
    """The config's: a relative path starts there."""
    problems: Problems


_COLUMNS = {
    "items": ("id question profile category", ""),
    "posts": ("user text created category", "title url kind"),
    "choices": ("user question option_a option_b choice", "created reason category url"),
    "texts": ("user text", "created title url"),
}
"""By kind of table: the keys whose columns must be there, and those whose columns may be."""


def required_columns(rules: SourceRules, table: str) -> list[str]:
    """The columns that must be there. What the rules name otherwise than usual must be, too."""
    needed, optional = (keys.split() for keys in _COLUMNS[table])
    usual = {name: field.default for name, field in SourceRules.model_fields.items()}
    names = {key: getattr(rules, key, key) for key in (*needed, *optional)}
    may = {*optional, "category"} if rules.default_category else {*optional}
    return [name for key, name in names.items() if key not in may or name != usual[key]]


def open_table(source: Source, given: str, kind: str) -> SourceTable:
    """The rows of the table that `given` names; if it has columns, then those of its kind. Raises
    SourceError."""
    path = _locate(given, source.folder)
    table = OPENERS[path.suffix.lower()](path) if path else _hub_dataset(source.rules, given)
    missing = required_columns(source.rules, kind) if table.columns is not None else []
    there = table.columns or []
    if missing := [name for name in missing if name not in there]:
        fix = (
            f"It has: {', '.join(there[:40])}. Name the right ones in [source], such as"
            ' user = "author"; `format` says what a row is.'
        )
        if "category" in missing:
            fix += " Or set `default_category`."
        what = f"no column {', '.join(missing)}"
        raise SourceError(what, where=f"{table.source}:1", fix=fix)
    return table


def rows_by_user(
    source: Source, table: SourceTable, made: Callable[[str, Cells, str], T]
) -> dict[str, list[T]]:
    """What is made of each row, of its user, its cells and its place, by user; both in the table's
    order. `made` may raise SourceRefusal."""
    by_user: dict[str, list[T]] = {}
    for row in source.problems.sound(table.rows):
        with source.problems.row(row.where) as read:
            cells = Cells(row.fields, source.rules)
            read.id = user = cells.user(source.rules.user)
            one = made(user, cells, row.where)
            by_user.setdefault(user, []).append(one)
    return by_user


def table_hash(given: str, folder: Path) -> str:
    """What identifies a table's content: a hash of its bytes, or `id@commit`."""
    path = _locate(given, folder)
    return content_hash(path) if path else _hub_commit(given)


def content_hash(path: Path) -> str:
    """`b2:` and a hash of what the file holds."""
    with path.open("rb") as file:
        return f"b2:{file_digest(file, partial(blake2b, digest_size=16)).hexdigest()}"


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
    name, _, revision = given.partition("@")
    with _hub(given, "datasets") as datasets:
        loaded = datasets.load_dataset(
            name, rules.config, split=rules.split, revision=revision or None
        )
    return SourceTable(given, list(loaded.column_names), numbered(given, loaded))


def _hub_commit(given: str) -> str:
    """`org/name@commit`, with the commit that the id means now."""
    name, _, revision = given.partition("@")
    if _COMMIT.fullmatch(revision):
        return given
    with _hub(given, "huggingface_hub") as hub:
        return f"{name}@{hub.HfApi().dataset_info(name, revision=revision or None).sha}"


@contextmanager
def _hub(given: str, module: str) -> Iterator[Any]:
    """A client of the Hub. Raises SourceError for all that it raises."""
    try:
        yield import_module(module)
    except ImportError:
        what, fix = f"{module!r} is missing", f"Run {install('hub')}; or give the path of a file."
    except Exception as error:  # whatever the client, the network and the file formats raise
        what = f"{type(error).__name__}: {error}"
        fix = (
            "Check the id, `config` and `split`; a private one needs `hf auth login`. Without"
            " network, name a file, or pin a downloaded version: org/name@<commit>."
        )
    else:
        return
    what = f"neither a file here nor a dataset of the Hub that can be loaded: {what}"
    raise SourceError(what, where=given, fix=fix)
