"""Mode violate: a response that adheres to the user's rubric against one that does not.

Kept for comparison with the paper. Aspect words and completeness can give the rejected side away
without the profile, so these pairs are expected to fail a shortcut audit; twins are not.
"""

from pairwright.construct.build_rules import BuildRules, rubric_of
from pairwright.construct.drafts import (
    SideBrief,
    draw_until_accepted,
    judge_draft,
    with_blind_preference,
    write_draft,
)
from pairwright.gates import DraftSides, check_writing, judge_contrast
from pairwright.models import CallLog, Models, together, traced
from pairwright.records import Contrast, Draft, Item, Pair, Rejected, Rubric, content_id, pseudonym
from pairwright.retrieve import selected
from pairwright.stages.writer import PAPER_STANCES, Stance, write_paper

_AGAINST: dict[str, Stance] = {"omit": "omitting", "contradict": "contradicting"}


async def build_contrast(item: Item, models: Models, rules: BuildRules) -> Contrast | Rejected:
    """Build one pair for the item's own user, or give the reason why there is none.

    Raises CallFailed where a call fails after its retries, and EndpointRefused where the endpoint
    refuses.

        >>> made = await build_contrast(item, models, rules)
        >>> made.pair.chosen if isinstance(made, Contrast) else made.reason
        'Simmer the beans for an hour ...'
    """
    models, log = traced(models)
    rubric = await rubric_of(item, models, rules)
    if isinstance(rubric, Rejected):
        return rubric

    if rules.config.paper_writers:
        # Here it is the writers that read posts.
        shown = selected(
            item.question, item.profile, rules.config.planner, models.generator.history_tokens
        )
        rubric = rubric.model_copy(update={"shown": tuple(post.id for post in shown)})
    return await _from_rubric(item, rubric, models, rules, log)


async def _from_rubric(
    item: Item, rubric: Rubric, models: Models, rules: BuildRules, log: CallLog
) -> Contrast | Rejected:
    async def draw(number: int, refused: Draft | None) -> Draft | Rejected:
        return await _draw(item, rubric, refused, models, rules, number)

    drawn = await draw_until_accepted(draw, rules.config.draws)
    if isinstance(drawn, Rejected):
        return drawn.model_copy(update={"aspects": rubric.aspects, "dropped": rubric.dropped})
    draft, refused = drawn
    pair = Pair(
        id=content_id("pair", "violate", item.id, pseudonym(item.user), draft.first, draft.second),
        mode="violate",
        item_id=item.id,
        user=item.user,
        question=item.question,
        category=item.category,
        domain=item.domain,
        profile=item.profile,
        rubric=rubric,
        chosen=draft.first,
        rejected=draft.second,
        draft=draft,
        judge=models.judge.name if rules.config.gated else None,
        narrative=item.narrative,
        created=item.created,
        source_url=item.source_url,
        simulated=log.simulated,
    )
    return Contrast(pair=pair, refused=refused)


async def _draw(
    item: Item,
    rubric: Rubric,
    refused: Draft | None,
    models: Models,
    rules: BuildRules,
    number: int,
) -> Draft | Rejected:
    strategy = _strategy(item, rules)
    if rules.config.paper_writers:
        first, second = await _write_paper(item, rubric, models, rules, number)
    else:
        briefs = (
            SideBrief("first", "adhering", rubric, "first"),
            SideBrief("second", _AGAINST[strategy], rubric, "second"),
        )
        first, second = await write_draft(item, briefs, refused, models, rules, number)
    if isinstance(first, Rejected):
        return first
    if isinstance(second, Rejected):
        return second
    draft = Draft(
        draw=number, strategy=strategy, generator=models.generator.name, first=first, second=second
    )
    if not rules.config.gated:
        return draft
    sides = DraftSides(
        question=item.question,
        first=first,
        second=second,
        rubrics=(rubric,),
        narrative=item.narrative,
        posts=tuple(post.text for post in item.profile),
        language=rules.language(item),
    )
    gates = check_writing(sides, rules.config.gates, words=rules.config.words)
    draft = draft.model_copy(update={"gates": gates})
    return draft if draft.refused_by else await _judge(item, rubric, draft, models, rules)


async def _write_paper(
    item: Item, rubric: Rubric, models: Models, rules: BuildRules, number: int
) -> tuple[str | Rejected, str | Rejected]:
    """Both sides from the same posts: where one had to do with fewer, so does the other."""
    posts = item.profile
    while True:
        (first, first_seen), (second, also_seen) = await together(
            *(
                write_paper(
                    item.question, posts, rubric, stance, models.generator, rules.prompts,
                    rules.config.planner, words=rules.config.words, draw=number,
                )
                for stance in PAPER_STANCES
            )
        )  # fmt: skip
        if first_seen.posts == also_seen.posts:
            return first, second
        posts = min(first_seen.posts, also_seen.posts, key=len)


async def _judge(
    item: Item, rubric: Rubric, draft: Draft, models: Models, rules: BuildRules
) -> Draft:
    cells = {"first": (draft.first, rubric), "second": (draft.second, rubric)}
    draft = await judge_draft(item.question, draft, cells, models.judge, rules)
    if draft.refused_by:
        return draft
    gates = judge_contrast(draft, rules.config.gates)
    draft = draft.model_copy(update={"gates": (*draft.gates, *gates)})
    return await with_blind_preference(item.question, draft, models.judge, rules)


def _strategy(item: Item, rules: BuildRules) -> str:
    if rules.config.paper_writers:
        return "avoid"
    # By content, so that the same item gets the same strategy in any file order.
    strategies = rules.config.strategies
    return strategies[int(content_id("s", item.id)[-8:], 16) % len(strategies)]
