"""Which rows differ: exact where it can be, never too often, and often enough. On natural twins
couples and responses are crossed: there the p is that of the interval, so that letters and
intervals never say two things."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from decided import ends
from pairwright.evaluation.board import sign_flips as module
from pairwright.evaluation.board.comparisons import compare_rows
from pairwright.evaluation.board.ranking import group_letters
from pairwright.evaluation.board.sign_flips import clusters_needed, equality_p, sign_flip, step_down
from pairwright.intervals import LEVEL, Accuracy, Floats, Places, accuracy, difference, z_of

Make = Callable[[np.random.Generator], tuple[Any, Any]]


def pairs_of(rows: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(rows), 2))


def by_hand(points: Any, clusters: Any) -> dict[tuple[int, int], float]:
    """Every flip, and at every step the greatest statistic of the pairs that are left."""
    pairs = pairs_of(len(points))
    names = np.unique(clusters)
    sums = {
        (a, b): np.array([(points[a] - points[b])[clusters == name].sum() for name in names])
        for a, b in pairs
    }

    def statistic(pair: tuple[int, int], signs: Any) -> float:
        return float(abs(signs @ sums[pair]) / np.sqrt(sums[pair] @ sums[pair]))

    flips = [np.array(flip) for flip in itertools.product((1, -1), repeat=len(names))]
    found = {pair: statistic(pair, np.ones(len(names))) for pair in pairs}
    left = sorted(pairs, key=lambda pair: -found[pair])
    adjusted, so_far = {}, 0.0
    while left:
        far = [
            max(statistic(pair, flip) for pair in left) >= found[left[0]] - 1e-9 for flip in flips
        ]
        so_far = max(so_far, float(np.mean(far)))
        adjusted[left.pop(0)] = so_far
    return adjusted


def test_it_is_the_step_down_procedure_over_every_flip() -> None:
    chance = np.random.default_rng(0)
    for _ in range(5):
        points = chance.choice([0, 0.5, 1], (4, 24), p=[0.3, 0.1, 0.6])
        points[0] = np.maximum(points[0], chance.random(24) < 0.8)
        clusters = chance.integers(0, 8, 24)
        adjusted, found = step_down(points, clusters, pairs_of(4))
        assert found.exact
        expected = by_hand(points, clusters)
        for pair, p in zip(pairs_of(4), adjusted, strict=True):
            assert p == pytest.approx(expected[pair])


def test_two_rows_alone_have_the_p_of_the_sign_flip_test() -> None:
    chance = np.random.default_rng(1)
    for clusters in (8, 14, 60):
        points = (chance.random((2, 90)) < [[0.75], [0.5]]).astype(float)
        places = chance.integers(0, clusters, 90)
        p, found = step_down(points, places, [(0, 1)])
        expected = sign_flip(points[0] - points[1], places)
        assert found.exact == (clusters <= 14)
        assert p[0] == pytest.approx(expected, abs=1e-9 if found.exact else 0.02)


def test_rows_that_are_the_same_are_never_told_apart() -> None:
    points = np.ones((3, 20))
    points[2] = 0
    p, _ = step_down(points, np.arange(20), pairs_of(3))
    assert p.tolist() == [1, 0.0001, 0.0001]
    assert step_down(np.ones((2, 4)), np.arange(4), [(0, 1)])[0].tolist() == [1]
    with pytest.raises(ValueError, match="not a number"):
        step_down(np.array([[1.0, np.nan], [0.0, 1.0]]), np.arange(2), [(0, 1)])
    # Rows at one half by identity are not tested at all.
    clusters = two_camps(12, 2, 20, np.random.default_rng(4))
    tied = {CONSTANT: np.full(len(clusters), 0.5), LONGER: np.full(len(clusters), 0.5)}
    (alike,), test = compare_rows(tuple(tied), tied, clusters, {CONSTANT, LONGER})
    assert alike.adjusted == 1
    assert not test.can_distinguish
    assert not test.crossed


def test_it_takes_six_clusters_to_find_anything_and_the_floor_says_so() -> None:
    assert clusters_needed() == 6
    for clusters in (3, 5, 6, 10):
        points = np.array([np.ones(clusters), np.zeros(clusters)])
        p, found = step_down(points, np.arange(clusters), [(0, 1)])
        assert p[0] == found.least == 2.0 ** (1 - clusters)
        assert (found.least < LEVEL) == (clusters >= clusters_needed())
    # Five pairs of rows differ in every cluster: each of five flips makes one consistent.
    chance = np.random.default_rng(3)
    points = (chance.random((5, 9)) < 0.5).astype(float)
    p, found = step_down(np.vstack([points, 1 - points]), np.arange(9), pairs_of(10))
    assert found.least == 5 * 2.0**-8
    assert p.min() >= found.least


# How often it errs, and how often it finds


def coins(rows: int, clusters: int, right: Any) -> Make:
    """Clusters of one to four pairs, which a row finds harder or easier as wholes."""

    def make(chance: np.random.Generator) -> tuple[Any, Any]:
        places = np.repeat(np.arange(clusters), chance.integers(1, 5, clusters))
        harder = 0.15 * chance.normal(size=(rows, clusters))[:, places]
        likely = np.clip(np.broadcast_to(right, rows)[:, None] + harder, 0, 1)
        return (chance.random((rows, len(places))) < likely).astype(float), places

    return make


def one_winner(rows: int, clusters: int) -> Make:
    """Just one row is right in each cluster: alike, and as skewed as can be."""

    def make(chance: np.random.Generator) -> tuple[Any, Any]:
        points = np.zeros((rows, clusters))
        points[chance.integers(0, rows, clusters), np.arange(clusters)] = 1
        return points, np.arange(clusters)

    return make


def alike(rows: int, clusters: int) -> Make:
    """Rows that mostly say the same."""

    def make(chance: np.random.Generator) -> tuple[Any, Any]:
        points = np.tile((chance.random(clusters) < 0.7).astype(float), (rows, 1))
        other = chance.random((rows, clusters)) < 0.15
        return np.where(other, 1 - points, points), np.arange(clusters)

    return make


HALF_GOOD = np.array([0.9, 0.9, 0.9, 0.5, 0.5, 0.5])
NULLS = [
    pytest.param(coins(6, 10, 0.7), None, id="ten clusters, alike"),
    pytest.param(one_winner(3, 10), None, id="one winner a cluster"),
    pytest.param(alike(6, 40), None, id="the same answers"),
    pytest.param(coins(6, 14, HALF_GOOD), HALF_GOOD, id="three good, three poor"),
    pytest.param(coins(6, 20, 0.7), None, id="twenty clusters, alike", marks=pytest.mark.real),
    pytest.param(one_winner(6, 14), None, id="one winner of six", marks=pytest.mark.real),
    pytest.param(coins(6, 30, HALF_GOOD), HALF_GOOD, id="more clusters", marks=pytest.mark.real),
]


@pytest.mark.parametrize(("make", "right"), NULLS)
def test_any_false_difference_is_found_in_at_most_5_of_100_tables(
    make: Make, right: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where other rows do differ: a row is distinguished from its equal no more often then."""
    monkeypatch.setattr(module, "DRAWS", 399)
    monkeypatch.setattr(module, "EXACT", 10)
    chance, tables, false = np.random.default_rng(11), 500, 0
    for _ in range(tables):
        points, clusters = make(chance)
        pairs = pairs_of(len(points))
        equal = [right is None or right[a] == right[b] for a, b in pairs]
        p, _ = step_down(points, clusters, pairs)
        false += bool((p[equal] < LEVEL).any())
    # Three standard errors of a share of 5 % above it.
    assert false / tables <= LEVEL + 3 * (LEVEL * (1 - LEVEL) / tables) ** 0.5


