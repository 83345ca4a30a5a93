"""Partners: the users that each question is tried on, and a matching of all users over the plans.

A question is planned for its asker, and for some other users; those who could be the asker's
partner come first. Their plans tell what is generic in the asker's own, and each plan that finds a
personal signal shows a possible partner: so partners are found without a call of their own.

Every user has at most one partner, so that splits by user exist. A couple may give a twin for each
question that one of them asked, if the other's posts show a signal on it, and a placebo for each
on which the asker's posts say nothing: whether the other's do not either is asked when it is built.
Couples with more twins are preferred, then those with more questions on which a twin can be tried,
then those with more placebos, and among them those whose posts share more words with the questions.
The matching is a function of the plans and the seed: neither the order of the source nor the number
of workers decides anything.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice, zip_longest
from typing import NamedTuple

import networkx as nx

from pairwright import text
from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Planned
from pairwright.models import Models
from pairwright.modes import MODES
from pairwright.modes.rules import (
    BuildRules,
    are_level,
    fair_posts,
    older_than,
    rubric_of,
    says_nothing,
)
from pairwright.records import Dropped, Item, Post, content_id
from pairwright.stages.infer import AT_ONCE, Histories, plan_others, shows_signal

Terms = frozenset[str]
RELEVANT = 0.1
"""The least share of a question's words in a partner's post that bears on it."""


TWIN, UNPLANNED, PLACEBO = 10**13, 10**11, 10**9
"""What a couple is worth for each twin, each question on which the partner may have a signal, and
each placebo. To these come the shares of the questions' words that the partner's posts hold, in
ten-thousandths: whole numbers add up alike in any order."""


class TriedUsers(NamedTuple):
    """The users that a question is tried on."""

    users: tuple[str, ...]
    suited: int
    """So many of them, the first, could be the asker's partner."""
    unlike: tuple[str, ...]
    """Users with about as many posts that hardly bear on the question: they could be the partner of
    a placebo."""


async def plan_question(
    item: Item, candidates: "Candidates", models: Models, rules: BuildRules
) -> Planned:
    """Plan an item's question for its asker, and for the users who could be the partner.

    If the asker's posts show no signal, no other plan is asked for. The asker's rubric is inferred
    here, once: the twin takes it from the plan. Raises as the build functions do.
    """
    tried, question = candidates.of(item), rules.question(item)
    rubric = await rubric_of(item, item.user, item.profile, models, rules)
    if isinstance(rubric, Dropped):
        stages = (MODES[mode].stages for mode in rules.config.modes if MODES[mode].needs_partner)
        plain = says_nothing(rubric) and any("signal" not in known for known in stages)
        return Planned(rubric=rubric, worth=dict.fromkeys(tried.unlike if plain else (), PLACEBO))
    histories = tuple(candidates.posts(item, user) for user in tried.users)
    plans = await plan_others(question, histories, models.planner)
    worth = dict[str, int]()
    asks = text.terms(item.question, question.language)
    for n, user in enumerate(tried.users[: tried.suited]):
        # A user who was not planned for may still show a signal.
        each = UNPLANNED if n >= len(plans) else TWIN if shows_signal(question, plans[n]) else 0
        if each:
            held = text.terms_of((post.text for post in histories[n]), question.language)
            worth[user] = each + round(10_000 * len(asks & held) / max(1, len(asks)))
    return Planned(rubric=rubric, worth=worth)


class Candidates:
    """The users that each question of a corpus is tried on, chosen when they are asked for."""

    def __init__(self, corpus: Corpus, rules: BuildRules) -> None:
        config = rules.config
        self._corpus, self._rules, self._language = corpus, config.twin, rules.language
        self._count = config.planner.others if config.aspects == "planner" else 0
        self._chosen: dict[str, TriedUsers] = {}
        # Work goes block by block. Near users ask for each other, once from each side.
        self._terms = lru_cache(maxsize=1024)(self._terms_of)
        self._suit = lru_cache(maxsize=100_000)(self._suits_latest)

    def histories(self, item: Item, user: str) -> Histories:
        """The histories with whose plans a user's aspects for the item's question are compared.

        The asker is compared with the users that the question was tried on. If `user` is one of
        these, the asker takes that user's place: so both sides of a twin are compared with equally
        many users, and no user with themselves.
        """
        return tuple(
            item.profile if other == user else self.posts(item, other)
            for other in self.of(item).users
        )

    def posts(self, item: Item, user: str) -> tuple[Post, ...]:
        """The posts of another user that may be read for an item's question."""
        return fair_posts(item, self._corpus.longest_item(user).profile)

    def of(self, item: Item) -> TriedUsers:
        """The users that the item's question is tried on, as many as the rules say if its block has
        as many."""
        if item.id not in self._chosen:
            self._chosen[item.id] = self._choose(item)
        return self._chosen[item.id]

    def _choose(self, item: Item) -> TriedUsers:
        """First come those who suit the question while the asker suits theirs, which makes two
        twins of a couple; then those who suit the question; if these are less than two, then
        anybody of the block. The nearest on the ring come first."""
        both, one, rest = list[str](), list[str](), list[str]()
        count, latest = self._count, self._corpus.longest_item(item.user)
        asks = text.terms(item.question, self._language(item))
        for user in self._corpus.near(item):
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
        written = (user for user in rest if self.posts(item, user))
        fill = islice(written, max(0, AT_ONCE - len(suited)))
        own, rules = len(item.profile), self._rules
        level = (user for user in rest if are_level(own, len(self.posts(item, user)), rules))
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
        longest = self._corpus.longest_item(user)
        if longest.category.lower() != item.category.lower():
            return False
        each, all_terms = self._terms(user)
        if asks.isdisjoint(all_terms):
            return False
        profile = longest.profile
        older = older_than(item, profile)
        if not are_level(len(item.profile), len(older), self._rules):
            return False
        shares = (len(asks & each[post.id]) / len(asks) for post in older)
        if max(shares, default=0.0) < RELEVANT or fair_posts(item, profile) != older:
            return False
        return not any(text.near_duplicate(item.question, post.text) for post in older)

    def _terms_of(self, user: str) -> tuple[dict[str, Terms], Terms]:
        """The content words of each post of a user's longest history, by its id, and all words."""
        item = self._corpus.longest_item(user)
        language = self._language(item)
        each = {post.id: text.terms(post.text, language) for post in item.profile}
        return each, frozenset().union(*each.values())


