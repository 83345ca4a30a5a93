"""Mode natural: two users and one question, on which each chose what the other refused.

No model is asked. Couples are disjoint, as those of mode twin are, so that splits by user exist and
a couple is a cluster; a couple gives several twins, on different questions or responses as far as
it can. All is a function of the choices and the seed.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from pairwright import text
from pairwright.construct.partners import Couple, Worth, match_couples
from pairwright.records import (
    Draft,
    Item,
    OppositeChoice,
    Pair,
    Post,
    Rubric,
    Twin,
    content_id,
    pseudonym,
)
from pairwright.sources import Chooser, SourceProblem, Voter
from pairwright.sources.choices import unpaired
from pairwright.text import near_duplicate, normalised

LOOK = 100
"""So many others are looked at for a user of a topic, the next on a ring in seeded order."""
_CHARACTERS = 20
"""Of a response that a post repeats: fewer are a word or two."""
_DRAWS = 2_000
"""Most combinations of responses that a couple's twins are drawn from on one topic."""


def build_natural(item: Item) -> Twin:
    """The twin of an item's choice and the opposite one."""
    choice = item.opposite
    assert choice, "made by `natural_items`"
    users = map(pseudonym, (item.user, choice.other))
    twin_id = content_id("twin", item.id, *users, choice.chosen, choice.rejected)
    draft = Draft(draw=0, strategy="", generator="", first=choice.chosen, second=choice.rejected)

    def half(first: bool) -> Pair:
        user, chosen, rejected = (
            (item.user, choice.chosen, choice.rejected)
            if first
            else (choice.other, choice.rejected, choice.chosen)
        )
        return Pair(
            id=content_id("pair", "natural", item.id, pseudonym(user), chosen, rejected),
            mode="natural",
            item_id=item.id,
            user=user,
            question=item.question,
            category=item.category,
            domain=item.domain,
            profile=item.profile if first else choice.profile,
            rubric=Rubric(question_id=item.id, user=user, origin=None, aspects=()),
            chosen=chosen,
            rejected=rejected,
            draft=draft,
            twin_id=twin_id,
            asked=first,
            narrative=item.narrative if first else choice.reason,
            created=item.created,
            source_url=item.source_url,
            neighbours=choice.neighbours and choice.neighbours[0 if first else 1],
        )

    return Twin(id=twin_id, halves=(half(True), half(False)))


def natural_items(
    choosers: Iterable[Chooser | Voter | SourceProblem],
    twins_per_user: int,
    min_posts: int,
    seed: int,
) -> Iterator[Item | SourceProblem]:
    """An item for each natural twin, in the order of the source, after all problems.

    A user whose choices are in no twin is a problem, too: `no_opposite` or `not_paired`.
    """
    known = list[Chooser]()
    for one in choosers:
        if isinstance(one, SourceProblem):
            yield one
        elif isinstance(one, Chooser):
            known.append(one)
    meetings = _meetings(known, seed)
    worth = {
        couple: Worth(min(twins_per_user, sum(meeting.openings for meeting in own)), 0)
        for couple, own in meetings.items()
    }
    partners = match_couples(worth, seed)
    items: list[tuple[int, Item]] = []
    used = set[int]()
    for couple, own in meetings.items():
        if partners.get(couple[0]) == couple[1]:
            for meeting, item in _of_couple(couple, own, known, twins_per_user, min_posts, seed):
                items.append((meeting.first, item))
                used |= {meeting.first, meeting.second}
    met = {n for own in meetings.values() for one in own for n in (one.first, one.second)}
    for n, chooser in enumerate(known):
        if n not in used:
            yield unpaired(chooser, met=n in met)
    yield from (item for _, item in sorted(items, key=lambda one: (one[0], one[1].id)))


class _Meeting(NamedTuple):
    """Two users before one question, by their positions, who took what the other refused."""

    first: int
    second: int
    openings: int
    """How many pairs of responses there are of which each took the one that the other refused."""


