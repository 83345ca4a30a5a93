"""The posts of another user that may be read for a question."""

from pairwright.records import Item, Post
from pairwright.settings.rules import TwinRules
from pairwright.times import is_older


def older_than(item: Item, posts: tuple[Post, ...]) -> tuple[Post, ...]:
    """The posts written before the question; all of them if a time is not known."""
    if item.created is None:
        return posts
    return tuple(p for p in posts if p.created is None or is_older(p.created, item.created))


def fair_posts(item: Item, posts: tuple[Post, ...]) -> tuple[Post, ...]:
    """The older posts of another user without those that repeat the question or its narrative: if
    a source names no users, that other user may be the asker."""
    texts = [own.lower() for own in (item.question, item.narrative) if own]
    return tuple(
        post
        for post in older_than(item, posts)
        if not any(own in post.text.lower() for own in texts)
    )


def have_same_posts(item: Item, other: Item) -> bool:
    """Whether the asker and another user had written the same before the question."""
    earlier = older_than(item, other.profile)
    return sorted(post.text for post in item.profile) == sorted(post.text for post in earlier)


def are_level(asker: int, partner: int, rules: TwinRules) -> bool:
    """Whether two users have about as many posts."""
    return max(asker, partner) <= rules.length_ratio * min(asker, partner)
