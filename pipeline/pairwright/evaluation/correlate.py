"""Correlate benchmarks with a downstream score over the same models: `downstream correlate`.

The interval of a measure is a jackknife: each lineage is left out in turn, because models that
descend from one another are not independent. No model is ever there twice, so no tie is made that
the scores do not have, as a bootstrap makes one of every model that it draws again.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata, weightedtau
from typer import Argument, Option

from pairwright.errors import InputError
from pairwright.evaluation.downstream import Downstream, Figure
from pairwright.pages.output import output_folder
from pairwright.sources.tables import SourceRow, comma_separated, sound_rows
from pairwright.stats import Floats, Places, jackknife
from pairwright.text import number_of, visible

LEAST_MODELS = 3
P_RBO = 0.9
"""The persistence p of RBO: the weight of lower ranks."""


class RankMeasure(NamedTuple):
    """A measure with how it is to be read."""

    name: str
    compute: Callable[[Floats, Floats], Floats]
    least: float
    """The least value that it can have; the greatest is 1."""
    note: str


def spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's correlation: Pearson's of the ranks, which tied models share."""
    a, b = rankdata(x, axis=-1), rankdata(y, axis=-1)
    da, db = a - a.mean(axis=-1, keepdims=True), b - b.mean(axis=-1, keepdims=True)
    return _ratio((da * db).sum(axis=-1), np.sqrt((da**2).sum(axis=-1) * (db**2).sum(axis=-1)))


def weighted_tau(x: Floats, y: Floats) -> Floats:
    """Vigna, A weighted correlation index for rankings with ties (2015): the top counts most."""
    tau = np.vectorize(lambda a, b: weightedtau(a, b).statistic, signature="(n),(n)->()")
    taus: Floats = tau(x, y)
    return taus


def ndcg(x: Floats, y: Floats, gain: Literal["rank", "score"] = "rank") -> Floats:
    """Järvelin and Kekäläinen (2002): the downstream gain of the benchmark's order over that of
    the best order. Models that the benchmark ties share the mean of their discounts.

    Raises ValueError for gains below zero.
    """
    gains = rankdata(y, axis=-1) if gain == "rank" else y
    if gains.min() < 0:
        raise ValueError("a gain is below zero")
    discounts = 1 / np.log2(np.arange(2, x.shape[-1] + 2))
    upto = np.concatenate(([0.0], np.cumsum(discounts)))
    above, tied = _above_and_tied(x)
    shared = (upto[above + tied] - upto[above]) / tied
    best = np.sort(gains, axis=-1)[..., ::-1] @ discounts
    return _ratio((gains * shared).sum(axis=-1), best)


def rbo(x: Floats, y: Floats, p: float) -> Floats:
    """Rank-biased overlap (Webber, Moffat and Zobel 2010): agreement at depth d weighs (1 - p)
    p^(d - 1), and is 1 beyond depth n. With ties it is the mean over all orders of the tied models
    (RBO-a of Corsi and Urbano 2024). Raises ValueError for p outside (0, 1)."""
    if not 0 < p < 1:
        raise ValueError(f"p is {p}, and must lie between 0 and 1")
    depths = np.arange(1, x.shape[-1] + 1)
    mine, theirs = (
        np.clip((depths - above[..., None]) / tied[..., None], 0.0, 1.0)
        for above, tied in (_above_and_tied(x), _above_and_tied(y))
    )
    agreement = (mine * theirs).sum(axis=-2) / depths
    overlaps: Floats = agreement @ ((1 - p) * p ** (depths - 1.0)) + p ** len(depths)
    return overlaps


def _above_and_tied(scores: Floats) -> tuple[Places, Places]:
    """How many scores are greater than each, and how many are equal, itself included."""
    one, other = scores[..., :, None], scores[..., None, :]
    above: Places = (other > one).sum(axis=-1)
    tied: Places = (other == one).sum(axis=-1)
    return above, tied


def _ratio(a: Floats, b: Floats) -> Floats:
    """a / b, and nan where b is 0."""
    ratios: Floats = np.divide(a, b, out=np.full(np.shape(b), np.nan), where=b > 0)
    return ratios


MEASURES = (
    RankMeasure("Spearman", spearman, -1, "of the ranks; tied models share theirs"),
    RankMeasure("weighted tau", weighted_tau, -1, "hyperbolic weights, both rankings in turn"),
    RankMeasure("NDCG", ndcg, 0, "gain: models below + 1; log2 discount"),
    RankMeasure("RBO", partial(rbo, p=P_RBO), 0, f"p = {P_RBO:g}; ties: mean over their orders"),
)
"""The measures that Personalized RewardBench prints (arXiv 2604.07343)."""


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
    first column then names the models.

    Raises InputError, naming line and column, for a missing column, a cell that is not a finite
    number, a repeated model, fewer than three models, and a column whose values
    are all equal, which goes with nothing; and for one column in both places.
    """
    if downstream in benchmarks:
        what = f"{downstream!r} is both the benchmark and the downstream score"
        raise InputError(what, where=path, fix="Name two columns: a column goes with itself.")
    header, every = sound_rows(path, comma_separated, "Give each model a row of as many cells.")
    rows, first = list(every), f"{path}:1"
    if not header or "" in header:
        fix = "Write a header such as: model,benchmark,downstream."
        raise InputError("the first line does not name each column", where=first, fix=fix)
    named = name or header[0]
    for column in filter(None, (*benchmarks, downstream, named, lineage)):
        if column not in header:
            fix = f"Name one of: {', '.join(header)}."
            raise InputError(f"there is no column {column!r}", where=first, fix=fix)
    names: dict[str, str] = {}
    for where, row in rows:
        if not (model := row[named].strip()) or model in names:
            what = f"the model {model!r} is there twice, first in line {names.get(model)}"
            raise InputError(
                what if model else "the model has no name",
                where=f"{where} [{named}]",
                fix="Give every model one row, and a name of its own.",
            )
        names[model] = where.rpartition(":")[2]
    if len(names) < LEAST_MODELS:
        what = f"{len(names)} models, and nothing can be said about fewer than {LEAST_MODELS}"
        fix = "Add the other models that were measured in both ways."
        raise InputError(what, where=path, fix=fix)
    families = [row[lineage].strip() or row[named] for _, row in rows] if lineage else names
    return ModelTable(
        names=tuple(map(one_line, names)),
        benchmarks={one_line(column): _scores(path, rows, column) for column in benchmarks},
        downstream=_scores(path, rows, downstream),
        lineages=tuple(families),
    )


def one_line(name: str) -> str:
    """The name of a column or model as pages and terminals show it: the table is a stranger's."""
    return " ".join(visible(name).split())


