"""Which attention checks an annotator gets, and by what they could be told from other tasks.

Each sign is a number of a task that is seen without reading for the answer. Its AUC is that of all
pairs of a check and another task: 0.5 tells nothing; 1 and 0 tell every check, by more or by less.
"""

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from html import unescape
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from pairwright.records import Pair, Post, content_id
from pairwright.settings.rules import PlanRules
from pairwright.text import word_count
from pairwright_human_eval.attention import AttentionCheck, MirroredCheck, enough_checks
from pairwright_human_eval.check_wording import (
    SIGN_WEIGHTS,
    Example,
    Sizes,
    check_like,
    nearest,
    share_in,
    signs_of,
    spread_of,
    words_of,
)
from pairwright_human_eval.records import Purpose
from pairwright_human_eval.tasks import Task, attention_task, best_posts, when

MET = 0.1
"""How much a task in which the annotator meets a user weighs against the user's posts in a check,
beside the logarithms of the number and the words of posts."""
QUESTION = 2.0
"""How much of a question the posts say, beside the distance of its sizes."""
FEWEST_CHECKS = 4
"""Attention checks of an annotator: with fewer, one slip would exclude somebody attentive."""
QUALIFYING = 8
"""Checks that are kept for qualifications: who has met one would know it again in a study."""


def check_count(votes: int, there: int, share: float, floor: float) -> int:
    """How many of the checks that are there an annotator with so many votes gets: the share that
    was asked for, and as many more as it takes to notice an annotator who does not read."""
    if not votes or not share:
        return 0
    return enough_checks(max(FEWEST_CHECKS, math.ceil(share * votes)), floor, there)