# The matching

Couple = tuple[str, str]
"""Two users, in the order of their names."""
MOST = 3000
"""The most couples of one exact matching, which takes seconds."""


class Asked(NamedTuple):
    """A planned question, for the matching."""

    item: str
    user: str
    worth: dict[str, int]
    """As `Planned` has it."""
    signal: bool
    """Whether it may give a twin, else a placebo."""


def assign_partners(questions: Iterable[Asked], most: int, seed: int) -> dict[str, str | Dropped]:
    """The partner for each question, by item, or why it has none.

    `most` is the number of twins that a couple is given at most, and of placebos.
    """
    ordered = sorted(questions, key=lambda q: content_id("question", str(seed), q.item))
    usable: dict[Couple, list[Asked]] = {}
    for question in ordered:
        for other in question.worth:
            usable.setdefault(_couple(question.user, other), []).append(question)
    worth = {couple: sum(_best(own, couple, most).values()) for couple, own in usable.items()}
    partners = match_couples(worth, seed)
    couples = {_couple(*matched) for matched in partners.items()}
    best = {couple: _best(usable[couple], couple, most) for couple in couples}
    placebos, found = Counter[Couple](), dict[str, str | Dropped]()
    for question in ordered:
        partner, given = partners.get(question.user), False
        if partner:
            couple = _couple(question.user, partner)
            given = question.item in best[couple]
            if not question.signal:
                # Nothing need be known of a placebo's partner before: any question will do.
                placebos[couple] += 1
                given = placebos[couple] <= most
        found[question.item] = partner if partner and given else _none(question, partner, most)
    return found


def _best(usable: Sequence[Asked], couple: Couple, most: int) -> dict[str, int]:
    """The items a couple is given, with their worth, `most` for twins and for placebos each: of
    both users by turns those that are worth most."""
    best = dict[str, int]()
    for signal in (True, False):
        ranked = [
            sorted(
                (
                    (one.worth[other], one.item)
                    for one in usable
                    if one.signal == signal and one.user == user
                ),
                key=lambda found: -found[0],
            )
            for user, other in (couple, couple[::-1])
        ]
        turns = [one for turn in zip_longest(*ranked) for one in turn if one is not None]
        best |= {item: worth for worth, item in turns[:most]}
    return best


def match_couples(worth: Mapping[Couple, int], seed: int) -> dict[str, str]:
    """Disjoint couples that are worth most together: the partner of each user who has one.

    Where too many couples are connected, they are taken from the best down.
    """
    # The order decides between couples of equal worth.
    ordered = sorted(worth, key=lambda couple: content_id("couple", str(seed), *couple))
    connected = nx.utils.UnionFind()
    for couple in ordered:
        connected.union(*couple)
    parts: dict[str, list[Couple]] = {}
    for couple in ordered:
        parts.setdefault(connected[couple[0]], []).append(couple)
    matched = [couple for part in parts.values() for couple in _matched(part, worth)]
    return {user: other for one, two in matched for user, other in ((one, two), (two, one))}


def _matched(couples: Sequence[Couple], worth: Mapping[Couple, int]) -> Iterable[Couple]:
    """The couples of connected users that are worth most."""
    if len(couples) <= MOST:
        graph, size = nx.Graph(), len(couples)
        for n, couple in enumerate(couples, start=1):
            # Between equals the earlier couples decide, however networkx walks.
            graph.add_edge(*couple, weight=(worth[couple] << size) + (1 << (size - n)))
        best: set[Couple] = nx.max_weight_matching(graph)
        return best
    taken, apart = set[str](), list[Couple]()
    for couple in sorted(couples, key=worth.__getitem__, reverse=True):
        if taken.isdisjoint(couple):
            taken.update(couple)
            apart.append(couple)
    return apart


def _none(question: Asked, partner: str | None, most: int) -> Dropped:
    """The reason that a question has no partner."""
    possible, signal = question.worth, question.signal
    reason = "no_partner"
    if partner and (not signal or partner in possible):
        reason = "enough_of_couple"
        detail = f"its couple has {most} others ([twin] questions_per_couple)"
    elif partner:
        reason = "partner_does_not_fit"
        detail = (
            "the partner, who was found by another question, does not suit this one or"
            " shows no personal signal for it"
        )
    elif possible:
        shows = "show a signal for this question" if signal else "are about as many"
        detail = f"those whose posts {shows} are others' partners"
    else:
        has = "posts that show a personal signal" if signal else "about as many posts"
        detail = f"no user it was tried on has {has}"
    return Dropped(stage="partners", reason=reason, detail=detail)


def _couple(first: str, second: str) -> Couple:
    return (first, second) if first < second else (second, first)
