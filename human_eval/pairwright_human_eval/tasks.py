"""The tasks that annotators see. Nothing in them says which response is which.

Responses become safe HTML, posts and questions plain text without invisible characters. The one
name in a task is its opaque id; everything else about it is in the private key.
"""

from collections.abc import Iterable
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.records import Pair, Post, content_id
from pairwright.retrieve import ranked
from pairwright.settings.rules import PlanRules
from pairwright.text import visible
from pairwright_human_eval.records import OTHER, Data, KeyedTask, Kind, Role, digest
from pairwright_human_eval.safe_html import render_markdown
from pairwright_human_eval.units import Unit

NO_PASSAGE = "–"
"""Where an aspect of the data comes without evidence."""


class Task(NamedTuple):
    """A task's data as annotators see it, and its line in the key."""

    data: Data
    keyed: KeyedTask


class BlindUnit(NamedTuple):
    """A unit with its responses on their sides: what is common to all tasks of it."""

    seed: int
    """The study's, which is secret: without it a task's id says nothing."""
    unit: Unit
    swapped: bool
    """Whether A is the unit's second response."""

    @property
    def responses(self) -> tuple[str, str]:
        """A and B."""
        asked = self.unit.asked
        first, second = asked.chosen, asked.rejected
        return (second, first) if self.swapped else (first, second)

    def role(self, pair: Pair | None) -> Role:
        """What the response shown as A is: for a pair, or else for the unit."""
        if pair is None:
            return "second" if self.swapped else "first"
        return "chosen" if pair.chosen == self.responses[0] else "rejected"


def quality_task(page: BlindUnit, annotator: str, round: int = 1) -> Task:
    """How good is each response to a typical person?"""
    return _task(page, annotator, "quality", None, {}, round)


def preference_task(
    page: BlindUnit, pair: Pair, annotator: str, rules: PlanRules, round: int = 1
) -> Task:
    """Which answer would this person find more useful?"""
    shown: Data = {"posts": _posts(best_posts(pair, rules))}
    return _task(page, annotator, "preference", pair, shown, round)


def rubric_task(page: BlindUnit, pair: Pair, annotator: str, rules: PlanRules) -> Task:
    """Does what the user wrote carry each aspect, and which response delivers it?"""
    aspects = pair.rubric.aspects
    named = {post for aspect in aspects for post in aspect.post_ids}
    rows: list[JsonValue] = [
        {"text": visible(aspect.aspect), "quote": visible(aspect.evidence) or NO_PASSAGE}
        for aspect in aspects
    ]
    posts = [post for post in pair.profile if post.id in named]
    narrative: list[JsonValue] = []
    if not pair.rubric.inferable:  # Aspects that no planner inferred name no posts.
        posts = [*best_posts(pair, rules)]
        narrative = [{"text": visible(pair.narrative)}] if pair.narrative else []
    shown: Data = {"posts": _posts(posts), "narrative": narrative, "aspects": rows}
    return _task(page, annotator, "rubric", pair, shown)


def _task(
    page: BlindUnit, annotator: str, kind: Kind, pair: Pair | None, shown: Data, round: int = 1
) -> Task:
    unit, (a, b) = page.unit, page.responses
    about = (kind, str(round), unit.id, pair.id if pair else "", a, b)
    name = content_id("task", str(page.seed), annotator, *about)
    data: Data = {
        "task": name,
        "question": visible(unit.asked.question),
        "response_a": render_markdown(a),
        "response_b": render_markdown(b),
        **shown,
    }
    keyed = KeyedTask(
        task=name,
        kind=kind,
        purpose="vote",
        round=round,
        annotator=annotator,
        unit=unit.id,
        pair=pair.id if pair else "",
        label=unit.label,
        a=page.role(pair),
        aspects=len(pair.rubric.aspects) if pair and kind == "rubric" else 0,
        data_hash=digest(data),
    )
    return Task(data, keyed)


def repeated(task: Task, seed: int) -> Task:
    """The same task once more, with the responses in each other's place."""
    name = content_id("task", str(seed), task.keyed.task, "repeat")
    data = task.data | {
        "task": name,
        "response_a": task.data["response_b"],
        "response_b": task.data["response_a"],
    }
    changes = {"task": name, "purpose": "repeat", "a": OTHER[task.keyed.a]}
    keyed = dict(task.keyed) | changes | {"data_hash": digest(data)}
    return Task(data, KeyedTask(**keyed))


def best_posts(pair: Pair, rules: PlanRules) -> tuple[Post, ...]:
    """The posts to show, best ranked first, as many as the planner was shown at most."""
    lexical = PlanRules(**dict(rules) | {"retrieval": "bm25"})
    return ranked(pair.question, pair.profile, lexical)[: rules.posts]


def _posts(posts: Iterable[Post]) -> list[JsonValue]:
    """The day of each post, where it is known, and its text."""
    return [{"when": (post.created or "")[:10], "text": visible(post.text)} for post in posts]
