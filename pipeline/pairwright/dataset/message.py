"""A pair's question as one user's message, with what is shown about the person who asks.

Reward models and RewardBench take no system message, so all of it is in the user's. Every line of
a user's or planner's text begins with "> ", and no line of the frame does, so that no text can pass
for the frame, whatever is written in it.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Frame(NamedTuple):
    """The lines before what is known of a person, and before the question."""

    posts: str
    aspects: str
    question: str


FRAMES = (
    Frame(
        "Earlier posts of one person, oldest first. Every line of theirs begins with “> ”.",
        "What one person expects in an answer. Every line about it begins with “> ”.",
        "Answer this question for that person.",
    ),
    Frame(
        "Here is what somebody has written before, from the oldest post to the newest. Each line of"
        " it begins with “> ”.",
        "Here is what somebody hopes to find in an answer. Each line of it begins with “> ”.",
        "Now the same person asks this:",
    ),
    Frame("Posts by the user (lines with “> ”):", "The user wants (lines with “> ”):", "Question:"),
)
"""The first is that of evaluations; the others show how far the wording decides."""


class Dated(Protocol):
    """A post, of a row or of a run."""

    @property
    def text(self) -> str: ...
    @property
    def created(self) -> str | None: ...


def user_message(
    question: str, posts: Sequence[Dated] = (), aspects: Sequence[str] = (), frame: int = 0
) -> str:
    """The question after the posts, oldest first, and the aspects; alone where there are none.
    `frame` is a place in `FRAMES`."""
    lines = FRAMES[frame]
    known: list[str] = []
    if posts:
        known.append(lines.posts)
        known += [_post(post, place, len(posts)) for place, post in enumerate(posts, start=1)]
    if aspects:
        known.append("\n".join([lines.aspects, *map(_quoted, aspects)]))
    if not known:
        return question
    return "\n\n".join([*known, f"{lines.question}\n{_quoted(question)}"])


def _post(post: Dated, place: int, total: int) -> str:
    day = post.created[:10] if post.created else "no date"
    return f"Post {place} of {total}, {day}:\n{_quoted(post.text)}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])
