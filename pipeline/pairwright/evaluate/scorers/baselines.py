"""Scorers that understand nothing. One that reads the person should do better than all of them.

`longer` and `constant` cannot see the user; the others count words that a response shares with what
is shown. They are informed, not blind: a floor for whoever is shown the same.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from pairwright import text
from pairwright.evaluate.scorers.seam import Score
from pairwright.evaluate.shown import Shown


def _longer(_: Shown, response: str) -> float:
    return float(len(response.split()))


def _constant(_: Shown, _response: str) -> float:
    return 0.0


def _overlap(shown: Shown, response: str) -> float:
    """Distinct content words of the response that stand in posts or aspects."""
    return float(len(text.terms(response) & _known(shown)))


def _similarity(shown: Shown, response: str) -> float:
    """Cosine of the two texts' word counts, damped by logarithms; rounded, so that equal texts are
    equal whatever the order of their words."""
    own, known = _weights((response,)), _weights((*_texts(shown),))
    product = sum(weight * known.get(word, 0.0) for word, weight in own.items())
    lengths = math.sqrt(_square(own) * _square(known))
    return round(product / lengths, 9) if lengths else 0.0


BASELINES: dict[str, Callable[[Shown, str], float]] = {
    "longer": _longer,
    "constant": _constant,
    "overlap": _overlap,
    "similarity": _similarity,
}
"""By name: words of the response; nothing; content words shared with what is shown; cosine of word
counts with what is shown."""


class Baseline(NamedTuple):
    """One of them, as a scorer."""

    name: str

    async def score(self, shown: Shown, response: str) -> Score:
        return Score(BASELINES[self.name](shown, response))


def _texts(shown: Shown) -> Iterable[str]:
    return chain((post.text for post in shown.posts), shown.aspects)


# Both responses of a pair are held against the same.
@lru_cache(maxsize=64)
def _known(shown: Shown) -> frozenset[str]:
    return text.terms_of(_texts(shown))


@lru_cache(maxsize=256)
def _weights(texts: tuple[str, ...]) -> dict[str, float]:
    counts = Counter(text.stem(word) for given in texts for word in text.words(given))
    return {word: 1 + math.log(n) for word, n in counts.items()}


def _square(weights: dict[str, float]) -> float:
    return sum(weight * weight for weight in weights.values())
