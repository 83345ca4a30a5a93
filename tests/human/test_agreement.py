"""Agreement: published values, values by hand, what must change nothing; and intervals over items
and raters."""

import json
import random
from collections.abc import Sequence
from functools import partial
from typing import cast

import numpy as np
import pytest
from scipy.stats import t

from agreement_reference import COEFFICIENTS, Row, percent_agreement, rows_of
from pairwright.estimate import Estimate
from pairwright_human_eval.agreement.intervals import (
    Agreement,
    Measurement,
    agreement,
    left_out,
)
from pairwright_human_eval.agreement.models import Ratings
from reference_data import REFERENCE

PUBLISHED = json.loads((REFERENCE / "agreement_and_rank_metrics.json").read_text("utf-8"))
near = partial(pytest.approx, abs=1e-6)
"""Estimates are rounded to six places."""


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
@pytest.mark.parametrize("measurement", ["nominal", "ordinal", "interval"])
def test_alpha_is_krippendorffs(table: str, levels: range, measurement: Measurement) -> None:
    known = PUBLISHED[table]
    found = value(of_matrix(known["data"], levels), f"alpha_{measurement}")
    assert found == pytest.approx(known["recomputed"][measurement], abs=5e-5)
    if measurement in known["published"]:
        assert found == pytest.approx(known["published"][measurement], abs=5e-4)


@pytest.mark.parametrize(
    ("measurement", "alpha"), [("nominal", 0), ("ordinal", 0.552941), ("interval", 0.482759)]
)
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
    assert estimate(ratings, "fleiss_kappa").note.endswith("ratings; it takes equal numbers")


def test_ac1_counts_levels_that_nobody_used_and_items_with_a_single_rating() -> None:
    # Agreeing pairs of three: 1, 3, 1, 3, so 2/3 agree; each used level has half of the ratings.
    by_rater = [[1, 1, 2, 2], [1, 1, 2, 2], [2, 1, 1, 2]]
    assert value(of_matrix(by_rater, [1, 2]), "gwet_ac1") == near((2 / 3 - 1 / 2) / (1 / 2))
    assert value(of_matrix(by_rater, [1, 2, 3]), "gwet_ac1") == near((2 / 3 - 1 / 4) / (3 / 4))
    rows = [("x", "p", 1), ("x", "q", 1), ("y", "p", 1), ("y", "q", 2)]
    less, more = Ratings.of(rows, [1, 2]), Ratings.of([*rows, ("z", "p", 2)], [1, 2])
    for name in ("percent", "alpha_nominal", "cohen_kappa"):
        assert value(more, name) == value(less, name)
    # Shares of level 1 are 1 and 1/2, so p_e = 2 * 3/4 * 1/4; with 0 it is 2 * 1/2 * 1/2.
    assert value(less, "gwet_ac1") == near((1 / 2 - 3 / 8) / (5 / 8))
    assert value(more, "gwet_ac1") == 0


def test_the_mean_kappa_weighs_two_raters_by_what_they_share() -> None:
    """Two share four items, where their kappa is 1; two share two items, where it is -1."""
    missing = [None] * 4
    ratings = of_matrix([[1, 2, 1, 2, None, None], [1, 2, 1, 2, 1, 2], [*missing, 2, 1]], [1, 2])
    assert value(ratings, "cohen_kappa") == near((4 - 2) / 6)


ALL = {"percent", "alpha_nominal", "gwet_ac1", "fleiss_kappa", "cohen_kappa"}


@pytest.mark.parametrize(
    ("ratings", "undefined"),
    [
        (Ratings.of([], [1, 2]), ALL),
        (of_matrix([[1, None], [None, 2]], [1, 2]), ALL),
        (of_matrix([[1, 1], [1, 1]], [1, 2]), ALL - {"percent", "gwet_ac1"}),
        (of_matrix([[1, 2], [1, 2], [1, None]], [1, 2]), {"fleiss_kappa"}),
        (of_matrix([[1, None], [2, 1], [None, 2]], [1, 2]), {"cohen_kappa"}),
        (of_matrix([[1, 1], [1, 1]], [1]), ALL - {"percent"}),
    ],
    ids=["nothing", "apart", "one answer", "uneven", "few shared", "one level"],
)
def test_what_cannot_be_defined_has_a_reason(ratings: Ratings, undefined: set[str]) -> None:
    found = {name: estimate(ratings, name) for name in ALL}
    assert {name for name, of in found.items() if of.value is None} == undefined
    assert all(found[name].note for name in undefined)


def test_distances_need_numbers_and_order_does_not() -> None:
    words = ["clearly", "plausibly", "no"]
    rows = [("x", "p", "no"), ("x", "q", "no"), ("y", "p", "clearly"), ("y", "q", "plausibly")]
    ratings = Ratings.of(rows, words)
    assert estimate(ratings, "alpha_interval").note == "the levels are not numbers"
    numbered = Ratings.of([(item, who, words.index(said)) for item, who, said in rows], range(3))
    ordinal = value(ratings, "alpha_ordinal")
    assert ordinal is not None
    assert ordinal == value(numbered, "alpha_ordinal")


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