def draw_checks(
    pool: Sequence[MirroredCheck],
    number: int,
    examples: Sequence[Example],
    met: Iterable[str],
    chance: random.Random,
) -> Iterator[tuple[AttentionCheck, list[str], bool]]:
    """So many checks, each once and of one of its two people, as they are shown; the days of their
    posts; and whether the right answer is response B. Nothing but the posts tells which response
    that is.

    The posts of a check are another user's each time, as far as there are enough, and rather of
    users that the annotator has not `met`. What one check has too little of the next has more of.
    """
    # Always saying the same passes half of them at most.
    swaps = [bool(n % 2) for n in range(number)]
    chance.shuffle(swaps)
    # One of each part of the examples by their length, so that even few checks are as different
    # in length as the tasks are.
    by_length = sorted(examples, key=_length)
    alike = []
    used = Counter(met)
    sizes = np.stack([_size(one.posts) for one in examples])
    lacking_posts: Sizes = np.zeros(2)
    for n in range(number):
        start, end = (len(by_length) * k // number for k in (n, n + 1))
        example = chance.choice(by_length[start:end] or by_length)
        wanted = _size(example.posts) + lacking_posts
        # Its own posts would be known again where the annotator has met their user.
        order = chance.sample(range(len(examples)), len(examples))
        uses = np.array([used[examples[n].user] for n in order])
        chosen = order[int(np.argmin(abs(sizes[order] - wanted).sum(axis=1) + MET * uses))]
        other, lacking_posts = examples[chosen], wanted - sizes[chosen]
        used[other.user] += len(examples)
        alike.append(example._replace(user=other.user, posts=other.posts))
    chance.shuffle(alike)
    left = chance.sample(pool, len(pool))
    spread = spread_of(examples)
    lacking = 0 * spread
    for swap, example in zip(swaps, alike, strict=True):
        posts = " ".join(post.text for post in example.posts)
        mirrored = min(left, key=partial(_apart, example=example, shown=words_of(posts)))
        left.remove(mirrored)
        # A fair coin draws the person.
        half = mirrored.halves[chance.getrandbits(1)]
        shown = check_like(half, example, lacking, spread, swap)
        responses = shown.bad.text, shown.good.text
        lacking += example.signs - signs_of(
            responses if swap else responses[::-1],
            shown.question,
            shown.posts,
            shown.other_posts,
        )
        yield shown, [when(post) for post in example.posts] or [""] * len(shown.posts), swap


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
    pool, bare = qualifying_checks(checks), [one._replace(posts=()) for one in examples]
    number = enough_checks(FEWEST_CHECKS, floor, len(pool))
    tasks: dict[str, list[Task]] = {}
    for who in people:
        chance = random.Random(content_id("qualification", str(seed), who))
        tasks[who] = [
            attention_task(check, who, days, swap, seed)
            for check, days, swap in draw_checks(pool, number, bare, (), chance)
        ]
    return tasks


def example_of(pair: Pair, rules: PlanRules) -> Example:
    """A pair as an annotator sees it."""
    posts = best_posts(pair.question, pair.profile, rules)
    responses = pair.chosen, pair.rejected
    seen = signs_of(responses, pair.question, tuple(post.text for post in posts))
    return Example(pair.user, pair.question, posts, responses, seen)


def _apart(check: MirroredCheck, example: Example, shown: frozenset[str]) -> float:
    """How far its question is from that of a task: by its sizes, and by how much of it the posts
    say, whose words are `shown`."""
    question, apart = nearest((check.question, *check.questions), example.question)
    return apart + QUESTION * abs(share_in(shown, question) - float(example.signs[-1]))


@cache
def _size(posts: tuple[Post, ...]) -> Sizes:
    """The logarithms of the number and of the words of all posts, and one more."""
    found: Sizes = np.log([1 + len(posts), 1 + sum(word_count(post.text) for post in posts)])
    return found


def _length(example: Example) -> int:
    return sum(map(len, (*example.responses, *(post.text for post in example.posts))))


TELLING = 0.25
"""An AUC so far from one half tells checks or foils: one more and one fewer of four pairs."""
_TAG = re.compile(r"<[^>]*>")
_BLOCK = re.compile(r"<(?:p|li)>")


class TaskSign(NamedTuple):
    """One sign of all checks of a study, or of all foils among its aspects."""

    name: str
    auc: float
    """The probability that a check has more of it than another preference task, or a foil than an
    aspect; a tie is half."""

    @property
    def tells(self) -> bool:
        return abs(self.auc - 0.5) >= TELLING


def check_signs(
    tasks: Mapping[str, Sequence[Task]], purpose: Purpose = "attention"
) -> tuple[TaskSign, ...]:
    """The signs of the checks of every annotator, or of tasks of another purpose, exact on these;
    empty without a check or without any other preference task."""
    asked = [
        (task, place / len(own))
        for given in tasks.values()
        for own in [[task for task in given if task.keyed.kind == "preference"]]
        for place, task in enumerate(own)
    ]
    checks = [task.keyed.purpose == purpose for task, _ in asked]
    if all(checks) or not any(checks):
        return ()
    signs = [_signs(task) | {"place in the work": place} for task, place in asked]
    return tuple(TaskSign(name, area([own[name] for own in signs], checks)) for name in signs[0])


def area(values: Sequence[float], checks: Sequence[bool]) -> float:
    """The area under the ROC curve of a rule that calls the larger of two a check."""
    ranks, n = rankdata(values), sum(checks)
    above = sum(rank for rank, check in zip(ranks, checks, strict=True) if check)
    return float(above - n * (n + 1) / 2) / (n * (len(checks) - n))


def _signs(task: Task) -> dict[str, float]:
    """What is seen of a task without reading for the answer; of responses without their layout."""
    rows, question = task.data["posts"], str(task.data["question"])
    assert isinstance(rows, list)
    posts = [str(row["text"]) for row in rows if isinstance(row, dict)]
    lengths, shown = list(map(word_count, posts)) or [0], words_of(" ".join(posts))
    pages = [str(task.data[f"response_{side}"]) for side in "ab"]
    one, other = (" ".join(unescape(_TAG.sub(" ", page)).split()) for page in pages)
    seen = signs_of((one, other), question, tuple(posts))
    return {
        "number of posts": len(posts),
        "words of all posts": sum(lengths),
        "words of the longest post": max(lengths),
        "words of the shortest post": min(lengths),
        "line breaks in posts": sum("\n" in post for post in posts),
        "characters of the question": len(question),
        **dict(zip(SIGN_WEIGHTS, seen.tolist(), strict=True)),
        "paragraphs and list items of the responses": sum(len(_BLOCK.findall(p)) for p in pages),
        "difference between the shares of their words in posts": abs(
            share_in(shown, one) - share_in(shown, other)
        ),
    }
