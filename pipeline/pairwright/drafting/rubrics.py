"""Rubrics: the aspects that a user expects, inferred by the planner or given with the data."""

from pairwright.drafting.rules import BuildRules, Histories
from pairwright.models import Models
from pairwright.records import Aspect, Dropped, DroppedAspect, Item, Post, Rubric
from pairwright.stages.aspect_match import measure_planner
from pairwright.stages.infer import (
    PlanSettings,
    UserQuestion,
    infer_rubric,
    plan_once,
    plan_others,
)
from pairwright.stages.planner import Plan

_UNFOUNDED = frozenset({"support_far_fetched", "evidence_not_in_post", "names_no_shown_post"})
"""Reasons to drop an aspect that the posts do not carry. Any other dropped aspect is a need that
others have, too, and no response to it is plain for sure."""


async def rubric_of(item: Item, models: Models, rules: BuildRules) -> Rubric | Dropped:
    """The asker's rubric for the own question, by `aspects =` of the config."""
    if rules.rubric:
        return rules.rubric
    if rules.config.aspects == "gold":
        return _gold(item, rules)
    rubric = await plan_rubric(item, item.user, item.profile, models, rules)
    if isinstance(rubric, Rubric):
        await _measure(item, rubric, models, rules)
    return rubric


async def plan_rubric(
    item: Item, user: str, posts: tuple[Post, ...], models: Models, rules: BuildRules
) -> Rubric | Dropped:
    """What `user`, known by `posts`, would expect in an answer to the item's question: the posts
    are ranked by the question, aspects are planned from them, and those stay that the posts support
    and that others do not expect, too."""
    others = rules.others(item, user)
    question = UserQuestion(item.id, item.question, user, posts, others)
    return await infer_rubric(question, models, _plan_settings(item, rules))


async def plan_of(
    item: Item, posts: tuple[Post, ...], models: Models, rules: BuildRules
) -> Plan | Dropped:
    """What a planner finds in another user's posts for the item's question, before the checks that
    ask models."""
    return await plan_once(item.question, posts, models, _plan_settings(item, rules))


async def plans_of(
    item: Item, histories: Histories, models: Models, rules: BuildRules
) -> tuple[Plan | Dropped, ...]:
    """The plans of the first of these users for the item's question: those that a rubric for it is
    compared with."""
    return await plan_others(item.question, histories, models, _plan_settings(item, rules))


def no_rubric(item: Item, user: str) -> Rubric:
    """A rubric without aspects, for a pair whose label does not follow from any."""
    return Rubric(question_id=item.id, user=user, origin=None, aspects=())


def says_nothing(found: Rubric | Plan | Dropped) -> bool:
    """Whether the posts contain nothing on the question, by a plan or by what came of a rubric."""
    if isinstance(found, Dropped) and found.reason != "no_personal_signal":
        return False
    return not found.aspects and all(one.reason in _UNFOUNDED for one in found.dropped)


def _plan_settings(item: Item, rules: BuildRules) -> PlanSettings:
    config = rules.config
    guidance, language = rules.guidance(item), rules.language(item)
    return PlanSettings(rules.prompts, config.planner, guidance, config.words, language)


def _gold(item: Item, rules: BuildRules) -> Rubric | Dropped:
    """The aspects that came with the item, as many as a response has room for; the paper's setting
    uses all of them."""
    config = rules.config
    aspects = tuple(
        Aspect(aspect=gold.aspect, reason=gold.reason, evidence=gold.evidence)
        for gold in item.rubric_aspects
    )
    if not aspects:
        detail = 'the item has no aspects: set aspects = "planner"'
        return Dropped(stage="gold", reason="no_gold_aspects", detail=detail)
    # The paper's setting uses every gold aspect; elsewhere two are the least that is a rubric.
    if config.gated and len(aspects) < config.planner.min_aspects:
        detail = f"{len(aspects)} in the data"
        return Dropped(stage="gold", reason="too_few_aspects", detail=detail)
    most = max(1, config.planner.per_100_words * config.words // 100)
    most = most if config.gated else len(aspects)
    over = (DroppedAspect(aspect=one, reason="over_the_word_limit") for one in aspects[most:])
    return Rubric(
        question_id=item.id,
        user=item.user,
        origin="gold",
        aspects=aspects[:most],
        dropped=tuple(over),
    )


async def _measure(item: Item, rubric: Rubric, models: Models, rules: BuildRules) -> None:
    gold = tuple(aspect.aspect for aspect in item.rubric_aspects)
    if gold and rules.config.planner.measure_against == "gold":
        names = tuple(aspect.aspect for aspect in rubric.aspects)
        await measure_planner(item.question, names, gold, models.judge, rules.prompts)
