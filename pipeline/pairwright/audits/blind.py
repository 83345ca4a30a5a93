"""Ways to pick the chosen response without the user: what is counted in each response, and a bag
of words that is learnt from other users' pairs."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from pairwright import text
from pairwright.manner import count_markup
from pairwright.pairs import Row
from pairwright.stats import Floats, Places

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


# Both halves of a twin hold the same two responses.
@lru_cache(maxsize=1024)
def counts(question: str, response: str, language: str | None) -> tuple[int, ...]:
    """What each check of COUNTS counts in a response."""
    return tuple(count(question, response, language) for count in COUNTS.values())


FOLDS = 5
LEAST_CLUSTERS = 10
"""Clusters below which nothing is learnt."""


def bag_points(rows: Sequence[Row], clusters: Places) -> Floats:
    """Points of a logistic model of the words of both responses, shape (n,), each pair judged by a
    model that was fitted without its cluster.

    It has no intercept, so it favours neither side: a pair with swapped sides has the opposite
    score. Its loss is the same for a pair and for the swapped pair, so each pair is fitted with one
    of the two signs: every other pair is swapped.
    """
    vectors = CountVectorizer(analyzer=list, binary=True)
    words = vectors.fit_transform(
        _stems(side, row) for row in rows for side in ("chosen", "rejected")
    )
    table = normalize(sparse.csr_array(words[0::2].astype(np.float64) - words[1::2]))
    points = np.full(len(rows), 0.5)
    signs = np.where(np.arange(len(rows)) % 2, -1.0, 1.0)
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


def _stems(side: str, row: Row) -> list[str]:
    return stems(getattr(row, side), row.language)


def stems(response: str, language: str | None) -> list[str]:
    """The distinct words of a text in their order, stemmed."""
    stem = text.stemmer(language)
    return list(dict.fromkeys(map(stem, text.words_of(response, language))))
