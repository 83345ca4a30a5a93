"""Ranking a user's posts against a question. Posts travel whole, so ids never part from texts."""

from functools import lru_cache

from pairwright.policy import PlanPolicy
from pairwright.records import Post
from pairwright.retrieve.bm25 import by_bm25

CHARACTERS_PER_TOKEN = 4


@lru_cache(maxsize=512)
def ranked(question: str, posts: tuple[Post, ...], policy: PlanPolicy) -> tuple[Post, ...]:
    """The posts to show, best first: at most `policy.posts`, within `policy.history_tokens`.

    Ties keep the later post first. A first post that is over the budget alone is still
    shown: an endpoint that cannot take it says so.
    """
    latest_first = tuple(reversed(posts))
    if policy.retrieval == "recency":
        order = latest_first
    elif policy.retrieval == "bm25":
        order = by_bm25(question, latest_first)
    else:
        from pairwright.retrieve.dense import by_similarity

        order = by_similarity(question, latest_first, policy.dense_model)
    return within_budget(order[: policy.posts], policy.history_tokens)


def within_budget(order: tuple[Post, ...], tokens: int) -> tuple[Post, ...]:
    """The longest head of the ranking whose texts fit `tokens` (four characters each)."""
    room = tokens * CHARACTERS_PER_TOKEN
    for n, post in enumerate(order):
        room -= len(post.text)
        if room < 0 and n > 0:
            return order[:n]
    return order
