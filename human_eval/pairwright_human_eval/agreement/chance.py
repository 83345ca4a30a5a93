"""What the decision rule lets through when nobody reads anything."""

from math import comb
from typing import Literal


def verified_by_chance(
    votes: int, rule: Literal["majority", "unanimity"], halves: int = 1
) -> float:
    """The share of subjects that annotators who toss a coin between the two responses would verify.

    A half of a twin passes with more than half of its votes, or all of them, for the chosen
    response (the binomial tail at 1/2); the halves have different annotators, and all must pass. A
    violate pair is one half. Quality and aspects are left out, which can only refuse more. Raises
    ValueError for votes or halves below 1.
    """
    if votes < 1 or halves < 1:
        raise ValueError(f"votes and halves must be 1 or more, not {votes} and {halves}")
    enough = votes if rule == "unanimity" else votes // 2 + 1
    passed = sum(comb(votes, chosen) for chosen in range(enough, votes + 1))
    return float((passed / 2**votes) ** halves)
