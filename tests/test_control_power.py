"""The power of the wrong-profile control: by hand, in closed form, and by simulation."""

import numpy as np
import pytest
from scipy.stats import binomtest

from pairwright_human_eval.wrong_profile import ControlDesign, control_power, sign_test

ONE_EACH = ControlDesign(own=1, stranger=1)
TWIN = ControlDesign(own=6, stranger=3)


def test_the_sign_test_is_exact() -> None:
    assert sign_test(5, 0) == 2 / 32
    assert sign_test(0, 6) == 2 / 64
    assert sign_test(7, 1) == sign_test(1, 7) == 2 * 9 / 256
    assert sign_test(4, 4) == sign_test(0, 0) == 1
    assert sign_test(27, 12) == pytest.approx(binomtest(27, 39).pvalue)


def test_where_own_posts_always_win_six_subjects_are_needed() -> None:
    assert control_power([ONE_EACH] * 5, own=1, stranger=0) == 0
    assert control_power([ONE_EACH] * 6, own=1, stranger=0) == 1


def test_equal_subjects_are_left_out() -> None:
    """Own posts win with probability one half and never lose: 6 of 6, and 6 or 7 of 7."""
    assert control_power([ONE_EACH] * 6, own=1, stranger=0.5) == pytest.approx(1 / 64)
    assert control_power([ONE_EACH] * 7, own=1, stranger=0.5) == pytest.approx(8 / 128)


def test_shares_are_compared_and_not_counts() -> None:
    """2 of 2 votes with own posts are no more than 1 of 1 with a stranger's."""
    alike = [ControlDesign(own=2, stranger=1)] * 40
    assert control_power(alike, own=1, stranger=1) == 0


def test_without_a_difference_it_is_found_in_two_and_a_half_percent_at_most() -> None:
    for subjects in (5, 20, 40):
        assert control_power([TWIN] * subjects, own=0.6, stranger=0.6) <= 0.025 + 1e-12


def test_nothing_is_found_without_a_subject() -> None:
    assert control_power([]) == 0


@pytest.mark.parametrize(("subjects", "power"), [(10, 0.32), (20, 0.69), (40, 0.95)])
def test_simulated_studies_find_it_as_often(subjects: int, power: float) -> None:
    exact = control_power([TWIN] * subjects)
    assert exact == pytest.approx(power, abs=0.01)
    chance = np.random.default_rng(1)
    own = chance.binomial(6, 0.75, (2000, subjects)) / 6
    stranger = chance.binomial(3, 0.5, (2000, subjects)) / 3
    more, fewer = (own > stranger).sum(axis=1), (own < stranger).sum(axis=1)
    found = [m > f and sign_test(m, f) <= 0.05 for m, f in zip(more, fewer, strict=True)]
    assert np.mean(found) == pytest.approx(exact, abs=0.03)


def test_subjects_of_several_designs_are_taken_together() -> None:
    mixed = control_power([TWIN] * 20 + [ControlDesign(3, 3)] * 20)
    assert control_power([ControlDesign(3, 3)] * 40) < mixed < control_power([TWIN] * 40)
