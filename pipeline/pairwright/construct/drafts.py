"""Drawing again: both sides together, so that selection never favours one side."""

from collections.abc import Awaitable, Callable

from pairwright.construct.build_rules import BuildRules
from pairwright.models import Model, together
from pairwright.records import Draft, GateResult, Rejected, Rubric
from pairwright.stages.judges import adherence, compare, quality


async def draw_until_accepted(
    draw: Callable[[int], Awaitable[Draft | Rejected]], draws: int
) -> tuple[Draft, tuple[Draft, ...]] | Rejected:
    """The first accepted draft with those refused before it, or Rejected with all of them.

    The reason of a rejection is the first gate that refused the last draft.
    """
    refused: list[Draft] = []
    failure: Rejected | None = None
    for number in range(draws):
        draft = await draw(number)
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


def _refused_as(draft: Draft, failure: Rejected) -> Draft:
    unread = GateResult(
        gate=f"{failure.stage}_{failure.reason}",
        passed=False,
        value=failure.detail,
        limit="a judgement that can be read",
    )
    return draft.model_copy(update={"gates": (*draft.gates, unread)})
