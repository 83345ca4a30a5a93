"""Pairs of two users whose responses a model writes, from item to pair: `build_twin` and
`build_placebo`.

Mode twin: two users, one question, two responses; each is chosen for one and rejected for the
other, so that nothing but the user decides. The writers see the question and one rubric, never a
profile. Both halves are accepted, or neither.

Mode placebo: two users of whom nothing is known that bears on the question, and two plain
responses: nothing decides.
"""

from collections.abc import Sequence

from pairwright import text
from pairwright.construct.build_rules import BuildRules, plan_rubric, rubric_of
from pairwright.construct.candidates import are_level
from pairwright.construct.corpus import fair_posts, older_than
from pairwright.construct.draft_judging import judge_draft, sides_of
from pairwright.construct.drafts import (
    SideBrief,
    draft_of,
    draw_until_accepted,
    judge_of,
    pair_of,
    refused_twice,
    without_unserved,
    write_draft,
)
from pairwright.construct.partners import says_nothing
from pairwright.models import Models, together
from pairwright.records import (
    Draft,
    Dropped,
    Item,
    Mode,
    Pair,
    Post,
    Rubric,
    Twin,
    content_id,
    pseudonym,
)
from pairwright.stages.writer import write_plain


async def build_twin(
    item: Item, partner: Item, models: Models, rules: BuildRules
) -> Twin | Dropped:
    """Build the twin of `item`'s question for its user and the partner's user, or give the reason
    why there is none.

    Only the partner's posts are used, and of these only the ones older than the question. Raises
    CallFailed where a call fails after its retries, and EndpointRefused where the endpoint refuses.

        >>> made = await build_twin(item, partner, models, rules)
        >>> [pair.user for pair in made.halves] if isinstance(made, Twin) else made.reason
        ['ada', 'grace']
    """
    posts = older_than(item, partner.profile)
    asker, other = await together(
        rubric_of(item, models, rules), plan_rubric(item, partner.user, posts, models, rules)
    )
    if isinstance(asker, Dropped):
        return asker
    if isinstance(other, Dropped):
        return other
    drawn = await _draw_twin(item, posts, (asker, other), models, rules)
    if isinstance(drawn, Dropped):
        return drawn
    draft, refused, served = drawn
    return _twin(item, partner.user, posts, "twin", draft, served, refused, models, rules)


async def _draw_twin(
    item: Item,
    posts: tuple[Post, ...],
    rubrics: tuple[Rubric, Rubric],
    models: Models,
    rules: BuildRules,
) -> tuple[Draft, tuple[Draft, ...], tuple[Rubric, Rubric]] | Dropped:
    """A draft whose responses serve one rubric each, that of the item's user first; the drafts
    refused before it; and the rubrics as they were served. `posts` are the other user's."""
    config, language = rules.config, rules.language(item)
    overlap = text.jaccard(
        *(text.terms(" ".join(a.aspect for a in rubric.aspects), language) for rubric in rubrics)
    )
    if config.gated and round(overlap, 3) > config.twin.rubric_overlap:
        limit = config.twin.rubric_overlap
        detail = f"the two rubrics share {round(overlap, 3)} of their words, limit {limit}"
        return Dropped(stage="gates", reason="rubrics_alike", detail=detail)

    briefs = (
        SideBrief("first", "adhering", rubrics[0], "first_own"),
        SideBrief("second", "adhering", rubrics[1], "second_own"),
    )
    earlier = 0

    async def draw(number: int, refused: Sequence[Draft]) -> Draft | Dropped | None:
        nonlocal briefs, earlier
        alike = refused[earlier:]
        if refused_twice(alike):
            least = config.planner.min_aspects
            first, second = (
                brief._replace(rubric=without_unserved(brief, alike, least)) for brief in briefs
            )
            if (first, second) == briefs:
                return None
            # Who writes for fewer aspects begins again: earlier drafts were held to others.
            briefs, earlier, alike = (first, second), len(refused), ()
        last = alike[-1] if alike else None
        own, other = briefs[0].rubric, briefs[1].rubric
        draft = await write_draft(item, briefs, last, models, rules, number, "twin")
        if isinstance(draft, Dropped):
            return draft
        sides = sides_of(item, draft, (own, other), (item.profile, posts), rules)
        cells = (
            (draft.first, {"first_own": own, "first_other": other}),
            (draft.second, {"second_other": own, "second_own": other}),
        )
        return await judge_draft(draft, sides, cells, models.judges, rules)

    drawn = await draw_until_accepted(draw, config.draws)
    rubrics = briefs[0].rubric, briefs[1].rubric
    if isinstance(drawn, Dropped):
        first, second = rubrics
        aspects, dropped = (*first.aspects, *second.aspects), (*first.dropped, *second.dropped)
        return drawn.model_copy(update={"aspects": aspects, "dropped": dropped})
    return *drawn, rubrics


