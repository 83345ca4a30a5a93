"""A baseline that reads meaning, and nothing of the person: how near a response is to a text."""

import asyncio
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairwright.evaluate.scorers.seam import Score, Unscored
from pairwright.evaluate.shown import Shown
from pairwright.retrieve import dense

DIGITS = 6
"""Beyond them lies how texts were batched: equal responses are to have equal scores."""


class EmbeddingBaseline(NamedTuple):
    """Cosine of the response with the nearest of the posts and aspects that are shown; 0 where
    nothing is.

    The nearest, not the mean: most posts of a long history are about other things than the
    question, and would level all responses.
    """

    model: str
    where: str
    """For messages: its place in the file of scorers."""
    one_at_a_time: asyncio.Lock
    """It takes the whole processor, and need not be loaded twice."""

    async def score(self, shown: Shown, response: str) -> Score | Unscored:
        """Raises ConfigError where the model cannot be loaded."""
        texts = (*(post.text for post in shown.posts), *shown.aspects)
        if not texts:
            return Score(0.0)
        async with self.one_at_a_time:
            return await asyncio.to_thread(self._score, texts, response)

    def _score(self, texts: tuple[str, ...], response: str) -> Score | Unscored:
        known = _directions(texts, self.model, self.where)
        own = dense.directions((response,), self.model, self.where)[0]
        nearest = float((known @ own).max())
        if not math.isfinite(nearest):
            return Unscored("not_a_number", str(nearest))
        return Score(round(nearest, DIGITS))


# Both responses of a pair are held against the same.
@lru_cache(maxsize=64)
def _directions(texts: tuple[str, ...], model: str, where: str) -> NDArray[np.float64]:
    return dense.directions(texts, model, where)
