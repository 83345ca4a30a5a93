"""Agreement: published values, values by hand, what must change nothing; and its intervals."""

import json
import random
from collections.abc import Sequence
from functools import partial
from typing import cast

import numpy as np
import pytest
from scipy.stats import t

from pairwright.estimate import Estimate
from pairwright_human_eval.agreement.intervals import COEFFICIENTS, Measurement, agreement
from pairwright_human_eval.agreement.models import Level, Ratings
from reference_data import REFERENCE

PUBLISHED = json.loads((REFERENCE / "agreement_and_rank_metrics.json").read_text("utf-8"))
near = partial(pytest.approx, abs=1e-6)
"""Estimates are rounded to six places."""
Row = tuple[str, str, Level]


def rows_of(ratings: Ratings) -> list[Row]:
    return [
        (ratings.items[item], ratings.raters[rater], ratings.levels[value])
        for item, rater, value in zip(ratings.item, ratings.rater, ratings.value, strict=True)
    ]


def estimate(ratings: Ratings, name: str) -> Estimate:
    kind = name.removeprefix("alpha_") if name.startswith("alpha") else "nominal"
    found: Estimate = getattr(agreement(ratings, measurement=cast(Measurement, kind)), name)
    return found


def value(ratings: Ratings, name: str) -> float | None:
    return estimate(ratings, name).value


def of_matrix(by_rater: Sequence[Sequence[int | None]], levels: Sequence[int]) -> Ratings:
    """From a line a rater with a column an item, None where missing."""
    rows = [
        (f"item {item:03}", f"rater {rater}", given)
        for rater, line in enumerate(by_rater)
        for item, given in enumerate(line)
        if given is not None
    ]
    return Ratings.of(rows, levels)


@pytest.mark.parametrize(
    ("table", "levels"),
    [
        ("krippendorff_2011_4observers_12units", range(1, 6)),
        ("krippendorff_wikipedia_3coders_15units", range(1, 5)),
    ],
)
@pytest.mark.parametrize("measurement", ["nominal", "ordinal"])
def test_alpha_is_krippendorffs(table: str, levels: range, measurement: Measurement) -> None:
    known = PUBLISHED[table]
    found = value(of_matrix(known["data"], levels), f"alpha_{measurement}")
    assert found == pytest.approx(known["recomputed"][measurement], abs=5e-5)
    if measurement in known["published"]:
        assert found == pytest.approx(known["published"][measurement], abs=5e-4)


@pytest.mark.parametrize(("measurement", "alpha"), [("nominal", 0), ("ordinal", 0.552941)])
def test_alpha_with_missing_ratings_and_uneven_levels(measurement: str, alpha: float) -> None:
    """The values are those of the package `krippendorff` 0.9.0, which is not required here."""
    by_rater = ((1, 9, 2, 4, 2), (1, 4, None, 9, None), (4, None, 1, 9, None))
    assert value(of_matrix(by_rater, (1, 2, 4, 9)), f"alpha_{measurement}") == near(alpha)


@pytest.mark.parametrize(
    ("table", "levels"),
    [("irrcac_raw_4raters", range(1, 6)), ("irrcac_raw_5observers", range(4))],
)
def test_ac1_and_alpha_are_as_irrcac_has_them(table: str, levels: range) -> None:
    ratings = of_matrix(PUBLISHED[table]["data_rater_major"], levels)
    known = PUBLISHED[table]["recomputed_with_irrCAC_unweighted"]
    for name, its_name in (("gwet_ac1", "gwet_ac1"), ("alpha_nominal", "krippendorff")):
        assert value(ratings, name) == pytest.approx(known[its_name][0], abs=5e-6)


def test_ac1_counts_levels_that_nobody_used_and_items_with_a_single_rating() -> None:
    # Agreeing pairs of three: 1, 3, 1, 3, so 2/3 agree; each used level has half of the ratings.
    by_rater = [[1, 1, 2, 2], [1, 1, 2, 2], [2, 1, 1, 2]]
    assert value(of_matrix(by_rater, [1, 2]), "gwet_ac1") == near((2 / 3 - 1 / 2) / (1 / 2))
    assert value(of_matrix(by_rater, [1, 2, 3]), "gwet_ac1") == near((2 / 3 - 1 / 4) / (3 / 4))
    rows = [("x", "p", 1), ("x", "q", 1), ("y", "p", 1), ("y", "q", 2)]
    less, more = Ratings.of(rows, [1, 2]), Ratings.of([*rows, ("z", "p", 2)], [1, 2])
    for name in ("percent", "alpha_nominal"):
        assert value(more, name) == value(less, name)
    # Shares of level 1 are 1 and 1/2, so p_e = 2 * 3/4 * 1/4; with 0 it is 2 * 1/2 * 1/2.
    assert value(less, "gwet_ac1") == near((1 / 2 - 3 / 8) / (5 / 8))
    assert value(more, "gwet_ac1") == 0


ALL = {"percent", "alpha_nominal", "gwet_ac1"}


