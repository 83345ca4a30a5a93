"""What the wrong-profile control can show: that a stranger's posts do not tell the chosen response.

It is for single pairs. In a twin whatever leaks favours one response, which is chosen in the one
half and rejected in the other, so that a stranger's posts give one half whatever the leak.

The control is held to an equivalence: strangers' posts tell nothing if the one-sided 95 % bound of
their share of choices for the chosen response is below one half plus `MARGIN`.
"""

from collections.abc import Iterable

from scipy.stats import binom

from pairwright.intervals import LEVEL, z_of
from pairwright.stats import share
from pairwright_human_eval.records import KeyedTask

MARGIN = 0.15
LIMIT = 0.5 + MARGIN
"""The share for the chosen response that a stranger's posts must be shown to be below."""


def control_subjects(tasks: Iterable[KeyedTask]) -> tuple[int, int]:
    """How many subjects are shown with a stranger's posts, and in how many tasks."""
    shown = [task.subject for task in tasks if task.purpose == "wrong_profile"]
    return len(set(shown)), len(shown)


def one_sided(value: float, high: float, level: float = LEVEL) -> float:
    """The upper bound at a one-sided `level`, by the upper end of a two-sided 95 % interval: it is
    as much nearer to the estimate as a normal quantile is."""
    return min(1.0, value + (high - value) * z_of(2 * level) / z_of(LEVEL))


def control_power(choices: int) -> float:
    """The probability that so many independent choices, each for the chosen response with one half,
    show that strangers' posts tell nothing, by Wilson's bound."""
    return float(
        sum(
            binom.pmf(k, choices, 0.5)
            for k in range(choices + 1)
            if (share(k, choices, z_of(2 * LEVEL)).high or 1) < LIMIT
        )
    )
