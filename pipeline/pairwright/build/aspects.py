"""Where an item's rubric comes from: the planner, the narrative, or the data."""

from pairwright.build.policy import Policy
from pairwright.llm import Models
from pairwright.records import Aspect, DroppedAspect, Item, Post, Rejected, Rubric
from pairwright.stages.infer import infer_rubric
from pairwright.stages.narrative import aspects_of_narrative
from pairwright.stages.planner_match import measure_planner


async def rubric_of(item: Item, models: Models, policy: Policy) -> Rubric | Rejected:
    """The asker's rubric for the own question, by `aspects =` of the config."""
    origin = policy.config.aspects
    if origin == "gold":
        return _gold(item, policy)
    if origin == "narrative":
        return await _narrative(item, models, policy)
    rubric = await planned(item, item.user, item.profile, models, policy)
    if isinstance(rubric, Rubric):
        await _measure(item, rubric, models, policy)
    return rubric


async def planned(
    item: Item, user: str, posts: tuple[Post, ...], models: Models, policy: Policy
) -> Rubric | Rejected:
    """What `user`, known by `posts`, would expect in an answer to the item's question."""

    async def infer(models: Models) -> Rubric | Rejected:
        return await infer_rubric(
            item.id,
            item.question,
            user,
            posts,
            policy.company.others(item),
            models,
            policy.prompts,
            policy.config.planner,
            kinds=policy.kinds(item),
            words=policy.config.words,
            once=policy.once,
        )

    return await policy.once(("rubric", item.id, user), models, infer)


def _gold(item: Item, policy: Policy) -> Rubric | Rejected:
    aspects = tuple(
        Aspect(aspect=a.aspect, reason=a.reason, evidence=a.evidence) for a in item.rubric_aspects
    )
    if not aspects:
        return Rejected(stage="gold", reason="no_gold_aspects", detail="the item carries none")
    # The paper's setting uses every gold aspect; elsewhere two are the least that is a rubric.
    if policy.config.gated and len(aspects) < policy.config.planner.min_aspects:
        return Rejected(
            stage="gold", reason="too_few_aspects", detail=f"{len(aspects)} in the data"
        )
    kept, over = _within_words(aspects, policy)
    return Rubric(question_id=item.id, user=item.user, origin="gold", aspects=kept, dropped=over)


def _within_words(
    aspects: tuple[Aspect, ...], policy: Policy
) -> tuple[tuple[Aspect, ...], tuple[DroppedAspect, ...]]:
    """As many aspects as a response has room for; the paper's setting uses all of them."""
    config = policy.config
    most = max(1, config.planner.per_100_words * config.words // 100) if config.gated else None
    over = aspects[most:] if most else ()
    dropped = tuple(DroppedAspect(aspect=a, reason="over_the_word_limit") for a in over)
    return aspects[:most], dropped


async def _narrative(item: Item, models: Models, policy: Policy) -> Rubric | Rejected:
    if not item.narrative:
        return Rejected(stage="narrative", reason="no_narrative", detail="the item carries none")
    found = await aspects_of_narrative(
        item.question, item.narrative, models.planner, policy.prompts
    )
    if isinstance(found, Rejected):
        return found
    stand, dropped = found
    if len(stand) < policy.config.planner.min_aspects:
        return Rejected(
            stage="narrative",
            reason="too_few_aspects",
            detail=f"{len(stand)} with evidence in the narrative",
            dropped=dropped,
        )
    kept, over = _within_words(stand, policy)
    return Rubric(
        question_id=item.id,
        user=item.user,
        origin="narrative",
        aspects=kept,
        dropped=(*dropped, *over),
    )


async def _measure(item: Item, rubric: Rubric, models: Models, policy: Policy) -> None:
    against = policy.config.planner.measure_against
    gold: tuple[str, ...] = ()
    if against == "gold":
        gold = tuple(aspect.aspect for aspect in item.rubric_aspects)
    elif against == "narrative" and item.narrative:
        found = await aspects_of_narrative(
            item.question, item.narrative, models.planner, policy.prompts
        )
        gold = () if isinstance(found, Rejected) else tuple(a.aspect for a in found[0])
    if gold:
        names = tuple(aspect.aspect for aspect in rubric.aspects)
        await measure_planner(item.question, names, gold, models.judge, policy.prompts)
