"""Which rows differ: exact where it can be, never too often, and often enough."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pairwright.evaluation.board import flips as module
from pairwright.evaluation.board.flips import clusters_needed, sign_flip, step_down
from pairwright.intervals import LEVEL

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
        found = step_down(points, clusters, pairs_of(4))
        assert found.exact
        expected = by_hand(points, clusters)
        for pair, p in zip(pairs_of(4), found.p, strict=True):
            assert p == pytest.approx(expected[pair])


def test_two_rows_alone_have_the_p_of_the_sign_flip_test() -> None:
    chance = np.random.default_rng(1)
    for clusters in (8, 14, 60):
        points = (chance.random((2, 90)) < [[0.75], [0.5]]).astype(float)
        places = chance.integers(0, clusters, 90)
        found = step_down(points, places, [(0, 1)])
        expected = sign_flip(points[0] - points[1], places)
        assert found.exact == (clusters <= 14)
        assert found.p[0] == pytest.approx(expected, abs=1e-9 if found.exact else 0.02)


def test_rows_that_are_the_same_are_never_told_apart() -> None:
    points = np.ones((3, 20))
    points[2] = 0
    found = step_down(points, np.arange(20), pairs_of(3))
    assert found.p.tolist() == [1, 0.0001, 0.0001]
    assert step_down(np.ones((2, 4)), np.arange(4), [(0, 1)]).p.tolist() == [1]


def test_a_point_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not a number"):
        step_down(np.array([[1.0, np.nan], [0.0, 1.0]]), np.arange(2), [(0, 1)])


def test_it_takes_six_clusters_to_find_anything_and_the_floor_says_so() -> None:
    assert clusters_needed() == 6
    for clusters in (3, 5, 6, 10):
        points = np.array([np.ones(clusters), np.zeros(clusters)])
        found = step_down(points, np.arange(clusters), [(0, 1)])
        assert found.p[0] == found.least == 2.0 ** (1 - clusters)
        assert (found.least < LEVEL) == (clusters >= clusters_needed())


def test_no_p_of_a_table_is_below_its_floor() -> None:
    """Five pairs of rows differ in every cluster: each of five flips makes one consistent."""
    chance = np.random.default_rng(3)
    points = (chance.random((5, 9)) < 0.5).astype(float)
    found = step_down(np.vstack([points, 1 - points]), np.arange(9), pairs_of(10))
    assert found.least == 5 * 2.0**-8
    assert found.p.min() >= found.least


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
NULLS = {
    "ten clusters, alike": (coins(6, 10, 0.7), None),
    "twenty clusters, alike": (coins(6, 20, 0.7), None),
    "one winner a cluster": (one_winner(3, 10), None),
    "one winner of six": (one_winner(6, 14), None),
    "the same answers": (alike(6, 40), None),
    "three good, three poor": (coins(6, 14, HALF_GOOD), HALF_GOOD),
    "three good, three poor, more clusters": (coins(6, 30, HALF_GOOD), HALF_GOOD),
}


@pytest.mark.parametrize(("make", "right"), NULLS.values(), ids=NULLS)
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
        found = step_down(points, clusters, pairs)
        false += bool((found.p[equal] < LEVEL).any())
    # Three standard errors of a share of 5 % above it.
    assert false / tables <= LEVEL + 3 * (LEVEL * (1 - LEVEL) / tables) ** 0.5


def test_an_oracle_is_told_from_coins_in_a_table_of_nineteen_rows_on_ten_clusters() -> None:
    """Holm's least p for 171 pairs would be 171 x 2^-9 = .33: everything would share a letter."""
    chance, tables, found_of_always, found_of_coins = np.random.default_rng(5), 20, 0, 0.0
    for _ in range(tables):
        clusters = np.repeat(np.arange(10), 4)
        first = np.tile([1.0, 0.0], 20)
        points = (chance.random((19, 40)) < 0.5).astype(float)
        # Rows 0 to 2: one that is right everywhere, and two that always say the same.
        points[:3] = np.ones(40), first, 1 - first
        p = dict(zip(pairs_of(19), step_down(points, clusters, pairs_of(19)).p, strict=True))
        found_of_always += p[0, 1] < LEVEL and p[0, 2] < LEVEL
        found_of_coins += np.mean([p[0, row] < LEVEL for row in range(3, 19)])
        assert p[1, 2] > LEVEL
    assert found_of_always == tables
    assert found_of_coins / tables > 0.5
