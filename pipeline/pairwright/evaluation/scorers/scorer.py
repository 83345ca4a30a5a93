"""The scorer, which is under test: it scores one response, compares two, or has scores of pairs.

A kind that ships with Pairwright is a class with one of the three methods. The class of its table
has the method `open`, which makes it; `settings.Spec` lists the tables. The baselines need no
table. A scorer that reads the person should do better: `longer` and `constant` cannot see the
user, `overlap` and `similarity` count words that a response shares with what is shown.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from pairwright import text
from pairwright.errors import CallFailed
from pairwright.records import Post, Record

Choice = Literal["chosen", "rejected", "tie"]
"""The verdict of a scorer on a pair."""


class ScorerRef(Record):
    """A scorer, planner, judge or policy, identified exactly."""

    name: str
    kind: str
    """The kind of a scorer or planner in the settings, or the role of another model."""
    model: str = ""
    revision: str | None = None
    settings: str = ""
    """Hash of everything else that decides its replies, without model and revision."""


class PromptContent(NamedTuple):
    """The content shown to a scorer next to a response: a question, and data of who asks it."""

    question: str
    posts: tuple[Post, ...] = ()
    """The user's posts that are shown, oldest first."""
    aspects: tuple[str, ...] = ()


class Unscored(NamedTuple):
    """A response or a pair without a score, and why: never a tie, never a zero."""

    reason: str
    """The code of the reason; `context_length` if the prompt does not fit: fewer posts may."""
    detail: str = ""

    @property
    def text(self) -> str:
        """The text in a line of the scores table: `reason`, or `reason (detail)`."""
        detail = " ".join(self.detail.split())[:300]
        return f"{self.reason} ({detail})" if detail else self.reason

    @property
    def fields(self) -> dict[str, str]:
        """The fields of a line of results that has no score."""
        return {"unscored": self.reason, "detail": self.detail[:500]}


class ResponseScore(NamedTuple):
    """The score of one response; higher is better."""

    value: float
    tokens: int = 0
    """Number of tokens that were read and written for it."""


class Preference(NamedTuple):
    """A judge's verdicts on a pair, with the chosen response first and second; a verdict names the
    response, not its place."""

    forward: Choice | Unscored
    backward: Choice | Unscored
    tokens: int = 0


@runtime_checkable
class Pointwise(Protocol):
    """Scores one response at a time."""

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """The score of one response. Raises CallFailed."""
        ...


class Pairwise(Protocol):
    """Compares two responses."""

    async def prefer(self, shown: PromptContent, chosen: str, rejected: str) -> Preference:
        """The verdicts in both orders. Raises CallFailed."""
        ...


@runtime_checkable
class ByPair(Protocol):
    """Has the scores of pairs already: it reads no text."""

    def scores(self, pair: str, condition: str) -> Sequence[ResponseScore | Unscored]:
        """The scores of the chosen and of the rejected response, or why it has none."""
        ...


Scorer = Pointwise | Pairwise | ByPair

COVERAGE = 0.95
"""Share of what was asked that must have a score: below it, too much of a figure is what was left
out."""
NO_STRANGER, NO_PROFILE, NO_RUBRIC = "no_other_profile", "no_profile", "no_rubric"
NO_CITED_POSTS, NO_OTHER_POSTS = "no_cited_posts", "no_other_posts"
NOTHING_TO_SHOW = (NO_STRANGER, NO_PROFILE, NO_RUBRIC, NO_CITED_POSTS, NO_OTHER_POSTS)
"""Reasons of pairs without a score that have nothing to show of their user: such a pair is not part
of the condition, for any scorer."""


def reasons(unscored: Iterable[str]) -> dict[str, int]:
    """Count the reasons why lines have no score; an empty one is of a line that has."""
    return dict(sorted(Counter(filter(None, unscored)).items()))


def failed_call(error: CallFailed) -> Unscored:
    """The reason why a call that failed gives no score. The next run sends the call again."""
    return Unscored(error.result_reason, error.detail)


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


BASELINES: dict[str, Callable[[PromptContent, str], float]] = {
    "longer": lambda _, response: float(text.word_count(response)),
    "constant": lambda _, __: 0.0,
    "overlap": _overlap,
    "similarity": _similarity,
}
"""The baselines by name: words of the response; nothing; content words shared with what is shown;
cosine of word counts with what is shown."""
BLIND = frozenset({"longer", "constant"})
"""The baselines that ignore all that is shown."""


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
