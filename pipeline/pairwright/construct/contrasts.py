"""Mode violate, from item to pair: a response that adheres to the user's rubric against one that
does not, kept for comparison with the paper.

Aspect words and completeness can give the rejected side away without the profile, so these pairs
are expected to fail a shortcut audit; twins are not.
"""

from collections.abc import Sequence

from pairwright.construct.build_rules import BuildRules, rubric_of
from pairwright.construct.draft_judging import judge_draft, sides_of
from pairwright.construct.drafts import (
    SideBrief,
    draft_of,
    draw_until_accepted,
    judge_of,
    pair_of,
    refused_twice,
    write_draft,
)
from pairwright.models import Models, together
from pairwright.records import Contrast, Draft, Dropped, Item, Rubric, content_id
from pairwright.retrieve import selected
from pairwright.stages.writer import PAPER_STANCES, Stance, write_paper

_AGAINST: dict[str, Stance] = {"omit": "omitting", "contradict": "contradicting"}


async def build_contrast(item: Item, models: Models, rules: BuildRules) -> Contrast | Dropped:
    """Build one pair for the item's own user, or give the reason why there is none.

    Raises CallFailed where a call fails after its retries, and EndpointRefused where the endpoint
    refuses.

        >>> made = await build_contrast(item, models, rules)
        >>> made.pair.chosen if isinstance(made, Contrast) else made.reason
        'Simmer the beans for an hour ...'
    """
    config = rules.config
    found = await rubric_of(item, models, rules)
    if isinstance(found, Dropped):
        return found
    rubric = found
    if config.paper_writers:
        # Here it is the writers that read posts.
        shown = selected(
            item.question, item.profile, config.planner, models.generator.endpoint.history_tokens
        )
        rubric = rubric.model_copy(update={"shown": tuple(post.id for post in shown)})

    async def draw(number: int, refused: Sequence[Draft]) -> Draft | Dropped | None:
        if refused_twice(refused):
            return None
        if config.paper_writers:
            draft = await _write_paper(item, rubric, models, rules, number)
        else:
            strategy = strategy_of(item, config.strategies)
            briefs = (
                SideBrief("first", "adhering", rubric, "first"),
                SideBrief("second", _AGAINST[strategy], rubric, "second"),
            )
            last = refused[-1] if refused else None
            draft = await write_draft(item, briefs, last, models, rules, number, strategy)
        if isinstance(draft, Dropped):
            return draft
        sides = sides_of(item, draft, (rubric,), (item.profile,), rules)
        cells = (draft.first, {"first": rubric}), (draft.second, {"second": rubric})
        return await judge_draft(draft, sides, cells, models.judges, rules)

    drawn = await draw_until_accepted(draw, config.draws)
    if isinstance(drawn, Dropped):
        return drawn.model_copy(update={"aspects": rubric.aspects, "dropped": rubric.dropped})
    draft, refused = drawn
    judge = judge_of(models, rules)
    pair = pair_of(item, "violate", draft, rubric)
    pair = pair.model_copy(update={"judge": judge})
    return Contrast(pair=pair, refused=refused)


async def _write_paper(
    item: Item, rubric: Rubric, models: Models, rules: BuildRules, number: int
) -> Draft | Dropped:
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
            return draft_of(number, "avoid", models.generator.name, first, second)
        posts = min(first_seen.posts, also_seen.posts, key=len)


def strategy_of(item: Item, strategies: tuple[str, ...]) -> str:
    """By content, so that the same item gets the same strategy in any file order."""
    return strategies[int(content_id("s", item.id)[-8:], 16) % len(strategies)]
