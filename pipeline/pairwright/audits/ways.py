"""Ways to pick the chosen response: by what is counted in each response, by a bag of words that is
learnt from other users' pairs, and by the words that a response shares with its user's posts."""

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from pairwright import text
from pairwright.manner import count_markup
from pairwright.pairs import Row
from pairwright.stats import Floats, Places

# Counts

# A sentence's end, at most with what closes a quotation, a bracket or emphasis after it; or the end
# of a list, a table, a code block or an address.
_ENDED = re.compile(
    "(?:[.!?:;\u2026\u3002\uff01\uff1f\u061f\u0964|`)\\]}>]|\\w+://\\S+|\\d|[\U0001f300-\U0001faff])"
    "[\"'\u201d\u2019\u00bb)\\]*_\\s]*$"
)
_LISTED = re.compile(r"\s*(?:[-*\u2022+]|\d{1,3}[.)])\s")
SHORT = 12
"""Words of a response up to which it needs no end of a sentence: `Paris`, `15 cm`."""


def breaks_off(response: str) -> bool:
    """Whether a response ends as if it was cut: within a code block, or without a mark at the end
    of its last line, which is no item of a list."""
    if response.count("```") % 2:
        return True
    body = response.rstrip()
    last = body[-300:].rpartition("\n")[2]
    if _ENDED.search(last) or _LISTED.match(last):
        return False
    return text.word_count(body) > SHORT


def _question_words(question: str, response: str, language: str | None) -> int:
    return len(text.terms(response, language) & text.terms(question, language))


COUNTS: dict[str, Callable[[str, str, str | None], int]] = {
    "length": lambda _question, response, _: text.word_count(response),
    "markup": lambda _question, response, _: count_markup(response),
    "question_overlap": _question_words,
    "breaks_off": lambda _question, response, _: breaks_off(response),
}
"""The checks that count something in each response: they pick the one that has more."""


def more_of_each(row: Row) -> dict[str, int]:
    """Compare both sides by each check of COUNTS: 1 if the chosen response has more, -1 if it has
    less. A twin has zeros: whatever does not see the user is right in 50 % of it, by identity."""
    if row.twin_id:
        return dict.fromkeys(COUNTS, 0)
    sides = (row.chosen, row.rejected)
    amounts = {
        name: [amount(row.question, side, row.language) for side in sides]
        for name, amount in COUNTS.items()
    }
    return {name: (more > less) - (more < less) for name, (more, less) in amounts.items()}


# Words


MOST_POSTS = 1 << 15
"""Posts whose words are in memory."""
Words = npt.NDArray[np.int32]
"""Numbers of distinct words."""


class Vocabulary:
    """Numbers of stemmed words, in the order in which they are first asked for."""

    def __init__(self) -> None:
        self._numbers = defaultdict[str, int](count().__next__)
        self._posts: dict[int, array[int]] = {}
        """By the hash of a post the numbers of its content words: it is in many of a user's rows,
        and to look up words takes most of an audit's time."""
        # Both halves of a twin hold the same two responses.
        self.response = lru_cache(maxsize=64)(self._response)

    def __len__(self) -> int:
        return len(self._numbers)

    def _response(self, response: str, language: str | None) -> tuple[Words, list[int]]:
        """The distinct words of a response in their order, and those that carry content."""
        words, content = text.words_of(response, language), text.terms(response, language)
        stems = dict.fromkeys(map(text.stemmer(language), words))
        numbers = [self._numbers[stem] for stem in stems]
        carrying = [n for n, stem in zip(numbers, stems, strict=True) if stem in content]
        return np.array(numbers, np.int32), carrying

    def post(self, post: str, language: str | None) -> "array[int]":
        """The words of a post that carry content."""
        key = hash((post, language))
        if len(self._posts) > MOST_POSTS:
            self._posts.clear()
        if key not in self._posts:
            words = sorted(text.terms(post, language))
            self._posts[key] = array("i", map(self._numbers.__getitem__, words))
        return self._posts[key]


class PairWords(NamedTuple):
    """The distinct stemmed words of the responses of a pair, as numbers of a vocabulary; of each
    the chosen response's first."""

    words: tuple[Words, Words]
    own: tuple[Words, Words]
    """Those that carry content and that the user's posts hold."""
    more: float
    """The surplus of the posts' content words in the chosen response; NaN without posts."""


