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
from pairwright.drafting.rubrics import question_of, rubric_of, says_nothing
from pairwright.drafting.rules import BuildRules, Histories, are_level, fair_posts, older_than
from pairwright.models import Models
from pairwright.modes import MODES
from pairwright.records import Dropped, Item, Post
from pairwright.settings.rules import TwinRules
from pairwright.stages.infer import AT_ONCE, plan_others, shows_signal

ItemLanguage = Callable[[Item], str | None]
Terms = frozenset[str]


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
    plans = await plan_others(question_of(item, rules), posts, models.planner)
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
        self._corpus, self._rules, self._count = corpus, rules, count
        self._language = language
        self._chosen: dict[str, TriedUsers] = {}
        # Work goes block by block. Near users ask for each other, once from each side.
        self._terms = lru_cache(maxsize=1024)(self._terms_of)
        self._suit = lru_cache(maxsize=100_000)(self._suits_latest)

    def histories(self, item: Item, user: str) -> Histories:
        """The histories with whose plans a user's aspects for the item's question are compared.

        The asker is compared with the users that the question was tried on. If `user` is one of
        these, the asker takes that user's place: so both halves of a twin are compared with equally
        many users, and nobody with themselves.
        """
        return tuple(
            item.profile if other == user else self._posts(item, other)
            for other in self.of(item).users
        )

    def _posts(self, item: Item, user: str) -> tuple[Post, ...]:
        return fair_posts(item, self._corpus.longest_item(user).profile)

    def of(self, item: Item) -> TriedUsers:
        """The users that the item's question is tried on, as many as the rules say if its block has
        as many."""
        if item.id not in self._chosen:
            self._chosen[item.id] = self._choose(item)
        return self._chosen[item.id]

    @cached_property
    def _blocks(self) -> dict[tuple[str, str], Block]:
        blocks = self._corpus.blocks
        return {(block.category, user): block for block in blocks for user in block.users}

    def _choose(self, item: Item) -> TriedUsers:
        """First come those who suit the question while the asker suits theirs, which makes two
        twins of a couple; then those who suit the question; if these are less than two, then
        anybody of the block. The nearest on the ring come first."""
        both, one, rest = list[str](), list[str](), list[str]()
        count, latest = self._count, self._corpus.longest_item(item.user)
        asks = text.terms(item.question, self._language(item))
        for user in nearest(self._blocks[item.category.lower(), item.user].users, item.user):
            if len(both) == count:
                break
            known = latest.id == item.id
            if not (self._suit(item.user, user) if known else self._suits(item, asks, user)):
                rest.append(user)
            elif self._suit(user, item.user):
                both.append(user)
            else:
                one.append(user)
        suited = (both + one)[:count]
        # Without a possible partner it is still to be seen what is generic.
        written = (user for user in rest if self._posts(item, user))
        fill = islice(written, max(0, AT_ONCE - len(suited)))
        own, rules = len(item.profile), self._rules
        level = (user for user in rest if are_level(own, len(self._posts(item, user)), rules))
        return TriedUsers((*suited, *fill), len(suited), tuple(islice(level, count)))

    def _suits_latest(self, asker: str, user: str) -> bool:
        """Whether `user` could be the partner for the question of the asker's longest history."""
        item = self._corpus.longest_item(asker)
        return self._suits(item, text.terms(item.question, self._language(item)), user)

    def _suits(self, item: Item, asks: Terms, user: str) -> bool:
        """Whether a user could be the partner for an item's question, whose content words are
        `asks`.

        The posts that are older than the question must be about as many as the asker's, enough of
        them must bear on the question, and none may repeat it. A user who asks in several
        categories can be a partner in that of the longest history.
        """
        rules, floor = self._rules, self._rules.relevance_floor
        if self._corpus.category_of(user) != item.category.lower():
            return False
        each, all_terms = self._terms(user)
        if rules.min_relevant and floor and asks.isdisjoint(all_terms):
            return False
        profile = self._corpus.longest_item(user).profile
        older = older_than(item, profile)
        if not are_level(len(item.profile), len(older), rules):
            return False
        relevant = [
            post for post in older if asks and len(asks & each[post.id]) / len(asks) >= floor
        ]
        if len(relevant) < rules.min_relevant or fair_posts(item, profile) != older:
            return False
        return not any(text.near_duplicate(item.question, post.text) for post in older)

    def _terms_of(self, user: str) -> tuple[dict[str, Terms], Terms]:
        """The content words of each post of a user's longest history, by its id, and all words."""
        item = self._corpus.longest_item(user)
        language = self._language(item)
        each = {post.id: text.terms(post.text, language) for post in item.profile}
        return each, frozenset().union(*each.values())
