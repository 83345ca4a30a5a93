"""How often the 95 % intervals of agreement hold the truth in simulated studies, and what agreement
on 100,000 answers costs.

    .venv/bin/python benchmarks/agreement.py [STUDIES]

The studies are those of `simulated_ratings.py`: three ways to come to an answer, raters who differ
not at all, somewhat and much, 4 or 9 raters, 12 to 200 subjects.
"""

import json
import sys
import time
from collections.abc import Mapping

import numpy as np
from simulated_ratings import PROCESSES

from pairwright_human_eval.agreement.intervals import Agreement, agreement

NAMES = ("percent", "alpha_nominal", "alpha_ordinal", "gwet_ac1")
SUBJECTS, RATERS = (12, 24, 60, 200), (4, 9)
SPREADS = ("alike", "unlike", "very_unlike")


def coverage(studies: int) -> dict[str, float]:
    """The least and greatest share of intervals that hold the truth, by how much raters differ;
    prints all of them. A study without an interval is one that does not hold it."""
    rng = np.random.default_rng(20)
    print(f"{studies:,} studies each; an error of {(0.95 * 0.05 / studies) ** 0.5:.4f}")
    shares: dict[str, list[float]] = {spread: [] for spread in SPREADS}
    for process in PROCESSES:
        print(f"{process.name}\nspread raters subjects " + " ".join(f"{n:>13}" for n in NAMES))
        for label, spread in zip(SPREADS, process.spreads, strict=True):
            truth = process.truth(spread)
            for raters in RATERS:
                for subjects in SUBJECTS:
                    held = np.zeros(len(NAMES))
                    for _ in range(studies):
                        ratings = process.draw(rng, subjects, raters, spread)
                        held += _held(agreement(ratings, measurement="ordinal"), truth)
                    line = " ".join(f"{share:13.3f}" for share in held / studies)
                    print(f"{spread:6.2f} {raters:6} {subjects:8} {line}", flush=True)
                    shares[label].extend(held / studies)
    return {
        f"coverage_{end}_{label}": round(float(which(of)), 3)
        for label, of in shares.items()
        for end, which in (("low", min), ("high", max))
    }


def _held(found: Agreement, truth: Mapping[str, float]) -> list[bool]:
    estimates = [(getattr(found, name), truth[name]) for name in NAMES]
    return [of.low is not None and of.low <= true <= of.high for of, true in estimates]


def seconds(answers: int) -> float:
    """For all coefficients of so many answers."""
    process = PROCESSES[0]
    ratings = process.draw(np.random.default_rng(0), answers // 3, 9, 0.05)
    start = time.perf_counter()
    agreement(ratings, measurement="ordinal")
    return round(time.perf_counter() - start, 2)


if __name__ == "__main__":
    figures = coverage(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
    print(json.dumps(figures | {"seconds_100k": seconds(100_000)}))
