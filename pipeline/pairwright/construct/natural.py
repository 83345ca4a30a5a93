"""Items of mode natural: who can be a natural twin with whom, and on which question.

As in mode twin, each user is in one couple, so that data can be split by user, and a couple is a
cluster. A couple gives several twins, on different questions or responses as far as possible. The
result depends only on the choices and the seed.
"""

import random
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product

from pairwright import text
from pairwright.construct.partners import TWIN, Couple, match_couples
from pairwright.records import Item, OppositeChoice, Post, content_id
from pairwright.sources import Chooser, Problems
from pairwright.sources.choices import choice_key
from pairwright.text import near_duplicate

OTHERS = 100
"""A chooser is compared with at most so many who took the reverse, the next in seeded order."""
COMPARISONS = 5_000_000
"""The most comparisons: among more choosers each is compared with fewer."""
LEAST_CHARACTERS = 20
"""Of a response that is searched for in posts as a whole: shorter ones are a word or two."""
RESEMBLANCE = 0.5
"""The Jaccard index of the content words of two options that count as one."""


def natural_items(
    choosers: Iterable[Chooser],
    twins_per_user: int,
    min_posts: int,
    seed: int,
    problems: Problems,
) -> Iterator[Item]:
    """An item for each natural twin, in the order of the source, after all problems.

    A user whose choices are in no twin is a problem, too: `no_opposite` or `not_paired`.
    """
    candidates = list(choosers)
    opposed = _Opposed(candidates)
    worth = {
        couple: min(twins_per_user, twins) * TWIN
        for couple, twins in opposed.count_twins(seed).items()
    }
    partners = match_couples(worth, seed)
    items = dict[tuple[int, int], Item]()
    reasons = {n: "not_paired" for n, _ in enumerate(candidates) if opposed.reverse_of(n)}
    for couple in worth:
        if partners.get(couple[0]) == couple[1]:
            meetings = opposed.meetings(couple)
            made = _couple_items(couple, meetings, candidates, twins_per_user, min_posts, seed)
            left = "over_limit" if len(made) == twins_per_user else "telling_history"
            reasons |= {n: left for meeting in meetings for n in meeting}
            items |= made
    used = {n for meeting in items for n in meeting}
    if candidates:
        _note_use(candidates, [candidates[n] for n in used], problems)
    for n, chooser in enumerate(candidates):
        if n not in used:
            problems.refuse(reasons.get(n, "no_opposite"), chooser.where, chooser.user)
    yield from (items[one] for one in sorted(items, key=lambda one: (one[0], items[one].id)))


