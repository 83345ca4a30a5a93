"""One scorer in one condition over a release: every pair gets a decision, or a reason why not."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from pairwright.errors import CallFailed
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.content import ContentSources, ask_fitting
from pairwright.evaluation.decision import Choice, PairDecision, blank_decision
from pairwright.evaluation.scorers.scorer import (
    NOTHING_TO_SHOW,
    ByPair,
    Pairwise,
    Pointwise,
    PreferredPlace,
    PromptContent,
    ResponseScore,
    Scorer,
    Unscored,
    failed_call,
)
from pairwright.models import together
from pairwright.models.work import work_through
from pairwright.pairs import Row

_CHOICES: dict[PreferredPlace, Choice] = {"first": "chosen", "second": "rejected", "tie": "tie"}


class Evaluation(NamedTuple):
    """What is to be done for every pair."""

    scorer: Scorer
    condition: ConditionName
    sources: ContentSources

    async def decide(self, row: Row) -> PairDecision:
        """The line of one pair. Calls that failed are its reason, and are asked again by
        the next run."""
        try:
            fields = await self._answer(row)
        except CallFailed as error:
            fields = failed_call(error).fields
        return blank_decision(row).model_copy(update=fields)

    async def _answer(self, row: Row) -> Mapping[str, object]:
        """What a scorer says of the pair, or why it says nothing, as fields of its line."""
        scorer = self.scorer
        shown = await CONDITIONS[self.condition].content(self.sources, row)
        if isinstance(scorer, ByPair):
            # A file cannot have a score of what there is not: the pair is part of no scorer's rows.
            if isinstance(shown, Unscored) and shown.reason in NOTHING_TO_SHOW:
                return shown.fields
            scores = scorer.scores(row.id, self.condition)
            if isinstance(scores, Unscored):
                return scores.fields
            chosen, rejected = scores
            return {"chosen": chosen.value, "rejected": rejected.value}
        if isinstance(shown, Unscored):
            return shown.fields
        answer, fewer = await ask_fitting(
            shown, self.sources.history, lambda shown: _choice(scorer, row, shown)
        )
        read = {"posts": len(fewer.posts), "left_out": len(shown.posts) - len(fewer.posts)}
        return read | (answer.fields if isinstance(answer, Unscored) else answer)


async def _choice(
    scorer: Pointwise | Pairwise, row: Row, shown: PromptContent
) -> dict[str, object] | Unscored:
    """The fields of a decision that the scorer's answers give."""
    if not isinstance(scorer, Pointwise):
        choice = await scorer.prefer(shown, row.chosen, row.rejected)
        if isinstance(choice, Unscored):
            return choice
        orders = (_CHOICES[choice.forward], _CHOICES[choice.backward])
        return {"orders": orders, "tokens": choice.tokens}
    chosen, rejected = await together(
        scorer.score(shown, row.chosen), scorer.score(shown, row.rejected)
    )
    # Both see the same posts, so where one does not fit neither is taken.
    for score in (chosen, rejected):
        if isinstance(score, Unscored):
            return score
        if not math.isfinite(score.value):
            return Unscored("not_a_number", str(score.value))
    assert isinstance(chosen, ResponseScore)
    assert isinstance(rejected, ResponseScore)
    tokens = chosen.tokens + rejected.tokens
    return {"chosen": chosen.value, "rejected": rejected.value, "tokens": tokens}


async def evaluate(
    rows: Iterable[Row],
    evaluation: Evaluation,
    *,
    workers: int,
    stop: Callable[[], None],
    on_each: Callable[[PairDecision], None],
) -> list[PairDecision]:
    """The decisions on all rows that the condition applies to, in their order.

    `on_each` is called with each as it comes. Raises Interrupted, EndpointRefused and StoreError:
    what was scored is stored, and nothing is taken for whole.
    """
    applies = CONDITIONS[evaluation.condition].applies
    part = (row for row in rows if applies(row.mode))

    async def decide(row: Row) -> PairDecision:
        decision = await evaluation.decide(row)
        on_each(decision)
        return decision

    return await work_through(part, decide, workers=workers, stop=stop)
