"""The table that the rules' path names: a file by its suffix, or a dataset of the Hub."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.errors import SourceError
from pairwright.settings.source_rules import SourceRules
from pairwright.sources import choice_rows, hub, items, posts
from pairwright.sources.delimited import comma_separated, tab_separated
from pairwright.sources.json_files import json_array, jsonl
from pairwright.sources.parquet import open_parquet
from pairwright.sources.problems import SourceProblem
from pairwright.sources.source_table import Opener, SourceRow, SourceTable

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
    if path.is_file():
        _check_readable(path)
        return path
    if path.is_dir():
        raise SourceError("a folder, not a file", where=path, fix=f"Name a file in it. {_DUMP_FIX}")
    if path.suffix.lower() not in OPENERS and hub.looks_like_id(rules.path):
        return None
    raise SourceError(
        "no such file", where=path, fix=f"`path` is relative to {folder}: correct it."
    )


def open_table(rules: SourceRules, folder: Path) -> SourceTable:
    """The source's rows, once its columns are known to be the right ones; raises SourceError."""
    path = locate(rules, folder)
    table = hub.dataset(rules) if path is None else _open(path, rules)
    required = {"items": items, "choices": choice_rows}.get(rules.format, posts).required
    return _with_columns(table, required(rules), rules)


def open_texts(rules: SourceRules, folder: Path) -> SourceTable | None:
    """The table of what users wrote beside their choices, if there is one; raises SourceError."""
    if rules.texts is None:
        return None
    rules = rules.model_copy(update={"path": rules.texts})
    path = locate(rules, folder)
    table = hub.dataset(rules) if path is None else _open(path, rules)
    return _with_columns(table, choice_rows.text_columns(rules), rules, beside=True)


def _open(path: Path, rules: SourceRules) -> SourceTable:
    suffix = path.suffix.lower()
    if suffix not in OPENERS:
        raise SourceError(
            f"unknown kind of file {suffix!r}",
            where=path,
            fix=_DUMP_FIX
            if suffix in (".xml", ".7z")
            else f"Use one of {', '.join(OPENERS)}; unpack a packed file first.",
        )
    if rules.format == "items" and suffix in FLAT:
        raise SourceError(
            f"{suffix} cannot hold items, because a profile is a list",
            where=path,
            fix='Use .json, .jsonl or .parquet; or set format = "posts" if each row is one post.',
        )
    return OPENERS[suffix](path)


def _check_readable(path: Path) -> None:
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise SourceError(
            f"cannot be read: {error.strerror}", where=path, fix="Check its permissions."
        ) from None
    if empty:
        raise SourceError("the file is empty", where=path, fix="Write or download it again.")


SHOWN = 40
"""Columns that a message names."""


def _with_columns(
    table: SourceTable, needed: list[str], rules: SourceRules, *, beside: bool = False
) -> SourceTable:
    """The table, if it has the columns needed; `beside` is of texts beside choices. Raises
    SourceError, and where only rows know their columns after the last of them: there a column is
    missed that the rules name and no row has."""
    if table.columns is not None:
        _check_columns(table.source, table.columns, needed, rules, beside=beside)
        return table
    defaults = {field.default for field in SourceRules.model_fields.values()}
    named = [name for name in needed if name not in defaults]

    def rows() -> Iterator[SourceRow | SourceProblem]:
        there: dict[str, None] = {}
        for row in table.rows:
            if isinstance(row, SourceRow):
                there |= dict.fromkeys(row.fields)
            yield row
        if there and rules.format != "items":
            _check_columns(table.source, list(there), named, rules, beside=beside)

    return table._replace(rows=rows())


def _check_columns(
    source: str, columns: list[str], needed: list[str], rules: SourceRules, *, beside: bool
) -> None:
    missing = [name for name in needed if name not in columns]
    if not missing:
        return
    shown, more = ", ".join(columns[:SHOWN]), len(columns) - SHOWN
    fix = f"It has: {shown}{f' and {more:,} more' if more > 0 else ''}. "
    if rules.format == "posts":
        fix += "Name the right ones in `user`, `text`, `created`, `title`, `category`, `url`"
    elif rules.format == "choices":
        fix += "Name the right ones in `user`, `question`, `option_a`, `option_b`, `choice`, `text`"
    else:
        fix += 'Rename them, or set format = "posts" if each row is one post'
    if any(";" in name or "\t" in name for name in columns):
        fix += "; only one of comma, semicolon and tab can separate the cells of a .csv"
    if beside:
        fix += "; `created` and the like name the column in both files: call it the same in both"
    if missing == ["category"]:
        fix += "; or set `default_category`"
    raise SourceError(f"no column {', '.join(missing)}", where=f"{source}:1", fix=f"{fix}.")
