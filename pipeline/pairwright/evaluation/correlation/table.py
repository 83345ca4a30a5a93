"""A table of models: one row a model, with its scores on benchmarks and downstream."""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pairwright.errors import InputError
from pairwright.sources.tables import SourceRow, comma_separated, sound_rows
from pairwright.stats import Floats
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
    columns, every = sound_rows(path, comma_separated, "Give each model a row of as many cells.")
    rows = list(every)
    header = columns[columns[:1] != [name] and _number_rows(columns, rows) :]
    if not header or "" in header:
        raise InputError(
            "the first line does not name each column", where=f"{path}:1",
            fix="Write a header such as: model,benchmark,downstream.",
        )  # fmt: skip
    named = name or header[0]
    for column in (*benchmarks, downstream, named, *((lineage,) if lineage else ())):
        if column not in header:
            raise InputError(
                f"there is no column {column!r}", where=f"{path}:1",
                fix=f"Name one of: {', '.join(header)}.",
            )  # fmt: skip
    names: dict[str, str] = {}
    for where, row in rows:
        model = row[named].strip()
        if not model or model in names:
            raise InputError(
                f"the model {model!r} is there twice, first in line {names[model]}"
                if model else "the model has no name",
                where=f"{where} [{named}]",
                fix="Give every model one row, and a name of its own.",
            )  # fmt: skip
        names[model] = where.rpartition(":")[2]
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
    )


def one_line(name: str) -> str:
    """The name of a column or model as pages and terminals show it: the table is a stranger's."""
    return " ".join(visible(name).split())


def _number_rows(header: list[str], rows: list[SourceRow]) -> bool:
    """Whether the first column numbers the rows: pandas' `to_csv` writes one without a name, and
    its `read_csv` calls it `Unnamed: 0`."""
    if header[:1] not in ([""], ["Unnamed: 0"]) or not rows:
        return False
    numbers = {row.fields[header[0]].strip() for row in rows}
    return len(numbers) == len(rows) and all(map(str.isdecimal, numbers))


def _scores(path: Path, rows: list[SourceRow], column: str) -> Floats:
    scores = []
    for where, row in rows:
        try:
            # Python alone takes "1_0" for ten.
            score = math.nan if "_" in row[column] else float(row[column])
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise InputError(
                f"{row[column][:40]!r} is not a number", where=f"{where} [{column}]",
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
