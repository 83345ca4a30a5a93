"""The baselines: a scorer that reads the person should do better.

`longer` and `constant` cannot see the user. `overlap` and `similarity` count words that a response
shares with what is shown. `own-length` and `own-markup` use the earlier choices that are shown.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from pairwright import text
from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore
from pairwright.manner import Manner, manner_scores

_TELLING = 12
"""Posts and aspects that tell a language: as many as `language_of` reads of short ones, since four
posts of a few words do not tell it."""


def _overlap(shown: PromptContent, response: str) -> float:
    """Distinct content words of the response that are in posts or aspects."""
    return float(len(text.terms(response, _language(shown)) & _shown_terms(shown)))


def _similarity(shown: PromptContent, response: str) -> float:
    """Cosine of the two texts' word counts, damped by logarithms; rounded, so that equal texts are
    equal whatever the order of their words."""
    language = _language(shown)
    own, known = _weights((response,), language), _weights((*_texts(shown),), language)
    product = sum(weight * known.get(word, 0.0) for word, weight in own.items())
    lengths = math.hypot(*own.values()) * math.hypot(*known.values())
    return round(product / lengths, 9) if lengths else 0.0


def _manner(manner: Manner, shown: PromptContent, response: str) -> float:
    """The fit of a response's manner to the user's earlier choices; 0 if none of them shows it."""
    scores = manner_scores((post.text for post in shown.posts), (response,))
    return round(next(scores)[manner], 9) if scores else 0.0


BASELINES: dict[str, Callable[[PromptContent, str], float]] = {
    "longer": lambda _, response: float(text.word_count(response)),
    "constant": lambda _, __: 0.0,
    "overlap": _overlap,
    "similarity": _similarity,
    "own-length": lambda shown, response: _manner("length", shown, response),
    "own-markup": lambda shown, response: _manner("markup", shown, response),
}
"""The baselines by name: words of the response; nothing; content words shared with what is shown;
cosine of word counts with what is shown; the length and the markup that the user took so far."""
BLIND = frozenset({"longer", "constant"})
"""The baselines that ignore all that is shown."""
MANNER = frozenset({"own-length", "own-markup"})
"""The baselines that are evaluated only if histories hold choices."""


class Baseline(NamedTuple):
    """A baseline as a scorer."""

    name: str

    async def score(self, shown: PromptContent, response: str) -> ResponseScore:
        """The baseline's score of a response."""
        return ResponseScore(BASELINES[self.name](shown, response))


def _texts(shown: PromptContent) -> Iterable[str]:
    return chain((post.text for post in shown.posts), shown.aspects)


# Both responses of a pair are compared with the same texts.
@lru_cache(maxsize=64)
def _shown_terms(shown: PromptContent) -> frozenset[str]:
    return text.terms_of(_texts(shown), _language(shown))


@lru_cache(maxsize=64)
def _language(shown: PromptContent) -> str | None:
    """The language in which both responses are split into words: that of the content shown."""
    return text.language_of(*islice(_texts(shown), _TELLING), shown.question)


@lru_cache(maxsize=256)
def _weights(texts: tuple[str, ...], language: str | None) -> dict[str, float]:
    stem = text.stemmer(language)
    counts = Counter(stem(word) for passage in texts for word in text.words_of(passage, language))
    return {word: 1 + math.log(n) for word, n in counts.items()}
