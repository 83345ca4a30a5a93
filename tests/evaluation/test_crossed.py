"""Comparisons of scorers on natural twins, whose couples and responses are crossed: the p is that
of the interval, so that letters and intervals never say two things."""

import numpy as np
import pytest

from pairwright.evaluation.board.flips import equality_p, sign_flip
from pairwright.evaluation.board.ranking import compare_rows, group_letters
from pairwright.intervals import LEVEL, Accuracy, Floats, Places, accuracy, difference, z_of

CONSTANT, LONGER = "constant.profile", "longer.profile"


def two_camps(couples: int, twins: int, responses: int, chance: np.random.Generator) -> Places:
    """Halves of twins: one user of each couple takes a response of one camp to one of the other."""
    n, half = couples * twins, responses // 2
    first, second = couples + chance.integers(0, half, (2, n)) + half * np.arange(2)[:, None]
    return np.repeat(np.stack([np.arange(n) // twins, first, second], 1), 2, axis=0)


def by_camp(clusters: Places, chance: np.random.Generator) -> Floats:
    """The points of a scorer that likes each response by chance, and the user's camp: it knows
    nothing, and is right or wrong wherever a response returns."""
    liked = chance.normal(size=int(clusters.max()) + 1)
    return (liked[clusters[:, 1]] > liked[clusters[:, 2]]).astype(float)


def test_scorers_that_know_nothing_are_found_in_about_5_of_100_sets() -> None:
    chance, runs = np.random.default_rng(1), 300
    found = {"crossed": 0, "against one half": 0, "by couple": 0}
    for _ in range(runs):
        clusters = two_camps(80, 6, 40, chance)
        one, other = by_camp(clusters, chance), by_camp(clusters, chance)
        found["crossed"] += equality_p(one - other, clusters) < LEVEL
        found["against one half"] += equality_p(2 * one - 1, clusters) < LEVEL
        found["by couple"] += sign_flip(one - other, clusters[:, 0]) < LEVEL
    assert found["crossed"] / runs <= 0.08
    assert found["against one half"] / runs <= 0.08
    assert found["by couple"] / runs > 0.2


def test_a_p_is_the_least_level_at_which_the_interval_leaves_out_one_half() -> None:
    for found in (
        Accuracy(value=0.62, tied=0.1, n=288, clusters=24, design=1.7, fewest=24),
        Accuracy(value=0.31, tied=0.0, n=60, clusters=10, design=1.0, fewest=9),
        Accuracy(value=0.501, tied=0.0, n=900, clusters=90, design=2.0, fewest=90),
    ):
        p = found.p_of_one_half()
        low, high = found.interval(z_of(p * 1.001))
        assert not low <= 0.5 <= high
        low, high = found.interval(z_of(p * 0.999))
        assert low <= 0.5 <= high
    # Independent pairs without ties: the score test.
    plain = Accuracy(value=0.6, tied=0, n=100, clusters=100, design=1, fewest=100)
    assert plain.p_of_one_half() == pytest.approx(0.0455, abs=1e-4)
    assert plain._replace(value=0.5).p_of_one_half() == 1
    assert plain._replace(fewest=1).p_of_one_half() == 1
    assert 0 < plain._replace(value=1.0, n=10**6, fewest=10**6).p_of_one_half() < 1e-200


def test_no_letter_says_what_an_interval_denies() -> None:
    chance, apart = np.random.default_rng(2), 0
    for _ in range(45):
        clusters = two_camps(24, 6, 36, chance)
        n = len(clusters)
        points = {name: by_camp(clusters, chance) for name in ("a", "b", "c")}
        # On each twin one half is right, by a taste for responses; or both are tied.
        points |= {CONSTANT: np.full(n, 0.5), LONGER: by_camp(clusters, chance)}
        points[LONGER][1::2] = 1 - points[LONGER][::2]
        names = tuple(points)
        compared, test = compare_rows(names, points, clusters, {CONSTANT, LONGER})
        assert test.crossed
        assert test.can_distinguish
        letters = group_letters(
            names, [(one.first, one.second) for one in compared if one.adjusted < LEVEL]
        )
        for one in compared:
            assert one.low is not None
            assert one.high is not None
            assert (one.p < LEVEL) == (not one.low <= 0 <= one.high)
            assert one.p <= one.adjusted
            assert test.least <= one.adjusted
            share = set(letters[one.first].split()) & set(letters[one.second].split())
            assert bool(share) == (one.adjusted >= LEVEL)
            if one.second in (CONSTANT, LONGER) and one.first not in (CONSTANT, LONGER):
                found = accuracy(points[one.first], clusters)
                assert found
                low, high = found.interval(z_of(LEVEL))
                assert (one.low, one.high) == pytest.approx((low - 0.5, high - 0.5), abs=2e-6)
                apart += not share
                assert share or not low <= 0.5 <= high
        (alike,) = (one for one in compared if {one.first, one.second} == {CONSTANT, LONGER})
        assert (alike.p, alike.adjusted, alike.difference) == (1, 1, 0)
    assert apart


def test_holms_procedure_counts_each_question_once() -> None:
    chance = np.random.default_rng(3)
    clusters = two_camps(40, 4, 60, chance)
    better = np.where(chance.random(len(clusters)) < 0.6, 1.0, 0.0)
    points = {"better": better, CONSTANT: np.full(len(clusters), 0.5)}
    few, _ = compare_rows(tuple(points), points, clusters, {CONSTANT})
    points[LONGER] = np.tile([1.0, 0.0], len(clusters) // 2)
    more, _ = compare_rows(tuple(points), points, clusters, {CONSTANT, LONGER})
    # Another row at one half by identity asks nothing new.
    assert few[0].adjusted == few[0].p == more[0].adjusted == more[1].adjusted
    assert difference(2 * better - 1, clusters).value == pytest.approx(2 * few[0].difference)
    points["worse"] = 1 - better
    third, _ = compare_rows(tuple(points), points, clusters, {CONSTANT, LONGER})
    assert third[0].adjusted > few[0].adjusted


def test_a_table_of_rows_at_one_half_by_identity_tests_nothing() -> None:
    clusters = two_camps(12, 2, 20, np.random.default_rng(4))
    points = {CONSTANT: np.full(len(clusters), 0.5), LONGER: np.full(len(clusters), 0.5)}
    (alike,), test = compare_rows(tuple(points), points, clusters, {CONSTANT, LONGER})
    assert alike.adjusted == 1
    assert not test.can_distinguish
    assert not test.crossed
