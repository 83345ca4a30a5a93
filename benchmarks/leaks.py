"""How often an audit finds words that were copied from posts, and how often it says so falsely.

    .venv/bin/python benchmarks/leaks.py [TRIES]

TRIES sets of twins (200) for every size, on two processes, through the audit's own functions for
`profile_residual`. Words are drawn by Zipf's law from so many that users' posts differ as much as
on a real site (of 281 users of Movies & TV, 16 % of a user's words are nobody else's). A rubric
quotes a post of its user, and a response takes up words of its rubric, as in a clean build. Then,
in a share of pairs, one word that no other user's posts hold is put from the posts into the chosen
response. The check is decided at the level that it has among the 15 estimates of a configuration
that are all open. Printed: the share of sets that fail, by size and share of leaks; 0 % is the
false alarm. The last line has them as JSON: `false_1000`, `found_1000_2` and so on.
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairwright import text
from pairwright.audits.shortcuts.informed import (
    LEAK_LIMITS,
    AuditWords,
    post_words,
    private_word_points,
)
from pairwright.audits.shortcuts.response import text_stems
from pairwright.dataset import Row, RowAspect, RowPost
from pairwright.intervals import LEVEL, accuracy, z_of

SIZES = (100, 300, 1000, 3000)
"""Pairs, two to a twin."""
LEAKS = (0, 2, 5, 20)
"""Per cent of pairs."""
ESTIMATES = 15
PROCESSES = 2
POSTS, POST_WORDS, RESPONSE_WORDS, QUOTED = 5, 60, 90, 10
VOCABULARY = 100_000
Chance = np.random.Generator


def main(tries: int) -> None:
    figures = {}
    with ProcessPoolExecutor(PROCESSES) as pool:
        for pairs in SIZES:
            found = list(pool.map(partial(failures, pairs), range(tries)))
            shares = [sum(failed[n] for failed in found) / tries for n in range(len(LEAKS))]
            cells = "  ".join(
                f"{leak} %: {share:.3f}" for leak, share in zip(LEAKS, shares, strict=True)
            )
            print(f"{pairs:>5} pairs, n = {tries}: {cells}", flush=True)
            for leak, share in zip(LEAKS, shares, strict=True):
                name = f"found_{pairs}_{leak}" if leak else f"false_{pairs}"
                figures[name] = round(share, 3)
    print(json.dumps(figures))


def failures(pairs: int, seed: int) -> list[bool]:
    """Whether the check fails on one set of pairs, for each share of leaks."""
    chance = np.random.default_rng((seed, pairs))
    rows = [row for number in range(pairs // 2) for row in twin(number, chance)]
    words = [text.terms_of(post.text for post in row.profile) for row in rows]
    users = Counter(word for own in words for word in own)
    own_words = [sorted(word for word in own if users[word] == 1) for own in words]
    return [fails(leaked(rows, own_words, leak / 100, chance), words) for leak in LEAKS]


class Half(NamedTuple):
    """One of a twin's two users."""

    user: str
    posts: tuple[RowPost, ...]
    rubric: tuple[RowAspect, ...]
    response: str


def twin(number: int, chance: Chance) -> tuple[Row, Row]:
    """The two halves of a clean twin."""
    question, halves = (
        _text(chance, 14),
        (_half(f"{number}-a", chance), _half(f"{number}-b", chance)),
    )
    return _row(number, question, *halves), _row(number, question, *halves[::-1])


def leaked(
    rows: Sequence[Row], own_words: Sequence[list[str]], share: float, chance: Chance
) -> list[Row]:
    """The rows with a leak into the chosen response of a share of them; the other half of the twin
    has the same response."""
    places = chance.choice(len(rows), round(share * len(rows)), replace=False)
    texts = [row.chosen for row in rows]
    for place in places.tolist():
        if own_words[place]:
            texts[place] += f" {chance.choice(own_words[place])}."
    return [
        row.model_copy(update={"chosen": texts[n], "rejected": texts[n ^ 1]})
        for n, row in enumerate(rows)
    ]


def fails(rows: Sequence[Row], words: Sequence[frozenset[str]]) -> bool:
    """Whether the audit's check fails on these rows."""
    audit = AuditWords()
    for row, own in zip(rows, words, strict=True):
        audit.add(row, own, (text_stems(row.chosen), text_stems(row.rejected)))
    drawn = [post_words(row, own, audit) for row, own in zip(rows, words, strict=True)]
    found = accuracy(private_word_points(drawn, audit)[0], np.arange(len(rows)) // 2)
    assert found is not None
    return found.settles(LEAK_LIMITS, z_of(LEVEL / ESTIMATES)) == "fail"


def _half(user: str, chance: Chance) -> Half:
    posts = tuple(RowPost(id=f"{user}-{n}", text=_text(chance, POST_WORDS)) for n in range(POSTS))
    evidence = " ".join(posts[0].text.split()[:QUOTED])
    aspect = f"{_text(chance, 6)} {' '.join(evidence.split()[::2])}"
    rubric = (RowAspect(aspect=aspect, evidence=evidence),)
    response = f"{_text(chance, RESPONSE_WORDS)} {' '.join(aspect.split()[::2])}"
    return Half(user, posts, rubric, response)


def _row(number: int, question: str, own: Half, other: Half) -> Row:
    return Row(
        id=own.user, question=question, profile=own.posts, rubric_aspects=own.rubric,
        chosen=own.response, rejected=other.response, domain="Home", mode="twin",
        twin_id=f"twin-{number}", user=own.user, dyad=f"dyad-{number}",
    )  # fmt: skip


def _text(chance: Chance, words: int) -> str:
    names, shares = _vocabulary()
    return " ".join(names[np.searchsorted(shares, chance.random(words))])


@lru_cache(maxsize=1)
def _vocabulary() -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
    names = np.array([f"{'bdgklmnprt'[n % 10]}{n:x}x" for n in range(VOCABULARY)], dtype=object)
    share = 1 / (np.arange(VOCABULARY) + 2.7)  # Mandelbrot's constant for English
    return names, np.cumsum(share / share.sum())


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]) if len(sys.argv) > 1 else (200,))
