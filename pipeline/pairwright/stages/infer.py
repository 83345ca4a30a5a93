"""Infer a rubric: plan, and drop every aspect that is not this user's own.

Four checks on the planner's aspects, all over the same question: do the posts carry it (support),
does a generic answer already meet it, does the rubric without a history contain it, and do other
users' rubrics? The last two cost most, other users' plans above all: they are asked only if an
aspect is left. With fewer than `min_aspects` left there is not enough of a personal signal."""

import random

from pairwright.models import Model, Models, together
from pairwright.records import (
    FULL_ADHERENCE,
    Adherence,
    Aspect,
    Dropped,
    DroppedAspect,
    Post,
    Rubric,
    content_id,
)
from pairwright.settings.rules import most_aspects
from pairwright.stages.judges import SupportCase, adherence, match, support
from pairwright.stages.planner import Plan, plan, plan_blind
from pairwright.stages.question import Question
from pairwright.stages.writer import write_plain

OTHERS_SHARE = 0.2
"""An aspect of more of the other users' rubrics is generic."""
AT_ONCE = 2
"""Other users who are planned before it is known whether one of them shows a signal."""
Histories = tuple[tuple[Post, ...], ...]


async def plan_others(
    question: Question, histories: Histories, planner: Model
) -> tuple[Plan | Dropped, ...]:
    """The plans of other users, two at a time until one shows a signal: that user could be the
    partner, and the plans tell what is generic."""
    plans = list[Plan | Dropped]()
    for n in range(0, len(histories), AT_ONCE):
        step = histories[n : n + AT_ONCE]
        plans += await together(*(plan(question, posts, planner) for posts in step))
        if any(shows_signal(question, plan) for plan in plans):
            break
    return tuple(plans)


def shows_signal(question: Question, plan: Plan | Dropped) -> bool:
    """Whether a plan has aspects enough for a rubric."""
    return isinstance(plan, Plan) and len(plan.aspects) >= question.rules.min_aspects


async def infer_rubric(
    question: Question, user: str, posts: tuple[Post, ...], others: Histories, models: Models
) -> Rubric | Dropped:
    """The expectations of a user, known by `posts`, for an answer to the question, or the reason
    that no personal ones are known. `others` are the histories of other users, in the order in
    which they are planned for comparison."""
    least = question.rules.min_aspects
    if not posts:
        return _no_signal(user, (), ())
    own = await plan(question, posts, models.planner)
    if isinstance(own, Dropped):
        return Dropped(stage=own.stage, reason=own.reason, detail=own.detail, user=user)
    if len(own.aspects) < least:
        return _no_signal(user, own.aspects, own.dropped)

    answer, carried = await together(
        write_plain(question, models.generator),
        _supported(question, user, own, others, models.judge),
    )
    if isinstance(answer, Dropped):
        return answer
    if isinstance(carried, Dropped):
        return carried
    met = await adherence(question, answer, own.aspects, models.judge)
    if isinstance(met, Dropped):
        return met
    unfit = [_unneeded(n, met, carried) for n in range(len(own.aspects))]
    if unfit.count(None) < least:
        return _no_signal(user, *_sift(own, unfit, len(unfit)))

    blind, other_plans = await together(
        plan_blind(question, models.planner), plan_others(question, others, models.planner)
    )
    if isinstance(blind, Dropped):
        return blind
    # Another user's rubric that could not be read is not evidence either way.
    read = [tuple(a.aspect for a in p.aspects) for p in other_plans if not isinstance(p, Dropped)]
    names = [aspect.aspect for aspect in own.aspects]
    # A plan without aspects counts as one that lacks them all; the judge need not read it.
    found_in = await match(question, names, [blind, *filter(None, read)], models.judge)
    if isinstance(found_in, Dropped):
        return found_in
    unfit = [why or _shared(found, len(read)) for why, found in zip(unfit, found_in, strict=True)]
    personal, dropped = _sift(own, unfit, most_aspects(question.words))
    if len(personal) < least:
        return _no_signal(user, personal, dropped)
    return Rubric(
        question_id=question.id,
        user=user,
        origin="planner",
        aspects=personal,
        dropped=dropped,
        shown=tuple(post.id for post in own.shown.posts),
    )


_Why = tuple[str, str]
"""The reason that an aspect is not this user's own, and the evidence."""


def _unneeded(n: int, met: Adherence, carried: tuple[SupportCase, ...]) -> _Why | None:
    if carried[n].verdict != "carried":
        return f"support_{carried[n].verdict}", carried[n].reason
    if met.scores[n].score == FULL_ADHERENCE:
        return "generic_answer_meets_it", met.scores[n].reason
    return None


def _shared(found_in: frozenset[int], others: int) -> _Why | None:
    if 0 in found_in:
        return "expected_without_history", "the rubric without a history contains it"
    if others and len(found_in) / others > OTHERS_SHARE:
        return "expected_by_others", f"{len(found_in)} of {others} other users' rubrics contain it"
    return None


def _sift(
    own: Plan, unfit: list[_Why | None], most: int
) -> tuple[tuple[Aspect, ...], tuple[DroppedAspect, ...]]:
    """The aspects that are this user's own, `most` at most, and all that were dropped."""
    personal: list[Aspect] = []
    dropped = list(own.dropped)
    for aspect, why in zip(own.aspects, unfit, strict=True):
        if why is None and len(personal) == most:
            why = ("over_the_word_limit", f"{most} aspects are used at this length")
        if why:
            dropped.append(DroppedAspect(aspect=aspect, reason=why[0], detail=why[1]))
        else:
            personal.append(aspect)
    return tuple(personal), tuple(dropped)


async def _supported(
    question: Question, user: str, own: Plan, others: Histories, judge: Model
) -> tuple[SupportCase, ...] | Dropped:
    """The verdicts of the support judge.

    A seeded share of rubrics is judged again with posts of other users instead of the true ones.
    The answers decide nothing: they show in the manifest what the judge is worth.
    """
    by_id = {post.id: post for post in own.shown.posts}
    cases = [(aspect, tuple(by_id[id] for id in aspect.post_ids)) for aspect in own.aspects]
    chance = random.Random(content_id("control", question.id, user))
    strangers = [post for history in others for post in history]
    asked = [support(question, cases, judge)]
    if strangers and chance.random() < question.rules.support_control:
        shuffled = [
            (aspect, tuple(chance.sample(strangers, min(len(posts), len(strangers)))))
            for aspect, posts in cases
        ]
        asked.append(support(question, shuffled, judge, name="support_control"))
    return (await together(*asked))[0]


def _no_signal(
    user: str, personal: tuple[Aspect, ...], dropped: tuple[DroppedAspect, ...]
) -> Dropped:
    return Dropped(
        stage="plan",
        reason="no_personal_signal",
        detail=f"{len(personal)} aspects left",
        user=user,
        aspects=personal,
        dropped=dropped,
    )