def _meetings(known: Sequence[Chooser], seed: int) -> dict[Couple, list[_Meeting]]:
    """By couple. On a topic of many users each is held against the next `LOOK` alone."""
    topics: dict[tuple[str, str], list[int]] = {}
    for n, chooser in enumerate(known):
        topics.setdefault(chooser.place_of_twin, []).append(n)
    found: dict[Couple, list[_Meeting]] = {}
    for topic in topics.values():
        ring = sorted(topic, key=lambda n: content_id("chooser", str(seed), known[n].user))
        size = len(ring)
        # On a small ring everybody is met once; each couple has one of the two directions.
        steps = min(LOOK, size - 1)
        for place, n in enumerate(ring):
            for step in range(1, steps + 1):
                if 2 * step > size or (2 * step == size and place >= step):
                    break
                other = ring[(place + step) % size]
                meeting = _meeting(n, other, known)
                if meeting:
                    users = sorted((known[n].user, known[other].user))
                    found.setdefault((users[0], users[1]), []).append(meeting)
    return dict(sorted(found.items()))


def _meeting(n: int, other: int, known: Sequence[Chooser]) -> _Meeting | None:
    one, two = known[n], known[other]
    if one.user == two.user:
        return None
    taken = len(one.taken.keys() & two.refused.keys())
    refused = len(one.refused.keys() & two.taken.keys()) if taken else 0
    first, second = sorted((n, other))
    return _Meeting(first, second, taken * refused) if refused else None


def _of_couple(
    couple: Couple,
    meetings: Sequence[_Meeting],
    known: Sequence[Chooser],
    most: int,
    min_posts: int,
    seed: int,
) -> list[tuple[_Meeting, Item]]:
    """The twins of a couple: responses that it has no twin on yet come first."""
    drawn = random.Random(f"{seed} {couple}")
    openings = [
        (meeting, a, b)
        for meeting in sorted(meetings)
        for a, b in _responses(known[meeting.first], known[meeting.second], drawn)
    ]
    drawn.shuffle(openings)
    used: Counter[tuple[str, str]] = Counter()
    kept: list[tuple[_Meeting, Item]] = []
    for bound in range(2 * most):
        left = []
        for meeting, a, b in openings:
            topic = known[meeting.first].topic
            if len(kept) < most and used[topic, a] + used[topic, b] <= bound:
                item = _item(known[meeting.first], known[meeting.second], a, b, min_posts)
                if item:
                    kept.append((meeting, item))
                    used.update({(topic, a): 1, (topic, b): 1})
            else:
                left.append((meeting, a, b))
        openings = left
        if len(kept) == most or not openings:
            break
    return kept


def _responses(one: Chooser, two: Chooser, drawn: random.Random) -> list[tuple[str, str]]:
    """The keys of what the first took and the second refused, and of the reverse."""
    taken = sorted(one.taken.keys() & two.refused.keys())
    refused = sorted(one.refused.keys() & two.taken.keys())
    if len(taken) * len(refused) <= _DRAWS:
        return list(product(taken, refused))
    drawn.shuffle(taken)
    drawn.shuffle(refused)
    side = int(_DRAWS**0.5)
    return list(product(taken[: max(side, _DRAWS // len(refused))], refused[:side]))


def _item(one: Chooser, two: Chooser, a: str, b: str, min_posts: int) -> Item | None:
    """None where the responses are nearly the same, or too little is left of a history: what
    repeats a response, and a choice of the same question or of one of the responses, would tell
    the answer."""
    chosen, rejected = one.taken[a], one.refused[b]
    if near_duplicate(chosen, rejected):
        return None
    profiles = [_history(chooser, (a, b), (chosen, rejected)) for chooser in (one, two)]
    if min(map(len, profiles)) < min_posts:
        return None
    times = [chooser.created for chooser in (one, two) if chooser.created]
    return Item(
        id=content_id("item", *one.place_of_twin, one.user, two.user, a, b),
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
        ),
    )


def _history(
    chooser: Chooser, keys: tuple[str, str], responses: tuple[str, str]
) -> tuple[Post, ...]:
    about = {normalised(chooser.question), *keys}
    return tuple(
        own.post
        for own in chooser.history[: chooser.known]
        if own.about.isdisjoint(about)
        and not any(_repeats(own.post.text, response, chooser.question) for response in responses)
    )


def _repeats(post: str, response: str, question: str) -> bool:
    """Whether a post gives a response away, nearly whole or by a run of its words."""
    if (len(response) >= _CHARACTERS and response in post) or near_duplicate(post, response):
        return True
    return text.shared_span(response, [post], question, text.QUOTED_WORDS) is not None