async def build_placebo(
    item: Item, partner: Item, models: Models, rules: BuildRules
) -> Twin | Dropped:
    """Build the placebo of `item`'s question for its user, whose posts say nothing on it, and the
    partner's user, if theirs do not either; or give the reason why there is none.

    Both responses are plain ones, written without a rubric. Raises as `build_twin` does.

        >>> made = await build_placebo(item, partner, models, rules)
        >>> {pair.mode for pair in made.halves} if isinstance(made, Twin) else made.reason
        {'placebo'}
    """
    config = rules.config
    posts = fair_posts(item, partner.profile)
    if not are_level(len(item.profile), len(posts), config.twin):
        # They are a couple by another question, before which the partner wrote more, or less.
        detail = f"{len(item.profile)} posts of the asker, {len(posts)} of the partner"
        return Dropped(stage="placebo", reason="unlike_histories", detail=detail)
    found = await plan_rubric(item, partner.user, posts, models, rules)
    if isinstance(found, Dropped) and found.reason != "no_personal_signal":
        return found
    if not isinstance(found, Dropped) or not says_nothing(found):
        detail = "the partner's posts show something that bears on the question"
        return Dropped(stage="placebo", reason="partner_signal", detail=detail, user=partner.user)

    async def draw(number: int, refused: Sequence[Draft]) -> Draft | Dropped | None:
        # There is nothing to learn of a refused draft: both are written again.
        if refused_twice(refused):
            return None
        responses = await together(
            *(
                write_plain(
                    item.question, models.generator, rules.prompts, words=config.words,
                    draw=2 * number + place, language=rules.language(item),
                )
                for place in range(2)
            )
        )  # fmt: skip
        draft = draft_of(number, "plain", models.generator.name, *responses)
        if isinstance(draft, Dropped):
            return draft
        sides = sides_of(item, draft, (), (), rules)
        return await judge_draft(draft, sides, (), models.judges, rules)

    drawn = await draw_until_accepted(draw, config.draws)
    if isinstance(drawn, Dropped):
        return drawn
    draft, refused = drawn
    asker, other = (
        Rubric(question_id=item.id, user=user, origin=None, aspects=())
        for user in (item.user, partner.user)
    )
    return _twin(
        item, partner.user, posts, "placebo", draft, (asker, other), refused, models, rules
    )


def _twin(
    item: Item,
    partner: str,
    posts: tuple[Post, ...],
    mode: Mode,
    draft: Draft,
    rubrics: tuple[Rubric, Rubric],
    refused: tuple[Draft, ...],
    models: Models,
    rules: BuildRules,
) -> Twin:
    """Both halves over a draft: the asker's, and that of the partner, who has these posts."""
    users = map(pseudonym, (item.user, partner))
    twin_id = content_id(mode, item.id, *users, draft.first, draft.second)
    judge = judge_of(models, rules)

    def half(whose: Item, rubric: Rubric, *, asked: bool) -> Pair:
        pair = pair_of(whose, mode, draft, rubric, asked=asked)
        shared = {"judge": judge, "twin_id": twin_id}
        return pair.model_copy(update=shared)

    # The narrative is the asker's own: the partner never wrote one for this question.
    others = {"user": partner, "profile": posts, "narrative": None}
    halves = (
        half(item, rubrics[0], asked=True),
        half(item.model_copy(update=others), rubrics[1], asked=False),
    )
    return Twin(id=twin_id, halves=halves, refused=refused)
