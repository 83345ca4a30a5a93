"""Which attention checks an annotator gets, and by what they could be told from other tasks.

Each sign is a number of a task that is seen without reading for the answer. Its AUC is that of all
pairs of a check and another task: 0.5 tells nothing; 1 and 0 tell every check, by more or by less.
"""

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from html import unescape
from typing import NamedTuple

from scipy.stats import rankdata

from pairwright.records import Pair, content_id
from pairwright.settings.rules import PlanRules
from pairwright.text import word_count
from pairwright_human_eval.attention import (
    SENTENCE_END,
    AttentionCheck,
    Example,
    MirroredCheck,
    Sizes,
    distance,
    enough_checks,
    median_size,
    size_of,
    sizes_of,
)
from pairwright_human_eval.tasks import Task, attention_task, best_posts, when

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
    pool: Sequence[MirroredCheck], number: int, examples: list[Example], chance: random.Random
) -> Iterator[tuple[AttentionCheck, Example, bool]]:
    """So many checks, each once and of one of its two people; the task whose number of posts and
    layout each takes on; and whether the right answer is response B. Nothing but the posts tells
    which response that is."""
    # Always saying the same passes half of them at most.
    swaps = [bool(n % 2) for n in range(number)]
    chance.shuffle(swaps)
    # One of each part of the examples by their length, so that even few checks are as different
    # in length as the tasks are.
    by_length = sorted(examples, key=_length)
    alike = []
    for n in range(number):
        start, end = (len(by_length) * k // number for k in (n, n + 1))
        alike.append(chance.choice(by_length[start:end] or by_length))
    chance.shuffle(alike)
    left = chance.sample(pool, len(pool))
    for swap, example in zip(swaps, alike, strict=True):
        target = size_of(example.question)
        mirrored = min(left, key=lambda check: _apart(check, target))
        left.remove(mirrored)
        # A fair coin draws the person.
        yield mirrored.halves[chance.getrandbits(1)], example, swap


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
            attention_task(check, who, shift_dates(example, chance), response, swap, seed)
            for check, example, swap in draw_checks(pool, number, examples, chance)
        ]
    return tasks


def example_of(pair: Pair, rules: PlanRules) -> Example:
    """A pair as an annotator sees it."""
    posts = best_posts(pair.question, pair.profile, rules)
    return Example(pair.question, posts, (pair.chosen, pair.rejected))


def _apart(check: MirroredCheck, target: Sizes) -> float:
    """How far the nearest size of its question is from a target."""
    questions = sizes_of((check.question, *check.questions))
    return float(distance(questions, target).min())


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


def check_signs(tasks: Mapping[str, Sequence[Task]]) -> tuple[TaskSign, ...]:
    """The signs of the tasks of every annotator, exact on these; empty without a check or without
    any other preference task."""
    asked = [
        (task, place / len(own))
        for given in tasks.values()
        for own in [[task for task in given if task.keyed.kind == "preference"]]
        for place, task in enumerate(own)
    ]
    checks = [task.keyed.purpose == "attention" for task, _ in asked]
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
    rows = task.data["posts"]
    assert isinstance(rows, list)
    posts = [str(row["text"]) for row in rows if isinstance(row, dict)]
    pages = [str(task.data[f"response_{side}"]) for side in "ab"]
    responses = [" ".join(unescape(_TAG.sub(" ", page)).split()) for page in pages]
    words = sum(map(word_count, responses))
    sentences = sum(max(1, len(SENTENCE_END.findall(text))) for text in responses)
    one, other = (set(re.findall(r"\w+", text.lower())) for text in responses)
    return {
        "number of posts": len(posts),
        "words of all posts": sum(map(word_count, posts)),
        "line breaks in posts": sum("\n" in post for post in posts),
        "characters of the question": len(str(task.data["question"])),
        "words of both responses": words,
        "characters of both responses": sum(map(len, responses)),
        "words a sentence of the responses": words / sentences,
        "paragraphs and list items of the responses": sum(len(_BLOCK.findall(p)) for p in pages),
        "share of words that both responses have": len(one & other) / max(1, len(one | other)),
    }
