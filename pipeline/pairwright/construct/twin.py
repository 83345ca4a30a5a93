"""Mode twin: two users, one question, two responses; each is chosen for one and rejected for the
other, so that nothing but the user decides.

The writers see the question and one rubric, never a profile. Both halves are accepted, or neither.
"""

from pairwright import text
from pairwright.construct.build_rules import BuildRules, plan_rubric, rubric_of
from pairwright.construct.corpus import older_than
from pairwright.construct.drafts import (
    SideBrief,
    draw_until_accepted,
    judge_draft,
    with_blind_preference,
    write_draft,
)
from pairwright.gates import DraftSides, check_echo, check_writing, judge_twin
from pairwright.models import Models, together, traced
from pairwright.records import (
    Draft,
    Item,
    Pair,
    Post,
    Rejected,
    Rubric,
    Twin,
    content_id,
    pseudonym,
)


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
    models, log = traced(models)
    posts = older_than(item, partner.profile)
    asker, other = await together(
        rubric_of(item, models, rules), plan_rubric(item, partner.user, posts, models, rules)
    )
    if isinstance(asker, Rejected):
        return asker
    if isinstance(other, Rejected):
        return other
    if rules.config.gated and (
        alike := _alike(asker, other, rules.config.twin.rubric_overlap, rules.language(item))
    ):
        return alike

    async def draw(number: int, refused: Draft | None) -> Draft | Rejected:
        return await _draw(item, posts, asker, other, refused, models, rules, number)

    drawn = await draw_until_accepted(draw, rules.config.draws)
    if isinstance(drawn, Rejected):
        return drawn.model_copy(
            update={
                "aspects": (*asker.aspects, *other.aspects),
                "dropped": (*asker.dropped, *other.dropped),
            }
        )
    draft, refused = drawn
    judge = models.judge.name if rules.config.gated else None
    twin = _twin(item, partner, posts, (asker, other), draft, refused, judge)
    return _marked(twin) if log.simulated else twin


def _alike(asker: Rubric, other: Rubric, most: float, language: str | None) -> Rejected | None:
    first, second = (
        text.terms(" ".join(aspect.aspect for aspect in rubric.aspects), language)
        for rubric in (asker, other)
    )
    overlap = round(text.jaccard(first, second), 3)
    if overlap <= most:
        return None
    detail = f"the two rubrics share {overlap} of their words, limit {most}"
    return Rejected(stage="gates", reason="rubrics_alike", detail=detail)


async def _draw(
    item: Item,
    posts: tuple[Post, ...],
    asker: Rubric,
    other: Rubric,
    refused: Draft | None,
    models: Models,
    rules: BuildRules,
    number: int,
) -> Draft | Rejected:
    config = rules.config
    briefs = (
        SideBrief("first", "adhering", asker, "first_own"),
        SideBrief("second", "adhering", other, "second_own"),
    )
    first, second = await write_draft(item, briefs, refused, models, rules, number)
    if isinstance(first, Rejected):
        return first
    if isinstance(second, Rejected):
        return second
    draft = Draft(
        draw=number, strategy="twin", generator=models.generator.name, first=first, second=second
    )
    if not config.gated:
        return draft
    sides = DraftSides(
        question=item.question,
        first=first,
        second=second,
        rubrics=(asker, other),
        narrative=item.narrative,
        posts=tuple(post.text for post in (*item.profile, *posts)),
        language=rules.language(item, *(post.text for post in posts)),
    )
    gates = check_writing(sides, config.gates, words=config.words)
    draft = draft.model_copy(update={"gates": gates})
    if draft.refused_by:
        return draft
    echo = check_echo(sides, config.twin, config.gates)
    draft = draft.model_copy(update={"gates": (*gates, echo)})
    if draft.refused_by:
        return draft
    return await _judge(item.question, asker, other, draft, models, rules)


async def _judge(
    question: str, asker: Rubric, other: Rubric, draft: Draft, models: Models, rules: BuildRules
) -> Draft:
    cells = {
        "first_own": (draft.first, asker),
        "second_other": (draft.second, asker),
        "second_own": (draft.second, other),
        "first_other": (draft.first, other),
    }
    draft = await judge_draft(question, draft, cells, models.judge, rules)
    if draft.refused_by:
        return draft
    gates = judge_twin(draft, rules.config.twin, rules.config.gates)
    draft = draft.model_copy(update={"gates": (*draft.gates, *gates)})
    return await with_blind_preference(question, draft, models.judge, rules)


def _twin(
    item: Item,
    partner: Item,
    posts: tuple[Post, ...],
    rubrics: tuple[Rubric, Rubric],
    draft: Draft,
    refused: tuple[Draft, ...],
    judge: str | None,
) -> Twin:
    twin_id = content_id(
        "twin", item.id, *map(pseudonym, (item.user, partner.user)), draft.first, draft.second
    )

    def half(asked: bool) -> Pair:
        user, chosen, rejected = (
            (item.user, draft.first, draft.second)
            if asked
            else (partner.user, draft.second, draft.first)
        )
        return Pair(
            id=content_id("pair", "twin", item.id, pseudonym(user), chosen, rejected),
            mode="twin",
            item_id=item.id,
            user=user,
            question=item.question,
            category=item.category,
            domain=item.domain,
            profile=item.profile if asked else posts,
            rubric=rubrics[0] if asked else rubrics[1],
            chosen=chosen,
            rejected=rejected,
            draft=draft,
            judge=judge,
            twin_id=twin_id,
            asked=asked,
            # The narrative is the asker's own: the partner never wrote one for this question.
            narrative=item.narrative if asked else None,
            created=item.created,
            source_url=item.source_url,
        )

    return Twin(id=twin_id, halves=(half(True), half(False)), refused=refused)


def _marked(twin: Twin) -> Twin:
    first, second = (half.model_copy(update={"simulated": True}) for half in twin.halves)
    return twin.model_copy(update={"halves": (first, second)})
