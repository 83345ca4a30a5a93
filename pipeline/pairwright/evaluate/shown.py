"""What a scorer is shown beside the two responses: the condition of an evaluation."""

from typing import Literal, NamedTuple

from pairwright.records import Post

Condition = Literal["none", "profile", "planner", "rubric", "wrong-profile"]
CONDITIONS: dict[Condition, str] = {
    "none": "the question alone",
    "profile": "the user's earlier posts",
    "planner": "aspects that the planner under test infers from the posts",
    "rubric": "the pair's own aspects: a ceiling, for they are the answer key",
    "wrong-profile": "the posts of another user, alike in category and length",
}
OF_POSTS: tuple[Condition, ...] = ("profile", "wrong-profile")
"""Those that show posts."""


class Shown(NamedTuple):
    """A question with what is told about the person who asks it."""

    question: str
    posts: tuple[Post, ...] = ()
    """Oldest first."""
    aspects: tuple[str, ...] = ()
