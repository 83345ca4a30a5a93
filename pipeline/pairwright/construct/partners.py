"""Partners: the survey, which tells whose posts show a personal signal for each question, and a
matching over what it found.

The survey asks what a build asks of the asker alone: the rubric, with the plans of a few other
users that it is held against. Those plans are read once more, so it costs no call that mode violate
does not.

Every user has at most one partner, so that splits by user exist. A couple may give a twin for each
question that one of them asked, if the other's posts show a signal on it, and a placebo for each
on which the asker's posts say nothing: whether the other's do not either is asked when it is built.
Couples with more twins are preferred, then those with more placebos, and among them those whose
posts share more words with the questions. The matching is a function of the survey and the seed:
neither the order of the source nor the number of workers decides anything.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import Literal, NamedTuple

from pairwright import text
from pairwright.construct.outcomes import Failure, Pending, reason_of
from pairwright.drafting.posts import are_level
from pairwright.drafting.rubrics import plan_of, rubric_of, says_nothing
from pairwright.drafting.rules import BuildRules
from pairwright.models import Models, together
from pairwright.models.store import Store, UnitRow
from pairwright.modes import MODES
from pairwright.records import Dropped, Item, Post, Record, content_id
from pairwright.stages.planner import Plan


class PossiblePartner(NamedTuple):
    """A candidate whose plan for the question has enough aspects, or anybody the question is tried
    on where the asker's posts say nothing. A tuple and no record: the matching holds those of all
    questions at once."""

    user: str
    bearing: float
    """The share of the question's content words that the posts hold, 0 to 1."""


class Survey(Record):
    """What is known of one question."""

    signal: bool
    """Whether the asker's posts show a personal signal."""
    possible: tuple[PossiblePartner, ...] = ()


class SurveyOutcome(Record):
    """One surveyed question with what came of it."""

    unit: str
    item_id: str
    user: str
    result: Survey | Failure | Pending
    calls: tuple[str, ...]
    """Keys of the calls behind it."""

    @property
    def kind(self) -> Literal["surveyed", "failed", "waiting"]:
        """What came of it, in a word."""
        if isinstance(self.result, Survey):
            return "surveyed"
        return "failed" if isinstance(self.result, Failure) else "waiting"

    def row(self, position: int) -> UnitRow:
        """The row of the store that holds it."""
        return UnitRow(
            position, self.unit, "survey", self.item_id, self.user, None, self.kind, "",
            reason_of(self.result), None, 0, self.model_dump_json(),
        )  # fmt: skip


def may_say_nothing(modes: Iterable[str]) -> bool:
    """Whether one of these modes takes questions on which nothing is known of either user."""
    partnered = (MODES[mode] for mode in modes if MODES[mode].needs_partner)
    return any("signal" not in mode.stages for mode in partnered)


async def survey_question(
    item: Item,
    tried: Mapping[str, tuple[Post, ...]],
    suited: int,
    models: Models,
    rules: BuildRules,
) -> Survey:
    """`tried` are the users that the question is tried on, with their older posts; so many of them
    as are `suited`, the first, could be the asker's partner. Whether the asker's posts show a
    signal for the question, and whose do of those who suit it. Nobody's plan is asked for where
    the asker's posts show none.

    Raises as the build functions do.
    """
    rubric, config = await rubric_of(item, models, rules), rules.config
    if isinstance(rubric, Dropped):
        plain = may_say_nothing(config.modes) and says_nothing(rubric)
        anybody = (
            PossiblePartner(user, bearing=0)
            for user, posts in tried.items()
            if plain and are_level(len(item.profile), len(posts), config.twin)
        )
        return Survey(signal=False, possible=tuple(anybody))
    users = list(tried)[:suited]
    plans = await together(*(plan_of(item, tried[user], models, rules) for user in users))
    language = rules.language(item)
    asks = text.terms(item.question, language)
    possible = []
    for user, plan in zip(users, plans, strict=True):
        if isinstance(plan, Plan) and len(plan.aspects) >= config.planner.min_aspects:
            held = text.terms_of((post.text for post in tried[user]), language)
            bearing = round(len(asks & held) / max(1, len(asks)), 4)
            possible.append(PossiblePartner(user, bearing))
    return Survey(signal=True, possible=tuple(possible))


def iterate_surveys(store: Store) -> Iterator[SurveyOutcome]:
    """The surveyed questions of the last run, in source order."""
    for row in store.surveys():
        yield SurveyOutcome.model_validate_json(row.record)


Couple = tuple[str, str]
"""Two users, in the order of their names."""


class SurveyedQuestion(NamedTuple):
    """A question, its asker, and who could be the partner."""

    item: str
    user: str
    possible: tuple[PossiblePartner, ...]
    signal: bool = True
    """Whether its users show a personal signal: then it may give a twin, else a placebo."""


TWIN, PLACEBO = 10**13, 10**9
"""What a couple is worth: so much for each twin and each placebo it would give, and for each of
these questions the share of its words that the partner's posts hold, in ten-thousandths: whole
numbers add up alike in any order."""
SWAPS = 4
"""Most couples that are parted at once for the sake of better ones."""
BEST = 8
"""Of each user's possible partners so many, the best, are looked at for it."""


