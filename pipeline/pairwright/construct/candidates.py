"""The plan of a question: whether its asker's posts show a personal signal, and whose do among the
other users that it is tried on. Those who could be the asker's partner come first.

Their plans for the question tell what is generic in the asker's own plan, and each plan that finds
a personal signal is that of a possible partner: so partners are found without a call of their own.
"""

from collections.abc import Callable
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from pairwright import text
from pairwright.construct.corpus import Block, Corpus, nearest
from pairwright.construct.outcomes import Planned, PossiblePartner
from pairwright.drafting.rubrics import plans_of, rubric_of, says_nothing
from pairwright.drafting.rules import BuildRules, Histories, are_level, fair_posts, older_than
from pairwright.models import Models
from pairwright.modes import MODES
from pairwright.records import Dropped, Item, Post
from pairwright.settings.rules import TwinRules
from pairwright.stages.infer import AT_ONCE, shows_signal

ItemLanguage = Callable[[Item], str | None]


class TriedUsers(NamedTuple):
    """The users that a question is tried on."""

    users: tuple[str, ...]
    suited: int
    """So many of them, the first, could be the asker's partner."""
    unlike: tuple[str, ...]
    """Users with about as many posts that hardly bear on the question: they could be the partner of
    a placebo."""


async def plan_question(
    item: Item, tried: TriedUsers, corpus: Corpus, models: Models, rules: BuildRules
) -> Planned:
    """Plan an item's question for its asker, and for the users who could be the partner.

    If the asker's posts show no signal, no other plan is asked for. The asker's rubric is inferred
    here, once: the twin takes it from the plan. Raises as the build functions do.
    """
    rubric, planner = await rubric_of(item, models, rules), rules.config.planner
    if isinstance(rubric, Dropped):
        stages = (MODES[mode].stages for mode in rules.config.modes if MODES[mode].needs_partner)
        plain = says_nothing(rubric) and any("signal" not in known for known in stages)
        unlike = (PossiblePartner(user, bearing=0) for user in tried.unlike if plain)
        return Planned(rubric=rubric, possible=tuple(unlike))
    posts = tuple(fair_posts(item, corpus.longest_item(user).profile) for user in tried.users)
    plans = await plans_of(item, posts, models, rules)
    suited = [
        PossiblePartner(user, _bearing(item, own, rules))
        for user, own in zip(tried.users[: tried.suited], posts, strict=False)
    ]
    planned = zip(suited, plans, strict=False)
    possible = tuple(user for user, plan in planned if shows_signal(plan, planner))
    return Planned(rubric=rubric, possible=possible, unplanned=tuple(suited[len(plans) :]))


def _bearing(item: Item, posts: tuple[Post, ...], rules: BuildRules) -> float:
    language = rules.language(item)
    asks = text.terms(item.question, language)
    held = text.terms_of((post.text for post in posts), language)
    return round(len(asks & held) / max(1, len(asks)), 4)


class Candidates:
    """The users that each question of a corpus is tried on, chosen when they are asked for."""

    def __init__(
        self, corpus: Corpus, rules: TwinRules, count: int, language: ItemLanguage
    ) -> None:
        self._corpus, self._count = corpus, count
        self._chosen: dict[str, TriedUsers] = {}
        # Work goes block by block.
        self._choice = lru_cache(maxsize=4)(lambda block: _Choice(corpus, block, rules, language))

    def of(self, item: Item) -> TriedUsers:
        """The users that the item's question is tried on, as many as the rules say if its block has
        as many."""
        if item.id not in self._chosen:
            block = self._blocks[item.category.lower(), item.user]
            self._chosen[item.id] = self._choice(block).of(item, self._count)
        return self._chosen[item.id]

    @cached_property
    def _blocks(self) -> dict[tuple[str, str], Block]:
        blocks = self._corpus.blocks
        return {(block.category, user): block for block in blocks for user in block.users}

    def histories(self, item: Item, user: str) -> Histories:
        """The histories with whose plans a user's aspects for the item's question are compared.

        The asker is compared with the users that the question was tried on. If `user` is one of
        these, the asker takes that user's place: so both halves of a twin are compared with equally
        many users, and nobody with themselves.
        """
        return tuple(
            item.profile
            if other == user
            else fair_posts(item, self._corpus.longest_item(other).profile)
            for other in self.of(item).users
        )


