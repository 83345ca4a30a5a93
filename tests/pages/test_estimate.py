"""Shares with Wilson's interval, against published values."""

import pytest

from decided import ends
from pairwright.stats import Estimate, share


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
    assert ends(share(k, n)) == pytest.approx((low, high), abs=5e-5)


def test_a_share_reads_as_count_percent_and_interval() -> None:
    nothing = share(0, 0)
    assert (nothing.value, nothing.low, nothing.high) == (None, None, None)
    assert nothing.counted() == "0 of 0"
    assert share(5, 20).counted() == "5 of 20: 25 % (11 to 47)"
    assert share(0, 20).counted() == "0 of 20: 0 % (0 to 16)"
    assert share(1000, 4000).counted() == "1,000 of 4,000: 25 % (24 to 26)"


@pytest.mark.parametrize(
    ("given", "text", "percent"),
    [
        ((0.5, 0.4, 0.6, ""), "0.500 (0.400 to 0.600)", "50 % (40 to 60)"),
        ((-0.0001, -0.2, 0.1, ""), "0.000 (-0.200 to 0.100)", "0 % (-20 to 10)"),
        ((0.5, None, None, "one user"), "0.500 (one user)", "50 % (one user)"),
        ((None, None, None, "no answer"), "n/a (no answer)", "n/a (no answer)"),
        ((0.0015, 3e-4, 0.0029, ""), "0.002 (0.000 to 0.003)", "0.1 % (0.0 to 0.3)"),
        ((1.0, 0.998, 1.0, ""), "1.000 (0.998 to 1.000)", "100.0 % (99.8 to 100.0)"),
        ((0.0, 0.0, 0.0, ""), "0.000 (0.000 to 0.000)", "0 % (0 to 0)"),
    ],
)
def test_an_estimate_is_printed_with_its_interval_or_why_it_has_none(
    given: tuple[float | None, float | None, float | None, str], text: str, percent: str
) -> None:
    value, low, high, note = given
    estimate = Estimate(value=value, low=low, high=high, n=9, clusters=9, note=note)
    assert (estimate.text(), estimate.percent()) == (text, percent)
    assert str(estimate) == text