# Crossed couples and responses


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
        for level, within in ((p * 1.001, False), (p * 0.999, True)):
            low, high = found.interval(z_of(level))
            assert (low <= 0.5 <= high) == within
    # Independent pairs without ties: the score test.
    plain = Accuracy(value=0.6, tied=0, n=100, clusters=100, design=1, fewest=100)
    assert plain.p_of_one_half() == pytest.approx(0.0455, abs=1e-4)
    assert plain._replace(value=0.5).p_of_one_half() == 1
    assert plain._replace(fewest=1).p_of_one_half() == 1
    assert 0 < plain._replace(value=1.0, n=10**6, fewest=10**6).p_of_one_half() < 1e-200


def test_no_letter_says_what_an_interval_denies() -> None:
    chance, apart = np.random.default_rng(5), 0
    for _ in range(12):
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
            low, high = ends(one)
            assert (one.p < LEVEL) == (not low <= 0 <= high)
            assert one.p <= one.adjusted
            assert test.least <= one.adjusted
            share = set(letters[one.first].split()) & set(letters[one.second].split())
            assert bool(share) == (one.adjusted >= LEVEL)
            if one.second in (CONSTANT, LONGER) and one.first not in (CONSTANT, LONGER):
                found = accuracy(points[one.first], clusters)
                assert found
                bounds = np.array(found.interval(z_of(LEVEL))) - 0.5
                assert (low, high) == pytest.approx(bounds, abs=2e-6)
                apart += not share
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
