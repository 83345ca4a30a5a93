"""Agreement: a second implementation, what must change nothing; its intervals. Published values are
in test_frozen.py."""

import random
from collections.abc import Sequence
from functools import partial
from itertools import permutations
from typing import cast

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from pairwright.stats import Estimate
from pairwright_human_eval.agreement import Measurement, agreement

near = partial(pytest.approx, abs=1e-9)
Row = tuple[str, str, int]


def table_of(rows: Sequence[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


def of_matrix(by_rater: Sequence[Sequence[int | None]]) -> pd.DataFrame:
    """From a line a rater with a column an item, None where missing."""
    return table_of(
        [
            (f"item {item:03}", f"rater {rater}", given)
            for rater, line in enumerate(by_rater)
            for item, given in enumerate(line)
            if given is not None
        ]
    )


def estimate(ratings: pd.DataFrame, levels: Sequence[int], name: str) -> Estimate:
    kind = name.removeprefix("alpha_") if name.startswith("alpha") else "nominal"
    found: Estimate = getattr(agreement(ratings, levels, cast(Measurement, kind)), name)
    return found


def value(ratings: pd.DataFrame, levels: Sequence[int], name: str) -> float | None:
    return estimate(ratings, levels, name).value


def second_alpha(ratings: pd.DataFrame, measurement: Measurement) -> float:
    """Krippendorff's alpha by his definition: every ordered pair of ratings, one by one."""
    units = [list(own) for _, own in ratings.groupby("item")["label"] if len(own) > 1]
    pooled = [rating for unit in units for rating in unit]

    def apart(a: int, b: int) -> float:
        if measurement == "nominal":
            return float(a != b)
        low, high = min(a, b), max(a, b)
        between = sum(low <= rating <= high for rating in pooled)
        return float((between - (pooled.count(a) + pooled.count(b)) / 2) ** 2)

    both = ((len(unit) - 1, *two) for unit in units for two in permutations(unit, 2))
    observed = sum(apart(a, b) / others for others, a, b in both)
    expected = sum(apart(a, b) for a in pooled for b in pooled) / (len(pooled) - 1)
    return float(1 - observed / expected)


@pytest.mark.parametrize("measurement", ["nominal", "ordinal"])
def test_alpha_is_that_of_a_second_implementation(measurement: Measurement) -> None:
    chance = random.Random(7)
    for _ in range(100):
        levels = chance.randint(2, 5)
        rows = [
            (f"item {item}", f"rater {rater}", chance.randint(1, levels))
            for item in range(chance.randint(3, 12))
            for rater in range(chance.randint(1, 5))
        ]
        rows += [("item 0", "a", 1), ("item 0", "b", 2)]
        found = value(table_of(rows), range(1, levels + 1), f"alpha_{measurement}")
        assert found == near(second_alpha(table_of(rows), measurement))


def test_ac1_counts_levels_that_nobody_used_and_items_with_a_single_rating() -> None:
    # Agreeing pairs of three: 1, 3, 1, 3, so 2/3 agree; each used level has half of the ratings.
    by_rater = of_matrix([[1, 1, 2, 2], [1, 1, 2, 2], [2, 1, 1, 2]])
    assert value(by_rater, [1, 2], "gwet_ac1") == near((2 / 3 - 1 / 2) / (1 / 2))
    assert value(by_rater, [1, 2, 3], "gwet_ac1") == near((2 / 3 - 1 / 4) / (3 / 4))
    rows: list[Row] = [("x", "p", 1), ("x", "q", 1), ("y", "p", 1), ("y", "q", 2)]
    less, more = table_of(rows), table_of([*rows, ("z", "p", 2)])
    for name in ("percent", "alpha_nominal"):
        assert value(more, [1, 2], name) == value(less, [1, 2], name)
    # Shares of level 1 are 1 and 1/2, so p_e = 2 * 3/4 * 1/4; with 0 it is 2 * 1/2 * 1/2.
    assert value(less, [1, 2], "gwet_ac1") == near((1 / 2 - 3 / 8) / (5 / 8))
    assert value(more, [1, 2], "gwet_ac1") == near(0)


ALL = ("percent", "alpha_nominal", "gwet_ac1")


@pytest.mark.parametrize(
    ("ratings", "levels", "undefined"),
    [
        (table_of([]), [1, 2], set(ALL)),
        (of_matrix([[1, None], [None, 2]]), [1, 2], set(ALL)),
        (of_matrix([[1, 1], [1, 1]]), [1, 2], {"alpha_nominal"}),
        (of_matrix([[1, 1], [1, 1]]), [1], set(ALL) - {"percent"}),
    ],
    ids=["nothing", "apart", "one answer", "one level"],
)
def test_what_cannot_be_defined_has_a_reason(
    ratings: pd.DataFrame, levels: list[int], undefined: set[str]
) -> None:
    found = {name: estimate(ratings, levels, name) for name in ALL}
    assert {name for name, of in found.items() if of.value is None} == undefined
    assert all(found[name].note for name in undefined)
    assert agreement(ratings, levels).alpha_ordinal.note == "the levels are nominal"


def test_a_second_rating_is_an_error_and_another_level_is_missing() -> None:
    with pytest.raises(ValueError, match="twice"):
        agreement(table_of([("x", "p", 1), ("x", "q", 1), ("x", "p", 2)]))
    found = agreement(table_of([("x", "p", 1), ("x", "q", 1), ("x", "r", 3)]), [1, 2])
    assert (found.percent.n, found.raters) == (2, 2)


# Intervals


def drawn(seed: int, items: int, people: int, each: int) -> pd.DataFrame:
    """Raters drawn with accuracy 0.8, errors even over three levels."""
    rng, rows = np.random.default_rng(seed), []
    for item in range(items):
        truth = int(rng.integers(3))
        for rater in rng.permutation(people)[:each]:
            given = truth if rng.random() < 0.8 else (truth + int(rng.integers(1, 3))) % 3
            rows.append((f"item {item:05}", f"rater {rater:02}", given + 1))
    return table_of(rows)


@pytest.mark.parametrize("name", [*ALL, "alpha_ordinal"])
def test_the_interval_is_that_of_leaving_out_one_cluster_after_the_other(name: str) -> None:
    """By Student's t, from the coefficient of the other ratings."""
    ratings = drawn(1, 20, 5, 5).sample(frac=0.7, random_state=1)
    ratings = ratings.assign(cluster=[f"dyad {int(one[-5:]) // 2}" for one in ratings["item"]])
    without = [
        value(ratings[ratings["cluster"] != left], [1, 2, 3], name) or 0
        for left in sorted(set(ratings["cluster"]))
    ]
    found = estimate(ratings, [1, 2, 3], name)
    assert found.clusters == len(without) == 10
    assert found.value is not None
    whole = found.value
    half = t.ppf(0.975, 9) * (9 / 10 * sum((one - whole) ** 2 for one in without)) ** 0.5
    assert found.low == pytest.approx(whole - half, abs=2e-5)
    assert found.high == pytest.approx(min(1, whole + half), abs=2e-5)
