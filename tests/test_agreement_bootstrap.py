"""Intervals clustered by item and rater: what they count, when they exist, and how often they
hold the truth."""

import time

import numpy as np
import pytest

from pairwright_human_eval.agreement import Agreement, Estimate, Ratings, agreement
from pairwright_human_eval.agreement.ratings import Floats
from pairwright_human_eval.agreement.weighted import COEFFICIENTS, Meetings, Tally, cohen, sums

NUMBERS = np.array([1, 2, 3], np.float64)


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


def repeated(ratings: Ratings, items: Floats, raters: Floats) -> list[tuple[int, int, int]]:
    """The resample written out: (copy of item, original rater, value) for every copy."""
    copies, rows = 0, []
    for item, times in enumerate(items.astype(int)):
        for _ in range(times):
            of = ratings.item == item
            for rater, value in zip(ratings.rater[of], ratings.value[of], strict=True):
                rows += [(copies, int(rater), int(value))] * int(raters[rater])
            copies += 1
    return rows


def test_a_weighted_replicate_is_the_written_out_resample_without_pairs_of_one_rater() -> None:
    rng = np.random.default_rng(8)
    ratings = study(rng, items=12, people=5, each=4)
    items = rng.integers(0, 3, 12).astype(float)
    raters = np.array([2.0, 0.0, 1.0, 3.0, 1.0])
    by_copy: dict[int, list[tuple[int, int]]] = {}
    for copy, rater, value in repeated(ratings, items, raters):
        by_copy.setdefault(copy, []).append((rater, value))
    agreeing, coincidences = [], np.zeros((3, 3))
    for given in by_copy.values():
        pairs = [
            (mine, theirs)
            for place, (rater, mine) in enumerate(given)
            for other, (another, theirs) in enumerate(given)
            if place != other and rater != another
        ]
        if pairs:
            agreeing.append(np.mean([mine == theirs for mine, theirs in pairs]))
            for mine, theirs in pairs:
                coincidences[mine, theirs] += len(given) / len(pairs)
    tally = Tally.of(ratings, items, raters)
    assert tally.percent == pytest.approx(np.mean(agreeing))
    assert tally.coincidences == pytest.approx(coincidences)


def test_a_rater_drawn_alone_agrees_with_nobody() -> None:
    ratings = study(np.random.default_rng(8), items=6, people=3, each=3)
    tally = Tally.of(ratings, np.ones(6), np.array([0.0, 3.0, 0.0]))
    with np.errstate(invalid="ignore"):
        assert np.isnan(tally.percent)


def test_items_answered_alike_may_be_weighed_together() -> None:
    rng = np.random.default_rng(4)
    ratings = study(rng, items=200, people=4, each=2)
    once, kind = ratings.distinct()
    assert len(once.items) < 100
    items, raters = rng.integers(0, 4, 200).astype(float), np.array([1.0, 2.0, 0.0, 1.0])
    together = sums(kind, items, len(once.items))
    for measure in COEFFICIENTS.values():
        apart = measure(Tally.of(ratings, items, raters), NUMBERS)
        assert measure(Tally.of(once, together, raters), NUMBERS) == pytest.approx(apart)
    kappas = [
        cohen(Meetings.of(of, counts), weights, raters)
        for of, counts, weights in (
            (ratings, np.ones(200, np.intp), items),
            (once, np.bincount(kind), together),
        )
    ]
    assert kappas[0] == pytest.approx(kappas[1])


def estimates(of: Agreement) -> dict[str, Estimate]:
    return {name: getattr(of, name) for name in Agreement.model_fields}


def test_every_interval_holds_its_value_and_says_what_it_rests_on() -> None:
    ratings = study(np.random.default_rng(1), items=80, people=6, each=3)
    found = estimates(agreement(ratings, measurement="interval", replicates=300))
    for of in found.values():
        assert of.low is not None
        assert of.value is not None
        assert of.high is not None
        assert of.low < of.value < of.high
        assert (of.items, of.ratings, of.raters, of.reason) == (80, 240, 6, "")


def test_n_leaves_out_what_nobody_else_rated() -> None:
    rows = [("x", "p", 1), ("x", "q", 2), ("y", "p", 1), ("y", "q", 1), ("z", "r", 1)]
    found = agreement(Ratings.of(rows, [1, 2]), replicates=20).percent
    assert (found.items, found.ratings, found.raters) == (2, 4, 2)


