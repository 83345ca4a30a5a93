"""The text that a planner is trained to write for gold aspects, and its way back.

`plan`: the JSON that our own planners reply with, so that the trained model can be put in any
planner's place. `lamp-qa`: LaMP-QA's list, which names no posts.

Gold aspects were extracted from the user's narrative, which a planner never sees, and name no post.
A reply must: each aspect rests on a passage of a post that was shown. So for `plan` each gold
aspect is held against those posts, and one without a passage is not asked of the planner: it would
teach to make evidence up. What a build would drop of the reply is not trained on either.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from pairwright import text
from pairwright.models import parse
from pairwright.records import GoldAspect
from pairwright.settings.template import guard
from pairwright.stages.aspect_list import format_aspects, parse_aspects
from pairwright.stages.history import PromptPosts
from pairwright.stages.planner import (
    MAX_PLANNED,
    PlannedAspect,
    PlannedPassage,
    PlanReply,
    sifted,
    wrong,
)

Form = Literal["plan", "lamp-qa"]
LEAST_CARRIED = 0.25
"""Share of an aspect's content words that a passage must hold to carry it."""
PASSAGE_WORDS = 30
"""A longer sentence is looked at in pieces of this length."""
NO_PASSAGE = "no_passage_in_posts"
TOO_MANY = "more_than_asked_for"
_SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?]+(?=\s|$)|$)", re.MULTILINE)


class PlanTarget(NamedTuple):
    """What is to be written, and the gold aspects that are not in it, by reason."""

    text: str
    aspects: int
    dropped: dict[str, int]


class Passage(NamedTuple):
    """Where a post carries an aspect, and the share of the aspect's content words it holds."""

    label: str
    words: str
    share: float


def target(
    form: Form,
    question: str,
    gold: Sequence[GoldAspect],
    shown: PromptPosts,
) -> PlanTarget:
    """What a planner that was shown these posts is to write; of no aspects where none can be."""
    if form == "lamp-qa":
        names = tuple(dict.fromkeys(" ".join(aspect.aspect.split()) for aspect in gold))
        repeated = {"repeats_another_aspect": len(gold) - len(names)}
        return PlanTarget(
            format_aspects(names), len(names), {k: n for k, n in repeated.items() if n}
        )
    dropped: Counter[str] = Counter()
    passages: dict[str, Passage] = {}
    reasons: dict[str, str] = {}
    for aspect in gold:
        name = " ".join(aspect.aspect.split())
        passage = carrying(name, question, shown)
        if name in passages:
            dropped["repeats_another_aspect"] += 1
        elif passage is None:
            dropped[NO_PASSAGE] += 1
        else:
            passages[name], reasons[name] = passage, aspect.reason
    # Those that a post carries most plainly come first, and stay where there are too many.
    carried = sorted(passages, key=lambda name: -passages[name].share)
    candidates = {name: _planned(name, reasons[name], passages[name]) for name in carried}
    language = _language(question, shown)
    plan = sifted(PlanReply(aspects=list(candidates.values())), question, shown, language)
    dropped.update(aspect.reason for aspect in plan.dropped)
    passed = [candidates[aspect.aspect] for aspect in plan.aspects]
    if over := len(passed) - MAX_PLANNED:
        dropped.update({TOO_MANY: max(0, over)})
    target = PlanReply(aspects=passed[:MAX_PLANNED])
    counted = {reason: n for reason, n in sorted(dropped.items()) if n > 0}
    return PlanTarget(target.model_dump_json(), len(target.aspects), counted)


def aspects_of(
    form: Form, plan_text: str, question: str, shown: PromptPosts
) -> tuple[str, ...] | None:
    """The aspects of a planner's text that pass the rules; None for a text that cannot be read."""
    if form == "lamp-qa":
        return parse_aspects(plan_text)
    reply = parse(plan_text, PlanReply)
    if isinstance(reply, str) or wrong(reply):
        return None
    plan = sifted(reply, question, shown, _language(question, shown))
    return tuple(aspect.aspect for aspect in plan.aspects)


def carrying(aspect: str, question: str, shown: PromptPosts) -> Passage | None:
    """The passage of the shown posts that holds most of an aspect's content words, those of the
    question left out; of equal ones the shortest. None where none holds `LEAST_CARRIED` of them."""
    language = _language(question, shown)
    wanted = text.terms(aspect, language) - text.terms(question, language)
    if not wanted:
        return None
    passages = [
        Passage(f"p{n}", passage, len(wanted & text.terms(passage, language)) / len(wanted))
        for n, post in enumerate(shown.posts, start=1)
        for passage in _passages(guard(post.text))
    ]
    best = max(
        passages, key=lambda candidate: (candidate.share, -len(candidate.words)), default=None
    )
    return best if best and best.share >= LEAST_CARRIED else None


def _language(question: str, shown: PromptPosts) -> str | None:
    return text.language_of(question, *(post.text for post in shown.posts))


def _planned(name: str, reason: str, passage: Passage) -> PlannedAspect:
    # Gold aspects do not say how they follow from posts: what a passage holds in full is stated.
    return PlannedAspect(
        aspect=name,
        reason=" ".join(reason.split()),
        evidence=[PlannedPassage(post=passage.label, passage=passage.words)],
        follows="stated" if passage.share == 1 else "inferred",
    )


def _passages(post: str) -> Iterator[str]:
    """Sentences, verbatim; long ones in pieces."""
    for sentence in _SENTENCE.finditer(post):
        words = list(re.finditer(r"\S+", sentence.group()))
        for first in range(0, len(words), PASSAGE_WORDS):
            piece = words[first : first + PASSAGE_WORDS]
            if len(piece) > 1:
                yield sentence.group()[piece[0].start() : piece[-1].end()]
