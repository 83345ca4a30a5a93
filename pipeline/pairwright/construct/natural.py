"""Mode natural: two users, one question and two responses; each user took what the other refused.

Here the items are found of which pairs are made. As in mode twin, each user is in one couple, so
that data can be split by user, and a couple is a cluster. A couple gives several twins, on
different questions or responses as far as possible. The result depends only on the choices and the
seed.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import product
from typing import NamedTuple

from pairwright import text
from pairwright.construct.partners import Couple, Worth, match_couples
from pairwright.records import Item, OppositeChoice, Post, content_id
from pairwright.sources import Chooser, SourceProblem, Voter
from pairwright.sources.choosers import choice_key, unpaired_problem
from pairwright.text import near_duplicate

OTHERS_PER_USER = 100
"""A user is compared with at most so many other users of a topic: the next ones on a ring in seeded
order."""
_LEAST_CHARACTERS = 20
"""Of a response that is searched for in posts as a whole: shorter ones are a word or two."""
_COMBINATIONS = 2_000
"""Most combinations of responses that a couple's twins are drawn from on one topic."""


def natural_items(
    choosers: Iterable[Chooser | Voter | SourceProblem],
    twins_per_user: int,
    min_posts: int,
    seed: int,
) -> Iterator[Item | SourceProblem]:
    """An item for each natural twin, in the order of the source, after all problems.

    A user whose choices are in no twin is a problem, too: `no_opposite` or `not_paired`.
    """
    candidates = list[Chooser]()
    for one in choosers:
        if isinstance(one, SourceProblem):
            yield one
        elif isinstance(one, Chooser):
            candidates.append(one)
    meetings = _meetings(candidates, seed)
    worth = {
        couple: Worth(min(twins_per_user, sum(meeting.openings for meeting in own)), 0)
        for couple, own in meetings.items()
    }
    partners = match_couples(worth, seed)
    items: list[tuple[int, Item]] = []
    used = set[int]()
    for couple, own in meetings.items():
        if partners.get(couple[0]) == couple[1]:
            for meeting, item in _couple_items(
                couple, own, candidates, twins_per_user, min_posts, seed
            ):
                items.append((meeting.first, item))
                used |= {meeting.first, meeting.second}
    met = {n for own in meetings.values() for one in own for n in (one.first, one.second)}
    if candidates:
        yield _use(candidates, used)
    for n, chooser in enumerate(candidates):
        if n not in used:
            yield unpaired_problem(chooser, met=n in met)
    yield from (item for _, item in sorted(items, key=lambda one: (one[0], one[1].id)))


def _use(candidates: Sequence[Chooser], used: Set[int]) -> SourceProblem:
    """The note that says how many of the choices are in a twin."""
    users = {chooser.user for chooser in candidates}
    in_twins = {candidates[n].user for n in used}
    return SourceProblem(
        action="noted",
        reason="use",
        where=candidates[0].where.rpartition(":")[0],
        detail=f"natural twins use {len(used):,} of {len(candidates):,} choices that have a history"
        f" and {len(in_twins):,} of {len(users):,} users",
    )


class _Meeting(NamedTuple):
    """Two users before one question, by their positions, who took what the other refused."""

    first: int
    second: int
    openings: int
    """How many pairs of responses there are of which each took the one that the other refused."""


def _meetings(candidates: Sequence[Chooser], seed: int) -> dict[Couple, list[_Meeting]]:
    """The meetings of each couple. On a topic of many users each is compared with the next
    `OTHERS_PER_USER` alone."""
    topics: dict[tuple[str, str], list[int]] = {}
    for n, chooser in enumerate(candidates):
        topics.setdefault(chooser.twin_key, []).append(n)
    found: dict[Couple, list[_Meeting]] = {}
    for topic in topics.values():
        ring = sorted(topic, key=lambda n: content_id("chooser", str(seed), candidates[n].user))
        size = len(ring)
        # On a small ring everybody is met once; each couple has one of the two directions.
        steps = min(OTHERS_PER_USER, size - 1)
        for place, n in enumerate(ring):
            for step in range(1, steps + 1):
                if 2 * step > size or (2 * step == size and place >= step):
                    break
                other = ring[(place + step) % size]
                meeting = _meeting(n, other, candidates)
                if meeting:
                    users = sorted((candidates[n].user, candidates[other].user))
                    found.setdefault((users[0], users[1]), []).append(meeting)
    return dict(sorted(found.items()))


