"""Which items can be asked: those with a body that nothing shown to a model holds."""

from typing import Literal, NamedTuple

from pairwright import text
from pairwright.records import Item, Post

Refusal = Literal["empty_body", "body_in_posts", "body_in_title", "no_other_profile"]
REFUSED: dict[str, str] = {
    "empty_body": "the body (`narrative`) is empty, or has no word",
    "body_in_posts": "the body stands in one of the posts, whole or nearly",
    "body_in_title": "the body stands in the title",
    "no_other_profile": "nobody else in the category has earlier posts",
}


class Task(NamedTuple):
    """An item whose body is to be written."""

    item: Item
    body: str
    """What the user really wrote."""
    other: tuple[Post, ...]
    """Another user's posts, oldest first."""


def task(item: Item, other: tuple[Post, ...] | None) -> Task | Refusal:
    """The task of an item, or why there is none; `other` are the posts of another user."""
    body = item.narrative or ""
    if not text.words(body):
        return "empty_body"
    said = text.normalised(body)
    if said in text.normalised(item.question):
        return "body_in_title"
    shown = (*item.profile, *(other or ()))
    if any(
        said in text.normalised(post.text) or text.near_duplicate(body, post.text) for post in shown
    ):
        return "body_in_posts"
    if not other:
        return "no_other_profile"
    return Task(item, body, other)
