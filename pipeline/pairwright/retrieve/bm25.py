"""BM25 over one user's posts, with the bm25s library (Lucene's variant, k1 = 1.5, b = 0.75)."""

import bm25s
import numpy as np

from pairwright import text
from pairwright.records import Post


def by_bm25(question: str, posts: tuple[Post, ...]) -> tuple[Post, ...]:
    """The posts by falling score; equal scores keep their order."""
    query = sorted(text.terms(question))
    tokens = [[text.stem(w) for w in text.words(post.text)] for post in posts]
    known = {token for document in tokens for token in document}
    query = [term for term in query if term in known]
    if not query or len(posts) < 2:
        return posts
    index = bm25s.BM25()
    index.index(tokens, show_progress=False)
    scores = index.get_scores(query)
    return tuple(posts[i] for i in np.argsort(-scores, kind="stable"))
