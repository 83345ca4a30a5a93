"""Drawing until a draft is accepted, and judging a draft."""

from collections.abc import Awaitable, Callable

from pairwright.construct.build_rules import BuildRules
from pairwright.construct.redraw import SideBrief, kept_text, notes
from pairwright.models import Model, Models, together
from pairwright.records import Draft, GateResult, Item, Rejected, Rubric
from pairwright.stages.judges import adherence, choose, compare, quality
from pairwright.stages.writer import write


async def draw_until_accepted(
    draw: Callable[[int, Draft | None], Awaitable[Draft | Rejected]], draws: int
) -> tuple[Draft, tuple[Draft, ...]] | Rejected:
    """The first accepted draft with those refused before it, or Rejected with all of them.

    `draw` gets the number of the draw and the draft that was refused last, if there is one.
    The reason of a rejection is the first gate that refused the last draft.
    """
    refused: list[Draft] = []
    failure: Rejected | None = None
    for number in range(draws):
        draft = await draw(number, refused[-1] if refused else None)
        if isinstance(draft, Rejected):
            failure = draft
        elif draft.refused_by is None:
            return draft, tuple(refused)
        else:
            failure = None
            refused.append(draft)
    if failure is not None:
        return failure.model_copy(update={"drafts": tuple(refused)})
    gate = refused[-1].refused_by
    return Rejected(
        stage="gates",
        reason=gate.gate if gate else "",
        detail=f"measured {gate.value}, limit {gate.limit}" if gate else "",
        drafts=tuple(refused),
    )


async def write_draft(
    item: Item,
    briefs: tuple[SideBrief, SideBrief],
    refused: Draft | None,
    models: Models,
    rules: BuildRules,
    number: int,
) -> tuple[str | Rejected, str | Rejected]:
    """Both sides: written, or kept from the refused draft."""

    async def one(brief: SideBrief) -> str | Rejected:
        if kept := kept_text(brief, refused):
            return kept
        return await write(
            item.question,
            brief.rubric,
            brief.stance,
            models.generator,
            rules.prompts,
            words=rules.config.words,
            draw=number,
            faults=notes(brief, refused),
            language=rules.language(item),
        )

    first, second = briefs
    return await together(one(first), one(second))


async def judge_draft(
    question: str,
    draft: Draft,
    cells: dict[str, tuple[str, Rubric]],
    judge: Model,
    rules: BuildRules,
) -> Draft:
    """The draft with its judgements; `cells` names what is held to what.

    A judgement that cannot be read refuses the draft: a judge that fails is not a vote.
    """
    prompts, scales = rules.prompts, rules.scales
    fits, qualities, comparison = await together(
        together(*(adherence(question, r, rubric, judge, prompts) for r, rubric in cells.values())),
        together(*(quality(question, r, scales, judge, prompts) for r in draft.both)),
        compare(question, *draft.both, scales, judge, prompts),
    )
    for judgement in (*fits, *qualities, comparison):
        if isinstance(judgement, Rejected):
            return _refused_as(draft, judgement)
    return draft.model_copy(
        update={
            "adherence": dict(zip(cells, fits, strict=True)),
            "quality": dict(zip(("first", "second"), qualities, strict=True)),
            "comparison": comparison,
        }
    )


async def with_blind_preference(
    question: str, draft: Draft, judge: Model, rules: BuildRules
) -> Draft:
    """An accepted draft with the judge's forced choice; without it where no reply can be read."""
    if draft.refused_by:
        return draft
    preference = await choose(question, *draft.both, judge, rules.prompts)
    if isinstance(preference, Rejected):
        return draft
    return draft.model_copy(update={"blind_preference": preference})


def _refused_as(draft: Draft, failure: Rejected) -> Draft:
    unread = GateResult(
        gate=f"{failure.stage}_{failure.reason}",
        passed=False,
        value=failure.detail,
        limit="a judgement that can be read",
    )
    return draft.model_copy(update={"gates": (*draft.gates, unread)})