def pair_words(row: Row, vocabulary: Vocabulary) -> PairWords:
    """The words of a row's responses."""
    profile = set[int]().union(*(vocabulary.post(post.text, row.language) for post in row.profile))
    sides = [vocabulary.response(side, row.language) for side in (row.chosen, row.rejected)]
    own = [np.array([n for n in content if n in profile], np.int32) for _, content in sides]
    more = len(own[0]) - len(own[1]) if row.profile else np.nan
    return PairWords((sides[0][0], sides[1][0]), (own[0], own[1]), more)


def _held(lists: Sequence[Words], vocabulary: Vocabulary) -> sparse.csr_array:
    """The words of each list: 1 or 0, a row per list, a column per word."""
    ends = np.cumsum([0, *map(len, lists)])
    ones, words = np.ones(ends[-1]), np.concatenate([np.empty(0, np.int32), *lists])
    return sparse.csr_array((ones, words, ends), shape=(len(lists), len(vocabulary)))


FOLDS = 5
LEAST_CLUSTERS = 10
"""Clusters below which nothing is learnt."""


def bag_points(pairs: Sequence[PairWords], clusters: Places, vocabulary: Vocabulary) -> Floats:
    """Points of a logistic model of the words of both responses, shape (n,), each pair judged by a
    model that was fitted without its cluster.

    It has no intercept, so it favours neither side: a pair with swapped sides has the opposite
    score. Its loss is the same for a pair and for the swapped pair, so each pair is fitted with one
    of the two signs: every other pair is swapped.
    """
    chosen, rejected = (_held([one.words[n] for one in pairs], vocabulary) for n in (0, 1))
    table = normalize(sparse.csr_array(chosen - rejected))
    points = np.full(len(pairs), 0.5)
    if not table.nnz:
        return points
    table = table[:, np.unique(table.indices)]
    signs = np.where(np.arange(len(pairs)) % 2, -1.0, 1.0)
    turned = sparse.csr_array(sparse.diags_array(signs) @ table)
    with threadpool_limits(1):  # Else sums, and with them last digits, follow the machine.
        for train, test in GroupKFold(FOLDS, shuffle=True, random_state=0).split(
            table, groups=clusters
        ):
            model = LogisticRegression(fit_intercept=False, max_iter=500, tol=1e-3)
            model.fit(turned[train], signs[train])
            # What rounding leaves of no difference is a tie.
            points[test] = (np.sign(np.round(table[test] @ model.coef_[0], 9)) + 1) / 2
    return points


def baseline_points(pairs: Sequence[PairWords], vocabulary: Vocabulary) -> dict[str, Floats]:
    """The points of each baseline, shape (n,), which picks the response that shares more with the
    user's posts; NaN for pairs without posts. It is a minimum for scorers that read the user, and
    no shortcut. Words count alike, or are weighed by how rare they are."""
    more = np.array([pair.more for pair in pairs])
    weighed = np.where(np.isnan(more), np.nan, _tfidf(pairs, vocabulary))
    both = {"profile_overlap": more, "profile_tfidf": np.round(weighed, 9)}
    return {name: (np.sign(found) + 1) / 2 for name, found in both.items()}


def _tfidf(pairs: Sequence[PairWords], vocabulary: Vocabulary) -> Floats:
    """The share of a response's length that the posts' words cover: the chosen response's less the
    rejected one's. A response is a vector of its distinct words, weighted by their rarity among all
    responses. The posts' own length is the same for both."""
    sides = [_held([one.words[n] for one in pairs], vocabulary) for n in (0, 1)]
    own = [_held([one.own[n] for one in pairs], vocabulary) for n in (0, 1)]
    responses = sides[0].sum(axis=0) + sides[1].sum(axis=0)
    squares = np.log((1 + 2 * len(pairs)) / (1 + responses)) ** 2
    lengths = [np.sqrt(side @ squares) for side in sides]
    chosen, rejected = (
        of @ squares / np.where(length > 0, length, 1.0)
        for of, length in zip(own, lengths, strict=True)
    )
    return np.asarray(chosen - rejected, np.float64)
