"""How often the 95 % intervals of agreement hold the truth, in simulated studies.

    python benchmarks/coverage.py [STUDIES]

The studies are those of `simulated_ratings.py`: three ways to come to an answer, raters who differ
not at all, somewhat and much, 4 or 9 raters, 24 to 200 subjects. The figures are by how much raters
differ, over everything else.
"""

import sys

import numpy as np
import numpy.typing as npt
from simulated_ratings import PROCESSES

from pairwright.intervals import Floats
from pairwright_human_eval.agreement.intervals import half_width, left_out
from pairwright_human_eval.agreement.models import Ratings

NAMES = (
    "percent", "alpha_nominal", "alpha_ordinal", "cohen_kappa", "gwet_ac1", "fleiss_kappa",
)  # fmt: skip
SUBJECTS, RATERS = (24, 60, 200), (4, 9)
SPREADS = ("alike", "unlike", "very_unlike")


def coverage(studies: int) -> dict[str, float]:
    """The least and greatest share of intervals that hold the truth, by how much raters differ;
    prints all of them. A study without an interval is one that does not hold it."""
    rng = np.random.default_rng(20)
    error = (0.95 * 0.05 / studies) ** 0.5
    print(f"{studies:,} studies each; a coverage of .95 is measured with an error of {error:.4f}")
    shares: dict[str, list[float]] = {spread: [] for spread in SPREADS}
    for process in PROCESSES:
        print(f"{process.name}\nspread raters subjects " + " ".join(f"{n:>13}" for n in NAMES))
        for label, spread in zip(SPREADS, process.spreads, strict=True):
            truth = process.truth(spread)
            truths = np.array([truth[name] for name in NAMES])
            for raters in RATERS:
                for subjects in SUBJECTS:
                    held = np.zeros(len(NAMES))
                    for _ in range(studies):
                        held += _held(process.draw(rng, subjects, raters, spread), truths)
                    line = " ".join(f"{share:13.3f}" for share in held / studies)
                    print(f"{spread:6.2f} {raters:6} {subjects:8} {line}", flush=True)
                    shares[label].extend(held / studies)
    found: dict[str, float] = {}
    for label, of in shares.items():
        found |= {
            f"coverage_low_{label}": round(float(min(of)), 3),
            f"coverage_high_{label}": round(float(max(of)), 3),
        }
    return found


def _held(ratings: Ratings, truths: Floats) -> npt.NDArray[np.bool_]:
    """Shape (coefficients,): whether the interval holds the truth."""
    found = left_out(ratings, np.arange(len(ratings.items)), NAMES)
    halves = [half_width(found[n], len(ratings.items), len(ratings.raters))[0] for n in NAMES]
    wide = np.array([-1.0 if half is None else half for half in halves])
    estimates = np.array([found[name].whole for name in NAMES])
    held: npt.NDArray[np.bool_] = np.abs(estimates - truths) <= wide
    return held


if __name__ == "__main__":
    print(coverage(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
