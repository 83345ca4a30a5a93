"""Shares with Wilson's interval, against published values."""

import pytest

from pairwright.estimate import Estimate, share


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
    assert nothing.counted() == "0 of 0"


def test_a_share_reads_as_count_percent_and_interval() -> None:
    assert share(5, 20).counted() == "5 of 20: 25 % (11 to 47)"
    assert share(0, 20).counted() == "0 of 20: 0 % (0 to 16)"
    assert share(1000, 4000).counted() == "1,000 of 4,000: 25 % (24 to 26)"


@pytest.mark.parametrize(
    ("estimate", "text", "percent"),
    [
        (Estimate(value=0.5, low=0.4, high=0.6, n=9, clusters=9), "0.500 (0.400 to 0.600)",
         "50 % (40 to 60)"),
        (Estimate(value=-0.0001, low=-0.2, high=0.1, n=9, clusters=9), "0.000 (-0.200 to 0.100)",
         "0 % (-20 to 10)"),
        (Estimate(value=0.5, low=None, high=None, n=9, clusters=1, note="one user"),
         "0.500 (one user)", "50 % (one user)"),
        (Estimate(value=None, low=None, high=None, n=0, clusters=0, note="nobody answered"),
         "n/a (nobody answered)", "n/a (nobody answered)"),
        (Estimate(value=3.0, low=2.0, high=None, n=4, clusters=4), "3.000 (2.000 or more)",
         "300 % (200 or more)"),
    ],
)  # fmt: skip
def test_an_estimate_is_printed_with_its_interval_or_the_reason_that_it_has_none(
    estimate: Estimate, text: str, percent: str
) -> None:
    assert (estimate.text(), estimate.percent()) == (text, percent)
    assert str(estimate) == text


def test_a_difference_has_its_sign() -> None:
    gain = Estimate(value=0.12, low=-0.03, high=0.21, n=9, clusters=9)
    assert gain.text(2, sign=True) == "+0.12 (-0.03 to +0.21)"
    assert gain.percent(sign=True) == "+12 (-3 to +21)"
