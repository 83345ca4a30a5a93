"""A pair's question as one user's message, with what is shown about the person who asks.

Reward models and RewardBench take no system message, so all of it is in the user's. Every line of
a user's or planner's text begins with "> ", and no line of the frame does, so that no text can pass
for the frame, whatever is written in it.
"""

from collections.abc import Sequence
from typing import Protocol

_POSTS = "Earlier posts of one person, oldest first. Every line of theirs begins with “> ”."
_ASPECTS = "What one person expects in an answer. Every line about it begins with “> ”."
_QUESTION = "Answer this question for that person."


class Dated(Protocol):
    """A post, of a row or of a run."""

    @property
    def text(self) -> str: ...
    @property
    def created(self) -> str | None: ...


def user_message(question: str, posts: Sequence[Dated] = (), aspects: Sequence[str] = ()) -> str:
    """The question after the posts, oldest first, and the aspects; alone where there are none."""
    known: list[str] = []
    if posts:
        known.append(_POSTS)
        known += [_post(post, place, len(posts)) for place, post in enumerate(posts, start=1)]
    if aspects:
        known.append("\n".join([_ASPECTS, *map(_quoted, aspects)]))
    if not known:
        return question
    return "\n\n".join([*known, f"{_QUESTION}\n{_quoted(question)}"])


def _post(post: Dated, place: int, total: int) -> str:
    day = post.created[:10] if post.created else "no date"
    return f"Post {place} of {total}, {day}:\n{_quoted(post.text)}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])
