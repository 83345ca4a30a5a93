"""Ranking a user's posts against a question. Posts travel whole, so ids never part from texts.

The only file that imports `sentence_transformers` (extra `[dense]`).
"""

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pairwright import text
from pairwright.assets import install
from pairwright.errors import ConfigError
from pairwright.records import Post
from pairwright.settings.rules import HistoryRules

if TYPE_CHECKING:
    from bm25s import BM25

DENSE = "facebook/contriever-msmarco"


def selected(
    question: str, posts: tuple[Post, ...], rules: HistoryRules, most: int | None = None
) -> tuple[Post, ...]:
    """The posts to show, in the order given: the best ranked, `most` or `rules.posts` of them, and
    no more than fit `rules.history_tokens`.

    If all of them fit none has to be ranked. A best post that is over the budget alone is
    still shown: an endpoint that cannot take it says so.
    """
    tokens, most = rules.history_tokens, most or rules.posts
    if len(posts) <= most and within_budget(posts, tokens) == posts:
        return posts
    best = ranked(question, posts, rules.retrieval)[:most]
    shown = set(within_budget(best, tokens))
    return tuple(post for post in posts if post in shown)


@lru_cache(maxsize=512)
def ranked(question: str, posts: tuple[Post, ...], retrieval: str) -> tuple[Post, ...]:
    """All posts, best first, by `bm25`, `recency` or `dense`. Ties keep the later post first."""
    latest_first = tuple(reversed(posts))
    if retrieval == "bm25":
        return by_bm25(question, latest_first)
    return latest_first if retrieval == "recency" else by_similarity(question, latest_first)


def by_bm25(question: str, posts: tuple[Post, ...]) -> tuple[Post, ...]:
    """The posts by falling score of the bm25s library (Lucene's variant, k1 = 1.5, b = 0.75); equal
    scores keep their order."""
    if len(posts) < 2:
        return posts
    language = text.language_of(*(post.text for post in posts[:4]), question)
    index = _bm25_index(tuple(post.text for post in posts), language)
    known = index.vocab_dict if index else {}
    query = [term for term in sorted(text.terms(question, language)) if term in known]
    if index is None or not query:
        return posts
    scores = index.get_scores(query)
    return tuple(posts[i] for i in np.argsort(-scores, kind="stable"))


# A history is ranked for the questions of several users, one soon after the other.
@lru_cache(maxsize=256)
def _bm25_index(texts: tuple[str, ...], language: str | None) -> "BM25 | None":
    """The index of texts of one language; None if they have no words."""
    # It takes a while to import, and commands that only read a run do without.
    import bm25s

    stem = text.stemmer(language)
    tokens = [[stem(word) for word in text.words_of(own, language)] for own in texts]
    if not any(tokens):
        return None
    index = bm25s.BM25()
    index.index(tokens, show_progress=False)
    return index


def within_budget(order: tuple[Post, ...], tokens: int) -> tuple[Post, ...]:
    """The longest head of the ranking whose texts fit `tokens` (`text.token_estimate`)."""
    room = float(tokens)
    for n, post in enumerate(order):
        room -= text.token_estimate(post.text)
        if room < 0 and n > 0:
            return order[:n]
    return order


def by_similarity(question: str, posts: tuple[Post, ...], model: str = DENSE) -> tuple[Post, ...]:
    """The posts by falling inner product with the question, as Contriever ranks."""
    vectors = np.asarray(_dense_model(model).encode([question, *(post.text for post in posts)]))
    return tuple(posts[i] for i in np.argsort(-(vectors[1:] @ vectors[0]), kind="stable"))


@cache
def _dense_model(name: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(name)
    except ImportError:
        what, fix = "sentence-transformers is not installed", f"Run {install('dense')}"
    except (OSError, ValueError) as error:
        what, fix = f"the model {name} cannot be loaded: {error}", "Download it"
    raise ConfigError(what, where="retrieval = 'dense'", fix=f"{fix}; or use retrieval = 'bm25'.")