def test_levels_without_order_have_no_ordinal_alpha() -> None:
    ratings = study(np.random.default_rng(1), items=20, people=4, each=3)
    nominal = agreement(ratings, replicates=20)
    assert nominal.alpha_ordinal.reason == nominal.alpha_interval.reason == "the levels are nominal"
    ordinal = agreement(ratings, measurement="ordinal", replicates=20)
    assert ordinal.alpha_ordinal.value is not None
    assert ordinal.alpha_interval.reason == "the levels are ordinal"


def test_no_interval_without_something_to_vary() -> None:
    rng = np.random.default_rng(2)
    two = agreement(study(rng, items=30, people=2, each=2), replicates=200).percent
    assert two.value is not None
    assert two.low is None
    assert "replicates" in two.reason
    three = agreement(study(rng, items=30, people=3, each=3), replicates=200).percent
    assert three.low is not None
    rows = [(f"item {n}", f"rater {m}", 1 + n % 2) for n in range(9) for m in range(4)]
    same = agreement(Ratings.of(rows, [1, 2]), replicates=50)
    assert same.percent.value == same.alpha_nominal.value == 1
    assert same.percent.low is None
    assert same.percent.reason == "no interval: the ratings do not vary"
    alone = agreement(Ratings.of([*rows[:3], ("item 0", "rater 3", 2)], [1, 2]), replicates=50)
    assert alone.percent.reason == "no interval: a single item or cluster"
    nothing = estimates(agreement(Ratings.of([], [1, 2]), replicates=50))
    assert all(of.value is None and of.reason for of in nothing.values())


def test_the_seed_decides_the_interval() -> None:
    ratings = study(np.random.default_rng(1), items=40, people=5, each=3)
    first, again, other = (agreement(ratings, replicates=60, seed=s) for s in (1, 1, 2))
    assert first == again
    assert first.percent.value == other.percent.value
    assert first.percent.low != other.percent.low


def test_items_of_one_cluster_are_drawn_together() -> None:
    ratings = study(np.random.default_rng(6), items=60, people=40, each=4)
    copies = [
        (f"{ratings.items[i]} {copy}", ratings.raters[r], ratings.levels[v])
        for i, r, v in zip(ratings.item, ratings.rater, ratings.value, strict=True)
        for copy in range(4)
    ]
    many = Ratings.of(copies, ratings.levels)
    clusters = {item: item[:-2] for item in many.items}
    once = agreement(ratings, replicates=100).percent
    together = agreement(many, clusters=clusters, replicates=100).percent
    apart = agreement(many, replicates=100).percent
    # Four copies of an item say nothing more than it, and only the clusters know.
    assert (together.low, together.high) == pytest.approx((once.low, once.high))
    assert width(apart) < 0.8 * width(together)
    with pytest.raises(ValueError, match="is in no cluster"):
        agreement(many, clusters={}, replicates=1)


def width(of: Estimate) -> float:
    assert of.high is not None
    assert of.low is not None
    return of.high - of.low


def test_raters_who_differ_widen_the_interval() -> None:
    alike = study(np.random.default_rng(7), items=400, people=8, each=4)
    unlike = study(np.random.default_rng(7), items=400, people=8, each=4, spread=0.2)
    widths = [width(agreement(of, replicates=200).percent) for of in (alike, unlike)]
    assert widths[1] > 1.5 * widths[0]


@pytest.mark.real
def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Raters and items are drawn anew in every study; two raters of mean accuracy m agree with
    chance m^2 + (1 - m)^2 / 2, and levels being even, 2/3 of random pairs differ."""
    truth = 0.8**2 + 0.2**2 / 2
    rng = np.random.default_rng(12)
    held = {"percent": 0, "alpha_nominal": 0, "gwet_ac1": 0}
    studies = 80
    for _ in range(studies):
        found = agreement(study(rng, items=60, people=8, each=4, spread=0.2), replicates=150)
        for name in held:
            of = getattr(found, name)
            expected = truth if name == "percent" else 1 - (1 - truth) * 3 / 2
            held[name] += of.low <= expected <= of.high
    # 95 % of 80 is 76; the two-way bootstrap errs on the wide side.
    assert all(71 <= times <= studies for times in held.values()), held


def test_a_hundred_thousand_ratings_take_seconds() -> None:
    rng = np.random.default_rng(9)
    ratings = study(rng, items=33_334, people=9, each=3)
    before = time.process_time()
    agreement(ratings, measurement="interval", replicates=1000)
    assert time.process_time() - before < 15
