"""Plan: infer what one user expects in an answer, from the question and earlier posts.

The planner's list is sifted without a model: evidence must stand in the post it names, an
aspect is about content, distinct, and not a restatement of the question. What is dropped is
kept with its reason.
"""

import re
from typing import NamedTuple

from pairwright import text
from pairwright.models import Model, Reply
from pairwright.records import Aspect, DroppedAspect, Post, Rejected
from pairwright.settings.prompt import Prompts, guard
from pairwright.settings.rules import PlanRules
from pairwright.stages.history import PromptPosts, with_history


class PlannedAspect(Reply):
    aspect: str
    reason: str
    evidence: str
    post_ids: list[str]
    confidence: float


class PlanReply(Reply):
    aspects: list[PlannedAspect]


class PlanBlindReply(Reply):
    aspects: list[str]


class Plan(NamedTuple):
    """The aspects that stand, surest first; those dropped; and what the planner read."""

    aspects: tuple[Aspect, ...]
    dropped: tuple[DroppedAspect, ...]
    shown: PromptPosts


MAX_PLANNED = 4
MAX_WORDS = 25
"""Words of an aspect: 15 are asked for, and a writer must not get a post through one."""
# Aspects about how an answer is written rather than what it says.
_MANNER = re.compile(
    r"\b((?:concise|brief|short|long|detailed|clear) (?:answer|response|reply|explanation|summary)"
    r"|bullet(?:ed)? (?:points?|list)|numbered (?:list|steps)|(?:in|using) markdown"
    r"|(?:polite|friendly|warm|formal|casual|humorous|encouraging|neutral) (?:tone|wording|voice)"
    r"|tone of the|style of writing|writing style|word limit|length of the (?:answer|response)"
    r"|easy to read|well[- ]structured|formatted (?:as|in|with))\b|^(?:be )?(?:concise|brief)\b",
    re.IGNORECASE,
)


async def plan(
    question: str,
    posts: tuple[Post, ...],
    planner: Model,
    prompts: Prompts,
    rules: PlanRules,
    *,
    kinds: tuple[str, ...],
    words: int,
) -> Plan | Rejected:
    """The planner's aspects for a user with these posts, oldest first."""
    reply, shown = await with_history(
        prompts,
        "plan",
        question,
        posts,
        rules,
        planner,
        lambda ask: planner.answer(ask, PlanReply, wrong),
        max_aspects=MAX_PLANNED,
        words=words,
        kinds=kinds,
    )
    if isinstance(reply, Rejected):
        return reply
    return sifted(reply, question, shown, rules.min_confidence)


def sifted(reply: PlanReply, question: str, shown: PromptPosts, min_confidence: float) -> Plan:
    """The aspects of a planner's reply that pass the rules, without a model."""
    stand: list[Aspect] = []
    dropped: list[DroppedAspect] = []
    for planned in sorted(reply.aspects, key=lambda a: -a.confidence):
        quote = text.normalised(planned.evidence).strip("\"' .")
        named = _named(planned, quote, shown)
        aspect = Aspect(
            aspect=" ".join(planned.aspect.split()),
            reason=" ".join(planned.reason.split()),
            evidence=planned.evidence.strip(),
            post_ids=tuple(post.id for post in named),
            confidence=planned.confidence,
        )
        if why := _unfit(aspect, quote, named, question, stand, min_confidence):
            dropped.append(DroppedAspect(aspect=aspect, reason=why))
        else:
            stand.append(aspect)
    return Plan(tuple(stand), tuple(dropped), shown)


async def plan_blind(question: str, planner: Model, prompts: Prompts) -> tuple[str, ...] | Rejected:
    """What just anyone who asks this would expect: the rubric without a history."""
    ask = prompts.ask("plan_blind", question=question, max_aspects=2 * MAX_PLANNED)
    reply = await planner.answer(ask, PlanBlindReply)
    return reply if isinstance(reply, Rejected) else tuple(reply.aspects)


def _named(planned: PlannedAspect, quote: str, shown: PromptPosts) -> list[Post]:
    """The shown posts that an aspect names, those that hold its evidence first."""
    posts = [post for label in planned.post_ids if (post := shown.post(label))]
    return sorted(posts, key=lambda post: quote not in _as_shown(post.text))


def _as_shown(post: str) -> str:
    """A post as the planner read it, for finding a quote again."""
    return text.normalised(guard(post))


def _copied(aspect: str, posts: list[Post], question: str) -> bool:
    """Whether five words of an aspect stand in a post it names, and not in the question."""
    words, asked = text.normalised(aspect).split(), text.normalised(question)
    runs = [" ".join(words[n : n + 5]) for n in range(len(words) - 4)]
    read = [_as_shown(post.text) for post in posts]
    return any(run in shown for run in runs if run not in asked for shown in read)


def wrong(reply: PlanReply) -> str | None:
    """Why a reply of the right form still cannot be used, or None."""
    if len(reply.aspects) > MAX_PLANNED:
        return f"{len(reply.aspects)} aspects, at most {MAX_PLANNED} were asked for"
    for aspect in reply.aspects:
        if not aspect.aspect.strip():
            return "an aspect without text"
        if not 0 <= aspect.confidence <= 1:
            return f"confidence {aspect.confidence} is not between 0 and 1"
    return None


def _unfit(
    aspect: Aspect,
    quote: str,
    posts: list[Post],
    question: str,
    earlier: list[Aspect],
    min_confidence: float,
) -> str | None:
    if not posts:
        return "names_no_shown_post"
    if len(quote.split()) < 2 or quote not in _as_shown(posts[0].text):
        return "evidence_not_in_post"
    if aspect.confidence is not None and aspect.confidence < min_confidence:
        return "low_confidence"
    if len(aspect.aspect.split()) > MAX_WORDS:
        return "too_long"
    if _copied(aspect.aspect, posts, question):
        return "copied_from_post"
    if _MANNER.search(aspect.aspect):
        return "not_about_content"
    own = text.terms(aspect.aspect)
    if not own or len(own & text.terms(question)) / len(own) >= 0.8:
        return "restates_the_question"
    if any(text.jaccard(own, text.terms(other.aspect)) >= 0.6 for other in earlier):
        return "repeats_another_aspect"
    return None