class _Opposed:
    """Choosers by what they took, to find those who took the reverse."""

    def __init__(self, candidates: Sequence[Chooser]) -> None:
        self._candidates = candidates
        self._takers: dict[tuple[str, ...], dict[str, list[int]]] = {}
        """By question and response taken, the choosers of each user."""
        self._of_user: dict[str, list[int]] = {}
        for n, one in enumerate(candidates):
            takers = self._takers.setdefault((*one.twin_key, *one.keys), {})
            takers.setdefault(one.user, []).append(n)
            self._of_user.setdefault(one.user, []).append(n)

    def reverse_of(self, n: int) -> Mapping[str, list[int]]:
        """The choosers who took the reverse of one's choice, by user."""
        one = self._candidates[n]
        return self._takers.get((*one.twin_key, *one.keys[::-1]), {})

    def count_twins(self, seed: int) -> dict[Couple, int]:
        """The pairs of responses that each couple could have a twin of.

        Users have one seeded order on all questions, so that two who are compared on one question
        are compared on all.
        """
        order = {user: content_id("chooser", str(seed), user) for user in self._of_user}
        most = max(1, min(OTHERS, COMPARISONS // max(1, len(self._candidates))))
        found = Counter[Couple]()
        for (*question, taken, refused), takers in self._takers.items():
            others = self._takers.get((*question, refused, taken), {})
            if taken > refused or not others:
                continue
            ring = sorted(others, key=order.__getitem__)
            for user in takers:
                start = bisect(ring, order[user], key=order.__getitem__)
                for place in range(start, start + min(most, len(ring))):
                    other = ring[place % len(ring)]
                    if user != other:
                        couple = (user, other) if user < other else (other, user)
                        found[couple] += len(takers[user]) * len(others[other])
        return dict(sorted(found.items()))

    def meetings(self, couple: Couple) -> list[tuple[int, int]]:
        """The choices in which both of a couple took what the other refused."""
        one, two = couple
        found = ((n, self.reverse_of(n).get(two, ())) for n in self._of_user[one])
        return [(n, other) for n, others in found for other in others]


def _note_use(candidates: Sequence[Chooser], used: Sequence[Chooser], problems: Problems) -> None:
    """Note how many of the choices are in a twin."""
    users, in_twins = ({one.user for one in choosers} for choosers in (candidates, used))
    problems.note(
        "use",
        candidates[0].where.rpartition(":")[0],
        None,
        f"natural twins use {len(used):,} of {len(candidates):,} choices that have a history"
        f" and {len(in_twins):,} of {len(users):,} users",
    )


def _couple_items(
    couple: Couple,
    meetings: Sequence[tuple[int, int]],
    candidates: Sequence[Chooser],
    twins_per_user: int,
    min_posts: int,
    seed: int,
) -> dict[tuple[int, int], Item]:
    """The items of at most `twins_per_user` twins of a couple, drawn by the seed."""
    order = sorted(meetings)
    random.Random(f"{seed} {couple}").shuffle(order)
    kept: dict[tuple[int, int], Item] = {}
    for n, other in order:
        if len(kept) < twins_per_user and (
            item := _make_item(candidates[n], candidates[other], min_posts)
        ):
            kept[n, other] = item
    return kept


def _make_item(one: Chooser, two: Chooser, min_posts: int) -> Item | None:
    """The item of one twin; None where the responses are nearly the same or a history becomes too
    short. Left out of a history, because they would tell the answer: posts that repeat a response
    or the question, and earlier choices of the same question or of one of the responses."""
    if near_duplicate(one.taken, one.refused):
        return None
    profiles = [_history(chooser) for chooser in (one, two)]
    if min(map(len, profiles)) < min_posts:
        return None
    return Item(
        id=content_id("item", *one.twin_key, one.user, two.user, *one.keys),
        user=one.user,
        question=one.question,
        narrative=one.reason,
        category=one.category,
        domain=one.domain,
        profile=profiles[0],
        created=one.created,
        source_url=one.source_url,
        opposite=OppositeChoice(
            chosen=one.taken,
            rejected=one.refused,
            other=two.user,
            profile=profiles[1],
            created=two.created,
            source_url=two.source_url,
            reason=two.reason,
        ),
    )


def _history(chooser: Chooser) -> tuple[Post, ...]:
    question, responses = choice_key(chooser.question), (chooser.taken, chooser.refused)
    return tuple(
        own.post
        for own in chooser.history[: chooser.older_count]
        if own.question != question
        # Nor does a post repeat the question, alone or with the user's reason.
        and _find_question(own.post.text, chooser.question, chooser.reason) is None
        and own.options.isdisjoint(chooser.keys)
        and not any(_resembles(*both) for both in product(own.options, responses))
        and not any(_repeats(own.post.text, response, chooser.question) for response in responses)
    )


_find_question = lru_cache(maxsize=100_000)(text.find_question)


@lru_cache(maxsize=100_000)
def _resembles(option: str, response: str) -> bool:
    """Whether an option of an earlier choice is so like a response that who took the one would take
    the other: half of their content words are the same."""
    if near_duplicate(option, response):
        return True
    return text.jaccard(text.terms(option), text.terms(response)) >= RESEMBLANCE


def _repeats(post: str, response: str, question: str) -> bool:
    """Whether a post gives a response away, nearly whole or by a run of its words."""
    if (len(response) >= LEAST_CHARACTERS and response in post) or near_duplicate(post, response):
        return True
    return text.shared_span(response, [post], question, text.QUOTED_WORDS) is not None
