"""Dense ranking with any sentence-transformers or Contriever model (extra `[dense]`)."""

from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairwright.errors import ConfigError
from pairwright.extras import install
from pairwright.records import Post


def require(
    where: str = "[planner] retrieval = 'dense'", otherwise: str = "use retrieval = 'bm25'"
) -> None:
    """Raise ConfigError if the extra is not installed, before anything is begun with it."""
    if find_spec("sentence_transformers") is None:
        raise ConfigError(
            "sentence-transformers is not installed",
            where=where,
            fix=f"Run {install('dense')}; or {otherwise}.",
        )


@lru_cache(maxsize=2)
def _model(name: str, where: str) -> Any:
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(name)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"the model {name!r} cannot be loaded: {error}",
            where=where,
            fix="Name a folder or a Hugging Face id of a sentence-transformers model.",
        ) from None


def by_similarity(question: str, posts: tuple[Post, ...], model: str) -> tuple[Post, ...]:
    """The posts by falling inner product with the question (Contriever's score)."""
    loaded = _model(model, "[planner] dense_model")
    vectors = np.asarray(loaded.encode([question, *(post.text for post in posts)]))
    scores = vectors[1:] @ vectors[0]
    return tuple(posts[i] for i in np.argsort(-scores, kind="stable"))


def directions(texts: tuple[str, ...], model: str, where: str) -> NDArray[np.float64]:
    """Vectors of length 1, or 0 if the model gives none, of shape (texts, dimensions).

    `where` is the model's key, for messages. Raises ConfigError if it cannot be loaded.
    """
    vectors = np.asarray(_model(model, where).encode(list(texts)), dtype=float)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12))
