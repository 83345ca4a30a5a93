"""Dense ranking with any sentence-transformers or Contriever model (extra `[dense]`)."""

from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from pairwright.errors import ConfigError
from pairwright.records import Post


def require() -> None:
    """Raise ConfigError where the extra is not installed, before anything is built with it."""
    if find_spec("sentence_transformers") is None:
        raise ConfigError(
            "sentence-transformers is not installed",
            where="[planner] retrieval = 'dense'",
            fix="pip install 'pairwright[dense]', or use retrieval = 'bm25'.",
        )


@lru_cache(maxsize=1)
def _model(name: str) -> Any:
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(name)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"the model {name!r} cannot be loaded: {error}",
            where="[planner] dense_model",
            fix="Name a folder or a Hugging Face id of a sentence-transformers model.",
        ) from None


def by_similarity(question: str, posts: tuple[Post, ...], model: str) -> tuple[Post, ...]:
    """The posts by falling inner product with the question (Contriever's score)."""
    vectors = np.asarray(_model(model).encode([question, *(post.text for post in posts)]))
    scores = vectors[1:] @ vectors[0]
    return tuple(posts[i] for i in np.argsort(-scores, kind="stable"))
