"""What is under test: something that scores one response, compares two, or has scores of pairs.

A kind that ships with Pairwright is a class with one of the three methods, and beside it the class
of its table, whose method `open` makes it; `settings.Spec` lists these. A scorer of your own needs
none of this: see `own_scorer`.

A scorer that reads the person should do better than a baseline. `longer` and `constant` cannot see
the user; `overlap` and `similarity` count words that a response shares with what is shown;
`own-length` and `own-markup` go by what the earlier choices shown took.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from itertools import chain, islice
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from pairwright import text
from pairwright.errors import CallFailed
from pairwright.manner import Manner, manner_scores
from pairwright.records import Post, Record

PreferredPlace = Literal["first", "second", "tie"]


class ScorerRef(Record):
    """A scorer, planner, judge or policy, identified exactly."""

    name: str
    kind: str
    """Of a scorer or planner its kind in the settings, else its role."""
    model: str = ""
    revision: str | None = None
    settings: str = ""
    """Hash of all that decides its replies beside model and revision."""


class PromptContent(NamedTuple):
    """What a scorer is shown beside a response: a question, and what is known of who asks it."""

    question: str
    posts: tuple[Post, ...] = ()
    """Oldest first."""
    aspects: tuple[str, ...] = ()


class ResponseScore(NamedTuple):
    """What one response is worth; higher is better."""

    value: float
    tokens: int = 0
    """Tokens that were read and written for it."""


class Preference(NamedTuple):
    """What a judge says of two responses, asked in both orders."""

    forward: PreferredPlace
    """The verdict with the first response in the first place."""
    backward: PreferredPlace
    """The verdict with the second response in the first place; it names the response, not the
    place."""
    tokens: int = 0


class Unscored(NamedTuple):
    """A response or a pair without a score, and why: never a tie, never a zero."""

    reason: str
    """`context_length` where the prompt does not fit: fewer posts may."""
    detail: str = ""
    forward: PreferredPlace | None = None
    """The verdict of a comparing judge in this order, if only the other has none."""
    backward: PreferredPlace | None = None

    @property
    def fields(self) -> dict[str, str]:
        """The fields of a line of results that has no score."""
        return {"unscored": self.reason, "detail": self.detail[:500]}


COVERAGE = 0.95
"""Share of what was asked that must have a score: below it, too much of a figure is what was left
out."""
NO_STRANGER, NO_PROFILE, NO_RUBRIC = "no_other_profile", "no_profile", "no_rubric"
NO_CITED_POSTS, NO_OTHER_POSTS = "no_cited_posts", "no_other_posts"
NOTHING_TO_SHOW = (
    NO_STRANGER, NO_PROFILE, NO_RUBRIC, NO_CITED_POSTS, NO_OTHER_POSTS,
)  # fmt: skip
"""Why a pair has no score where there is nothing to show of its user: such a pair is not part of
the condition, for any scorer."""


def reasons(unscored: Iterable[str]) -> dict[str, int]:
    """Count the reasons why lines have no score; an empty one is of a line that has."""
    return dict(sorted(Counter(filter(None, unscored)).items()))


def failed_call(error: CallFailed) -> Unscored:
    """The reason why a call that failed gives no score. The next run sends the call again."""
    return Unscored(error.result_reason, error.detail)


@runtime_checkable
class Pointwise(Protocol):
    """Scores one response at a time."""

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """The score of one response. Raises CallFailed."""
        ...


class Pairwise(Protocol):
    """Compares two responses."""

    async def prefer(self, shown: PromptContent, first: str, second: str) -> Preference | Unscored:
        """The verdicts in both orders. Raises CallFailed."""
        ...


@runtime_checkable
class ByPair(Protocol):
    """Has the scores of pairs already: it reads no text."""

    def scores(self, pair: str, condition: str) -> tuple[ResponseScore, ResponseScore] | Unscored:
        """The scores of the chosen and of the rejected response."""
        ...


Scorer = Pointwise | Pairwise | ByPair


_TELLING = 12
"""Posts and aspects that tell a language: as many as `language_of` reads of short ones, since four
posts of a few words do not tell it."""


def _longer(_: PromptContent, response: str) -> float:
    return float(text.word_count(response))


def _constant(_: PromptContent, _response: str) -> float:
    return 0.0


def _overlap(shown: PromptContent, response: str) -> float:
    """Distinct content words of the response that are in posts or aspects."""
    return float(len(text.terms(response, _language(shown)) & _shown_terms(shown)))


def _similarity(shown: PromptContent, response: str) -> float:
    """Cosine of the two texts' word counts, damped by logarithms; rounded, so that equal texts are
    equal whatever the order of their words."""
    language = _language(shown)
    own, known = _weights((response,), language), _weights((*_texts(shown),), language)
    product = sum(weight * known.get(word, 0.0) for word, weight in own.items())
    lengths = math.sqrt(_square(own) * _square(known))
    return round(product / lengths, 9) if lengths else 0.0


def _manner(manner: Manner, shown: PromptContent, response: str) -> float:
    """How well the response's manner suits what the user took so far; 0 where nothing shows it."""
    scores = manner_scores((post.text for post in shown.posts), (response,))
    return round(next(scores)[manner], 9) if scores else 0.0


MANNER = {"own-length": "length", "own-markup": "markup"}
"""The baselines of manner, and of which. They are evaluated where histories hold choices."""
BASELINES: dict[str, Callable[[PromptContent, str], float]] = {
    "longer": _longer,
    "constant": _constant,
    "overlap": _overlap,
    "similarity": _similarity,
    "own-length": partial(_manner, "length"),
    "own-markup": partial(_manner, "markup"),
}
"""The baselines by name: words of the response; nothing; content words shared with what is shown;
cosine of word counts with what is shown; the length and the markup that the user took so far."""


BLIND = frozenset({"longer", "constant"})
"""The baselines that ignore all that is shown."""


class Baseline(NamedTuple):
    """One of them, as a scorer."""

    name: str

    async def score(self, shown: PromptContent, response: str) -> ResponseScore:
        """The baseline's score of a response."""
        return ResponseScore(BASELINES[self.name](shown, response))


def _texts(shown: PromptContent) -> Iterable[str]:
    return chain((post.text for post in shown.posts), shown.aspects)


# Both responses of a pair are held against the same.
@lru_cache(maxsize=64)
def _shown_terms(shown: PromptContent) -> frozenset[str]:
    return text.terms_of(_texts(shown), _language(shown))


@lru_cache(maxsize=64)
def _language(shown: PromptContent) -> str | None:
    """In which both responses are cut into words: that of what is shown."""
    return text.language_of(*islice(_texts(shown), _TELLING), shown.question)


@lru_cache(maxsize=256)
def _weights(texts: tuple[str, ...], language: str | None) -> dict[str, float]:
    stem = text.stemmer(language)
    counts = Counter(stem(word) for passage in texts for word in text.words_of(passage, language))
    return {word: 1 + math.log(n) for word, n in counts.items()}


def _square(weights: dict[str, float]) -> float:
    return sum(weight * weight for weight in weights.values())
