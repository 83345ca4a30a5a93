"""How often the 95 % intervals of agreement hold the truth, in simulated studies.

Subjects and raters are drawn anew in every study. Three raters answer each subject with one of
three answers; a rater is right with a probability that is 10 points higher for an easy subject than
on average, 10 points lower for a hard one, and evenly spread over the raters: by 0, by 5 or by 10
points to either side of 0.85. Two raters agree by chance alone in a third of all cases, so the
truth is known. The figures are over the first two spreads; the third has a figure of its own.
"""

import numpy as np

from pairwright_human_eval.agreement import Ratings
from pairwright_human_eval.agreement.estimates import half_width
from pairwright_human_eval.agreement.left_out import left_out

NAMES = (
    "percent", "alpha_nominal", "alpha_ordinal", "cohen_kappa", "gwet_ac1", "fleiss_kappa",
)  # fmt: skip
SUBJECTS, RATERS, EACH, LEVELS = (24, 60, 200), (4, 9), 3, 3
ACCURACY = 0.85
SIDES = (-0.1, 0.1)
"""What a hard and an easy subject add to it."""
ALIKE, UNLIKE = (0.0, 0.05), 0.1


def coverage(studies: int) -> dict[str, float]:
    """The least and greatest share of intervals that hold the truth, over sizes and coefficients;
    prints all of them. A study without an interval is one that does not hold it."""
    rng = np.random.default_rng(20)
    error = (0.95 * 0.05 / studies) ** 0.5
    print(f"{studies:,} studies each; a coverage of .95 is measured with an error of {error:.4f}")
    print("spread raters subjects " + " ".join(f"{name:>13}" for name in NAMES))
    shares: dict[float, list[float]] = {}
    for spread in (*ALIKE, UNLIKE):
        for raters in RATERS:
            for subjects in SUBJECTS:
                held = np.zeros(len(NAMES))
                for _ in range(studies):
                    held += _held(_study(rng, subjects, raters, spread))
                found = held / studies
                line = " ".join(f"{share:13.3f}" for share in found)
                print(f"{spread:6.2f} {raters:6} {subjects:8} {line}", flush=True)
                shares.setdefault(spread, []).extend(found)
    alike = [share for spread in ALIKE for share in shares[spread]]
    return {
        "coverage_low": round(float(min(alike)), 3),
        "coverage_high": round(float(max(alike)), 3),
        "coverage_low_unlike_raters": round(float(min(shares[UNLIKE])), 3),
    }


def _held(ratings: Ratings) -> list[bool]:
    """By coefficient: whether the interval holds the truth."""
    alike = sum((ACCURACY + side) ** 2 + (1 - ACCURACY - side) ** 2 / 2 for side in SIDES) / 2
    beyond_chance = 1 - (1 - alike) * LEVELS / (LEVELS - 1)
    cluster = np.arange(len(ratings.items))
    found = left_out(ratings, cluster, NAMES, np.arange(LEVELS, dtype=np.float64))
    held = []
    for name in NAMES:
        half, _ = half_width(found[name], len(ratings.items), len(ratings.raters))
        truth = alike if name == "percent" else beyond_chance
        held.append(half is not None and abs(found[name].whole - truth) <= half)
    return held


def _study(rng: np.random.Generator, subjects: int, raters: int, spread: float) -> Ratings:
    item = np.repeat(np.arange(subjects), EACH)
    who = np.argsort(rng.random((subjects, raters)), axis=1)[:, :EACH]
    rater = np.sort(who, axis=1).ravel()
    accuracy = rng.uniform(ACCURACY - spread, ACCURACY + spread, raters)[rater]
    accuracy += rng.choice(SIDES, subjects)[item]
    truth = rng.integers(LEVELS, size=subjects)[item]
    error = rng.integers(1, LEVELS, len(item)) * (rng.random(len(item)) >= accuracy)
    return Ratings(
        item=item,
        rater=rater,
        value=(truth + error) % LEVELS,
        items=tuple(map(str, range(subjects))),
        raters=tuple(map(str, range(raters))),
        levels=tuple(range(LEVELS)),
    )
