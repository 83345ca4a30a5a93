"""Ranking a user's posts against a question. Posts travel whole, so ids never part from texts."""

from functools import lru_cache

from pairwright.records import Post
from pairwright.retrieve.bm25 import by_bm25
from pairwright.settings.rules import HistoryRules

CHARACTERS_PER_TOKEN = 4


def selected(
    question: str, posts: tuple[Post, ...], rules: HistoryRules, model_tokens: int | None = None
) -> tuple[Post, ...]:
    """The posts to show, in the order given: the best ranked, `rules.posts` at most, and no
    more than fit `rules.history_tokens` and the model's own budget.

    Where all of them fit none has to be ranked. A best post that is over the budget alone is
    still shown: an endpoint that cannot take it says so.
    """
    tokens = min(rules.history_tokens, model_tokens or rules.history_tokens)
    if len(posts) <= rules.posts and within_budget(posts, tokens) == posts:
        return posts
    best = ranked(question, posts, rules)[: rules.posts]
    shown = set(within_budget(best, tokens))
    return tuple(post for post in posts if post in shown)


@lru_cache(maxsize=512)
def ranked(question: str, posts: tuple[Post, ...], rules: HistoryRules) -> tuple[Post, ...]:
    """All posts, best first. Ties keep the later post first."""
    latest_first = tuple(reversed(posts))
    if rules.retrieval == "recency":
        return latest_first
    if rules.retrieval == "bm25":
        return by_bm25(question, latest_first)
    from pairwright.retrieve.dense import by_similarity

    return by_similarity(question, latest_first, rules.dense_model)


def within_budget(order: tuple[Post, ...], tokens: int) -> tuple[Post, ...]:
    """The longest head of the ranking whose texts fit `tokens` (four characters each)."""
    room = tokens * CHARACTERS_PER_TOKEN
    for n, post in enumerate(order):
        room -= len(post.text)
        if room < 0 and n > 0:
            return order[:n]
    return order
