"""Agreement: what AC1 counts, what cannot be defined, and intervals. Published values, and those of
a second implementation, are in test_frozen.py."""

import random
from functools import partial
from typing import cast

import pandas as pd
import pytest
from scipy.stats import t

from pairwright.stats import Estimate
from pairwright_human_eval.agreement import Measurement, agreement

near = partial(pytest.approx, abs=1e-9)
ALL = ("percent", "alpha_nominal", "gwet_ac1")


def rated(*items: str) -> pd.DataFrame:
    """From a word an item with a digit a rater, `.` where missing."""
    rows = [
        (f"item {n:03}", f"rater {rater}", int(given))
        for n, word in enumerate(items)
        for rater, given in enumerate(word)
        if given != "."
    ]
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


def drawn(chance: random.Random, items: int, people: int, levels: int) -> pd.DataFrame:
    """Three in four ratings at random, of which two at least differ."""
    labels = [".", *"1234567"[:levels]]
    words = ["".join(chance.choices(labels, [1, *[3] * levels], k=people)) for _ in range(items)]
    return rated("12", *words)


def estimate(ratings: pd.DataFrame, levels: int, name: str) -> Estimate:
    kind = name.removeprefix("alpha_") if name.startswith("alpha") else "nominal"
    found = agreement(ratings, range(1, levels + 1), cast(Measurement, kind))
    of: Estimate = getattr(found, name)
    return of


def test_ac1_counts_unused_levels_and_items_with_a_single_rating() -> None:
    # Agreeing pairs of three: 1, 3, 1, 3, so 2/3 agree; each used level has half of the ratings.
    items = ("112", "111", "221", "222")
    assert estimate(rated(*items), 2, "gwet_ac1").value == near((2 / 3 - 1 / 2) / (1 / 2))
    assert estimate(rated(*items), 3, "gwet_ac1").value == near((2 / 3 - 1 / 4) / (3 / 4))
    # Shares of level 1 are 1, 1/2 and 0, so p_e is 2 * 1/2 * 1/2. Nothing else counts the third.
    less, more = rated("11", "12"), rated("11", "12", "2.")
    assert estimate(more, 2, "gwet_ac1").value == near(0)
    for name in ALL[:2]:
        assert estimate(more, 2, name) == estimate(less, 2, name)


@pytest.mark.parametrize(
    ("items", "levels", "undefined"),
    [
        ([], 2, {*ALL}),
        (["1.", ".2"], 2, {*ALL}),
        (["11", "11"], 2, {"alpha_nominal"}),
        (["11", "11"], 1, {"alpha_nominal", "gwet_ac1"}),
    ],
    ids=["nothing", "apart", "one answer", "one level"],
)
def test_what_cannot_be_defined_has_a_reason(
    items: list[str], levels: int, undefined: set[str]
) -> None:
    found = {name: estimate(rated(*items), levels, name) for name in ALL}
    assert {name for name, of in found.items() if of.value is None} == undefined
    assert all(found[name].note for name in undefined)


def test_a_second_rating_is_an_error_and_another_level_is_missing() -> None:
    with pytest.raises(ValueError, match="twice"):
        agreement(pd.concat([rated("11"), rated("2")]))
    found = agreement(rated("113"), [1, 2])
    assert (found.percent.n, found.raters) == (2, 2)
    assert found.alpha_ordinal.note == "the levels are nominal"


@pytest.mark.parametrize("name", [*ALL, "alpha_ordinal"])
def test_the_interval_is_that_of_leaving_out_one_cluster_after_the_other(name: str) -> None:
    """By Student's t, from the coefficient of the other ratings."""
    ratings = drawn(random.Random(1), 19, 5, 3)
    ratings = ratings.assign(cluster=[f"dyad {int(one[-3:]) // 2}" for one in ratings["item"]])
    without = [
        estimate(ratings[ratings["cluster"] != left], 3, name).value or 0
        for left in sorted(set(ratings["cluster"]))
    ]
    found = estimate(ratings, 3, name)
    assert found.clusters == len(without) == 10
    assert found.value is not None
    spread = 9 / 10 * sum((one - found.value) ** 2 for one in without)
    half = t.ppf(0.975, 9) * spread**0.5
    assert found.low == pytest.approx(
        max(0 if name == "percent" else -1, found.value - half), abs=2e-5
    )
    assert found.high == pytest.approx(min(1, found.value + half), abs=2e-5)
