"""Pairs whose responses a model writes: `build_contrast` and `build_twin`, from item to pair.

Mode twin: two users, one question, two responses; each is chosen for one and rejected for the
other, so that nothing but the user decides. The writers see the question and one rubric, never a
profile. Both halves are accepted, or neither.

Mode violate: a response that adheres to the user's rubric against one that does not, kept for
comparison with the paper. Aspect words and completeness can give the rejected side away without
the profile, so these pairs are expected to fail a shortcut audit; twins are not.
"""

from pairwright import text
from pairwright.construct.build_rules import BuildRules, plan_rubric, rubric_of
from pairwright.construct.corpus import older_than
from pairwright.construct.drafts import (
    SideBrief,
    draft_of,
    draw_until_accepted,
    judge_draft,
    pair_of,
    write_draft,
)
from pairwright.gates import DraftSides
from pairwright.models import Models, together, traced
from pairwright.records import (
    Contrast,
    Draft,
    Item,
    Pair,
    Rejected,
    Rubric,
    Twin,
    content_id,
    pseudonym,
)
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
    config = rules.config
    models, log = traced(models)
    found = await rubric_of(item, models, rules)
    if isinstance(found, Rejected):
        return found
    rubric = found
    if config.paper_writers:
        # Here it is the writers that read posts.
        shown = selected(
            item.question, item.profile, config.planner, models.generator.endpoint.history_tokens
        )
        rubric = rubric.model_copy(update={"shown": tuple(post.id for post in shown)})

    async def draw(number: int, refused: Draft | None) -> Draft | Rejected:
        if config.paper_writers:
            draft = await _write_paper(item, rubric, models, rules, number)
        else:
            strategy = strategy_of(item, config.strategies)
            briefs = (
                SideBrief("first", "adhering", rubric, "first"),
                SideBrief("second", _AGAINST[strategy], rubric, "second"),
            )
            draft = await write_draft(item, briefs, refused, models, rules, number, strategy)
        if isinstance(draft, Rejected):
            return draft
        sides = DraftSides(
            question=item.question,
            first=draft.first,
            second=draft.second,
            rubrics=(rubric,),
            narrative=item.narrative,
            posts=tuple(post.text for post in item.profile),
            language=rules.language(item),
        )
        cells = {"first": (draft.first, rubric), "second": (draft.second, rubric)}
        return await judge_draft(draft, sides, cells, models.judge, rules)

    drawn = await draw_until_accepted(draw, config.draws)
    if isinstance(drawn, Rejected):
        return drawn.model_copy(update={"aspects": rubric.aspects, "dropped": rubric.dropped})
    draft, refused = drawn
    judge = models.judge.name if config.gated else None
    pair = pair_of(item, "violate", draft, rubric)
    pair = pair.model_copy(update={"judge": judge, "simulated": log.simulated})
    return Contrast(pair=pair, refused=refused)


async def _write_paper(
    item: Item, rubric: Rubric, models: Models, rules: BuildRules, number: int
) -> Draft | Rejected:
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


async def build_twin(
    item: Item, partner: Item, models: Models, rules: BuildRules
) -> Twin | Rejected:
    """Build the twin of `item`'s question for its user and the partner's user, or give the reason
    why there is none.

    Only the partner's posts are used, and of these only the ones older than the question. Raises
    CallFailed where a call fails after its retries, and EndpointRefused where the endpoint refuses.

        >>> made = await build_twin(item, partner, models, rules)
        >>> [pair.user for pair in made.halves] if isinstance(made, Twin) else made.reason
        ['ada', 'grace']
    """
    config = rules.config
    models, log = traced(models)
    posts = older_than(item, partner.profile)
    asker, other = await together(
        rubric_of(item, models, rules), plan_rubric(item, partner.user, posts, models, rules)
    )
    if isinstance(asker, Rejected):
        return asker
    if isinstance(other, Rejected):
        return other
    rubrics = asker, other
    limit, language = config.twin.rubric_overlap, rules.language(item)
    overlap = text.jaccard(
        *(text.terms(" ".join(a.aspect for a in rubric.aspects), language) for rubric in rubrics)
    )
    if config.gated and round(overlap, 3) > limit:
        detail = f"the two rubrics share {round(overlap, 3)} of their words, limit {limit}"
        return Rejected(stage="gates", reason="rubrics_alike", detail=detail)

    async def draw(number: int, refused: Draft | None) -> Draft | Rejected:
        briefs = (
            SideBrief("first", "adhering", rubrics[0], "first_own"),
            SideBrief("second", "adhering", rubrics[1], "second_own"),
        )
        draft = await write_draft(item, briefs, refused, models, rules, number, "twin")
        if isinstance(draft, Rejected):
            return draft
        sides = DraftSides(
            question=item.question,
            first=draft.first,
            second=draft.second,
            rubrics=rubrics,
            narrative=item.narrative,
            posts=tuple(post.text for post in (*item.profile, *posts)),
            language=rules.language(item, *(post.text for post in posts)),
        )
        cells = {
            "first_own": (draft.first, rubrics[0]),
            "second_other": (draft.second, rubrics[0]),
            "second_own": (draft.second, rubrics[1]),
            "first_other": (draft.first, rubrics[1]),
        }
        return await judge_draft(draft, sides, cells, models.judge, rules)

    drawn = await draw_until_accepted(draw, config.draws)
    if isinstance(drawn, Rejected):
        aspects, dropped = (*asker.aspects, *other.aspects), (*asker.dropped, *other.dropped)
        return drawn.model_copy(update={"aspects": aspects, "dropped": dropped})
    draft, refused = drawn
    users = map(pseudonym, (item.user, partner.user))
    twin_id = content_id("twin", item.id, *users, draft.first, draft.second)
    judge = models.judge.name if config.gated else None

    def half(whose: Item, rubric: Rubric, *, asked: bool) -> Pair:
        pair = pair_of(whose, "twin", draft, rubric, asked=asked)
        shared = {"judge": judge, "twin_id": twin_id, "simulated": log.simulated}
        return pair.model_copy(update=shared)

    # The narrative is the asker's own: the partner never wrote one for this question.
    others = {"user": partner.user, "profile": posts, "narrative": None}
    halves = (
        half(item, asker, asked=True), half(item.model_copy(update=others), other, asked=False)
    )  # fmt: skip
    return Twin(id=twin_id, halves=halves, refused=refused)