class _User(NamedTuple):
    """A user with the item of the longest history, and the content words of its texts."""

    item: Item
    asks: frozenset[str]
    terms: tuple[frozenset[str], ...]
    """Of each post, in order."""
    every_term: frozenset[str]


class _Choice:
    """Choosing among the users of one block."""

    def __init__(
        self, corpus: Corpus, block: Block, rules: TwinRules, language: ItemLanguage
    ) -> None:
        self._corpus, self._block = corpus, block
        self._rules, self._language = rules, language
        # A user who asks in several categories can be a partner in that of the longest history.
        self._users = {
            user: self._user(corpus.longest_item(user))
            for user in block.users
            if corpus.category_of(user) == block.category
        }
        # Near users ask for each other, once from each side.
        self._suit_latest = lru_cache(maxsize=None)(self._may_be_partner_of_latest)

    def _user(self, item: Item) -> _User:
        language = self._language(item)
        terms = tuple(text.terms(post.text, language) for post in item.profile)
        return _User(item, text.terms(item.question, language), terms, frozenset().union(*terms))

    def of(self, item: Item, count: int) -> TriedUsers:
        """First come those who suit the question while the asker suits theirs, which makes two
        twins of a couple; then those who suit the question; if these are less than two, then
        anybody of the block. The nearest on the ring come first."""
        both, one, rest = list[str](), list[str](), list[str]()
        asks = text.terms(item.question, self._language(item))
        for user in nearest(self._block.users, item.user):
            if len(both) == count:
                break
            if not self._suits(item, asks, user):
                rest.append(user)
            elif item.user in self._users and self._suit_latest(user, item.user):
                both.append(user)
            else:
                one.append(user)
        suited = (both + one)[:count]

        def posts(user: str) -> int:
            return len(fair_posts(item, self._corpus.longest_item(user).profile))

        # Without a possible partner it is still to be seen what is generic.
        fill = islice(filter(posts, rest), max(0, AT_ONCE - len(suited)))
        level = (u for u in rest if are_level(len(item.profile), posts(u), self._rules))
        return TriedUsers((*suited, *fill), len(suited), tuple(islice(level, count)))

    def _suits(self, item: Item, asks: frozenset[str], user: str) -> bool:
        if user not in self._users:
            return False
        own = self._users.get(item.user)
        if own and own.item.id == item.id:
            return self._suit_latest(item.user, user)
        return may_be_partner(item, asks, self._users[user], self._rules)

    def _may_be_partner_of_latest(self, asker: str, user: str) -> bool:
        """Whether `user` could be the partner for the latest question of `asker`."""
        own = self._users[asker]
        return may_be_partner(own.item, own.asks, self._users[user], self._rules)


def may_be_partner(item: Item, asks: frozenset[str], other: _User, rules: TwinRules) -> bool:
    """Whether a user could be the partner for an item's question, whose content words are `asks`.

    The posts that are older than the question must be about as many as the asker's, enough of them
    must bear on the question, and none may repeat it.
    """
    needs_words = rules.min_relevant and rules.relevance_floor
    if needs_words and asks.isdisjoint(other.every_term):
        return False
    profile = other.item.profile
    older = older_than(item, profile)
    if not are_level(len(item.profile), len(older), rules):
        return False
    terms = dict(zip((post.id for post in profile), other.terms, strict=True))
    relevant = sum(_bears(asks, terms[post.id], rules.relevance_floor) for post in older)
    if relevant < rules.min_relevant or fair_posts(item, profile) != older:
        return False
    return not any(text.near_duplicate(item.question, post.text) for post in older)


def _bears(asks: frozenset[str], terms: frozenset[str], floor: float) -> bool:
    return bool(asks) and len(asks & terms) / len(asks) >= floor
