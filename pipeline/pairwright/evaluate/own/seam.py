"""What a scorer of one's own is given, and what it gives back.

    class Short:
        def __init__(self, words: int = 100) -> None: ...
        def score(self, candidates: Sequence[Candidate]) -> Sequence[float | None]: ...

Its class needs nothing of Pairwright: any object with such a method will do.
"""

from collections.abc import Awaitable, Sequence
from typing import NamedTuple, Protocol


class Candidate(NamedTuple):
    """One response, with what is shown of the person in this condition."""

    question: str
    posts: tuple[str, ...]
    """Earlier posts of the person, oldest first; empty where none are shown."""
    aspects: tuple[str, ...]
    """What the person expects in an answer; empty where none are shown."""
    prompt: str
    """All three as one user's message, as the other reward models read it."""
    response: str


class OwnScorer(Protocol):
    """What the class must offer. It is made once, with the options as keyword arguments."""

    def score(
        self, candidates: Sequence[Candidate]
    ) -> Sequence[float | None] | Awaitable[Sequence[float | None]]:
        """One finite number for each candidate, in their order; higher is better. None where it
        has no score. Either a plain method, which runs in a thread, or an async one."""
        ...
