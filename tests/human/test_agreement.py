"""Point estimates of agreement: published values, values by hand, and what must change nothing."""

import json
import random
from collections.abc import Sequence
from functools import partial
from typing import cast

import pytest

from agreement_reference import rows_of
from pairwright.estimate import Estimate
from pairwright_human_eval.agreement.intervals import Measurement, agreement
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
