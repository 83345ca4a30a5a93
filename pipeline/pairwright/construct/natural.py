"""Items of mode natural: who can be a natural twin with whom, and on which question.

As in mode twin, each user is in one couple, so that data can be split by user, and a couple is a
cluster. A couple gives several twins, on different questions or responses as far as possible. The
result depends only on the choices and the seed.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import product

from pairwright import text
from pairwright.construct.partners import TWIN, Couple, match_couples
from pairwright.records import Item, OppositeChoice, Post, content_id
from pairwright.sources import Chooser, Problems
from pairwright.sources.choices import choice_key
from pairwright.text import near_duplicate

OTHERS_PER_USER = 100
"""A user is compared with at most so many other users of a topic: the next ones on a ring in seeded
order."""
COMPARISONS = 5_000_000
"""About so many are made of all choices; where these are many, each is compared with fewer."""


def count_openings(candidates: Sequence[Chooser], seed: int) -> tuple[dict[Couple, int], set[int]]:
    """How many pairs of responses each couple could have a twin of, and the positions of the
    choosers whose reverse somebody chose.

    On a topic of many users each is compared with the next ones on a ring alone. The ring has the
    same order on every topic, so that two users who meet on one meet on all.
    """
    topics: dict[tuple[str, str], list[int]] = {}
    for n, chooser in enumerate(candidates):
        topics.setdefault(chooser.twin_key, []).append(n)
    order = {one.user: content_id("chooser", str(seed), one.user) for one in candidates}
    others = max(1, min(OTHERS_PER_USER, COMPARISONS // max(1, len(candidates))))
    found: Counter[Couple] = Counter()
    met = set[int]()
    for topic in topics.values():
        ring = sorted(topic, key=lambda n: order[candidates[n].user])
        size = len(ring)
        # On a small ring everybody is met once; each couple has one of the two directions.
        for place, n in enumerate(ring):
            for step in range(1, min(others, size - 1) + 1):
                if 2 * step > size or (2 * step == size and place >= step):
                    break
                other = ring[(place + step) % size]
                if _opposed(candidates[n], candidates[other]):
                    first, second = sorted((candidates[n].user, candidates[other].user))
                    found[first, second] += 1
                    met |= {n, other}
    return dict(sorted(found.items())), met


def _opposed(one: Chooser, two: Chooser) -> bool:
    """Whether two who were asked the same took what the other refused."""
    return one.user != two.user and one.keys == two.keys[::-1]


def meetings_of(
    couples: Iterable[Couple], candidates: Sequence[Chooser]
) -> Iterator[tuple[Couple, list[tuple[int, int]]]]:
    """Each couple with the questions on which both took what the other refused."""
    by_user: dict[str, dict[tuple[str, str], list[int]]] = {}
    for n, chooser in enumerate(candidates):
        by_user.setdefault(chooser.user, {}).setdefault(chooser.twin_key, []).append(n)
    for couple in couples:
        one, two = (by_user[user] for user in couple)
        positions = (
            sorted(both) for key in one if key in two for both in product(one[key], two[key])
        )
        yield (
            couple,
            sorted(
                (n, other) for n, other in positions if _opposed(candidates[n], candidates[other])
            ),
        )


_LEAST_CHARACTERS = 20
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
    openings, met = count_openings(candidates, seed)
    worth = {couple: min(twins_per_user, n) * TWIN for couple, n in openings.items()}
    partners = match_couples(worth, seed)
    couples = [couple for couple in worth if partners.get(couple[0]) == couple[1]]
    items: list[tuple[int, Item]] = []
    used = set[int]()
    reasons = dict.fromkeys(met, "not_paired")
    for couple, own in meetings_of(couples, candidates):
        made = _couple_items(couple, own, candidates, twins_per_user, min_posts, seed)
        items += ((meeting[0], item) for meeting, item in made)
        used |= {n for meeting, _ in made for n in meeting}
        left = "over_limit" if len(made) == twins_per_user else "telling_history"
        reasons |= {n: left for meeting in own for n in meeting}
    if candidates:
        _note_use(candidates, used, problems)
    for n, chooser in enumerate(candidates):
        if n not in used:
            problems.refuse(reasons.get(n, "no_opposite"), chooser.where, chooser.user)
    yield from (item for _, item in sorted(items, key=lambda one: (one[0], one[1].id)))


def _note_use(candidates: Sequence[Chooser], used: Set[int], problems: Problems) -> None:
    """Note how many of the choices are in a twin."""
    users = {chooser.user for chooser in candidates}
    in_twins = {candidates[n].user for n in used}
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
) -> list[tuple[tuple[int, int], Item]]:
    """At most `twins_per_user` twins of a couple, drawn by the seed."""
    order = sorted(meetings)
    random.Random(f"{seed} {couple}").shuffle(order)
    kept: list[tuple[tuple[int, int], Item]] = []
    for n, other in order:
        if len(kept) < twins_per_user:
            item = _make_item(candidates[n], candidates[other], min_posts)
            kept += [((n, other), item)] if item else []
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
    if (len(response) >= _LEAST_CHARACTERS and response in post) or near_duplicate(post, response):
        return True
    return text.shared_span(response, [post], question, text.QUOTED_WORDS) is not None
