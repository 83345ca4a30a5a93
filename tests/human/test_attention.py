"""How often attention checks let through an annotator who does not read, and one who does; and what
the wrong-profile control can show: by simulation, and by planted leaks."""

from itertools import product
from math import ceil

import numpy as np
import pytest

from pairwright.estimate import share
from pairwright.intervals import LEVEL, z_of
from pairwright_human_eval.assign import LIMIT, control_power, one_sided
from pairwright_human_eval.attention import NONREADER_PASS, enough_checks, nonreader_pass, pass_rate


@pytest.mark.parametrize(
    ("checks", "floor", "rate"),
    [
        (4, 0.75, 5 / 16),  # 3 or 4 of 4
        (7, 0.75, 8 / 128),  # 6 or 7 of 7
        (8, 0.75, 37 / 256),  # 6, 7 or 8 of 8
        (10, 0.75, 56 / 1024),  # 8, 9 or 10 of 10
        (4, 1.0, 1 / 16),
        (5, 0.0, 1.0),
        (0, 0.75, 1.0),
    ],
)
def test_the_rate_of_a_non_reader_is_counted_by_hand(
    checks: int, floor: float, rate: float
) -> None:
    assert nonreader_pass(checks, floor) == pytest.approx(rate, abs=1e-15)


def test_whatever_a_non_reader_goes_by_the_rate_is_the_same() -> None:
    """Over all ways in which the coins of five mirrored checks fall, each fixed list of answers
    passes as often as any other."""
    people = list(product((0, 1), repeat=5))
    for answers in product((0, 1), repeat=5):
        right = [sum(a == b for a, b in zip(answers, drawn, strict=True)) for drawn in people]
        passed = sum(n / 5 >= 0.75 for n in right) / len(people)
        assert passed == nonreader_pass(5, 0.75) == 6 / 32


def test_a_reader_passes_as_the_binomial_says() -> None:
    assert pass_rate(2, 1.0, 0.9) == pytest.approx(0.81)
    assert pass_rate(7, 0.75, 0.95) == pytest.approx(0.95**7 + 7 * 0.05 * 0.95**6)
    assert pass_rate(7, 0.75, 1.0) == 1


@pytest.mark.parametrize(
    ("wanted", "floor", "most", "number"),
    [
        (4, 0.75, 24, 7),
        (7, 0.75, 24, 7),
        (8, 0.75, 24, 9),  # 8 let through 14.5 %
        (20, 0.75, 24, 20),
        (4, 1.0, 24, 4),
        (4, 0.75, 5, 5),  # too few are there
        (30, 0.75, 24, 24),
        (4, 0.4, 24, 8),  # 8 lets through 63.7 %, any other number more
    ],
)
def test_so_many_checks_are_given_that_a_non_reader_is_noticed(
    wanted: int, floor: float, most: int, number: int
) -> None:
    assert enough_checks(wanted, floor, most) == number


def test_the_usual_study_lets_through_a_tenth_of_those_who_do_not_read() -> None:
    """200 twins at overlap 3 with nine people: 133 votes each, of which checks are a twentieth."""
    for votes in (7, 27, 133, 134, 400):
        checks = enough_checks(max(4, ceil(0.05 * votes)), 0.75, 24)
        assert nonreader_pass(checks, 0.75) <= NONREADER_PASS


@pytest.mark.parametrize(("choices", "power"), [(0, 0), (15, 0.3), (60, 0.75), (120, 0.95)])
def test_more_choices_show_it_more_often(choices: int, power: float) -> None:
    assert control_power(choices) == pytest.approx(power, abs=0.05)


@pytest.mark.parametrize(("leak", "most"), [(LIMIT, 0.07), (0.75, 0.001), (0.95, 1e-9)])
def test_a_leak_of_the_limit_or_more_is_hardly_ever_taken_for_nothing(
    leak: float, most: float
) -> None:
    given = np.random.default_rng(1).binomial(120, leak, 4000)
    bounds = [share(int(k), 120, z_of(2 * LEVEL)).high for k in given]
    assert np.mean([bound is not None and bound < LIMIT for bound in bounds]) <= most


def test_the_one_sided_bound_is_nearer_than_the_end_of_a_two_sided_interval() -> None:
    assert one_sided(0.5, 0.5 + 1.959964 * 0.05) == pytest.approx(0.5 + 1.644854 * 0.05)
    assert one_sided(0.99, 1.2) == 1
