"""Where an item's rubric comes from: the planner, the narrative, or the data."""

from pairwright.construct.build_rules import BuildRules
from pairwright.models import Models
from pairwright.records import Aspect, DroppedAspect, Item, Post, Rejected, Rubric
from pairwright.stages.aspect_match import measure_planner
from pairwright.stages.infer import PlanSettings, UserQuestion, infer_rubric, plan_once
from pairwright.stages.narrative_aspects import aspects_of_narrative
from pairwright.stages.planner import Plan


async def rubric_of(item: Item, models: Models, rules: BuildRules) -> Rubric | Rejected:
    """The asker's rubric for the own question, by `aspects =` of the config."""
    origin = rules.config.aspects
    if origin == "gold":
        return _gold(item, rules)
    if origin == "narrative":
        return await _narrative(item, models, rules)
    rubric = await plan_rubric(item, item.user, item.profile, models, rules)
    if isinstance(rubric, Rubric):
        await _measure(item, rubric, models, rules)
    return rubric


async def plan_rubric(
    item: Item, user: str, posts: tuple[Post, ...], models: Models, rules: BuildRules
) -> Rubric | Rejected:
    """What `user`, known by `posts`, would expect in an answer to the item's question."""

    async def infer(models: Models) -> Rubric | Rejected:
        others = rules.other_users.others(item, user)
        question = UserQuestion(item.id, item.question, user, posts, others)
        return await infer_rubric(question, models, _plan_settings(item, rules))

    return await rules.once(("rubric", item.id, user), models, infer)


async def plan_of(
    item: Item, posts: tuple[Post, ...], models: Models, rules: BuildRules
) -> Plan | Rejected:
    """What a planner finds in these posts for the item's question, before the checks that ask
    models."""
    return await plan_once(item.question, posts, models, _plan_settings(item, rules))


def _plan_settings(item: Item, rules: BuildRules) -> PlanSettings:
    config = rules.config
    return PlanSettings(
        rules.prompts, config.planner, rules.guidance(item), config.words, rules.once,
        rules.language(item),
    )  # fmt: skip


def _gold(item: Item, rules: BuildRules) -> Rubric | Rejected:
    aspects = tuple(
        Aspect(aspect=a.aspect, reason=a.reason, evidence=a.evidence) for a in item.rubric_aspects
    )
    if not aspects:
        return Rejected(stage="gold", reason="no_gold_aspects", detail="the item carries none")
    # The paper's setting uses every gold aspect; elsewhere two are the least that is a rubric.
    if rules.config.gated and len(aspects) < rules.config.planner.min_aspects:
        return Rejected(
            stage="gold", reason="too_few_aspects", detail=f"{len(aspects)} in the data"
        )
    aspects, over = _within_words(aspects, rules)
    return Rubric(question_id=item.id, user=item.user, origin="gold", aspects=aspects, dropped=over)


def _within_words(
    aspects: tuple[Aspect, ...], rules: BuildRules
) -> tuple[tuple[Aspect, ...], tuple[DroppedAspect, ...]]:
    """As many aspects as a response has room for; the paper's setting uses all of them."""
    config = rules.config
    most = max(1, config.planner.per_100_words * config.words // 100) if config.gated else None
    over = aspects[most:] if most else ()
    dropped = tuple(DroppedAspect(aspect=a, reason="over_the_word_limit") for a in over)
    return aspects[:most], dropped


async def _narrative(item: Item, models: Models, rules: BuildRules) -> Rubric | Rejected:
    if not item.narrative:
        return Rejected(stage="narrative", reason="no_narrative", detail="the item carries none")
    reply = await aspects_of_narrative(
        item.question, item.narrative, models.planner, rules.prompts, rules.language(item)
    )
    if isinstance(reply, Rejected):
        return reply
    supported, dropped = reply
    if len(supported) < rules.config.planner.min_aspects:
        return Rejected(
            stage="narrative",
            reason="too_few_aspects",
            detail=f"{len(supported)} with evidence in the narrative",
            dropped=dropped,
        )
    aspects, over = _within_words(supported, rules)
    return Rubric(
        question_id=item.id,
        user=item.user,
        origin="narrative",
        aspects=aspects,
        dropped=(*dropped, *over),
    )


async def _measure(item: Item, rubric: Rubric, models: Models, rules: BuildRules) -> None:
    against = rules.config.planner.measure_against
    gold: tuple[str, ...] = ()
    if against == "gold":
        gold = tuple(aspect.aspect for aspect in item.rubric_aspects)
    elif against == "narrative" and item.narrative:
        reply = await aspects_of_narrative(
            item.question, item.narrative, models.planner, rules.prompts, rules.language(item)
        )
        gold = () if isinstance(reply, Rejected) else tuple(a.aspect for a in reply[0])
    if gold:
        names = tuple(aspect.aspect for aspect in rubric.aspects)
        await measure_planner(item.question, names, gold, models.judge, rules.prompts)
