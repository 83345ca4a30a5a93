"""Which attention checks an annotator gets, and what each is made to look like."""

import math
import random
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from pairwright.records import Pair, content_id
from pairwright.settings.rules import PlanRules
from pairwright_human_eval.attention import AttentionCheck, MirroredCheck, enough_checks
from pairwright_human_eval.check_layout import Example, median_size, question_like
from pairwright_human_eval.tasks import Task, attention_task, best_posts, when
from pairwright_human_eval.text_size import distance, size_of

FEWEST_CHECKS = 4
"""Attention checks of an annotator: with fewer, one slip would exclude somebody attentive."""
QUALIFYING = 8
"""Checks that are kept for qualifications: who has met one would know it again in a study."""


class DrawnCheck(NamedTuple):
    """One check, of one of its two people."""

    check: AttentionCheck
    example: Example
    """The task whose number of posts and layout it takes on."""
    swap: bool
    """Whether the right answer is response B."""


def check_count(votes: int, there: int, share: float, floor: float) -> int:
    """How many of the checks that are there an annotator with so many votes gets: the share that
    was asked for, and as many more as it takes to notice an annotator who does not read."""
    if not votes or not share:
        return 0
    return enough_checks(max(FEWEST_CHECKS, math.ceil(share * votes)), floor, there)


def draw_checks(
    pool: Sequence[MirroredCheck], number: int, examples: list[Example], chance: random.Random
) -> Iterator[DrawnCheck]:
    """So many checks, each once: nothing but the posts tells which response is the right answer."""
    # Always saying the same passes half of them at most.
    swaps = [bool(n % 2) for n in range(number)]
    chance.shuffle(swaps)
    alike = [_spread(examples, n, number, chance) for n in range(number)]
    chance.shuffle(alike)
    left = chance.sample(pool, len(pool))
    for swap, example in zip(swaps, alike, strict=True):
        mirrored = _fitting(left, example)
        left.remove(mirrored)
        # A fair coin draws the person.
        yield DrawnCheck(mirrored.halves[chance.getrandbits(1)], example, swap)


def qualifying_checks(checks: Sequence[MirroredCheck]) -> tuple[MirroredCheck, ...]:
    """The checks that qualifications have, and studies of people who were qualified have not."""
    return tuple(
        sorted(checks, key=lambda one: content_id("qualifying", one.question))[:QUALIFYING]
    )


def qualification_tasks(
    people: Sequence[str],
    checks: Sequence[MirroredCheck],
    examples: list[Example],
    seed: int,
    floor: float,
) -> dict[str, list[Task]]:
    """By person, the tasks of a qualification: attention checks alone, in a seeded order."""
    pool, response = qualifying_checks(checks), median_size(examples)
    number = enough_checks(FEWEST_CHECKS, floor, len(pool))
    tasks: dict[str, list[Task]] = {}
    for who in people:
        chance = random.Random(content_id("qualification", str(seed), who))
        tasks[who] = [
            attention_task(
                one.check, who, shift_dates(one.example, chance), response, one.swap, seed
            )
            for one in draw_checks(pool, number, examples, chance)
        ]
    return tasks


def example_of(pair: Pair, rules: PlanRules) -> Example:
    """A pair as an annotator sees it."""
    posts = best_posts(pair.question, pair.profile, rules)
    return Example(pair.question, posts, (pair.chosen, pair.rejected))


def _fitting(checks: list[MirroredCheck], example: Example) -> MirroredCheck:
    """The check whose question is most like the example's in size."""
    target = size_of(example.question)
    return min(
        checks,
        key=lambda check: float(
            distance(
                size_of(question_like((check.question, *check.questions), example.question)), target
            )
        ),
    )


def _spread(examples: list[Example], n: int, number: int, chance: random.Random) -> Example:
    """One of the `n`th part of the examples in the order of their length, so that even few checks
    are as different in length as the tasks are."""
    by_length = sorted(examples, key=_length)
    start, end = (len(by_length) * k // number for k in (n, n + 1))
    return chance.choice(by_length[start:end] or by_length)


def _length(example: Example) -> int:
    return sum(map(len, (*example.responses, *(post.text for post in example.posts))))


def shift_dates(example: Example, chance: random.Random) -> Example:
    """Move the days of its posts some weeks back: the very days would be known again."""
    shift = timedelta(days=chance.randint(5, 90))
    posts = tuple(
        post.model_copy(update={"created": (date.fromisoformat(day) - shift).isoformat()})
        if (day := when(post))
        else post
        for post in example.posts
    )
    return example._replace(posts=posts)
