"""What is under test: something that scores one response, or compares two.

A new scorer is one class with one of these methods, and its table in `spec.py`.
"""

from typing import Literal, NamedTuple, Protocol, runtime_checkable

from pairwright.evaluate.shown import Shown

Place = Literal["first", "second", "tie"]


class Score(NamedTuple):
    """What one response is worth; higher is better."""

    value: float
    tokens: int = 0
    """Tokens that were read and written for it."""


class Preference(NamedTuple):
    """What a judge says of two responses, asked in both orders."""

    forward: Place
    """With the first response in the first place."""
    backward: Place
    """With the second response in the first place; it names the response, not the place."""
    tokens: int = 0

    @property
    def stable(self) -> bool:
        return self.forward == self.backward


class Unscored(NamedTuple):
    """A response or a pair without a score, and why: never a tie, never a zero."""

    reason: str
    """`context_length` where the prompt does not fit: fewer posts may."""
    detail: str = ""


@runtime_checkable
class Pointwise(Protocol):
    """Scores one response at a time."""

    async def score(self, shown: Shown, response: str) -> Score | Unscored:
        """Raises CallFailed."""
        ...


class Pairwise(Protocol):
    """Compares two responses."""

    async def prefer(self, shown: Shown, first: str, second: str) -> Preference | Unscored:
        """In both orders. Raises CallFailed."""
        ...


Scorer = Pointwise | Pairwise
