"""Point estimates of agreement: published values, values by hand, and what must change nothing."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
import pytest

from agreement_reference import rater_kappas
from pairwright_human_eval.agreement.intervals import Measurement, agreement
from pairwright_human_eval.agreement.models import Ratings
from reference_data import REFERENCE

TABLES = REFERENCE / "agreement_and_rank_metrics.json"


NOMINAL = ("percent", "alpha_nominal", "gwet_ac1", "fleiss_kappa", "cohen_kappa")


class Coefficient(NamedTuple):
    """A value, or the reason why there is none."""

    value: float | None
    reason: str


def of(ratings: Ratings, name: str) -> Coefficient:
    """A coefficient without its interval."""
    kind = name.removeprefix("alpha_") if name.startswith("alpha") else "nominal"
    found = getattr(agreement(ratings, measurement=cast(Measurement, kind)), name)
    return Coefficient(found.value, found.note if found.value is None else "")


near = partial(pytest.approx, abs=1e-6)
"""Estimates are rounded to six places."""


def published(name: str) -> Any:
    return json.loads(TABLES.read_text(encoding="utf-8"))[name]


def of_matrix(by_rater: Sequence[Sequence[int | None]], levels: Sequence[int]) -> Ratings:
    """From a line a rater with a column an item, None where missing."""
    rows = [
        (f"item {item:03}", f"rater {rater}", value)
        for rater, line in enumerate(by_rater)
        for item, value in enumerate(line)
        if value is not None
    ]
    return Ratings.of(rows, levels)


def of_counts(by_item: Sequence[Sequence[int]]) -> Ratings:
    """From a line an item with the number of raters at each level; who gave which is made up."""
    rows = []
    for item, counts in enumerate(by_item):
        given = [level for level, count in enumerate(counts) for _ in range(count)]
        rows += [(f"item {item}", f"rater {place:02}", v) for place, v in enumerate(given)]
    return Ratings.of(rows, range(len(by_item[0])))


def planted(items: int = 60, people: int = 6, each: int = 3, levels: int = 4) -> Ratings:
    """Some items have one rating less or more than `each`."""
    rng = np.random.default_rng(3)
    rows = []
    for item in range(items):
        truth = rng.integers(1, levels + 1)
        for rater in rng.choice(people, each + item % 3 - 1, replace=False):
            noise = rng.integers(1, levels + 1)
            rows.append(
                (f"item {item:03}", f"rater {rater}", int(rng.choice([truth, truth, noise])))
            )
    return Ratings.of(rows, range(1, levels + 1))


@pytest.mark.parametrize(
    ("table", "levels"),
    [
        ("krippendorff_2011_4observers_12units", range(1, 6)),
        ("krippendorff_wikipedia_3coders_15units", range(1, 5)),
    ],
)
@pytest.mark.parametrize("measurement", ["nominal", "ordinal", "interval"])
def test_alpha_is_krippendorffs(table: str, levels: range, measurement: Measurement) -> None:
    found = published(table)
    value = of(of_matrix(found["data"], levels), f"alpha_{measurement}").value
    assert value == pytest.approx(found["recomputed"][measurement], abs=5e-5)
    if measurement in found["published"]:
        assert value == pytest.approx(found["published"][measurement], abs=5e-4)


@pytest.mark.parametrize(
    ("measurement", "alpha"),
    [("nominal", 0.0), ("ordinal", 0.5529411764705883), ("interval", 0.48275862068965514)],
)
def test_alpha_with_missing_ratings_and_uneven_levels(
    measurement: Measurement, alpha: float
) -> None:
    """The values are those of the package `krippendorff` 0.9.0, which is not required here."""
    rated = {"a": (1, 1, 4), "b": (9, 4, None), "c": (2, None, 1), "d": (4, 9, 9), "e": (2,)}
    rows = [
        (item, f"rater {n}", value)
        for item, values in rated.items()
        for n, value in enumerate(values)
        if value is not None
    ]
    found = of(Ratings.of(rows, (1, 2, 4, 9)), f"alpha_{measurement}").value
    assert found == near(alpha)


@pytest.mark.parametrize(
    ("table", "levels"),
    [("irrcac_raw_4raters", range(1, 6)), ("irrcac_raw_5observers", range(4))],
)
def test_ac1_and_alpha_are_as_irrcac_has_them(table: str, levels: range) -> None:
    found = published(table)
    ratings = of_matrix(found["data_rater_major"], levels)
    expected = found["recomputed_with_irrCAC_unweighted"]
    assert of(ratings, "gwet_ac1").value == pytest.approx(expected["gwet_ac1"][0], abs=5e-6)
    alpha = of(ratings, "alpha_nominal").value
    assert alpha == pytest.approx(expected["krippendorff"][0], abs=5e-6)
    reason = of(ratings, "fleiss_kappa").reason
    assert reason.endswith("ratings; it takes equal numbers")


def test_fleiss_is_as_in_the_worked_example() -> None:
    found = published("fleiss_10subjects_14raters")
    ratings = of_counts(found["counts_item_by_category"])
    assert of(ratings, "percent").value == near(found["recomputed"]["P_bar"])
    assert of(ratings, "fleiss_kappa").value == near(found["recomputed"]["kappa"])


# By hand. Item 1: a a b; item 2: a a a; item 3: b b a; item 4: b b b. Agreeing pairs of three:
# 1, 3, 1, 3, so 2/3 agree; each level has half of the ratings.
SMALL = of_matrix([[1, 1, 2, 2], [1, 1, 2, 2], [2, 1, 1, 2]], [1, 2])


def test_small_tables_by_hand() -> None:
    assert of(SMALL, "percent").value == near(2 / 3)
    assert of(SMALL, "fleiss_kappa").value == near((2 / 3 - 1 / 2) / (1 / 2))
    assert of(SMALL, "gwet_ac1").value == near((2 / 3 - 1 / 2) / (1 / 2))
    # Observed disagreement 1/3; expected 2 * 6 * 6 / (12 * 11).
    alpha = 1 - (1 / 3) / (72 / 132)
    assert of(SMALL, "alpha_nominal").value == near(alpha)
    # With two levels every metric is a multiple of the nominal one.
    assert of(SMALL, "alpha_ordinal").value == near(alpha)
    assert of(SMALL, "alpha_interval").value == near(alpha)
    # Raters 0 and 1 agree on all, each with rater 2 on half of the items, as by chance.
    kappas = rater_kappas(SMALL)
    shared = [("".join(rater[-1] for rater in k.raters), k.items) for k in kappas]
    assert shared == [("01", 4), ("02", 4), ("12", 4)]
    assert [k.kappa for k in kappas] == near([1, 0, 0])
    assert of(SMALL, "cohen_kappa").value == near(1 / 3)


def test_ac1_counts_levels_that_nobody_used() -> None:
    wider = of_matrix([[1, 1, 2, 2], [1, 1, 2, 2], [2, 1, 1, 2]], [1, 2, 3])
    assert of(wider, "gwet_ac1").value == near((2 / 3 - 1 / 4) / (3 / 4))


def test_single_ratings_count_for_nothing_but_the_prevalence_in_ac1() -> None:
    rows = [("x", "p", 1), ("x", "q", 1), ("y", "p", 1), ("y", "q", 2)]
    more = Ratings.of([*rows, ("z", "p", 2)], [1, 2])
    less = Ratings.of(rows, [1, 2])
    for name in ("percent", "alpha_nominal", "cohen_kappa"):
        assert of(more, name) == of(less, name)
    # Shares of level 1: 1, 1/2, 0, so p_e = 2 * 1/2 * 1/2.
    assert of(more, "gwet_ac1").value == near((1 / 2 - 1 / 2) / (1 / 2))
    # Shares of level 1: 1, 1/2, so p_e = 2 * 3/4 * 1/4.
    assert of(less, "gwet_ac1").value == near((1 / 2 - 3 / 8) / (5 / 8))


def test_the_mean_kappa_weighs_two_raters_by_what_they_share() -> None:
    ratings = of_matrix(
        [[1, 2, 1, 2, None, None], [1, 2, 1, 2, 1, 2], [None, None, None, None, 2, 1]], [1, 2]
    )
    assert [(k.items, k.kappa) for k in rater_kappas(ratings)] == [(4, 1.0), (2, -1.0)]
    assert of(ratings, "cohen_kappa").value == near((4 - 2) / 6)


@pytest.mark.parametrize(
    ("ratings", "reasons"),
    [
        (Ratings.of([], [1, 2]), {"percent", "alpha", "ac1", "fleiss", "cohen"}),
        (of_matrix([[1, None], [None, 2]], [1, 2]), {"percent", "alpha", "ac1", "fleiss", "cohen"}),
        (of_matrix([[1, 1], [1, 1]], [1, 2]), {"alpha", "fleiss", "cohen"}),
        (of_matrix([[1, 2], [1, 2], [1, None]], [1, 2]), {"fleiss"}),
        (of_matrix([[1, None], [2, 1], [None, 2]], [1, 2]), {"cohen"}),
        (of_matrix([[1, 1], [1, 1]], [1]), {"alpha", "ac1", "fleiss", "cohen"}),
    ],
)
def test_what_cannot_be_defined_is_none_with_a_reason(ratings: Ratings, reasons: set[str]) -> None:
    for name, coefficient in zip(
        ("percent", "alpha", "ac1", "fleiss", "cohen"), NOMINAL, strict=True
    ):
        found = of(ratings, coefficient)
        assert (found.value is None) == bool(found.reason) == (name in reasons), (name, found)


def test_distances_need_numbers_and_order_does_not() -> None:
    rows = [("x", "p", "no"), ("x", "q", "no"), ("y", "p", "clearly"), ("y", "q", "plausibly")]
    ratings = Ratings.of(rows, ["clearly", "plausibly", "no"])
    assert of(ratings, "alpha_interval").reason == "the levels are not numbers"
    numbered = Ratings.of(
        [(item, rater, ["clearly", "plausibly", "no"].index(v)) for item, rater, v in rows],
        range(3),
    )
    ordinal = of(ratings, "alpha_ordinal").value
    assert ordinal is not None
    assert ordinal == of(numbered, "alpha_ordinal").value


def test_rows_that_cannot_be_ratings_are_errors() -> None:
    with pytest.raises(ValueError, match="p rated x twice"):
        Ratings.of([("x", "p", 1), ("x", "q", 1), ("x", "p", 2)], [1, 2])
    with pytest.raises(ValueError, match="p rated x 3, which is none of"):
        Ratings.of([("x", "p", 3)], [1, 2])


def rows_of(ratings: Ratings) -> list[tuple[str, str, int]]:
    return [
        (ratings.items[item], ratings.raters[rater], int(ratings.levels[value]))
        for item, rater, value in zip(ratings.item, ratings.rater, ratings.value, strict=True)
    ]


def test_the_order_of_rows_changes_nothing_at_all() -> None:
    ratings = planted()
    rows = rows_of(ratings)
    np.random.default_rng(5).shuffle(rows)
    again = Ratings.of(rows, ratings.levels)
    assert agreement(again) == agreement(ratings)


@pytest.mark.parametrize("name", [*NOMINAL, "alpha_ordinal"])
def test_other_names_and_swapped_labels_change_nothing(name: str) -> None:
    ratings = planted()
    renamed = [(item[::-1], rater[::-1], value) for item, rater, value in rows_of(ratings)]
    assert of(Ratings.of(renamed, ratings.levels), name) == of(ratings, name)
    swap = {1: 3, 3: 1, 2: 2, 4: 4}
    swapped = Ratings.of([(i, r, swap[value]) for i, r, value in rows_of(ratings)], range(1, 5))
    assert (of(swapped, name) == of(ratings, name)) == (name != "alpha_ordinal")
