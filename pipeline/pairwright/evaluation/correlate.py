"""Correlate benchmarks with a downstream score over the same models: `downstream correlate`.

The interval of a measure is a jackknife over the models. A bootstrap would draw models twice, and
so make ties that the scores do not have. The chance level is the mean of the measure over pairings
of the models' scores: all of them, or 999 at random.
"""

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import combinations, product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import permutation_test, rankdata, weightedtau
from sklearn.metrics import ndcg_score
from typer import Argument, Option

from pairwright.errors import InputError
from pairwright.evaluation.downstream import Downstream, Figure
from pairwright.pages.output import output_folder
from pairwright.sources.tables import comma_separated, sound_rows
from pairwright.stats import Floats, jackknife, p_value
from pairwright.text import number_of, visible

LEAST_MODELS = 3
P_RBO = 0.9
"""The persistence p of RBO: the weight of lower ranks."""
PAIRINGS = 999
"""Random pairings of models and downstream scores; if there are fewer in all, all of them."""


class RankMeasure(NamedTuple):
    """A measure with how it is to be read."""

    name: str
    compute: Callable[[Floats, Floats], float]
    least: float
    """The least value that it can have; the greatest is 1."""
    note: str


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's correlation: Pearson's of the ranks, which tied models share."""
    return float(np.corrcoef(rankdata(x), rankdata(y))[0, 1])


def weighted_tau(x: Floats, y: Floats) -> float:
    """Vigna, A weighted correlation index for rankings with ties (2015): the top counts most."""
    return float(weightedtau(x, y).statistic)


def ndcg(x: Floats, y: Floats, gain: Literal["rank", "score"] = "rank") -> float:
    """Järvelin and Kekäläinen (2002): the downstream gain of the benchmark's order over that of
    the best order. Models that the benchmark ties share the mean of their discounts."""
    return float(ndcg_score([rankdata(y) if gain == "rank" else y], [x]))


def rbo(x: Floats, y: Floats, p: float = P_RBO) -> float:
    """Rank-biased overlap (Webber, Moffat and Zobel 2010): agreement at depth d weighs (1 - p)
    p^(d - 1), and is 1 beyond depth n. With ties it is the mean over all orders of the tied models
    (RBO-a of Corsi and Urbano 2024)."""
    depths = np.arange(1, len(x) + 1)

    def within(scores: Floats) -> Floats:
        """The share of orders in which each model is among the first d, by d and model."""
        above = (scores > scores[:, None]).sum(axis=1)
        tied = (scores == scores[:, None]).sum(axis=1)
        shares: Floats = np.clip((depths[:, None] - above) / tied, 0.0, 1.0)
        return shares

    agreement = (within(x) * within(y)).sum(axis=1) / depths
    return float(agreement @ ((1 - p) * p ** (depths - 1.0)) + p ** len(depths))


MEASURES = (
    RankMeasure("Spearman", spearman, -1, "of the ranks; tied models share theirs"),
    RankMeasure("weighted tau", weighted_tau, -1, "hyperbolic weights, both rankings in turn"),
    RankMeasure("NDCG", ndcg, 0, "gain: models below + 1; log2 discount"),
    RankMeasure("RBO", rbo, 0, f"p = {P_RBO:g}; ties: mean over their orders"),
)
"""The measures that Personalized RewardBench prints (arXiv 2604.07343)."""


def read_models(path: Path, benchmarks: Iterable[str], downstream: str) -> pd.DataFrame:
    """Read a CSV table with a header, whose first column names the models: the scores by model, of
    the benchmarks and last of `downstream`.

    Raises InputError, naming line and column, for a missing column, a cell that is not a finite
    number, or a repeated model. Also raises it for fewer than three models, a column whose values
    are all equal, and one column in both places.
    """
    columns = [*dict.fromkeys(benchmarks), downstream]
    if downstream in columns[:-1]:
        what = f"{downstream!r} is both the benchmark and the downstream score"
        raise InputError(what, where=path, fix="Name two columns: a column goes with itself.")
    header, rows = sound_rows(path, comma_separated, "Give each model a row of as many cells.")
    for column in columns:
        if column not in header[1:]:
            fix = f"Name one of: {', '.join(header[1:])}. The first column names the models."
            raise InputError(f"there is no column {column!r}", where=f"{path}:1", fix=fix)
    models = dict[str, list[float]]()
    for where, cells in rows:
        name = " ".join(visible(cells[header[0]]).split())
        if not name or name in models:
            what = f"the model {name!r} is there twice" if name else "the model has no name"
            fix = "Give every model one row, and a name of its own in the first column."
            raise InputError(what, where=f"{where} [{header[0]}]", fix=fix)
        models[name] = [_number(cells[column], f"{where} [{column}]") for column in columns]
    scores = pd.DataFrame.from_dict(models, "index", columns=columns)
    if len(scores) < LEAST_MODELS:
        what = f"{len(scores)} models, and nothing can be said about fewer than {LEAST_MODELS}"
        fix = "Add the other models that were measured in both ways."
        raise InputError(what, where=path, fix=fix)
    for column in columns:
        if not np.ptp(scores[column]):
            what, where = f"every model has {scores[column].iloc[0]:g}", f"{path} [{column}]"
            fix = "A column that does not differ can go with nothing: name another."
            raise InputError(what, where=where, fix=fix)
    return scores


def _number(cell: str, where: str) -> float:
    """The finite number of a cell. Raises InputError."""
    with suppress(ValueError):
        # Python alone takes "1_0" for ten.
        if cell.isascii() and "_" not in cell and math.isfinite(number := float(cell)):
            return number
    fix = "Give the model's score, or take out the model: none is made up for it."
    raise InputError(f"{cell[:40]!r} is not a number", where=where, fix=fix)


def correlations(scores: pd.DataFrame) -> Downstream:
    """Compute every measure of every benchmark, and the differences of each two benchmarks, from
    what `read_models` gives."""
    *benchmarks, downstream = scores.columns
    y, n = scores[downstream].to_numpy(), len(scores)
    figures, values = list[Figure](), dict[tuple[str, RankMeasure], Floats]()
    for name, one in product(benchmarks, MEASURES):
        x = scores[name].to_numpy()
        values[name, one] = leave_out(one, x, y)
        found = jackknifed(values[name, one], n, one.least)
        chance, p = by_chance(one, x, y)
        figures.append(Figure(**found, row=(name, one.name), column="value", chance=chance, p=p))
    for (a, b), one in product(combinations(benchmarks, 2), MEASURES):
        found, row = jackknifed(values[a, one] - values[b, one], n, -2), f"{a} less {b}"
        figures.append(Figure(**found, row=(row, one.name), column="value", signed=True))
    said = [
        f"{one.row[0]}: {one.row[1]} {one}, p = {p_value(one.p)}"
        for one in figures
        if one.row[1] == MEASURES[0].name and one.p is not None
    ]
    return Downstream(
        name="correlation",
        title=f"{' and '.join(benchmarks)} against {downstream}",
        verdict=f"{'; '.join(said)}; n = {number_of(n, 'model')}.",
        heads=("benchmark", "measure"),
        figures=tuple(figures),
        notes=(
            *(f"{one.name}: {one.note}." for one in MEASURES),
            "Intervals: a jackknife over models, with Student's t.",
            "Chance: the mean of the measure if models and downstream scores are paired at random;"
            " p: the share of such pairings that give as much. It takes models as independent.",
        ),
    )


def jackknifed(values: Floats, n: int, least: float) -> dict[str, Any]:
    """The estimate of a value, the first, from what it is without each model."""
    found = jackknife(float(values[0]), values[1:], n)
    return found.estimate(least=least, most=max(1, -least)).model_dump()


def leave_out(measure: RankMeasure, x: Floats, y: Floats) -> Floats:
    """The measure of all models, and then without each one: nan if the models that are left do not
    differ."""
    found = [measure.compute(x, y)]
    for place in range(len(x)):
        left_x, left_y = np.delete(x, place), np.delete(y, place)
        alike = not np.ptp(left_x) or not np.ptp(left_y)
        found.append(np.nan if alike else measure.compute(left_x, left_y))
    return np.array(found)


def by_chance(measure: RankMeasure, x: Floats, y: Floats) -> tuple[float, float]:
    """The mean of the measure over pairings of the models' scores, and the share of pairings that
    give as much as these: of all if they are few, or else of random ones and these."""
    found = permutation_test(
        (x,), lambda x: measure.compute(x, y), permutation_type="pairings", vectorized=False,
        n_resamples=PAIRINGS, alternative="greater", rng=0,
    )  # fmt: skip
    return round(float(found.null_distribution.mean()), 6), round(float(found.pvalue), 6)


def correlate(
    table: Annotated[Path | str, Argument(help="A row per model, a header.", metavar="TABLE.csv")],
    benchmarks: Annotated[
        Iterable[str], Option("--benchmark", help="Score column; repeatable.", metavar="COL")
    ],
    downstream: Annotated[str, Option(help="Column with the downstream scores.", metavar="COL")],
    out: Annotated[Path | str | None, Option(help="Folder of the page.")] = None,
) -> Downstream:
    """Correlate benchmark scores with downstream scores over the same models.

    Spearman, weighted tau, NDCG and RBO, each with what chance gives, and with its interval from 5
    models on. The first column names the models. Greater scores must be better in every column.
    Writes correlation.html, .md and .json.

    Raises InputError and StoreError.

        >>> found = correlate("models.csv", ["accuracy"], "best_of_16")
        >>> print(found.figure("value", "accuracy", "NDCG"))
        0.912 (0.803 to 1.000)

    Examples::

        pairwright downstream correlate models.csv --benchmark accuracy --downstream best_of_16
        pairwright downstream correlate models.csv --benchmark a --benchmark b --downstream ppo
    """
    folder = output_folder(out) if out else None
    found = correlations(read_models(Path(table), benchmarks, downstream))
    if folder:
        found.write(folder, {})
    return found
