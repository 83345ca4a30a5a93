"""What a body is written under: the task of an item, and the conditions (which posts are shown)."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pairwright import text
from pairwright.records import Item, Post
from pairwright.retrieve import selected
from pairwright.settings.rules import HistoryRules

Refusal = Literal["empty_body", "body_in_posts", "body_in_title", "no_other_profile"]
REFUSED: dict[str, str] = {
    "empty_body": "the body (`narrative`) is empty, or has no word",
    "body_in_posts": "the body is in one of the posts, whole or nearly",
    "body_in_title": "the body is in the title",
    "no_other_profile": "nobody else in the category has earlier posts",
}


class CompletionTask(NamedTuple):
    """An item whose body is to be written."""

    item: Item
    body: str
    """What the user really wrote."""
    other: tuple[Post, ...]
    """Another user's posts, oldest first."""


def task(item: Item, other: tuple[Post, ...] | None) -> CompletionTask | Refusal:
    """The task of an item, or why there is none; `other` are the posts of another user."""
    body = item.narrative or ""
    if not text.words(body):
        return "empty_body"
    plain = text.normalised(body)
    if plain in text.normalised(item.question):
        return "body_in_title"
    shown = (*item.profile, *(other or ()))
    if any(
        plain in text.normalised(post.text) or text.near_duplicate(body, post.text)
        for post in shown
    ):
        return "body_in_posts"
    if not other:
        return "no_other_profile"
    return CompletionTask(item, body, other)


NONE = "none"
WRONG = "wrong-profile"


class CompletionCondition(NamedTuple):
    """A name, whose posts, and how many at most."""

    name: str
    posts: int

    def shown(self, task: CompletionTask, history: HistoryRules) -> tuple[Post, ...]:
        """The posts, oldest first: those ranked best for the question."""
        if self.name == NONE:
            return ()
        policy = history.model_copy(update={"posts": self.posts})
        own = selected(task.item.question, task.item.profile, policy)
        if self.name != WRONG:
            return own
        # As many as the user's own, so that only their writer differs.
        as_many = history.model_copy(update={"posts": len(own)})
        return selected(task.item.question, task.other, as_many)


def own(k: int) -> str:
    """The name of k own posts in context."""
    return f"posts-{k}"


def best(n: int, scorer: str) -> str:
    """The name of a scorer's pick."""
    return f"best-of-{n}-by-{scorer}"


def completion_conditions(ks: Sequence[int]) -> tuple[CompletionCondition, ...]:
    """Without posts, with another user's, and with k of the user's own, fewest first."""
    most = max(ks)
    shown = tuple(CompletionCondition(own(k), k) for k in sorted(set(ks)))
    return (CompletionCondition(NONE, 0), CompletionCondition(WRONG, most), *shown)
