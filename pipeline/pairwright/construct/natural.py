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
from pairwright.sources.choices import OwnPost, choice_key
from pairwright.sources.problems import SourceRefusal, excerpt, refuse
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
    takers = _by_choice(candidates)
    counts = _count_twins(takers, len(candidates), seed)
    worth = {couple: min(twins_per_user, n) * TWIN for couple, n in counts.items()}
    partners = match_couples(worth, seed)
    reasons, items = dict[int, tuple[str, str]](), dict[tuple[int, int], Item]()
    meetings: dict[Couple, list[tuple[int, int]]] = {}
    for n, one in enumerate(candidates):
        opposite = takers.get(_reverse(one), {})
        reasons[n] = "not_paired" if opposite else "no_opposite", ""
        partner = partners.get(one.user, "")
        if (couple := (one.user, partner)) in worth:
            meetings.setdefault(couple, []).extend((n, m) for m in opposite.get(partner, ()))
    for couple, order in meetings.items():
        random.Random(f"{seed} {couple}").shuffle(order)
        made = dict[tuple[int, int], Item]()
        for n, m in order:
            if len(made) == twins_per_user:
                break
            try:
                made[n, m] = _make_item(candidates[n], candidates[m], min_posts)
            except SourceRefusal as why:
                reasons |= dict.fromkeys((n, m), (why.reason, why.detail))
        if len(made) == twins_per_user:
            reasons |= {n: ("over_limit", "") for meeting in order for n in meeting}
        items |= made
    used = {n for meeting in items for n in meeting}
    if candidates:
        users, in_twins = {one.user for one in candidates}, {candidates[n].user for n in used}
        said = (
            f"natural twins use {len(used):,} of {len(candidates):,} choices that have a history"
            f" and {len(in_twins):,} of {len(users):,} users"
        )
        problems.report("noted", "use", candidates[0].where.rpartition(":")[0], None, said)
    for n, chooser in enumerate(candidates):
        if n not in used:
            problems.report("refused", reasons[n][0], chooser.where, chooser.user, reasons[n][1])
    yield from (items[one] for one in sorted(items, key=lambda one: (one[0], items[one].id)))


Choice = tuple[str, ...]
"""A question, and the responses that were taken and refused."""


def _by_choice(candidates: Sequence[Chooser]) -> dict[Choice, dict[str, list[int]]]:
    """The places of each user's choosers, by choice."""
    found: dict[Choice, dict[str, list[int]]] = {}
    for n, one in enumerate(candidates):
        found.setdefault((*one.twin_key, *one.keys), {}).setdefault(one.user, []).append(n)
    return found


def _reverse(one: Chooser) -> Choice:
    """The choice of who took what this one refused."""
    return (*one.twin_key, *one.keys[::-1])


def _count_twins(
    takers: Mapping[Choice, Mapping[str, list[int]]], candidates: int, seed: int
) -> dict[Couple, int]:
    """The pairs of responses that each couple could have a twin of.

    Users have one seeded order on all questions, so that two who are compared on one question are
    compared on all.
    """
    users = {user for found in takers.values() for user in found}
    order = {user: content_id("chooser", str(seed), user) for user in users}
    most = max(1, min(OTHERS, COMPARISONS // max(1, candidates)))
    found = Counter[Couple]()
    for (*question, taken, refused), own in takers.items():
        others = takers.get((*question, refused, taken), {})
        if taken > refused or not others:
            continue
        ring = sorted(others, key=order.__getitem__)
        for user in own:
            start = bisect(ring, order[user], key=order.__getitem__)
            for place in range(start, start + min(most, len(ring))):
                other = ring[place % len(ring)]
                if user != other:
                    couple = (user, other) if user < other else (other, user)
                    found[couple] += len(own[user]) * len(others[other])
    return dict(sorted(found.items()))


def _make_item(one: Chooser, two: Chooser, min_posts: int) -> Item:
    """The item of one twin. Left out of a history, because they would reveal the answer: posts that
    repeat a response or the question, and earlier choices of the same question or of one of the
    responses. Raises SourceRefusal if the responses are nearly the same, or a history becomes too
    short."""
    if near_duplicate(one.taken, one.refused):
        refuse("telling_history", "the two responses are nearly the same")
    profiles = [_history(chooser, min_posts) for chooser in (one, two)]
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


def _history(chooser: Chooser, min_posts: int) -> tuple[Post, ...]:
    """The older posts that do not reveal the answer. Raises SourceRefusal if these are too few."""
    older = chooser.history[: chooser.older_count]
    read = [(own.post, _reveals(own, chooser)) for own in older]
    kept = tuple(post for post, reveals in read if not reveals)
    if len(kept) < min_posts:
        left = f"{excerpt(chooser.user)} has {len(kept)} earlier texts and choices that do not"
        left += " reveal the answer"
        telling = (" ".join(post.text.split()) for post, reveals in read if reveals)
        one = next((f"; one that does: {excerpt(text)}" for text in telling), "")
        refuse("telling_history", f"{left}, and {min_posts} are needed{one}")
    return kept


def _reveals(own: OwnPost, chooser: Chooser) -> bool:
    """Whether an earlier post or choice would reveal the answer."""
    question, responses = chooser.question, (chooser.taken, chooser.refused)
    return (
        own.question == choice_key(question)
        # Nor does a post repeat the question, alone or with the user's reason.
        or _find_question(own.post.text, question, chooser.reason) is not None
        or not own.options.isdisjoint(chooser.keys)
        or any(_resembles(*both) for both in product(own.options, responses))
        or any(_repeats(own.post.text, response, question) for response in responses)
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
