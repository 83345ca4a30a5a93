"""Shares with Wilson's interval, against published values."""

import pytest

from pairwright.estimate import share


# Newcombe 1998, Statistics in Medicine 17, table I, method 3 (score without correction).
@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_wilsons_as_published(k: int, n: int, low: float, high: float) -> None:
    found = share(k, n)
    assert found.low == pytest.approx(low, abs=5e-5)
    assert found.high == pytest.approx(high, abs=5e-5)


def test_the_bounds_are_where_the_score_test_just_accepts_the_share() -> None:
    for n in (1, 2, 7, 50, 1000):
        for k in {0, 1, n // 3, n}:
            found = share(k, n)
            for bound in (found.low, found.high):
                assert bound is not None
                # Wilson's bounds solve (p - b)^2 = z^2 b (1 - b) / n.
                error = (k / n - bound) ** 2 - 1.959964**2 * bound * (1 - bound) / n
                assert error == pytest.approx(0, abs=5e-6)


def test_the_interval_stays_between_0_and_1_and_holds_the_share() -> None:
    for n in range(1, 60):
        for k in range(n + 1):
            found = share(k, n)
            assert found.low is not None
            assert found.high is not None
            assert found.value is not None
            assert 0 <= found.low <= found.value <= found.high <= 1


def test_none_of_none_is_no_share() -> None:
    nothing = share(0, 0)
    assert (nothing.value, nothing.low, nothing.high) == (None, None, None)
    assert str(nothing) == "0 of 0"


def test_a_share_reads_as_count_percent_and_interval() -> None:
    assert share(5, 20).counted() == "5 of 20: 25 % (11 to 47)"
    assert str(share(0, 20)) == "0 of 20: 0 % (0 to 16)"
    assert str(share(1000, 4000)) == "1,000 of 4,000: 25 % (24 to 26)"
