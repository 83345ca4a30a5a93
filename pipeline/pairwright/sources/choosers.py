"""Who chose: a user before a question, with the responses that the user took and refused.

What a reader of people's own choices gives, and what natural twins are made of.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pairwright.records import Post
from pairwright.text import normalised

_END = ".!?\u2026\u3002\uff01\uff1f "


def choice_key(words: str) -> str:
    """What makes two texts one question or one response: the words as `normalised` has them,
    without marks at the end."""
    key = normalised(words)
    return key.rstrip(_END) or key


class OwnPost(NamedTuple):
    """What a user wrote, or chose, and what the choice was about."""

    post: Post
    question: str = ""
    """The key of the question of a choice. Empty of a text."""
    options: frozenset[str] = frozenset()
    """The keys of the options of a choice, without those that many questions share (`yes`)."""


class Chooser(NamedTuple):
    """A user before a question, who took one response to it and refused another."""

    where: str
    user: str
    topic: str
    """A key that is the same for all users who were asked to choose between the same two."""
    question: str
    category: str
    domain: str
    taken: str
    """The response that the user took."""
    refused: str
    history: Sequence[OwnPost]
    """All that the user wrote and chose, oldest first."""
    older_count: int
    """So many of these are older than the choice."""
    created: str | None = None
    reason: str | None = None
    source_url: str | None = None

    @property
    def keys(self) -> tuple[str, str]:
        """The keys of what the user took and refused."""
        return choice_key(self.taken), choice_key(self.refused)

    @property
    def twin_key(self) -> tuple[str, str]:
        """What both users of a natural twin have in common."""
        return self.topic, self.domain
