"""How often the intervals of `pairwright downstream correlate` hold the truth.

    python benchmarks/correlations.py [--tries 1000]

Models are drawn whose scores on a benchmark and downstream have a true correlation, of four shapes.
Pearson is held to its value in the population, every other measure to its mean over samples of as
many models. Prints one line for each case, and at the end the least and the most of each measure.
The last line has how often a p is below .05 where models come in lineages and the scores have
nothing to do with each other.
"""

import argparse
import json
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from pairwright.evaluate.correlation.measures import RankMeasure, reported_measures
from pairwright.evaluate.correlation.uncertainty import compare_with_chance, jackknife
from pairwright.intervals import Floats

SHAPES = ("normal", "heavy tails", "skewed", "bounded")
MODELS = (10, 20, 50)
TRUE = (0.0, 0.5, 0.9)


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
    if measure.name == "Pearson":
        truth = float(measure.compute(*drawn(chance, shape, rho, (1, 1_000_000)))[0])
    else:
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
    """Shares of p below .05 where nothing is to be found, over the first three measures: of orders
    of single models, and of orders of the lineages' means.

    A model's score is that of its lineage, and half as much of its own: both columns are drawn for
    themselves, so models of one lineage go together in each of them and across them in neither.
    """
    chance, found = np.random.default_rng(models), {"models": 0, "lineages": 0}
    measures = reported_measures("rank", 0.9)[:3]
    for _ in range(tries):
        kin = np.concatenate([np.arange(lineages), chance.integers(0, lineages, models - lineages)])
        x, y = chance.normal(size=(2, lineages))[:, kin] + 0.5 * chance.normal(size=(2, models))
        names = tuple(map(str, kin))
        for measure in measures:
            found["models"] += compare_with_chance(measure, x, y, 0).p < 0.05
            found["lineages"] += compare_with_chance(measure, x, y, 0, names).p < 0.05
    return {name: n / tries / len(measures) for name, n in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=1000)
    tries = parser.parse_args().tries
    for n, measure in product(MODELS, reported_measures("rank", 0.9)):
        found = {}
        for shape, rho in product(SHAPES, TRUE):
            found[shape, rho] = coverage(measure, shape, rho, n, tries)
            print(f"{n} models, {shape}, {rho}: {measure.name} {found[shape, rho]:.3f}", flush=True)
        least, most = min(found.values()), max(found.values())
        print(f"{n} models: {measure.name} from {least:.3f} to {most:.3f}", flush=True)
    print(json.dumps({"false_claims": found_falsely(tries // 5)}))


def found_falsely(tries: int) -> dict[str, dict[str, float]]:
    """The shares of false claims of some numbers of models and lineages."""
    sizes = ((30, 10), (50, 12))
    return {f"{n} of {kin}": false_claims(n, kin, tries) for n, kin in sizes}


if __name__ == "__main__":
    main()
