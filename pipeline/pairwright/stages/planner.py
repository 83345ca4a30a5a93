"""Plan: infer what one user expects in an answer, from the question and earlier posts.

The planner's list is sifted without a model: each passage of the evidence must be in the post it
names, an aspect is about content, distinct, and not a restatement of the question. What is dropped
is kept with its reason. Nothing that the planner says of its own certainty is asked for.
"""

from typing import NamedTuple

from pairwright import text
from pairwright.gates.phrases import is_about_manner
from pairwright.models import Model, Reply
from pairwright.records import Aspect, Dropped, DroppedAspect, Follows, Post
from pairwright.settings.prompt import guard
from pairwright.stages.question import PromptPosts, Question, with_history


class PlannedPassage(Reply):
    post: str
    """The label of a post in the prompt, such as `p2`."""
    passage: str


class PlannedAspect(Reply):
    aspect: str
    reason: str
    evidence: list[PlannedPassage]
    follows: Follows


class PlanReply(Reply):
    aspects: list[PlannedAspect]


class PlanBlindReply(Reply):
    aspects: list[str]


class Plan(NamedTuple):
    """The aspects that pass the rules, in the planner's order; those dropped; and what was read."""

    aspects: tuple[Aspect, ...]
    dropped: tuple[DroppedAspect, ...]
    shown: PromptPosts


MAX_PLANNED = 4
MAX_PASSAGES = 4
MAX_WORDS = 25
"""Words of an aspect: 15 are asked for, and a writer must not get a post through one."""


def plan_values(question: Question) -> dict[str, object]:
    """The values of the prompt `plan` other than the posts and the question."""
    return {
        "max_aspects": MAX_PLANNED, "words": question.words, **question.guidance._asdict()
    }  # fmt: skip


async def plan(question: Question, posts: tuple[Post, ...], planner: Model) -> Plan | Dropped:
    """The planner's aspects for a user with these posts, oldest first, in the question's language.

    A possible partner is planned for in the same call as the partner of a twin."""
    reply, shown = await with_history(
        question,
        "plan",
        posts,
        lambda ask: planner.answer(ask, PlanReply, wrong),
        **plan_values(question),
    )
    if isinstance(reply, Dropped):
        return reply
    return sifted(reply, question.text, shown, question.language)


def sifted(reply: PlanReply, question: str, shown: PromptPosts, language: str | None) -> Plan:
    """The aspects of a planner's reply that pass the rules, without a model."""
    passed: list[Aspect] = []
    dropped: list[DroppedAspect] = []
    for planned in reply.aspects:
        named = [shown.post(passage.post) for passage in planned.evidence]
        posts = list(dict.fromkeys(post for post in named if post))
        aspect = Aspect(
            aspect=" ".join(planned.aspect.split()),
            reason=" ".join(planned.reason.split()),
            # One passage a line.
            evidence="\n".join(" ".join(one.passage.split()) for one in planned.evidence),
            post_ids=tuple(post.id for post in posts),
            follows=planned.follows,
        )
        why = _unfounded(planned, named) or _unfit(aspect, posts, question, passed, language)
        if why:
            dropped.append(DroppedAspect(aspect=aspect, reason=why))
        else:
            passed.append(aspect)
    return Plan(tuple(passed), tuple(dropped), shown)


async def plan_blind(question: Question, planner: Model) -> tuple[str, ...] | Dropped:
    """The expectations of any asker of the question: the rubric without a history."""
    ask = question.ask("plan_blind", max_aspects=2 * MAX_PLANNED)
    reply = await planner.answer(ask, PlanBlindReply)
    return reply if isinstance(reply, Dropped) else tuple(reply.aspects)


def _as_shown(post: str) -> str:
    """A post as the planner read it, for finding a quote again."""
    return text.normalised(guard(post))


def _copied(aspect: str, posts: list[Post], question: str) -> bool:
    """Whether five words of an aspect are in a post it names, and not in the question."""
    aspect, question = text.normalised(aspect), text.normalised(question)
    words, between = aspect.split(), " "
    length = text.run_length(aspect, 5)
    if length > 5:
        # Without spaces it is characters in a row that are looked for.
        words, between, length = list(aspect), "", length + 1
    runs = [between.join(words[n : n + length]) for n in range(len(words) - length + 1)]
    read = [_as_shown(post.text) for post in posts]
    return any(run in post for run in runs if run not in question for post in read)


def wrong(reply: PlanReply) -> str | None:
    """The reason that a reply of the right form cannot be used, or None."""
    if len(reply.aspects) > MAX_PLANNED:
        return f"{len(reply.aspects)} aspects, at most {MAX_PLANNED} were asked for"
    for aspect in reply.aspects:
        if not aspect.aspect.strip():
            return "an aspect without text"
        if not 1 <= len(aspect.evidence) <= MAX_PASSAGES:
            return f"{len(aspect.evidence)} passages for an aspect, 1 to {MAX_PASSAGES} were due"
    return None


def _unfounded(planned: PlannedAspect, named: list[Post | None]) -> str | None:
    """The reason that an aspect's named posts do not hold its evidence, or None if they do."""
    for passage, post in zip(planned.evidence, named, strict=True):
        if post is None:
            return "names_no_shown_post"
        quote = text.bare_quote(passage.passage)
        if text.word_count(quote) < 2 or quote not in _as_shown(post.text):
            return "evidence_not_in_post"
    if planned.follows == "pattern" and len(set(named)) < 2:
        return "pattern_of_one_post"
    return None


def _unfit(
    aspect: Aspect,
    posts: list[Post],
    question: str,
    earlier: list[Aspect],
    language: str | None,
) -> str | None:
    if text.word_count(aspect.aspect) > MAX_WORDS:
        return "too_long"
    if _copied(aspect.aspect, posts, question):
        return "copied_from_post"
    if is_about_manner(aspect.aspect):
        return "not_about_content"
    own = text.terms(aspect.aspect, language)
    if not own or len(own & text.terms(question, language)) / len(own) >= 0.8:
        return "restates_the_question"
    if any(text.jaccard(own, text.terms(other.aspect, language)) >= 0.6 for other in earlier):
        return "repeats_another_aspect"
    return None
