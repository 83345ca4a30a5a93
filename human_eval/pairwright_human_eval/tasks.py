"""The tasks that annotators see, and their assignment to annotators.

Nothing in a task says which response is which. Responses become safe HTML, posts and questions
plain text without invisible characters. The one name in a task is its opaque id.

An annotator with a preference task of a unit has no other preference or rubric task of it. One who
is asked about a user's aspects for a question is, if possible, not asked for that user's preference
on it elsewhere. Loads are kept even, and so is, for each annotator and domain, how often the chosen
response is shown as A.
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from pairwright.records import Pair, Post, content_id
from pairwright.retrieve import ranked
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright.text import visible
from pairwright_human_eval import records
from pairwright_human_eval.records import KINDS, Data, KeyedTask, Kind, Role, Study, Task
from pairwright_human_eval.safe_html import render_markdown
from pairwright_human_eval.units import Unit, swapped_units

NO_PASSAGE = "–"  # An aspect of the data may come without evidence.
REPEAT_AFTER = 15  # A repeat comes so many tasks after what it repeats, or later.
LATEST_MEAN = 0.55
"""The mean place of repeats, at most: they cannot come first, and would be known by coming last."""


class BlindUnit(NamedTuple):
    """A unit with its responses on their sides: what is common to all tasks of it."""

    seed: int
    """Seed of the study, which is secret: without it a task's id reveals nothing."""
    unit: Unit
    swapped: bool
    """Whether A is the unit's second response."""

    @property
    def responses(self) -> tuple[str, str]:
        """Responses in the places A and B."""
        asked = self.unit.asked
        return (asked.rejected, asked.chosen) if self.swapped else (asked.chosen, asked.rejected)

    def role(self, pair: Pair | None) -> Role:
        """Role of the response shown as A: for a pair, or else for the unit."""
        if pair is None:
            return "second" if self.swapped else "first"
        return "chosen" if pair.chosen == self.responses[0] else "rejected"

    def sign(self, pair: Pair | None) -> int:
        """1 if the chosen response is shown as A, -1 as B, 0 if neither is to be preferred."""
        if pair is None or self.unit.label == "equal":
            return 0
        return 1 if self.role(pair) == "chosen" else -1


def blind_task(
    page: BlindUnit, kind: Kind, pair: Pair | None, annotator: str, rules: PlanRules, round: int = 1
) -> Task:
    """A task of an annotator on a unit, or on one of its pairs.

    quality     how good is each response to a typical person? (no pair)
    preference  which answer would this person find more useful?
    rubric      does what the user wrote carry each aspect, and which response delivers it?
    """
    unit, (a, b) = page.unit, page.responses
    about = (kind, str(round), unit.id, pair.id if pair else "", a, b)
    data: Data = {
        "task": content_id("task", str(page.seed), annotator, *about),
        "question": visible(unit.asked.question),
        "response_a": render_markdown(a),
        "response_b": render_markdown(b),
    }
    aspects = pair.rubric.aspects if pair and kind == "rubric" else ()
    if pair:
        posts, told = best_posts(pair, rules), pair.narrative
        if kind == "rubric" and pair.rubric.inferable:  # Aspects of the data name no posts.
            named = {post for aspect in aspects for post in aspect.post_ids}
            posts, told = tuple(post for post in pair.profile if post.id in named), None
        data["posts"] = [
            {"when": (post.created or "")[:10], "text": visible(post.text)} for post in posts
        ]
        if kind == "rubric":
            rows = [(visible(one.aspect), visible(one.evidence) or NO_PASSAGE) for one in aspects]
            data["narrative"] = [{"text": visible(told)}] if told else []
            data["aspects"] = [{"text": text, "quote": quote} for text, quote in rows]
    keyed = KeyedTask(
        task=str(data["task"]), kind=kind, purpose="vote", round=round, annotator=annotator,
        unit=unit.id, pair=pair.id if pair else "", label=unit.label, a=page.role(pair),
        aspects=len(aspects), data_hash=records.digest(data)
    )  # fmt: skip
    return Task(data, keyed)


def best_posts(pair: Pair, rules: PlanRules) -> tuple[Post, ...]:
    """The posts to show, best ranked first, as many as the planner was shown at most."""
    return ranked(pair.question, pair.profile, "bm25")[: rules.posts]


def people_for(kind: Kind, overlap: int, rules: HumanRules) -> int:
    needed = {"quality": rules.quality_votes, "rubric": rules.rubric_votes}
    return max(overlap, needed.get(kind, rules.votes))


def possible_overlap(units: Iterable[Unit], people: int, overlap: int, rules: HumanRules) -> int:
    """The overlap, or as much of it as the people allow: nobody votes and is told the aspects."""
    shapes = {(len(unit.pairs), unit.has_aspects) for unit in units}

    def needed(n: int) -> int:
        quality, votes, rubric = (people_for(kind, n, rules) for kind in KINDS)
        return max(quality, *(votes * pairs + rubric * aspects for pairs, aspects in shapes))

    return next(n for n in range(overlap, -1, -1) if not n or needed(n) <= people)


