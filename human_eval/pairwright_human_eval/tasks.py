"""The tasks that annotators see. Nothing in them says which response is which.

Responses become safe HTML, posts and questions plain text without invisible characters. The one
name in a task is its opaque id; everything else about it is in the private key.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.errors import InputError
from pairwright.records import Pair, Post, content_id
from pairwright.retrieve import ranked
from pairwright.settings.rules import PlanRules
from pairwright.text import visible
from pairwright_human_eval.records import (
    OTHER,
    Data,
    KeyedTask,
    Kind,
    Label,
    Place,
    Purpose,
    Role,
    digest,
)
from pairwright_human_eval.safe_html import render_markdown
from pairwright_human_eval.units import Unit, label_of

NO_PASSAGE = "–"
"""Where an aspect of the data comes without evidence."""


class Task(NamedTuple):
    """A task's data as annotators see it, and its line in the key."""

    data: Data
    keyed: KeyedTask


class BlindUnit(NamedTuple):
    """What is common to all tasks of a unit: the question, and which response is A."""

    seed: int
    """The study's, which is secret: without it a task's id says nothing."""
    unit: str
    label: Label
    question: str
    a: str
    b: str
    swapped: bool
    """Whether A is the unit's second response."""

    def role(self, pair: Pair | None) -> Role:
        """What the response shown as A is: for a pair, or else for the unit."""
        if pair is None:
            return "second" if self.swapped else "first"
        return "chosen" if pair.chosen == self.a else "rejected"


def page_of(unit: Unit, seed: int, swap: bool) -> BlindUnit:
    a, b = (unit.second, unit.first) if swap else (unit.first, unit.second)
    return BlindUnit(seed, unit.id, label_of(unit.asked), unit.asked.question, a, b, swap)


def expected_of(pair: Pair, page: BlindUnit) -> Place | None:
    """Where the chosen response is shown; none of a placebo, whose label is drawn."""
    if page.label == "equal":
        return None
    return "A" if page.role(pair) == "chosen" else "B"


def quality_task(page: BlindUnit, annotator: str) -> Task:
    return _task(page, annotator, "quality", None)


def preference_task(page: BlindUnit, pair: Pair, annotator: str, rules: PlanRules) -> Task:
    """Which answer would this person find more useful?"""
    posts = _posts(best_posts(pair.question, pair.profile, rules))
    return _task(page, annotator, "preference", pair, posts=posts)


def rubric_task(page: BlindUnit, pair: Pair, annotator: str, rules: PlanRules) -> Task:
    """Does what the user wrote carry each aspect, and which response delivers it?"""
    aspects = pair.rubric.aspects
    named = {post for aspect in aspects for post in aspect.post_ids}
    if lost := named - {post.id for post in pair.profile}:
        raise InputError(
            f"an aspect rests on the post {min(lost)!r}, which is not in the profile",
            where=pair.id,
            fix="Build again: the pair was changed or made by another version.",
        )
    return _task(
        page, annotator, "rubric", pair,
        posts=_posts(
            [post for post in pair.profile if post.id in named]
            if pair.rubric.inferable
            # Aspects that no planner inferred name no posts.
            else best_posts(pair.question, pair.profile, rules)
        ),
        narrative=[] if pair.rubric.inferable else _narrative(pair),
        aspects=[
            {"text": visible(aspect.aspect), "quote": visible(aspect.evidence) or NO_PASSAGE}
            for aspect in aspects
        ],
    )  # fmt: skip


def repeated(task: Task, seed: int) -> Task:
    """The same task once more, with the responses in each other's place."""
    data = task.data
    swapped: Data = {"response_a": data["response_b"], "response_b": data["response_a"]}
    return _again(
        task, seed, "repeat", data=swapped, purpose="repeat", a=OTHER[task.keyed.a]
    )  # fmt: skip


def adjudication(task: Task, adjudicator: str, earlier: tuple[str, ...], seed: int) -> Task:
    """The same task for an adjudicator, with what others answered."""
    shown: Data = {"earlier": [{"text": line} for line in earlier]}
    return _again(
        task, seed, "adjudication", adjudicator, data=shown, annotator=adjudicator, round=2
    )


def _again(task: Task, seed: int, *why: str, data: Data, **changes: object) -> Task:
    """The task under another name, with other `data`, and with `changes` to its line of the key."""
    name = content_id("task", str(seed), task.keyed.task, *why)
    shown = {**task.data, **data, "task": name}
    changes |= {"task": name, "data_hash": digest(shown)}
    return Task(shown, KeyedTask(**dict(task.keyed) | changes))


def best_posts(question: str, posts: tuple[Post, ...], rules: PlanRules) -> tuple[Post, ...]:
    """The posts to show, best ranked first, as many as the planner was shown at most."""
    return ranked(question, posts, _lexical(rules))[: rules.posts]


@lru_cache(maxsize=8)
def _lexical(rules: PlanRules) -> PlanRules:
    return PlanRules(**dict(rules) | {"retrieval": "bm25"})


def when(post: Post) -> str:
    """The day a post was written, where it is known."""
    return (post.created or "")[:10]


def _posts(posts: Iterable[Post]) -> list[JsonValue]:
    return [{"when": when(post), "text": visible(post.text)} for post in posts]


def _narrative(pair: Pair) -> list[JsonValue]:
    return [{"text": visible(pair.narrative)}] if pair.narrative else []


def _task(
    page: BlindUnit, annotator: str, kind: Kind, pair: Pair | None, **shown: JsonValue
) -> Task:
    purpose: Purpose = "vote"
    about = (page.unit, pair.id if pair else "")
    name = content_id("task", str(page.seed), annotator, kind, purpose, *about, page.a, page.b)
    data: Data = {
        "task": name,
        "question": visible(page.question),
        "response_a": render_markdown(page.a),
        "response_b": render_markdown(page.b),
        **shown,
    }
    keyed = KeyedTask(
        task=name, kind=kind, purpose=purpose, round=1, annotator=annotator, unit=page.unit,
        pair=pair.id if pair else "", label=page.label, a=page.role(pair),
        aspects=len(pair.rubric.aspects) if pair and kind == "rubric" else 0,
        data_hash=digest(data),
    )  # fmt: skip
    return Task(data, keyed)