def assign_partners(
    questions: Iterable[SurveyedQuestion], most: int, seed: int
) -> dict[str, str | Dropped]:
    """The partner for each question, by item, or why it has none.

    `most` is the number of twins that a couple is given at most, and of placebos.
    """
    ordered = sorted(questions, key=lambda q: content_id("question", str(seed), q.item))
    # Most couples have one question, and there are many of them: a tuple takes less than a list.
    by_couple: dict[Couple, tuple[SurveyedQuestion, ...]] = {}
    for question in ordered:
        for other in question.possible:
            couple = _couple(question.user, other.user)
            by_couple[couple] = (*by_couple.get(couple, ()), question)
    worth = {
        couple: sum(
            (TWIN if question.signal else PLACEBO) + round(10_000 * _bearing(question, couple))
            for question in _questions(usable, couple, most)
        )
        for couple, usable in by_couple.items()
    }
    partners = match_couples(worth, seed)
    assigned = {
        question.item
        for couple in {_couple(user, partner) for user, partner in partners.items()}
        for question in _questions(by_couple.get(couple, ()), couple, most)
        if question.signal
    }
    # Of a placebo's partner nothing need be known before: any question of the couple may do.
    placebos = Counter[Couple]()
    for question in ordered:
        if not question.signal and (partner := partners.get(question.user)) is not None:
            couple = _couple(question.user, partner)
            placebos[couple] += 1
            if placebos[couple] <= most:
                assigned.add(question.item)
    return {q.item: _partner(q, partners, assigned, most) for q in ordered}


def match_couples(worth: Mapping[Couple, int], seed: int) -> dict[str, str]:
    """Disjoint couples that are worth much together: the partner of each user who has one.

    Couples are taken from the best down, ties drawn by the seed. Then each user who is left over
    looks for a chain of swaps after which all couples together are worth more.
    """

    # Two sorts, of which the second keeps the order of the first, hold fewer keys than one by both.
    ranked = sorted(worth, key=lambda couple: content_id("couple", str(seed), *couple))
    ranked.sort(key=worth.__getitem__, reverse=True)
    near: dict[str, list[str]] = {}
    partners: dict[str, str] = {}
    for first, second in ranked:
        near.setdefault(first, []).append(second)
        near.setdefault(second, []).append(first)
        if first not in partners and second not in partners:
            partners[first], partners[second] = second, first
    improved = True
    while improved:
        improved = False
        for user in near:
            if user not in partners:
                swap = _best_swap((user,), worth, near, partners)
                improved |= swap.gain > 0
                swap.apply(partners)
    return partners


class _Swap(NamedTuple):
    """A chain of users; the first and the second become a couple, the third and the fourth, and so
    on. The second and the third were one, and so on; who is left over at the end is free."""

    chain: tuple[str, ...]
    gain: int

    def apply(self, partners: dict[str, str]) -> None:
        for user in self.chain:
            partners.pop(user, None)
        for first, second in zip(self.chain[::2], self.chain[1::2], strict=False):
            partners[first], partners[second] = second, first


def _best_swap(
    chain: tuple[str, ...],
    worth: Mapping[Couple, int],
    near: Mapping[str, list[str]],
    partners: Mapping[str, str],
    gain: int = 0,
) -> _Swap:
    """The swap of most gain that begins with `chain`, whose last user is to be given a partner;
    the chain without its first user alone where none is better."""
    best = _Swap(chain if len(chain) > 1 else (), gain)
    if len(chain) > 2 * SWAPS:
        return best
    user = chain[-1]
    for other in near[user][:BEST]:
        if other in chain:
            continue
        with_other = gain + worth[_couple(user, other)]
        parted = partners.get(other)
        if parted is None:
            swap = _Swap((*chain, other), with_other)
        else:
            left = with_other - worth[_couple(other, parted)]
            swap = _best_swap((*chain, other, parted), worth, near, partners, left)
        if swap.gain > best.gain:
            best = swap
    return best


def _bearing(question: SurveyedQuestion, couple: Couple) -> float:
    """How far the posts of the asker's partner bear on a question."""
    return next(other.bearing for other in question.possible if other.user in couple)


def _questions(
    usable: Sequence[SurveyedQuestion], couple: Couple, most: int
) -> Sequence[SurveyedQuestion]:
    """The questions a couple is given, for twins and for placebos `most` each: of
    both users by turns those that the partner's posts bear on most."""
    if len(usable) < 2:
        return usable[:most]
    given = list[SurveyedQuestion]()
    for signal in (True, False):
        alike = [question for question in usable if question.signal == signal]
        ranked = [
            sorted(
                (question for question in alike if question.user == user),
                key=lambda question: -_bearing(question, couple),
            )
            for user in couple
        ]
        given += [one for turn in zip_longest(*ranked) for one in turn if one is not None][:most]
    return given


def _partner(
    question: SurveyedQuestion, partners: Mapping[str, str], assigned: set[str], most: int
) -> str | Dropped:
    partner = partners.get(question.user)
    if partner is None:
        if question.possible:
            shows = "show a signal for this question" if question.signal else "are about as many"
            detail = f"those whose posts {shows} are others' partners"
        elif not question.signal:
            detail = "nobody that it was tried on has about as many posts"
        else:
            detail = "nobody's posts that it was tried on show a personal signal for this question"
        return _without("no_partner", detail)
    if question.item in assigned:
        return partner
    if not question.signal or partner in (other.user for other in question.possible):
        detail = f"its couple has {most} others ([twin] questions_per_couple)"
        return _without("enough_of_couple", detail)
    return _without(
        "partner_does_not_fit",
        "the partner, who was found by another question, was not tried on this one or"
        " shows no personal signal for it",
    )


@cache
def _without(reason: str, detail: str) -> Dropped:
    """Why there is no partner; one for all questions of which it is true."""
    return Dropped(stage="partners", reason=reason, detail=detail)


def _couple(first: str, second: str) -> Couple:
    return (first, second) if first < second else (second, first)
