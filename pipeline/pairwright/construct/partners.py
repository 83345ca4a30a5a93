"""Partners: a matching of the users, over the plans of their questions.

Every user has at most one partner, so that splits by user exist. A couple may give a twin for each
question that one of them asked, if the other's posts show a signal on it, and a placebo for each
on which the asker's posts say nothing: whether the other's do not either is asked when it is built.
Couples with more twins are preferred, then those with more questions on which a twin can be tried,
then those with more placebos, and among them those whose posts share more words with the questions.
The matching is a function of the plans and the seed: neither the order of the source nor the number
of workers decides anything.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, islice, zip_longest
from typing import NamedTuple

import networkx as nx

from pairwright.construct.outcomes import PossiblePartner
from pairwright.records import Dropped, content_id

Couple = tuple[str, str]
"""Two users, in the order of their names."""


class Question(NamedTuple):
    """A planned question."""

    item: str
    user: str
    possible: tuple[PossiblePartner, ...]
    signal: bool = True
    """Whether it may give a twin, else a placebo."""
    unplanned: tuple[PossiblePartner, ...] = ()
    """Users who suit it, and may have a signal."""


TWIN, UNPLANNED, PLACEBO = 10**13, 10**11, 10**9
"""What a couple is worth for each twin, each question on which the partner may have a signal, and
each placebo. To these come the shares of the questions' words that the partner's posts hold, in
ten-thousandths: whole numbers add up alike in any order."""
MOST = 3000
"""The most couples of one exact matching, which takes seconds."""


def assign_partners(
    questions: Iterable[Question], most: int, seed: int
) -> dict[str, str | Dropped]:
    """The partner for each question, by item, or why it has none.

    `most` is the number of twins that a couple is given at most, and of placebos.
    """
    ordered = sorted(questions, key=lambda q: content_id("question", str(seed), q.item))
    by_couple: dict[Couple, list[Question]] = {}
    for question in ordered:
        for other in (*question.possible, *question.unplanned):
            by_couple.setdefault(_couple(question.user, other.user), []).append(question)
    worth = {
        couple: sum(
            _worth(question, couple) + round(10_000 * _bearing(question, couple))
            for question in _questions(usable, couple, most)
        )
        for couple, usable in by_couple.items()
    }
    partners = match_couples(worth, seed)
    given = _given(ordered, by_couple, partners, most)
    return {q.item: _partner(q, partners, given, most) for q in ordered}


def match_couples(worth: Mapping[Couple, int], seed: int) -> dict[str, str]:
    """Disjoint couples that are worth most together: the partner of each user who has one.

    Where too many couples are connected, they are taken from the best down.
    """
    # The order decides between couples of equal worth.
    ordered = sorted(worth, key=lambda couple: content_id("couple", str(seed), *couple))
    graph = nx.Graph()
    graph.add_weighted_edges_from((*couple, worth[couple]) for couple in ordered)
    part_of = {user: n for n, part in enumerate(nx.connected_components(graph)) for user in part}
    parts: dict[int, list[Couple]] = {}
    for couple in ordered:
        parts.setdefault(part_of[couple[0]], []).append(couple)
    matched = (couple for part in parts.values() for couple in _matched(part, worth))
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
    taken = set[str]()
    apart = list[Couple]()
    for couple in sorted(couples, key=worth.__getitem__, reverse=True):
        if taken.isdisjoint(couple):
            taken.update(couple)
            apart.append(couple)
    return apart


def _bearing(question: Question, couple: Couple) -> float:
    """How far the posts of the asker's partner bear on a question."""
    others = (*question.possible, *question.unplanned)
    return next(other.bearing for other in others if other.user in couple)


def _worth(question: Question, couple: Couple) -> int:
    if not question.signal:
        return PLACEBO
    return TWIN if any(other.user in couple for other in question.possible) else UNPLANNED


def _questions(usable: Sequence[Question], couple: Couple, most: int) -> list[Question]:
    """The questions a couple is given, `most` for twins and for placebos each: of both users by
    turns those that the partner's posts bear on most."""
    given = list[Question]()
    for signal in (True, False):
        ranked = [
            sorted(
                (one for one in usable if one.signal == signal and one.user == user),
                key=lambda question: (-_worth(question, couple), -_bearing(question, couple)),
            )
            for user in couple
        ]
        given += [one for turn in zip_longest(*ranked) for one in turn if one is not None][:most]
    return given


def _given(
    ordered: Sequence[Question],
    by_couple: Mapping[Couple, Sequence[Question]],
    partners: Mapping[str, str],
    most: int,
) -> set[str]:
    """The items whose couple takes them."""
    twins = {
        question.item
        for couple in {_couple(user, partner) for user, partner in partners.items()}
        for question in _questions(by_couple.get(couple, ()), couple, most)
        if question.signal
    }
    # Nothing need be known of a placebo's partner before: any question of the couple may do.
    plain = [(_couple(q.user, partners[q.user]), q.item) for q in ordered
             if not q.signal and q.user in partners]  # fmt: skip
    placebos = {
        item
        for _, own in groupby(sorted(plain, key=lambda one: one[0]), key=lambda one: one[0])
        for _, item in islice(own, most)
    }
    return twins | placebos


def _partner(
    question: Question, partners: Mapping[str, str], given: set[str], most: int
) -> str | Dropped:
    partner = partners.get(question.user)
    if partner is not None and question.item in given:
        return partner
    reason, detail = _why_none(question, partner, most)
    return Dropped(stage="partners", reason=reason, detail=detail)


def _why_none(question: Question, partner: str | None, most: int) -> tuple[str, str]:
    """Why a question has no partner."""
    possible = {other.user for other in (*question.possible, *question.unplanned)}
    if partner is None:
        shows = "show a signal for this question" if question.signal else "are about as many"
        if possible:
            return "no_partner", f"those whose posts {shows} are others' partners"
        if question.signal:
            return "no_partner", "no user it was tried on has posts that show a personal signal"
        return "no_partner", "no user it was tried on has about as many posts"
    if not question.signal or partner in possible:
        return "enough_of_couple", f"its couple has {most} others ([twin] questions_per_couple)"
    return "partner_does_not_fit", (
        "the partner, who was found by another question, does not suit this one or"
        " shows no personal signal for it"
    )


def _couple(first: str, second: str) -> Couple:
    return (first, second) if first < second else (second, first)
