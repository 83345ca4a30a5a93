"""Intervals of accuracies by cluster: known answers, and truth that is known."""

import math

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_rel

from decided import ends
from pairwright.stats import (
    LEVEL,
    Accuracy,
    accuracy,
    jackknife_difference,
    mean,
    share,
    z_of,
)

Z = z_of(LEVEL)


def of(points: list[float], clusters: list[int] | None = None) -> Accuracy:
    found = accuracy(np.array(points, float), np.array(clusters or range(len(points)), np.intp))
    assert found is not None
    return found


# The interval


# Newcombe 1998, Statistics in Medicine 17, table I, method 3 (score without correction).
@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)],
)
def test_independent_pairs_have_wilsons_interval(k: int, n: int, low: float, high: float) -> None:
    assert ends(share(k, n)) == pytest.approx((low, high), abs=5e-5)
    found = of([1.0] * k + [0.0] * (n - k))
    assert found.interval(Z) == pytest.approx(ends(share(k, n)), abs=2e-6)


def test_clusters_of_two_that_always_agree_count_half() -> None:
    found = of([1, 1, 0, 0] * 50, [n // 2 for n in range(200)])
    # G/(G-1) * sum of squared cluster sums over n/(n-1) * sum of squares, by hand.
    assert found.design == pytest.approx(100 / 99 * 100 / (200 / 199 * 50))
    quantiles = student.ppf(0.975, 199) / student.ppf(0.975, 99)
    assert found.effective(Z) == pytest.approx(200 / found.design * quantiles**2)
    assert found.interval(Z) == pytest.approx(of([1, 0] * 50).interval(Z), abs=2e-3)
    # Clusters that balance out are not credited with more pairs than there are.
    assert of([1, 0] * 40, [n // 2 for n in range(80)]).design == 1
    # Kish: the sum of squared sizes over n.
    unequal = of([1.0] * 12, [0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7])
    assert (unequal.design, unequal.freedom) == (26 / 12, 144 / 26 - 1)
    # Without the first cluster the mean moves by 2/3, without another by (2/3)/5.
    jackknifed = of([1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 1, 2])
    variance = 2 / 3 * ((2 / 3) ** 2 + 2 * (2 / 15) ** 2)
    assert jackknifed.design == pytest.approx(variance / (4 / 3 / 6 / 5))
    assert of([1, 0] * 500, [7] * 1000).interval(Z) == (0, 1)


def test_ties_narrow_the_interval_and_never_close_it() -> None:
    widths = []
    for ties in (0, 100, 180, 200):
        low, high = of([1, 0] * ((200 - ties) // 2) + [0.5] * ties).interval(Z)
        assert (low + high) / 2 == pytest.approx(0.5)
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert 0 < widths[-1] < 0.02
    low, high = of([0.5] * 5).interval(Z)
    # Bonett and Price's interval for no wins and no losses of 5: 1/2 +- z/2 sqrt(2/7/7).
    assert (high - low) / 2 == pytest.approx(Z / 2 * math.sqrt(2) / 7, abs=0.02)
    reported = of([1, 1, 0, 0.5, 0.5], [0, 0, 1, 2, 3]).found(Z)
    assert (reported.value, reported.n, reported.clusters) == (0.6, 5, 4)
    assert reported.text() == "0.600 (no interval: fewer than 5 clusters)"


# What is decided


def test_a_mean_of_independent_values_has_students_interval() -> None:
    values = np.array([1.0, 1.2, 1.1, 1.9, 1.4])
    found = mean(values, np.arange(5), least=1)
    width = student.ppf(0.975, 4) * values.std(ddof=1) / math.sqrt(5)
    assert found.value == pytest.approx(1.32)
    assert found.high == pytest.approx(1.32 + width, abs=1e-6)
    assert found.low == 1  # 0.886, below the least possible
    # In one cluster it has no interval, and of nothing it is none.
    found = mean(np.array([1.0, 3.0]), np.zeros(2, np.intp), least=0)
    assert (found.value, found.low, found.high) == (2, None, None)
    assert mean(np.empty(0), np.empty(0, np.intp), least=0).value is None


def test_a_difference_within_clusters_is_compared_with_itself() -> None:
    first, second = [2.0, 5.0, 11.0, 8.2, 6.0], [1.0, 4.1, 10.0, 7.0, 5.3]
    values, own = np.array([*first, *second]), np.arange(10) < 5
    apart = jackknife_difference(values, own, np.arange(10)).estimate()
    paired = jackknife_difference(values, own, np.tile(np.arange(5), 2))
    known = ttest_rel(first, second)
    interval = known.confidence_interval()
    assert ends(paired.estimate()) == pytest.approx((interval.low, interval.high), abs=1e-6)
    assert paired.p == pytest.approx(known.pvalue)
    assert paired.value == pytest.approx(apart.value)
    assert ends(apart)[0] < 0 < ends(paired.estimate())[0]
    # Where no two clusters differ there is no p.
    assert jackknife_difference(np.ones(4), own[2:6], np.arange(4)).p is None
