"""The other users that a question is tried on: those who could be the asker's partner come first.

Their plans for the question tell what is generic in the asker's own, and each plan that finds a
personal signal is that of a possible partner: so partners are found without a call of their own.
A user can be the asker's partner if both write in the same category, their profiles are of similar
length, and older posts of the one bear on the question of the other.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from pairwright import text
from pairwright.construct.build_rules import NeighbourRing, TriedUsers
from pairwright.construct.corpus import Corpus
from pairwright.drafting.posts import are_level, fair_posts, older_than
from pairwright.records import Item, Post
from pairwright.settings.rules import TwinRules
from pairwright.times import is_older

ItemLanguage = Callable[[Item], str | None]
LOOK = 300
"""So many users of the category are looked at for a question, the nearest on the ring."""


def choose_others(
    corpus: Corpus,
    rules: TwinRules,
    count: int,
    limit: int | None = None,
    *,
    language: ItemLanguage,
) -> dict[str, TriedUsers]:
    """The users that each question is tried on, `count` where the category has as many, by item.

    First come those who suit the question while the asker suits theirs, which makes two twins of
    a couple; then those who suit the question; then anybody of the category. Within each group the
    nearest on the ring comes first. `language` gives the language of an item's texts.
    """
    tried = {}
    for category, ring in sorted(corpus.rings.items()):
        items = [
            position
            for user in ring.users
            for position in corpus.by_user[user]
            if corpus.entries[position].category == category and (limit is None or position < limit)
        ]
        if items:
            choice = _UserChoice(corpus, category, rules, language)
            # Near users ask for each other, once from each side. Not the choice's own, which would
            # then hold itself, and all it read, until the garbage collector comes.
            suits_latest = lru_cache(maxsize=1 << 14)(choice.suits_latest_question)
            for item in map(corpus.item, items):
                tried[item.id] = choice.of(item, ring, count, suits_latest)
    return tried


def suits(item: Item, posts: tuple[Post, ...], rules: TwinRules, language: str | None) -> bool:
    """Whether posts of a partner older than the question bear on it, are about as many as the
    asker's, and none repeats it."""
    asks = text.terms(item.question, language)
    older = older_than(item, posts)
    if not are_level(len(item.profile), len(older), rules):
        return False
    relevant = sum(
        _bears(asks, text.terms(post.text, language), rules.relevance_floor) for post in older
    )
    if relevant < rules.min_relevant or fair_posts(item, posts) != older:
        return False
    return not any(text.near_duplicate(item.question, post.text) for post in older)


class _Reader(NamedTuple):
    """One user: the terms of the question, and those of the posts that a question of the category
    could ask for."""

    asks: frozenset[str]
    created: str | None
    posts: tuple[tuple[str | None, frozenset[str]], ...]
    terms: frozenset[str]


class _UserChoice:
    """Choosing among the users of one category; texts are read only of those who may do."""

    def __init__(
        self, corpus: Corpus, category: str, rules: TwinRules, language: ItemLanguage
    ) -> None:
        self._corpus = corpus
        self._rules = rules
        self._language = language
        # A user who asks in several categories can be a partner in that of the longest history.
        users = [u for u in corpus.by_category[category] if corpus.category_of(u) == category]
        positions = [n for u in corpus.by_category[category] for n in corpus.by_user[u]]
        wanted = frozenset[str]().union(*map(self._asks, map(corpus.item, positions)))
        self._readers = {user: self._read(corpus.longest_item(user), wanted) for user in users}

    def of(
        self, item: Item, ring: NeighbourRing, count: int, suits_latest: Callable[[str, str], bool]
    ) -> TriedUsers:
        """The users that one question is tried on; in `both` are those whose question suits the
        posts of the item's user, too."""
        both, one, rest = list[str](), list[str](), list[str]()
        reads = item.user in self._readers
        latest = reads and item.id == self._corpus.longest_item(item.user).id
        for user in islice(ring.nearest(item.user), max(LOOK, count)):
            if len(both) == count:
                break
            if not (suits_latest(item.user, user) if latest else self._suits(item, user)):
                rest.append(user)
            elif reads and suits_latest(user, item.user):
                both.append(user)
            else:
                one.append(user)
        suited = (both + one)[:count]
        return TriedUsers((*suited, *rest[: count - len(suited)]), len(suited))

    def _suits(self, item: Item, user: str) -> bool:
        """Whether a user could be the partner for an item's question."""
        other, asks = self._readers.get(user), self._asks(item)
        if other is None or not self._fits(asks, item.created, len(item.profile), other):
            return False
        return suits(
            item, self._corpus.longest_item(user).profile, self._rules, self._language(item)
        )

    def suits_latest_question(self, asker: str, user: str) -> bool:
        """Whether `user` could be the partner for the latest question of `asker`."""
        own, other = self._readers[asker], self._readers.get(user)
        if other is None or not self._fits(own.asks, own.created, len(own.posts), other):
            return False
        item, profile = self._corpus.longest_item(asker), self._corpus.longest_item(user).profile
        return suits(item, profile, self._rules, self._language(item))

    def _fits(
        self, asks: frozenset[str], created: str | None, posts: int, partner: _Reader
    ) -> bool:
        rules = self._rules
        if rules.min_relevant and rules.relevance_floor and asks.isdisjoint(partner.terms):
            return False
        older = [
            terms
            for written, terms in partner.posts
            if created is None or written is None or is_older(written, created)
        ]
        relevant = sum(_bears(asks, terms, rules.relevance_floor) for terms in older)
        return are_level(posts, len(older), rules) and relevant >= rules.min_relevant

    def _asks(self, item: Item) -> frozenset[str]:
        return text.terms(item.question, self._language(item))

    def _read(self, item: Item, wanted: frozenset[str]) -> _Reader:
        language = self._language(item)
        posts = tuple(
            (post.created, wanted & text.terms(post.text, language)) for post in item.profile
        )
        terms = frozenset[str]().union(*(found for _, found in posts))
        return _Reader(self._asks(item), item.created, posts, terms)


def _bears(asks: frozenset[str], terms: frozenset[str], floor: float) -> bool:
    return bool(asks) and len(asks & terms) / len(asks) >= floor
