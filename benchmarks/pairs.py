"""Synthetic rows for benchmarks: words drawn by Zipf's law, twins and violate pairs, five pairs a
user, responses of 80 to 100 words. A profile has 5 posts of 60 words, or with `long` 10 posts of 95
words, which makes rows of 4 kB as Parquet: the size of rows that show ten posts of a real user.

    .venv/bin/python benchmarks/pairs.py FOLDER PAIRS [long]   # the data of a release, and no more
"""

import json
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairwright.pairs import Layout, Part, Row, RowAspect, RowPost, write_rows
from pairwright.pairs.row import derived_twin_id
from pairwright.records import dyad_id, pseudonym
from pairwright.text import STOPWORDS

DOMAINS = ("Art_and_Entertainment", "Lifestyle_and_Personal_Development", "Society_and_Culture")
PAIRS_OF_A_USER = 5
TWINS = 2 / 3
"""Of all pairs, those that are halves of twins."""
_SYLLABLES = tuple(map("".join, product("bdfgklmnprstv", "aeiou", ("", "n", "r", "st"))))
_WORDS = 30_000


class History(NamedTuple):
    """The size of every user's profile."""

    posts: int
    words: int
    """Words of a post."""


SHORT, LONG = History(5, 60), History(10, 95)

Made = tuple[Row, str]
"""A row, and the name behind its user's pseudonym."""


def write_release(folder: Path, pairs: int, history: History = SHORT) -> None:
    """Data, manifest and version: as much of a release as an audit reads where nobody was asked."""
    for part, made in _parts(pairs, history):
        write_rows(folder / part.path, (row for row, _ in made))
    layout = Layout(folder)
    layout.manifest.write_text("{}\n", encoding="utf-8")
    layout.provenance.write_text(json.dumps({"version": "1.0.0"}), encoding="utf-8")


def rows(pairs: int) -> Iterator[Made]:
    """The rows alone."""
    for _, made in _parts(pairs, SHORT):
        yield from made


def _parts(pairs: int, history: History) -> Iterator[tuple[Part, Iterator[Made]]]:
    people = max(pairs // PAIRS_OF_A_USER // len(DOMAINS), 2) // 2 * 2
    for number, domain in enumerate(DOMAINS):
        n = pairs // len(DOMAINS) + (number < pairs % len(DOMAINS))
        twins = int(n * TWINS / 2)
        start = 10_000_000 * number
        twin, violate = range(start, start + twins), range(start + twins, start + n - twins)
        yield Part(f"{domain}-twin", "test"), _twins(domain, twin, people, history)
        yield Part(f"{domain}-violate", "test"), _violates(domain, violate, people, history)


def _twins(domain: str, numbers: range, people: int, history: History) -> Iterator[Made]:
    for number in numbers:
        # Couples are disjoint: partners differ in the last bit.
        asker = number * 7919 % people
        users, sides = (asker, asker ^ 1), _sides(number)
        asked = _row(domain, "twin", number, users, sides, history)
        other = _row(domain, "twin", number, users[::-1], sides[::-1], history, asked=False)
        name = derived_twin_id(asked, other)
        yield asked.model_copy(update={"twin_id": name}), _name(domain, users[0])
        yield other.model_copy(update={"twin_id": name}), _name(domain, users[1])


def _violates(domain: str, numbers: range, people: int, history: History) -> Iterator[Made]:
    for number in numbers:
        user = number * 7919 % people
        row = _row(domain, "violate", number, (user, user), _sides(number), history)
        yield row, _name(domain, user)


def _name(domain: str, user: int) -> str:
    return f"{domain}:{user}"


def _row(
    domain: str,
    mode: str,
    number: int,
    users: tuple[int, ...],
    sides: tuple[str, ...],
    history: History,
    *,
    asked: bool = True,
) -> Row:
    names = [_name(domain, user) for user in users]
    profile = _profile(domain, users[0], history)
    row = Row(
        id="",
        question=_question(number),
        profile=profile,
        rubric_aspects=tuple(_aspect(number, n, profile[n]) for n in range(3)),
        category=f"{domain} {number % 7}",
        chosen=sides[0],
        rejected=sides[1],
        item_id=f"item-{number}",
        domain=domain,
        mode=mode,
        asked=asked,
        user=pseudonym(names[0]),
        dyad=dyad_id(set(names)),
        aspects_origin="planner",
        strategy="contradict",
        generator=f"generator-{number % 3}",
        judge="judge",
        created="2024-06-01T12:00:00.000",
        source_url=f"https://example.test/questions/{number}",
    )
    return row.model_copy(update={"id": row.derived_id()})


@lru_cache(maxsize=1)
def _vocabulary() -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
    """Function words first, then made-up ones; how likely each and all before it are."""
    chance = np.random.default_rng(0)
    made: dict[str, None] = {}
    while len(made) < _WORDS:
        drawn = chance.choice(_SYLLABLES, chance.integers(2, 5))
        made.setdefault("".join(drawn))
    words = np.array([*sorted(STOPWORDS), *made], dtype=object)
    share = 1 / (np.arange(len(words)) + 2.7)  # Mandelbrot's constant for English
    return words, np.cumsum(share / share.sum())


def _text(*seed: int, words: int) -> str:
    """Sentences of twelve words; every third ends a paragraph."""
    names, shares = _vocabulary()
    drawn = names[np.searchsorted(shares, np.random.default_rng(seed).random(words))]
    sentences = [" ".join(drawn[at : at + 12]).capitalize() + "." for at in range(0, words, 12)]
    return "".join(s + ("\n\n" if n % 3 == 2 else " ") for n, s in enumerate(sentences)).strip()


def _question(number: int) -> str:
    return _text(1, number, words=14)[:-1] + "?"


def _sides(number: int) -> tuple[str, ...]:
    lengths = np.random.default_rng((6, number)).integers(80, 101, 2)
    return tuple(_text(2, number, side, words=int(n)) for side, n in enumerate(lengths))


@lru_cache(maxsize=50_000)
def _profile(domain: str, user: int, history: History) -> tuple[RowPost, ...]:
    place = DOMAINS.index(domain)
    return tuple(
        RowPost(
            id=f"post-{place}-{user}-{n}",
            text=_text(3, place, user, n, words=history.words),
            category=domain,
            created=f"2023-{n + 1:02}-01T12:00:00.000",
            source_url=f"https://example.test/posts/{place}-{user}-{n}",
            licence="CC-BY-SA-4.0",
        )
        for n in range(history.posts)
    )


def _aspect(number: int, n: int, post: RowPost) -> RowAspect:
    return RowAspect(
        aspect=_text(4, number, n, words=8),
        reason=_text(5, number, n, words=12),
        evidence=" ".join(post.text.split()[:10]),
        post_ids=(post.id,),
        chosen_score=2,
        rejected_score=n % 2,
    )


if __name__ == "__main__":
    write_release(Path(sys.argv[1]), int(sys.argv[2]), LONG if sys.argv[3:] == ["long"] else SHORT)
