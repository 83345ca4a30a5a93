"""Which attention checks an annotator gets, and by what they could be told from other tasks.

Each sign is a number of a task that is seen without reading for the answer. Its AUC is that of all
pairs of a check and another task: 0.5 tells nothing; 1 and 0 tell every check, by more or by less.
"""

import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    distance,
    enough_checks,
    median_size,
    question_like,
    size_of,
)
from pairwright_human_eval.tasks import Task, attention_task, best_posts, when

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
    values = {name: [sign(task) for task, _ in asked] for name, sign in SIGNS.items()}
    values["place in the work"] = [place for _, place in asked]
    return tuple(TaskSign(name, area(own, checks)) for name, own in values.items())


def area(values: Sequence[float], checks: Sequence[bool]) -> float:
    """The area under the ROC curve of a rule that calls the larger of two a check."""
    ranks, n = rankdata(values), sum(checks)
    above = sum(rank for rank, check in zip(ranks, checks, strict=True) if check)
    return float(above - n * (n + 1) / 2) / (n * (len(checks) - n))


def posts_of(task: Task) -> list[str]:
    """The posts as they are shown."""
    rows = task.data["posts"]
    assert isinstance(rows, list)
    return [str(row["text"]) for row in rows if isinstance(row, dict)]


def responses_of(task: Task) -> list[str]:
    """Both responses as they are read, without their layout."""
    shown = (_TAG.sub(" ", str(task.data[f"response_{side}"])) for side in "ab")
    return [" ".join(unescape(text).split()) for text in shown]


def _words(texts: Iterable[str]) -> float:
    return sum(map(word_count, texts))


def _words_a_sentence(task: Task) -> float:
    texts = responses_of(task)
    return _words(texts) / sum(max(1, len(SENTENCE_END.findall(text))) for text in texts)


def _shared(task: Task) -> float:
    one, other = (set(re.findall(r"\w+", text.lower())) for text in responses_of(task))
    return len(one & other) / max(1, len(one | other))


SIGNS: dict[str, Callable[[Task], float]] = {
    "number of posts": lambda task: len(posts_of(task)),
    "words of all posts": lambda task: _words(posts_of(task)),
    "line breaks in posts": lambda task: sum("\n" in post for post in posts_of(task)),
    "characters of the question": lambda task: len(str(task.data["question"])),
    "words of both responses": lambda task: _words(responses_of(task)),
    "characters of both responses": lambda task: sum(map(len, responses_of(task))),
    "words a sentence of the responses": _words_a_sentence,
    "paragraphs and list items of the responses": lambda task: sum(
        len(_BLOCK.findall(str(task.data[f"response_{side}"]))) for side in "ab"
    ),
    "share of words that both responses have": _shared,
}
