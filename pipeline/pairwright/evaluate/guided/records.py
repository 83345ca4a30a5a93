"""The records of policy accuracy."""

from typing import Literal

from pairwright.estimate import Estimate
from pairwright.evaluate.conditions import ConditionName
from pairwright.evaluate.correlation.uncertainty import Chance
from pairwright.evaluate.correlation.uncertainty import MeasureInterval as OfRewards
from pairwright.evaluate.release import ReleaseRef
from pairwright.records import Mode, Record


class GuidedResult(Record):
    """One guided policy in one condition on the pairs of one mode that it, its policy and its
    reward have a score for."""

    scorer: str
    policy: str
    reward: str
    beta: float
    per_token: bool
    """Whether the sum is over the number of tokens."""
    counts: Literal["at every token", "at the last token"]
    """The tokens at which the reward counts."""
    condition: ConditionName
    mode: Mode | None
    pairs: int
    """Pairs of this mode, with a score or without."""
    unscored: dict[str, int]
    """Pairs without a score from all three, by reason."""
    accuracy: Estimate
    """Policy accuracy."""
    policy_alone: Estimate
    reward_alone: Estimate
    """The reward model's accuracy."""
    gain: Estimate
    """Policy accuracy less that of the policy alone, pair by pair."""


class Tau(Record):
    """Kendall's tau-b over rewards between their own accuracy and the policy accuracy that they
    lead to. Without a value where `note` says why."""

    policy: str
    beta: float
    per_token: bool
    condition: ConditionName
    mode: Mode | None
    n: int
    """Rewards."""
    value: float | None = None
    interval: OfRewards | None = None
    chance: Chance | None = None
    note: str = ""


class PolicyAccuracy(Record):
    """All of it."""

    release: ReleaseRef
    limit: int | None
    split: str | None
    simulated: bool
    """Whether the embedded model had a part in a score: then it is not a result."""
    seed: int
    lines: tuple[GuidedResult, ...]
    taus: tuple[Tau, ...]