@pytest.mark.parametrize(
    ("ratings", "undefined"),
    [
        (Ratings.of([], [1, 2]), ALL),
        (of_matrix([[1, None], [None, 2]], [1, 2]), ALL),
        (of_matrix([[1, 1], [1, 1]], [1, 2]), {"alpha_nominal"}),
        (of_matrix([[1, 1], [1, 1]], [1]), ALL - {"percent"}),
    ],
    ids=["nothing", "apart", "one answer", "one level"],
)
def test_what_cannot_be_defined_has_a_reason(ratings: Ratings, undefined: set[str]) -> None:
    found = {name: estimate(ratings, name) for name in ALL}
    assert {name for name, of in found.items() if of.value is None} == undefined
    assert all(found[name].note for name in undefined)
    assert agreement(ratings).alpha_ordinal.note == "the levels are nominal"


def test_rows_that_cannot_be_ratings_are_errors() -> None:
    with pytest.raises(ValueError, match="p rated x twice"):
        Ratings.of([("x", "p", 1), ("x", "q", 1), ("x", "p", 2)], [1, 2])
    with pytest.raises(ValueError, match="p rated x 3, which is none of"):
        Ratings.of([("x", "p", 3)], [1, 2])


def test_order_and_names_of_rows_change_nothing() -> None:
    ratings = of_matrix(PUBLISHED["irrcac_raw_4raters"]["data_rater_major"], range(1, 6))
    rows = [(item[::-1], rater[::-1], given) for item, rater, given in rows_of(ratings)]
    again = Ratings.of(random.Random(5).sample(rows, len(rows)), ratings.levels)
    assert agreement(again, measurement="ordinal") == agreement(ratings, measurement="ordinal")


# Intervals


def drawn(seed: int, items: int, people: int, each: int) -> Ratings:
    """Raters drawn with accuracy 0.8, errors even over three levels."""
    rng, rows = np.random.default_rng(seed), []
    for item in range(items):
        truth = int(rng.integers(3))
        for rater in rng.permutation(people)[:each]:
            given = truth if rng.random() < 0.8 else (truth + int(rng.integers(1, 3))) % 3
            rows.append((f"item {item:05}", f"rater {rater:02}", given + 1))
    return Ratings.of(rows, [1, 2, 3])


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_the_interval_is_that_of_leaving_out_one_cluster_after_the_other(name: str) -> None:
    """By Student's t, from the coefficient of the other ratings."""
    chance = random.Random(1)
    rows = [row for row in rows_of(drawn(1, 20, 5, 5)) if chance.random() < 0.7]
    ratings = Ratings.of(rows, [1, 2, 3])
    clusters = {item: f"dyad {int(item[-5:]) // 2}" for item in ratings.items}
    without = [
        value(Ratings.of([row for row in rows if clusters[row[0]] != left], [1, 2, 3]), name) or 0
        for left in sorted(set(clusters.values()))
    ]
    kind: Measurement = "ordinal" if name == "alpha_ordinal" else "nominal"
    found = getattr(agreement(ratings, measurement=kind, clusters=clusters), name)
    assert found.clusters == len(without) == 10
    half = t.ppf(0.975, 9) * (9 / 10 * sum((one - found.value) ** 2 for one in without)) ** 0.5
    assert found.low == pytest.approx(found.value - half, abs=2e-5)
    assert found.high == pytest.approx(min(1, found.value + half), abs=2e-5)


SAME = [(f"item {n}", f"rater {m}", 1 + n % 2) for n in range(9) for m in range(4)]


@pytest.mark.parametrize(
    ("ratings", "note"),
    [
        (Ratings.of(SAME, [1, 2]), "the ratings do not vary"),
        (drawn(2, 4, 3, 3), "fewer than 5 clusters"),
    ],
)
def test_no_interval_without_something_to_vary(ratings: Ratings, note: str) -> None:
    found = agreement(ratings).percent
    assert found.value is not None
    assert (found.low, found.note) == (None, f"no interval: {note}")


def test_what_nobody_else_rated_is_left_out_of_n() -> None:
    rows: list[Row] = [("x", "p", 1), ("x", "q", 2), ("y", "p", 1), ("y", "q", 1), ("z", "r", 1)]
    found = agreement(Ratings.of(rows, [1, 2]))
    assert (found.items, found.percent.n, found.raters) == (2, 4, 2)


def test_items_of_one_cluster_are_sampled_together() -> None:
    """Four copies of an item say nothing more than it."""
    ratings = drawn(6, 60, 40, 4)
    copies = [(f"{i} {n}", who, given) for i, who, given in rows_of(ratings) for n in range(4)]
    many = Ratings.of(copies, ratings.levels)
    clusters = {item: item[:-2] for item in many.items}
    once, together = agreement(ratings).percent, agreement(many, clusters=clusters).percent
    assert (together.low, together.high) == pytest.approx((once.low, once.high))
    with pytest.raises(KeyError):
        agreement(many, clusters={})
