"""Partners: a matching of the users, over the plans of their questions.

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
from itertools import zip_longest
from typing import NamedTuple

import networkx as nx

from pairwright.construct.outcomes import PossiblePartner
from pairwright.records import Dropped, content_id

Couple = tuple[str, str]
"""Two users, in the order of their names."""
TWIN, UNPLANNED, PLACEBO = 10**13, 10**11, 10**9
"""What a couple is worth for each twin, each question on which the partner may have a signal, and
each placebo. To these come the shares of the questions' words that the partner's posts hold, in
ten-thousandths: whole numbers add up alike in any order."""
MOST = 3000
"""The most couples of one exact matching, which takes seconds."""


class Question(NamedTuple):
    """A planned question."""

    item: str
    user: str
    possible: tuple[PossiblePartner, ...]
    signal: bool = True
    """Whether it may give a twin, else a placebo."""
    unplanned: tuple[PossiblePartner, ...] = ()
    """Users who suit it, and may have a signal."""

    @property
    def others(self) -> dict[str, int]:
        """The users who could be the partner, with what a couple with each is worth by it."""
        return {
            one.user: (worth if self.signal else PLACEBO) + round(10_000 * one.bearing)
            for worth, others in ((UNPLANNED, self.unplanned), (TWIN, self.possible))
            for one in others
        }


def assign_partners(
    questions: Iterable[Question], most: int, seed: int
) -> dict[str, str | Dropped]:
    """The partner for each question, by item, or why it has none.

    `most` is the number of twins that a couple is given at most, and of placebos.
    """
    ordered = sorted(questions, key=lambda q: content_id("question", str(seed), q.item))
    usable: dict[Couple, list[Question]] = {}
    for question in ordered:
        for other in question.others:
            usable.setdefault(_couple(question.user, other), []).append(question)
    best = {couple: _best(asked, couple, most) for couple, asked in usable.items()}
    worth = {couple: sum(found.values()) for couple, found in best.items()}
    partners = match_couples(worth, seed)
    placebos, found = Counter[Couple](), dict[str, str | Dropped]()
    for question in ordered:
        partner, given = partners.get(question.user), False
        if partner:
            couple = _couple(question.user, partner)
            given = question.item in best.get(couple, ())
            if not question.signal:
                # Nothing need be known of a placebo's partner before: any question will do.
                placebos[couple] += 1
                given = placebos[couple] <= most
        found[question.item] = partner if partner and given else _none(question, partner, most)
    return found


def _best(usable: Sequence[Question], couple: Couple, most: int) -> dict[str, int]:
    """The items a couple is given, with their worth, `most` for twins and for placebos each: of
    both users by turns those that are worth most."""
    best = dict[str, int]()
    for signal in (True, False):
        ranked = [
            sorted(
                (
                    (one.others[other], one.item)
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
    components = enumerate(nx.connected_components(nx.Graph(ordered)))
    part_of = {user: n for n, users in components for user in users}
    parts: dict[int, list[Couple]] = {}
    for couple in ordered:
        parts.setdefault(part_of[couple[0]], []).append(couple)
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


def _none(question: Question, partner: str | None, most: int) -> Dropped:
    """Why a question has no partner."""
    possible, signal = question.others, question.signal
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
