"""`init`: a folder to start from, with an example or with the configuration for one's own file."""

import os
import shutil
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from string import Template
from typing import Annotated, Literal

import tomli_w
from typer import Argument, Option

from pairwright import assets
from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright.options import ColumnMap
from pairwright.pairs.columns import read_map
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules, columns_of
from pairwright.sources import Problems, nothing_usable, read, read_choosers
from pairwright.sources.tables import OPENERS


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
) -> Path:
    """Write a configuration for your own posts or choices, or an example that works.

    A row of FILE is a post (user, text, created), an item (question, profile) or a choice (user,
    question, option_a, option_b, choice). WHAT is one of these, COLUMN its name in the file.
    `--posts` also takes the folder of a Stack Exchange dump.

    Raises InputError if `folder` is not new or empty, or a build could not use one row of the file.
    Returns the path of the configuration.

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
        table = _source(Path(file), folder, columns, choices is not None)
        source = tomli_w.dumps({"source": table})
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


def _source(file: Path, folder: Path, given: Iterable[str], choices: bool) -> dict[str, object]:
    """The table [source] of a configuration in `folder`. Raises what a build of it would raise."""
    path = os.path.relpath(file.resolve(), folder.resolve())
    if file.is_dir() and not choices:
        return {"format": "stackexchange", "path": path}
    if (opener := OPENERS.get(file.suffix.lower())) is None or not file.is_file():
        what = "no such file" if opener else f"unknown kind of file {file.suffix!r}"
        raise InputError(what, where=file, fix=f"Give a table: {', '.join(OPENERS)}.")
    known, rows = opener(file)
    first = (fields for _, fields in islice(rows, 100) if isinstance(fields, dict))
    there = known or list(chain.from_iterable(first))
    format = "choices" if choices else "items" if "profile" in there else "posts"
    columns = read_map(given, columns_of(format), "--column")
    source: dict[str, object] = {"format": format, "path": path}
    if columns.get("category", "category") not in there:
        source["default_category"] = "other"
    source |= {"columns": columns} if columns else {}
    rules = SourceRules.model_validate(source | {"path": str(file.resolve())})
    problems = Problems()
    source_of = rules, Domains.load(assets.RUBRICS), folder, problems
    if next(read_choosers(*source_of) if choices else read(*source_of), None) is None:
        raise nothing_usable(rules, folder, problems)
    return source
