"""What the wrong-profile control can find.

The control asks whether more people prefer the chosen response with the person's own posts than
with a stranger's. The unit is the subject, so that votes on one subject may depend on each other:
in each subject the share of votes for the chosen response is compared, equal shares are left out,
and the sign test says whether own posts win in more subjects than a coin would.

The power is exact. It assumes that each vote is for the chosen response with a fixed probability,
`OWN` with the person's own posts and `STRANGER` with a stranger's, independently of the others.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from pairwright_human_eval.agreement.ratings import Floats
from pairwright_human_eval.records import KeyedTask

OWN, STRANGER = 0.75, 0.5
LEVEL = 0.05


class ControlDesign(NamedTuple):
    """How many people vote on one control subject."""

    own: int
    """With the person's own posts; both halves of a twin together."""
    stranger: int


def control_designs(tasks: Iterable[KeyedTask]) -> list[ControlDesign]:
    """The wrong-profile controls among the tasks of a study."""
    counts = Counter((task.subject, task.purpose) for task in tasks if task.kind == "preference")
    return [
        ControlDesign(counts[subject, "vote"], n)
        for (subject, purpose), n in counts.items()
        if purpose == "wrong_profile"
    ]


def sign_test(more: int, fewer: int) -> float:
    """The exact two-sided p of `more` subjects on one side and `fewer` on the other; 1 for none."""
    n = more + fewer
    return min(1.0, 2 * float(binom.cdf(min(more, fewer), n, 0.5))) if n else 1.0


def control_power(
    designs: Sequence[ControlDesign], own: float = OWN, stranger: float = STRANGER
) -> float:
    """The probability that the sign test finds own posts to win, at `LEVEL` and in these subjects.

    `own` and `stranger` are the probabilities of a vote for the chosen response. 0 for no subject.
    """
    # Shape (n + 1, n + 1): how probable it is that so many subjects are for own posts, and so many
    # for the stranger's.
    n = len(designs)
    outcomes: Floats = np.zeros((n + 1, n + 1))
    outcomes[0, 0] = 1.0
    steps = {design: _outcome(design, own, stranger) for design in set(designs)}
    for design in designs:
        more, fewer = steps[design]
        after = (1 - more - fewer) * outcomes
        after[1:] += more * outcomes[:-1]
        after[:, 1:] += fewer * outcomes[:, :-1]
        outcomes = after
    more, fewer = np.indices(outcomes.shape)
    found = (more > fewer) & (2 * binom.cdf(fewer, more + fewer, 0.5) <= LEVEL)
    return float(outcomes[found].sum())


def _outcome(design: ControlDesign, own: float, stranger: float) -> tuple[float, float]:
    """How probable it is that the share of own votes is greater, and that it is smaller."""
    votes, control = np.arange(design.own + 1), np.arange(design.stranger + 1)
    chances = np.outer(
        binom.pmf(votes, design.own, own), binom.pmf(control, design.stranger, stranger)
    )
    # The two shares compared without a division.
    apart = np.sign(np.subtract.outer(votes * design.stranger, control * design.own))
    return float(chances[apart > 0].sum()), float(chances[apart < 0].sum())
