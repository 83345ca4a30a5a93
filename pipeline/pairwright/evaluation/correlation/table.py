"""A table of models: one row a model, with its scores on benchmarks and downstream."""

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pairwright.errors import InputError
from pairwright.intervals import Floats
from pairwright.text import visible

LEAST_MODELS = 3
GREATEST_SCORE = 1e100
"""Above it the square of a score may be infinite, and then there is no correlation."""


class ModelTable(NamedTuple):
    """Models with their scores, all in the table's order. Greater is better everywhere."""

    names: tuple[str, ...]
    benchmarks: dict[str, Floats]
    downstream: Floats
    lineages: tuple[str, ...]
    """Which models descend from one another; each its own where the table does not say."""
    has_row_numbers: bool = False
    """Whether the table begins with a column of row numbers, as pandas writes it, which was
    ignored."""


def read_models(
    path: Path, benchmarks: tuple[str, ...], downstream: str, name: str | None, lineage: str | None
) -> ModelTable:
    """Read a CSV table with a header. `name` and `lineage` are columns, and may be left out: the
    first column then names the models. A first column without a name, or called `Unnamed: 0`, that
    numbers the rows is ignored.

    Raises InputError, naming line and column, for a missing column, a cell that is not a finite
    number, a model that is there twice, fewer than three models, and a column whose values
    are all equal, which goes with nothing; and for one column in both places.
    """
    if downstream in benchmarks:
        raise InputError(
            f"{downstream!r} is both the benchmark and the downstream score",
            where=path, fix="Name two columns: a column goes with itself, whatever it holds.",
        )  # fmt: skip
    header, rows, has_row_numbers = _rows(path, name)
    named = name or header[0]
    for column in (*benchmarks, downstream, named, *((lineage,) if lineage else ())):
        if column not in header:
            raise InputError(
                f"there is no column {column!r}", where=f"{path}:1",
                fix=f"Name one of: {', '.join(header)}.",
            )  # fmt: skip
    names: dict[str, int] = {}
    for line, row in rows:
        model = row[named].strip()
        if not model or model in names:
            raise InputError(
                f"the model {model!r} is there twice, first in line {names[model]}"
                if model else "the model has no name",
                where=f"{path}:{line} [{named}]",
                fix="Give every model one row, and a name of its own.",
            )  # fmt: skip
        names[model] = line
    if len(names) < LEAST_MODELS:
        raise InputError(
            f"{len(names)} models, and nothing can be said about fewer than {LEAST_MODELS}",
            where=path, fix="Add the other models that were measured in both ways.",
        )  # fmt: skip
    return ModelTable(
        names=tuple(map(one_line, names)),
        benchmarks={one_line(column): _scores(path, rows, column) for column in benchmarks},
        downstream=_scores(path, rows, downstream),
        lineages=tuple(row[lineage].strip() or row[named] for _, row in rows)
        if lineage
        else tuple(names),
        has_row_numbers=has_row_numbers,
    )


def one_line(name: str) -> str:
    """The name of a column or model as pages and terminals show it: the table is a stranger's."""
    return " ".join(visible(name).split())


def _rows(path: Path, name: str | None) -> tuple[list[str], list[tuple[int, dict[str, str]]], bool]:
    """The header, the rows with their lines, and whether a column of row numbers was left out."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            header = [cell.strip() for cell in next(reader, [])]
            lines = [(line, cells) for line, cells in enumerate(reader, start=2) if cells]
            index = header[:1] != [name] and _index(header, [cells for _, cells in lines])
            named = header[1:] if index else header
            return named, list(_read(path, header, named, lines)), index
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", where=path, fix="Name a CSV file."
        ) from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"not CSV: {error}", where=path, fix="Save it as UTF-8 CSV.") from None


def _index(header: list[str], rows: list[list[str]]) -> bool:
    """Whether the first column numbers the rows: pandas' `to_csv` writes one without a name, and
    its `read_csv` calls it `Unnamed: 0`."""
    if header[:1] not in ([""], ["Unnamed: 0"]) or not rows:
        return False
    numbers = {row[0].strip() for row in rows}
    return len(numbers) == len(rows) and all(map(str.isdecimal, numbers))


def _read(
    path: Path, header: list[str], named: list[str], lines: list[tuple[int, list[str]]]
) -> Iterator[tuple[int, dict[str, str]]]:
    if not named or len(set(named)) < len(named) or "" in named:
        raise InputError(
            "the first line does not name each column once", where=f"{path}:1",
            fix="Write a header such as: model,benchmark,downstream.",
        )  # fmt: skip
    for line, cells in lines:
        if len(cells) != len(header):
            raise InputError(
                f"{len(cells)} cells under a header of {len(header)}", where=f"{path}:{line}",
                fix="Give every row a cell for each column; an empty cell needs its comma, too.",
            )  # fmt: skip
        yield line, dict(zip(named, cells[len(header) - len(named) :], strict=True))


def _scores(path: Path, rows: list[tuple[int, dict[str, str]]], column: str) -> Floats:
    scores = []
    for line, row in rows:
        try:
            # Python alone takes "1_0" for ten.
            score = math.nan if "_" in row[column] else float(row[column])
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise InputError(
                f"{row[column][:40]!r} is not a number", where=f"{path}:{line} [{column}]",
                fix="Give the model's score, or take out the model: none is made up for it.",
            )  # fmt: skip
        scores.append(score)
    if max(map(abs, scores)) > GREATEST_SCORE:
        raise InputError(
            f"a score is beyond {GREATEST_SCORE:g}", where=f"{path} [{column}]",
            fix="Give the scores in a unit that can be computed with.",
        )  # fmt: skip
    if len(set(scores)) == 1:
        raise InputError(
            f"every model has {scores[0]:g}", where=f"{path} [{column}]",
            fix="A column that does not differ can go with nothing: name another.",
        )  # fmt: skip
    return np.array(scores)
