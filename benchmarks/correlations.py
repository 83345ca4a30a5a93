"""How often the intervals of `pairwright downstream correlate` hold the truth.

    python benchmarks/correlations.py [--tries 1000] [--needed]

Models are drawn whose scores on a benchmark and downstream have a true correlation, of four shapes.
Each measure is held to its mean over samples of as many models. Prints one line for each case, and
at the end the least and the most of each measure. The last line has how often a p is below .05
where models come in lineages and the scores have nothing to do with each other.

With `--needed` it prints instead how many scorers `pairwright downstream certify` takes to find a
true rank correlation with a probability of `POWER`: the table of
`evaluation/certificate.py`.
"""

import argparse
import json
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from pairwright.evaluation.board.sign_flips import POWER
from pairwright.evaluation.certificate import SCORERS_NEEDED
from pairwright.evaluation.correlation.correlations import CLAIMS_FROM, Correlation
from pairwright.evaluation.correlation.measures import PRIMARY, RankMeasure, reported_measures
from pairwright.evaluation.correlation.uncertainty import (
    ORDERS,
    Chance,
    compare_with_chance,
    jackknife,
)
from pairwright.intervals import Floats

SHAPES = ("normal", "heavy tails", "skewed", "bounded")
MODELS = (10, 20, 50)
TRUE = (0.0, 0.5, 0.9)
DRAWS = 50
"""Draws of orders, of which each simulated certificate has one."""


def drawn(
    chance: np.random.Generator, shape: str, rho: float, size: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Two scores of shape `size`, (samples, models)."""
    x, e = chance.normal(size=(2, *size))
    y = rho * x + np.sqrt(1 - rho**2) * e
    if shape == "heavy tails":
        scale = np.sqrt(chance.chisquare(3, size=size) / 3)
        return x / scale, y / scale
    if shape == "skewed":
        return np.exp(0.7 * x), np.exp(0.7 * y)
    if shape == "bounded":
        return ndtr(2 * x), ndtr(2 * y)
    return x, y


def coverage(measure: RankMeasure, shape: str, rho: float, n: int, tries: int) -> float:
    """Share of intervals that hold the truth."""
    chance = np.random.default_rng(n)
    truth = float(measure.compute(*drawn(chance, shape, rho, (5_000, n))).mean())
    held, names = 0, tuple(map(str, range(n)))
    for x, y in zip(*drawn(chance, shape, rho, (tries, n)), strict=True):
        interval = jackknife(partial(_of, measure, x, y), names, measure.least).interval()
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= truth <= interval.high
    return held / tries


def _of(measure: RankMeasure, x: Floats, y: Floats, kept: NDArray[np.intp]) -> Floats:
    return measure.compute(x[kept], y[kept])


def false_claims(models: int, lineages: int, tries: int) -> dict[str, float]:
    """Shares of p below .05 of the measure that decides where nothing is to be found: of orders of
    single models, and of orders of the lineages' means.

    A model's score is that of its lineage, and half as much of its own: both columns are drawn for
    themselves, so models of one lineage go together in each of them and across them in neither.
    """
    chance, found = np.random.default_rng(models), {"models": 0, "lineages": 0}
    spearman = reported_measures("rank", 0.9)[0]
    for _ in range(tries):
        kin = np.concatenate([np.arange(lineages), chance.integers(0, lineages, models - lineages)])
        x, y = chance.normal(size=(2, lineages))[:, kin] + 0.5 * chance.normal(size=(2, models))
        names = tuple(map(str, kin))
        found["models"] += compare_with_chance(spearman, x, y, 0).p < 0.05
        found["lineages"] += compare_with_chance(spearman, x, y, 0, names).p < 0.05
    return {name: n / tries for name, n in found.items()}


def power(rho: float, n: int, tries: int) -> float:
    """How often the certificate's rule finds a true Spearman correlation among n independent
    scorers: p of orders below .05, and a jackknife interval beyond zero and beyond chance."""
    spearman = next(one for one in reported_measures("rank", 0.9) if one.name == PRIMARY)
    # Pearson's r of normal scores whose Spearman correlation is rho.
    r, chance = 2 * np.sin(np.pi * rho / 6), np.random.default_rng(n)
    found, names = 0, tuple(map(str, range(n)))
    # Orders of untied scores give the same distribution whatever the scores are: some draws serve.
    order = np.arange(n, dtype=np.float64)
    draws = [
        spearman.compute(order, chance.permuted(np.tile(order, (ORDERS, 1)), axis=1))
        for _ in range(DRAWS)
    ]
    for x, y in zip(*drawn(chance, "normal", r, (tries, n)), strict=True):
        value, values = float(spearman.compute(x, y)), draws[chance.integers(DRAWS)]
        beyond = int((np.abs(values) >= abs(value) - 1e-9).sum())
        interval = jackknife(partial(_of, spearman, x, y), names, spearman.least).interval()
        p = (beyond + 1) / (ORDERS + 1)
        one = Correlation(
            measure=PRIMARY,
            note="",
            value=value,
            interval=interval,
            chance=Chance(
                mean=float(values.mean()), low=-1.0, high=1.0, p=p, orders=ORDERS, exact=False
            ),
            adjusted=p,
        )
        found += one.sure and one.value > 0
    return found / tries


def needed(rho: float, tries: int) -> tuple[int, float]:
    """The fewest scorers, from CLAIMS_FROM on, that find it so often, and how often they do."""
    n, step = CLAIMS_FROM, 16
    while (often := power(rho, n, tries)) < POWER:
        n += step
    while step and n > CLAIMS_FROM:
        fewer = max(CLAIMS_FROM, n - step)
        if (found := power(rho, fewer, tries)) >= POWER:
            n, often = fewer, found
        else:
            step //= 2
    return n, often


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=1000)
    parser.add_argument("--needed", action="store_true")
    arguments = parser.parse_args()
    tries = arguments.tries
    if arguments.needed:
        for rho in SCORERS_NEEDED:
            n, often = needed(rho, tries)
            print(f"{rho}: {n} scorers find it in {often:.3f} of {tries} tries", flush=True)
        return
    for n, measure in product(MODELS, reported_measures("rank", 0.9)):
        found = {}
        for shape, rho in product(SHAPES, TRUE):
            found[shape, rho] = coverage(measure, shape, rho, n, tries)
            print(f"{n} models, {shape}, {rho}: {measure.name} {found[shape, rho]:.3f}", flush=True)
        least, most = min(found.values()), max(found.values())
        print(f"{n} models: {measure.name} from {least:.3f} to {most:.3f}", flush=True)
    print(json.dumps({"false_claims": found_falsely(tries)}))


def found_falsely(tries: int) -> dict[str, dict[str, float]]:
    """The shares of false claims of some numbers of models and lineages."""
    sizes = ((30, 10), (50, 12))
    return {f"{n} of {kin}": false_claims(n, kin, tries) for n, kin in sizes}


if __name__ == "__main__":
    main()
