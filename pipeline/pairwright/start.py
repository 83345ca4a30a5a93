"""`init`: a folder to start from, with an example or with the configuration for one's own file."""

import os
import re
import shutil
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from string import Template
from typing import Annotated, Literal

import tomli_w
from typer import Argument, Option

from pairwright import assets
from pairwright.errors import InputError, near
from pairwright.files import write_whole
from pairwright.options import ColumnMap
from pairwright.pairs.columns import read_map
from pairwright.progress import Note, Progress, log_notes
from pairwright.settings.rules import COLUMNS, columns_of
from pairwright.sources.tables import OPENERS, SourceRow, check_file


def start_study(
    folder: Annotated[Path | str, Argument(help="A new or empty folder.", metavar="DIR")],
    *,
    posts: Annotated[Path | str | None, Option(help="Your users' posts.", metavar="FILE")] = None,
    choices: Annotated[
        Path | str | None, Option(help="Your users' choices.", metavar="FILE")
    ] = None,
    columns: ColumnMap = (),
    example: Annotated[
        Literal["twins", "choices"], Option(help="The example, if you have no file.")
    ] = "twins",
    progress: Progress = log_notes,
) -> Path:
    """Write a configuration for your own posts or choices, or an example that works.

    A row of FILE is a post (user, text, created), an item (question, profile) or a choice (user,
    question, option_a, option_b, choice). WHAT is one of these, COLUMN its name in the file.
    `--posts` also takes the folder of a Stack Exchange dump.

    Raises InputError if `folder` is not new or empty, or the file lacks a column. Returns the path
    of the configuration.

    Examples::

        pairwright init study && pairwright build study/pairwright.toml --run study/run
        pairwright init own --posts forum.csv --column user=author
        pairwright init own --choices ab_log.csv
        pairwright init own --example choices
    """
    folder, file = Path(folder), posts or choices
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "exists and is not an empty folder"
        raise InputError(what, where=folder, fix="Give the name of a new folder.")
    if (posts and choices) or (columns and not file):
        where = "--choices" if file else "--column"
        what = "does not go with --posts" if file else "names a column of no file"
        raise InputError(what, where=where, fix="Give one of --posts FILE and --choices FILE.")
    config = folder / "pairwright.toml"
    if file:
        source = tomli_w.dumps(
            {"source": _source(Path(file), folder, columns, choices is not None, progress)}
        )
        words = assets.EXAMPLES / "own" / ("choices.toml" if choices else "posts.toml")
        write_whole(config, Template(words.read_text(encoding="utf-8")).substitute(source=source))
    else:
        name = "choices" if example == "choices" else "recorded"
        shutil.copytree(assets.EXAMPLES / name, folder, dirs_exist_ok=True)
    if posts or (not file and example == "twins"):
        shutil.copytree(assets.PROMPTS, folder / "prompts")
    if not choices:
        shutil.copytree(assets.RUBRICS, folder / "rubrics")
    return config


def _source(
    file: Path, folder: Path, given: Iterable[str], choices: bool, progress: Progress
) -> dict[str, object]:
    """The table [source] of a configuration in `folder`. Raises InputError for a file that is no
    table or lacks a column."""
    path = os.path.relpath(file.resolve(), folder.resolve())
    if file.is_dir() and not choices:
        return {"format": "stackexchange", "path": path}
    kinds = f"Give a table: {', '.join(OPENERS)}."
    beside = [one.name for one in file.absolute().parent.glob("*") if one.suffix in OPENERS]
    check_file(file, kinds + near(file.name, beside))
    if (opener := OPENERS.get(file.suffix.lower())) is None:
        raise InputError(f"unknown kind of file {file.suffix!r}", where=file, fix=kinds)
    table = opener(file)
    rows = (row.fields for row in islice(table.rows, 100) if isinstance(row, SourceRow))
    there = table.columns or list(dict.fromkeys(name for fields in rows for name in fields))
    format = "choices" if choices else "items" if "profile" in there else "posts"
    columns = read_map(given, columns_of(format), "--column")
    needed = dict.fromkeys([*columns, *COLUMNS[format][0].split()])
    asked = {one: columns.get(one, one) for one in needed if one in columns or one != "category"}
    if missing := {name: column for name, column in asked.items() if column not in there}:
        named = ", ".join(map(repr, missing.values()))
        options = " ".join(f"--column {name}=NAME" for name in missing)
        fix = f"Say which it is: {options}. The file has: {', '.join(there[:40])}."
        fix += next(filter(None, (near(column, there) for column in missing.values())), "")
        if "choice" in missing:
            fix += " If `taken` and `refused` hold the two responses: --column option_a=taken"
            fix += " --column option_b=refused --column choice=taken."
        what = f"no column {named}" if len(missing) == 1 else f"no columns {named}"
        raise InputError(what, where=file, fix=fix)
    if choices and columns.get("created", "created") not in there:
        times = [one for one in there if re.search("time|date|_at$|^ts$|stamp", one, re.IGNORECASE)]
        line = "No column `created`, so a user's earlier choices are not used as history."
        line += f" Is it {times[0]!r}? Then add --column created={times[0]}." if times else ""
        progress(Note(line))
    has_category = columns.get("category", "category") in there
    other: dict[str, object] = {} if has_category else {"default_category": "other"}
    return {"format": format, "path": path, **other, **({"columns": columns} if columns else {})}