def drawn(seed: int, items: int, people: int, each: int, spread: float = 0.0) -> Ratings:
    """Raters drawn with accuracy 0.8 give or take `spread`, errors even over three levels."""
    rng = np.random.default_rng(seed)
    accuracy = rng.uniform(0.8 - spread, 0.8 + spread, people)
    rows = []
    for item in range(items):
        truth = int(rng.integers(3))
        for rater in rng.permutation(people)[:each]:
            right = rng.random() < accuracy[rater]
            given = truth if right else (truth + int(rng.integers(1, 3))) % 3
            rows.append((f"item {item:05}", f"rater {rater:02}", given + 1))
    return Ratings.of(rows, [1, 2, 3])


def uneven(seed: int) -> Ratings:
    """Items with one to five ratings."""
    chance, rows = random.Random(seed), rows_of(drawn(seed, items=14, people=5, each=5))
    return Ratings.of([row for row in rows if chance.random() < 0.7], [1, 2, 3])


def width(of: Estimate) -> float:
    assert of.high is not None
    assert of.low is not None
    return of.high - of.low


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize(
    "ratings", [drawn(3, 15, 5, 4), uneven(1), uneven(2)], ids=["even", "uneven", "another"]
)
def test_leaving_out_a_part_is_the_library_on_the_other_ratings(
    name: str, ratings: Ratings
) -> None:
    cluster = np.arange(len(ratings.items)) // 2
    found = left_out(ratings, cluster, [name])[name]
    rows = [
        (row, int(cluster[ratings.items.index(row[0])]), ratings.raters.index(row[1]))
        for row in rows_of(ratings)
    ]
    cells = sorted({(of_cluster, of_rater) for _, of_cluster, of_rater in rows})
    without: list[tuple[float, list[Row]]] = [(found.whole, [row for row, _, _ in rows])]
    for n, value in enumerate(found.clusters):
        without.append((value, [row for row, of, _ in rows if of != n]))
    for n, value in enumerate(found.raters):
        without.append((value, [row for row, _, of in rows if of != n]))
    for cell, value in zip(cells, found.cells, strict=True):
        without.append((value, [row for row, *of in rows if tuple(of) != cell]))
    compared = 0
    for value, left in without:
        expected = COEFFICIENTS[name](Ratings.of(left, ratings.levels))
        if expected is not None:
            assert value == pytest.approx(expected, abs=1e-12)
            compared += 1
    # Fleiss' kappa takes equal numbers, and so is compared where the library has it.
    even = len(set(ratings.counts().sum(axis=1))) == 1
    assert compared >= (0 if name == "fleiss_kappa" and not even else 9)


def test_the_interval_by_hand() -> None:
    """Every item has four ratings, so percent agreement is the mean of the items' own, and the
    part of the items is the variance of that mean."""
    ratings = drawn(11, 30, 4, 4, spread=0.2)
    rows = rows_of(ratings)

    def share(left: list[Row]) -> float:
        return percent_agreement(Ratings.of(left, ratings.levels)) or 0.0

    value = share(rows)
    own = [share([row for row in rows if row[0] == item]) for item in ratings.items]
    of_raters = [share([row for row in rows if row[1] != who]) - value for who in ratings.raters]
    of_cells = [share([row for row in rows if row[:2] != left[:2]]) - value for left in rows]
    people = 3 / 4 * (sum(x * x for x in of_raters) - sum(x * x for x in of_cells))
    assert people > 0
    squares = t.ppf(0.975, 29) ** 2 * np.var(own, ddof=1) / 30 + t.ppf(0.975, 3) ** 2 * people
    found = agreement(ratings).percent
    assert found.value == pytest.approx(value, abs=1e-6)
    assert width(found) == pytest.approx(2 * squares**0.5, abs=2e-6)


def estimates(of: Agreement) -> dict[str, Estimate]:
    return {name: found for name, found in of if isinstance(found, Estimate)}


def test_levels_without_order_have_no_ordinal_alpha() -> None:
    ratings = drawn(1, 20, 4, 3)
    nominal, ordinal = agreement(ratings), agreement(ratings, measurement="ordinal")
    assert nominal.alpha_ordinal.note == nominal.alpha_interval.note == "the levels are nominal"
    assert ordinal.alpha_ordinal.value is not None
    assert ordinal.alpha_interval.note == "the levels are ordinal"


SAME = [(f"item {n}", f"rater {m}", 1 + n % 2) for n in range(9) for m in range(4)]


@pytest.mark.parametrize(
    ("ratings", "value", "note"),
    [
        (drawn(2, 30, 2, 2), None, "undefined without 2 of 2 raters"),
        (Ratings.of(SAME, [1, 2]), 1, "the ratings do not vary"),
        (Ratings.of([*SAME[:3], ("item 0", "x", 2)], [1, 2]), 0.5, "a single item or cluster"),
    ],
    ids=["two raters", "all agree", "one item"],
)
def test_no_interval_without_something_to_vary(
    ratings: Ratings, value: float | None, note: str
) -> None:
    found = agreement(ratings).percent
    assert found.value is not None
    assert value is None or found.value == value
    assert (found.low, found.note) == (None, f"no interval: {note}")


def test_what_nobody_else_rated_is_left_out_of_n_and_nothing_rests_on_nothing() -> None:
    rows: list[Row] = [("x", "p", 1), ("x", "q", 2), ("y", "p", 1), ("y", "q", 1), ("z", "r", 1)]
    found = agreement(Ratings.of(rows, [1, 2]))
    assert (found.items, found.percent.n, found.raters) == (2, 4, 2)
    nothing = estimates(agreement(Ratings.of([], [1, 2])))
    assert all(of.value is None and of.note for of in nothing.values())


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
