"""What is under test: something that scores one response, compares two, or has scores of pairs.

A kind that ships with Pairwright is a class with one of these methods, its table in `spec.py`, and
the line in `workflows/scorers.py` that opens it. A scorer of your own needs none of this: see
`own_scorer`.
"""

from typing import Literal, NamedTuple, Protocol, runtime_checkable

from pairwright.errors import CallFailed
from pairwright.records import Post

Place = Literal["first", "second", "tie"]


class PromptContent(NamedTuple):
    """What a scorer is shown beside a response: a question, and what is known of who asks it."""

    question: str
    posts: tuple[Post, ...] = ()
    """Oldest first."""
    aspects: tuple[str, ...] = ()


class ResponseScore(NamedTuple):
    """What one response is worth; higher is better."""

    value: float
    tokens: int = 0
    """Tokens that were read and written for it."""


class Preference(NamedTuple):
    """What a judge says of two responses, asked in both orders."""

    forward: Place
    """The verdict with the first response in the first place."""
    backward: Place
    """The verdict with the second response in the first place; it names the response, not the
    place."""
    tokens: int = 0


class Unscored(NamedTuple):
    """A response or a pair without a score, and why: never a tie, never a zero."""

    reason: str
    """`context_length` where the prompt does not fit: fewer posts may."""
    detail: str = ""


def failed_call(error: CallFailed) -> Unscored:
    """The reason why a call that failed gives no score. The next run sends the call again."""
    return Unscored(error.result_reason, error.detail[:500])


@runtime_checkable
class Pointwise(Protocol):
    """Scores one response at a time."""

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """The score of one response. Raises CallFailed."""
        ...


class Pairwise(Protocol):
    """Compares two responses."""

    async def prefer(self, shown: PromptContent, first: str, second: str) -> Preference | Unscored:
        """The verdicts in both orders. Raises CallFailed."""
        ...


@runtime_checkable
class ByPair(Protocol):
    """Has the scores of a release's pairs already: it reads no text."""

    def scores(self, pair: str, condition: str) -> tuple[ResponseScore, ResponseScore] | Unscored:
        """The scores of the chosen and of the rejected response."""
        ...


Scorer = Pointwise | Pairwise | ByPair