def make_tasks(units: Sequence[Unit], study: Study, planner: PlanRules) -> dict[str, list[Task]]:
    """Tasks of every annotator, in the order they are to be done."""
    swapped, dealer = swapped_units(units, study.seed), _Dealer(study)
    given: dict[str, list[Task]] = {who: [] for who in study.annotators}
    for unit in sorted(units, key=lambda one: content_id("order", str(study.seed), one.id)):
        page = BlindUnit(study.seed, unit, unit.id in swapped)
        for who, kind, about in dealer.deal(page):
            given[who].append(blind_task(page, kind, about, who, planner))
    return {who: _ordered(who, tasks, study) for who, tasks in given.items()}


class _Dealer:
    """Deals the work on one unit after the other out to annotators, and keeps it even."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._loads: Counter[tuple[str, Kind]] = Counter()
        self._lean: Counter[tuple[str, str]] = Counter()
        """Chosen as A less chosen as B, by annotator and domain."""
        self._met: set[tuple[str, Kind, str, str]] = set()
        """Annotator, kind, question and the user it was about."""

    def deal(self, page: BlindUnit) -> Iterator[tuple[str, Kind, Pair | None]]:
        """The tasks of a unit by annotator. Those who have rated fewest rate its quality. The
        preferences, and the aspects of all its pairs, go to one person each."""
        study, unit, policy = self._study, page.unit, self._study.policy
        quality, votes, rubric = (people_for(kind, study.overlap, policy) for kind in KINDS)
        chance = random.Random(content_id("quality", str(study.seed), unit.id))
        loads = {who: (self._loads[who, "quality"], chance.random()) for who in study.annotators}
        for who in sorted(loads, key=loads.__getitem__)[:quality]:
            self._loads[who, "quality"] += 1
            yield who, "quality", None
        seats: list[Pair | None] = [pair for pair in unit.pairs for _ in range(votes)]
        seats += [None] * rubric * unit.has_aspects
        chance = random.Random(content_id("assign", str(study.seed), unit.id))
        cost = [
            [self._cost(who, pair, page) + chance.random() for pair in seats]
            for who in study.annotators
        ]
        for row, n in zip(*linear_sum_assignment(np.array(cost)), strict=True):
            who, pair = study.annotators[row], seats[n]
            kind: Kind = "preference" if pair else "rubric"
            self._loads[who, kind] += 1
            self._lean[who, unit.domain] += page.sign(pair)
            for about in [pair] if pair else unit.pairs:
                self._met.add((who, kind, unit.asked.item_id, about.user))
                yield who, kind, about

    def _cost(self, who: str, pair: Pair | None, page: BlindUnit) -> float:
        """Cost of asking an annotator for a preference, or for aspects."""
        # A task too many weighs as much as one step out of balance. No load outweighs telling
        # somebody the aspects of a user whose preference they are asked for.
        kind: Kind = "preference" if pair else "rubric"
        other: Kind = "rubric" if pair else "preference"
        unit, met = page.unit, self._met
        users = {one.user for one in ([pair] if pair else unit.pairs)}
        told = sum((who, other, unit.asked.item_id, user) in met for user in users)
        lean = page.sign(pair) * self._lean[who, unit.domain]
        return 1e6 * told + 4.0 * (self._loads[who, kind] + lean)


def _ordered(who: str, tasks: list[Task], study: Study) -> list[Task]:
    """An annotator's tasks in a seeded order, the preferences last and some of them repeated: none
    if few are left and its place would reveal it."""
    chance = random.Random(content_id("tasks", str(study.seed), who))
    chance.shuffle(tasks)
    asked = [task for task in tasks if task.keyed.kind == "preference"]
    again: set[str] = set()
    for _ in range(math.ceil(study.policy.repeats * len(asked))):
        left = [
            (at, task)
            for at, task in enumerate(asked)
            if task.keyed.purpose == "vote" and task.keyed.task not in again
        ]
        n = len(asked) + 1
        latest = min(n - 1, round(2 * LATEST_MEAN * n) - REPEAT_AFTER)
        earliest = REPEAT_AFTER + (left[0][0] if left else n)
        if latest < earliest:
            break
        place = chance.randint(earliest, latest)
        task = chance.choice([task for at, task in left if at <= place - REPEAT_AFTER])
        again.add(task.keyed.task)
        a, b = task.data["response_a"], task.data["response_b"]
        name = content_id("task", str(study.seed), task.keyed.task, "repeat")
        data = task.data | {"task": name, "response_a": b, "response_b": a}
        changes = {"task": name, "purpose": "repeat", "a": records.OTHER[task.keyed.a]}
        changes["data_hash"] = records.digest(data)
        asked.insert(place, Task(data, KeyedTask(**dict(task.keyed) | changes)))
    return [*(task for task in tasks if task.keyed.kind != "preference"), *asked]
