"""Judging a draft: adherence of each response to each rubric it is held to, and quality."""

from pairwright.construct.build_rules import BuildRules
from pairwright.models import Model, together
from pairwright.records import Draft, GateResult, Rejected, Rubric
from pairwright.stages.judge import adherence, compare, quality


async def judged(
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
