"""What a user expects in an answer: aspects, with the posts that they follow from."""

from typing import Literal

from pairwright.records.base import Record

Origin = Literal["planner", "narrative", "gold"]
Follows = Literal["stated", "inferred", "pattern"]


class Aspect(Record):
    """What this user expects in an answer to this question."""

    aspect: str
    reason: str
    evidence: str
    """Verbatim passages, one a line, from the posts it names; of a narrative, one passage."""
    post_ids: tuple[str, ...] = ()
    """The posts of the passages, in their order."""
    follows: Follows | None = None
    """How the planner says that it follows from the posts: said outright, concluded from what a
    post says, or shown by several posts together. None where no planner inferred it."""
    confidence: float | None = None
    """What older versions asked the planner for; nothing is decided by it."""


class DroppedAspect(Record):
    """An aspect that was dropped, and why."""

    aspect: Aspect
    reason: str
    detail: str = ""


class Rubric(Record):
    """One user's aspects for one question: at least two, or none of a user's own choice."""

    question_id: str
    user: str
    origin: Origin | None
    """None where there are no aspects, because the label is the user's own choice."""
    aspects: tuple[Aspect, ...]
    dropped: tuple[DroppedAspect, ...] = ()
    shown: tuple[str, ...] = ()
    """Ids of the posts the planner was shown, oldest first."""
    left_out: tuple[str, ...] = ()
    """Ids of ranked posts dropped because the prompt was over the model's context."""
    others: int = 0
    """How many other users' histories the aspects were held against."""

    @property
    def inferable(self) -> bool:
        """False where the aspects are not necessarily inferable from the profile."""
        return self.origin == "planner"
