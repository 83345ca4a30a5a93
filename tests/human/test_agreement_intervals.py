"""Intervals over items and raters: what they count, and when they exist."""

import numpy as np
import pytest
from scipy.stats import t

from agreement_reference import COEFFICIENTS, Row, percent_agreement, rows_of
from pairwright.estimate import Estimate
from pairwright_human_eval.agreement.intervals import Agreement, agreement, left_out
from pairwright_human_eval.agreement.models import Ratings


def study(
    rng: np.random.Generator, items: int, people: int, each: int, spread: float = 0.0
) -> Ratings:
    """Raters drawn with accuracy 0.8 give or take `spread`, errors even over three levels."""
    accuracy = rng.uniform(0.8 - spread, 0.8 + spread, people)
    rows = []
    for item in range(items):
        truth = int(rng.integers(3))
        for rater in rng.permutation(people)[:each]:
            right = rng.random() < accuracy[rater]
            value = truth if right else (truth + int(rng.integers(1, 3))) % 3
            rows.append((f"item {item:05}", f"rater {rater:02}", value + 1))
    return Ratings.of(rows, [1, 2, 3])


def seeded(seed: int, items: int, people: int, each: int, spread: float = 0.0) -> Ratings:
    return study(np.random.default_rng(seed), items, people, each, spread)


def uneven(seed: int) -> Ratings:
    """Items with one to five ratings."""
    rng = np.random.default_rng(seed)
    rows = rows_of(study(rng, items=14, people=5, each=5))
    return Ratings.of([row for row in rows if rng.random() < 0.7], [1, 2, 3])


def width(of: Estimate) -> float:
    assert of.high is not None
    assert of.low is not None
    return of.high - of.low


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize(
    "ratings", [seeded(3, 15, 5, 4), uneven(1), uneven(2)], ids=["even", "uneven", "another"]
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
    ratings = seeded(11, 30, 4, 4, spread=0.2)
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
    ratings = seeded(1, 20, 4, 3)
    nominal, ordinal = agreement(ratings), agreement(ratings, measurement="ordinal")
    assert nominal.alpha_ordinal.note == nominal.alpha_interval.note == "the levels are nominal"
    assert ordinal.alpha_ordinal.value is not None
    assert ordinal.alpha_interval.note == "the levels are ordinal"


SAME = [(f"item {n}", f"rater {m}", 1 + n % 2) for n in range(9) for m in range(4)]


@pytest.mark.parametrize(
    ("ratings", "value", "note"),
    [
        (seeded(2, 30, 2, 2), None, "undefined without 2 of 2 raters"),
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
    ratings = seeded(6, 60, 40, 4)
    copies = [(f"{i} {n}", who, given) for i, who, given in rows_of(ratings) for n in range(4)]
    many = Ratings.of(copies, ratings.levels)
    clusters = {item: item[:-2] for item in many.items}
    once, together = agreement(ratings).percent, agreement(many, clusters=clusters).percent
    assert (together.low, together.high) == pytest.approx((once.low, once.high))
    with pytest.raises(KeyError):
        agreement(many, clusters={})