def _meeting(n: int, other: int, candidates: Sequence[Chooser]) -> _Meeting | None:
    one, two = candidates[n], candidates[other]
    if one.user == two.user:
        return None
    taken = len(one.taken.keys() & two.refused.keys())
    refused = len(one.refused.keys() & two.taken.keys()) if taken else 0
    first, second = sorted((n, other))
    return _Meeting(first, second, taken * refused) if refused else None


def _couple_items(
    couple: Couple,
    meetings: Sequence[_Meeting],
    candidates: Sequence[Chooser],
    twins_per_user: int,
    min_posts: int,
    seed: int,
) -> list[tuple[_Meeting, Item]]:
    """At most `twins_per_user` twins of a couple. Responses of none of its twins yet come first."""
    chance = random.Random(f"{seed} {couple}")
    openings = [
        (meeting, a, b)
        for meeting in sorted(meetings)
        for a, b in _openings(candidates[meeting.first], candidates[meeting.second], chance)
    ]
    chance.shuffle(openings)
    used: Counter[tuple[str, str]] = Counter()
    kept: list[tuple[_Meeting, Item]] = []
    for bound in range(2 * twins_per_user):
        left = []
        for meeting, a, b in openings:
            topic = candidates[meeting.first].topic
            if len(kept) < twins_per_user and used[topic, a] + used[topic, b] <= bound:
                one, two = candidates[meeting.first], candidates[meeting.second]
                item = _make_item(one, two, a, b, min_posts)
                if item:
                    kept.append((meeting, item))
                    used.update({(topic, a): 1, (topic, b): 1})
            else:
                left.append((meeting, a, b))
        openings = left
        if len(kept) == twins_per_user or not openings:
            break
    return kept


def _openings(one: Chooser, two: Chooser, chance: random.Random) -> list[tuple[str, str]]:
    """The keys of what the first took and the second refused, and of the reverse."""
    taken = sorted(one.taken.keys() & two.refused.keys())
    refused = sorted(one.refused.keys() & two.taken.keys())
    if len(taken) * len(refused) <= _COMBINATIONS:
        return list(product(taken, refused))
    chance.shuffle(taken)
    chance.shuffle(refused)
    side = int(_COMBINATIONS**0.5)
    return list(product(taken[: max(side, _COMBINATIONS // len(refused))], refused[:side]))


def _make_item(one: Chooser, two: Chooser, a: str, b: str, min_posts: int) -> Item | None:
    """The item of one twin; None where the responses are nearly the same or a history becomes too
    short. Left out of a history, because they would tell the answer: posts that repeat a response,
    and earlier choices of the same question or of one of the responses."""
    chosen, rejected = one.taken[a], one.refused[b]
    if near_duplicate(chosen, rejected):
        return None
    profiles = [_history(chooser, (a, b), (chosen, rejected)) for chooser in (one, two)]
    if min(map(len, profiles)) < min_posts:
        return None
    times = [chooser.created for chooser in (one, two) if chooser.created]
    return Item(
        id=content_id("item", *one.twin_key, one.user, two.user, a, b),
        user=one.user,
        question=one.question,
        narrative=one.reason,
        category=one.category,
        domain=one.domain,
        profile=profiles[0],
        created=max(times) if len(times) == 2 else None,
        source_url=one.source_url,
        opposite=OppositeChoice(
            chosen=chosen,
            rejected=rejected,
            other=two.user,
            profile=profiles[1],
            reason=two.reason,
            authorships=one.authorships and (one.authorships[a], one.authorships[b]),
        ),
    )


def _history(
    chooser: Chooser, keys: tuple[str, str], responses: tuple[str, str]
) -> tuple[Post, ...]:
    about = {choice_key(chooser.question), *keys}
    return tuple(
        own.post
        for own in chooser.history[: chooser.older_count]
        if own.about.isdisjoint(about)
        and not any(_repeats(own.post.text, response, chooser.question) for response in responses)
    )


def _repeats(post: str, response: str, question: str) -> bool:
    """Whether a post gives a response away, nearly whole or by a run of its words."""
    if (len(response) >= _LEAST_CHARACTERS and response in post) or near_duplicate(post, response):
        return True
    return text.shared_span(response, [post], question, text.QUOTED_WORDS) is not None
