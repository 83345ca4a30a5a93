"""What the wrong-profile control can show: by simulation, and by planted leaks."""

import numpy as np
import pytest

from pairwright.estimate import share
from pairwright.intervals import LEVEL, z_of
from pairwright_human_eval.assign import LIMIT, control_power, one_sided


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
