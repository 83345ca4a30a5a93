"""Rubrics: the aspects that a user expects, inferred by the planner or given with the data."""

from pairwright.drafting.rules import BuildRules
from pairwright.models import Models
from pairwright.records import Aspect, Dropped, DroppedAspect, Item, Post, Rubric
from pairwright.settings.rules import most_aspects
from pairwright.stages.infer import Question, infer_rubric
from pairwright.stages.planner import Plan

_UNFOUNDED = frozenset({"support_far_fetched", "evidence_not_in_post", "names_no_shown_post"})
"""Reasons to drop an aspect that the posts do not carry. Any other dropped aspect is a need that
others have, too, and no response to it is plain for sure."""


async def rubric_of(
    item: Item,
    user: str,
    posts: tuple[Post, ...],
    models: Models,
    rules: BuildRules,
    planned: Rubric | None = None,
) -> Rubric | Dropped:
    """What `user`, known by `posts`, expects in an answer to the item's question: the rubric that
    is planned already; else that of the data, by `aspects =` of the config; else an inferred one.
    """
    if planned:
        return planned
    if rules.config.aspects == "gold":
        return _gold(item, rules)
    return await infer_rubric(
        question_of(item, rules), user, posts, rules.others(item, user), models
    )


def question_of(item: Item, rules: BuildRules) -> Question:
    """The item's question, as the planner is asked."""
    return Question(
        id=item.id,
        text=item.question,
        language=rules.language(item),
        guidance=rules.domains.guidance(item.domain),
        words=rules.config.words,
        rules=rules.config.planner,
        prompts=rules.prompts,
    )


def no_rubric(item: Item, user: str) -> Rubric:
    """A rubric without aspects, for a pair whose label does not follow from any."""
    return Rubric(question_id=item.id, user=user, origin=None, aspects=())


def says_nothing(found: Rubric | Plan | Dropped) -> bool:
    """Whether the posts contain nothing on the question, by a plan or a rubric's outcome."""
    if isinstance(found, Dropped) and found.reason != "no_personal_signal":
        return False
    return not found.aspects and all(one.reason in _UNFOUNDED for one in found.dropped)


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
    most = len(aspects)
    if config.gated:
        if most < config.planner.min_aspects:
            detail = f"{most} in the data"
            return Dropped(stage="gold", reason="too_few_aspects", detail=detail)
        most = most_aspects(config.words)
    over = (DroppedAspect(aspect=one, reason="over_the_word_limit") for one in aspects[most:])
    return Rubric(
        question_id=item.id,
        user=item.user,
        origin="gold",
        aspects=aspects[:most],
        dropped=tuple(over),
    )
