"""Partners for twins: a seeded matching, made before any model call.

Every user has at most one partner, so that splits by user exist. Two users can be partners if
they write in the same category, their profiles are of similar length, and the posts of one bear on
the question of the other. The first round asks that of both, which gives a twin on each one's
question; what it leaves over is matched again with one direction enough.
"""

import random
from typing import NamedTuple

from pairwright import text
from pairwright.construct.corpus import Corpus, older_than
from pairwright.records import Item, Post, content_id
from pairwright.settings.rules import TwinRules


class PartnerCandidate(NamedTuple):
    """What matching needs of one user: the question's terms, and those of the posts that any
    question of the category could ask for."""

    user: str
    asks: frozenset[str]
    created: str | None
    posts: tuple[tuple[str | None, frozenset[str]], ...]


def match_partners(corpus: Corpus, rules: TwinRules, seed: int) -> dict[str, str]:
    """The partner of every user who has one; symmetric."""
    partners: dict[str, str] = {}
    for category in sorted(corpus.by_category):
        # From an order by content: the source's order decides nothing.
        readers = sorted(_readers(corpus, category), key=lambda r: content_id("user", r.user))
        random.Random(f"{seed}:{category}").shuffle(readers)
        by_term: dict[str, list[int]] = {}
        for n, reader in enumerate(readers):
            for term in frozenset().union(*(terms for _, terms in reader.posts)):
                by_term.setdefault(term, []).append(n)
        for mutual in (True, False):
            _round(readers, by_term, partners, corpus, rules, mutual)
    return partners


def suits(item: Item, posts: tuple[Post, ...], rules: TwinRules) -> bool:
    """Whether posts of a partner older than the question bear on it, are about as many as the
    asker's, and none repeats it."""
    asks = text.terms(item.question)
    older = older_than(item, posts)
    if not _level(len(item.profile), len(older), rules):
        return False
    relevant = sum(_bears(asks, text.terms(post.text), rules.relevance_floor) for post in older)
    return relevant >= rules.min_relevant and not any(
        text.near_duplicate(item.question, post.text) for post in older
    )


def _readers(corpus: Corpus, category: str) -> list[PartnerCandidate]:
    users = corpus.by_category[category]
    # A user who asks in several categories is matched in that of the longest history.
    latest = [item for user in users if (item := corpus.latest(user)).category.lower() == category]
    wanted = frozenset().union(*(text.terms(item.question) for item in latest))
    return [
        PartnerCandidate(
            user=item.user,
            asks=frozenset(text.terms(item.question)),
            created=item.created,
            posts=tuple((p.created, wanted & text.terms(p.text)) for p in item.profile),
        )
        for item in latest
    ]


def _round(
    readers: list[PartnerCandidate],
    by_term: dict[str, list[int]],
    partners: dict[str, str],
    corpus: Corpus,
    rules: TwinRules,
    mutual: bool,
) -> None:
    for reader in readers:
        if reader.user in partners:
            continue
        for other in _candidates(reader, readers, by_term, rules):
            if other.user in partners or other.user == reader.user:
                continue
            if not _fit(reader, other, rules):
                continue
            if mutual and not _fit(other, reader, rules):
                continue
            first, second = corpus.latest(reader.user), corpus.latest(other.user)
            if not suits(first, second.profile, rules):
                continue
            if mutual and not suits(second, first.profile, rules):
                continue
            partners[reader.user], partners[other.user] = other.user, reader.user
            break


def _candidates(
    reader: PartnerCandidate,
    readers: list[PartnerCandidate],
    by_term: dict[str, list[int]],
    rules: TwinRules,
) -> list[PartnerCandidate]:
    if not rules.min_relevant or not rules.relevance_floor:
        return readers
    found = {n for term in reader.asks for n in by_term.get(term, ())}
    return [readers[n] for n in sorted(found)]


def _fit(asker: PartnerCandidate, other: PartnerCandidate, rules: TwinRules) -> bool:
    older = [
        terms
        for created, terms in other.posts
        if asker.created is None or created is None or created < asker.created
    ]
    if not _level(len(asker.posts), len(older), rules):
        return False
    relevant = sum(_bears(asker.asks, terms, rules.relevance_floor) for terms in older)
    return relevant >= rules.min_relevant


def _level(asker: int, partner: int, rules: TwinRules) -> bool:
    return max(asker, partner) <= rules.length_ratio * min(asker, partner)


def _bears(asks: frozenset[str] | set[str], terms: frozenset[str] | set[str], floor: float) -> bool:
    return bool(asks) and len(asks & terms) / len(asks) >= floor