def _scores(path: Path, rows: list[SourceRow], column: str) -> Floats:
    # Beyond 1e100 the square of a score may be infinite, and then there is no correlation.
    cells = pd.Series([row[column] for _, row in rows])
    scores = pd.to_numeric(cells, errors="coerce").where(~cells.str.contains("_"))
    for place in np.flatnonzero(~(scores.abs() < 1e100)):
        what = f"{cells[place][:40]!r} is not a number"
        fix = "Give the model's score, or take out the model: none is made up for it."
        raise InputError(what, where=f"{rows[place].where} [{column}]", fix=fix)
    if scores.nunique() == 1:
        fix = "A column that does not differ can go with nothing: name another."
        raise InputError(f"every model has {scores[0]:g}", where=f"{path} [{column}]", fix=fix)
    return scores.to_numpy(float)


def correlations(models: ModelTable, downstream: str) -> Downstream:
    """Compute every measure of every benchmark, and the differences of each two benchmarks."""
    n, lineages = len(models.names), len(set(models.lineages))
    values = {
        (name, one): leave_out(one, scores, models)
        for name, scores in models.benchmarks.items()
        for one in MEASURES
    }

    def figure(row: str, measure: str, own: Floats, least: float) -> Figure:
        found = jackknife(float(own[0]), own[1:], n).estimate(least=least, most=max(1, -least))
        more = {"row": (row, measure), "column": "value", "signed": least == -2}
        return Figure(**found.model_dump(), **more)

    figures = [figure(name, one.name, own, one.least) for (name, one), own in values.items()]
    figures += [
        figure(f"{a} less {b}", one.name, values[a, one] - values[b, one], -2)
        for a, b in combinations(models.benchmarks, 2)
        for one in MEASURES
    ]
    of = f" of {lineages:,} lineages" if lineages != n else ""
    firsts = [one for one in figures if one.row[1] == MEASURES[0].name and not one.signed]
    said = [f"{one.row[0]}: {one.row[1]} {one}" for one in firsts]
    return Downstream(
        name="correlation",
        title=f"{' and '.join(models.benchmarks)} against {downstream}",
        verdict=f"{'; '.join(said)}; n = {number_of(n, 'model')}{of}.",
        heads=("benchmark", "measure"),
        figures=tuple(figures),
        notes=(
            *(f"{one.name}: {one.note}." for one in MEASURES),
            "Intervals: a jackknife over models, or over lineages if they are named, with"
            " Student's t.",
        ),
    )


def leave_out(measure: RankMeasure, x: Floats, models: ModelTable) -> Floats:
    """The measure of all models, and then without each lineage: nan where the models that are left
    do not differ."""
    y, lineages = models.downstream, np.array(models.lineages)
    whole = np.ones(len(y), np.bool_)
    kept = [whole, *(lineages != name for name in dict.fromkeys(models.lineages))]
    return np.array(
        [measure.compute(x[some], y[some]) if some.sum() > 1 else np.nan for some in kept]
    )


def correlate(
    table: Annotated[Path | str, Argument(help="One row a model, a header.", metavar="TABLE.csv")],
    benchmarks: Annotated[
        Iterable[str], Option("--benchmark", help="Scores to try; repeatable.", metavar="COL")
    ],
    downstream: Annotated[str, Option(help="Column with the downstream scores.", metavar="COL")],
    out: Annotated[Path | str | None, Option(help="Folder of the page.")] = None,
    *,
    model: Annotated[str | None, Option(help="Models' names [the first].", metavar="COL")] = None,
    lineage: Annotated[
        str | None, Option(help="Families of models, left out together.", metavar="COL")
    ] = None,
) -> Downstream:
    """Correlate benchmark scores with downstream scores over the same models.

    Spearman, weighted tau, NDCG and RBO, each with its interval from 5 models or lineages on.
    Greater scores must be better in every column. Writes correlation.html, .md and .json.

    Raises InputError and StoreError.

        >>> found = correlate("models.csv", ["accuracy"], "best_of_16")
        >>> print(found.figure("value", "accuracy", "NDCG"))
        0.912 (0.803 to 1.000)

    Examples::

        pairwright downstream correlate models.csv --benchmark accuracy --downstream best_of_16
        pairwright downstream correlate models.csv --benchmark a --benchmark b --downstream ppo
    """
    folder = output_folder(out) if out else None
    models = read_models(Path(table), tuple(dict.fromkeys(benchmarks)), downstream, model, lineage)
    found = correlations(models, one_line(downstream))
    if folder:
        found.write(folder, {}, {})
    return found
