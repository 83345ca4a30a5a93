"""One n-let, scored: the score of both responses for each of its users."""

import math

from pairwright.dataset import Row
from pairwright.errors import CallFailed
from pairwright.evaluate.content import ask_fitting
from pairwright.evaluate.n_lets.candidates import NLetSources, candidates_of
from pairwright.evaluate.scorers.scorer_protocols import (
    Pointwise,
    PromptContent,
    ResponseScore,
    Unscored,
    failed_call,
)
from pairwright.models import together
from pairwright.records import Mode, Record


class NLetLine(Record):
    """One pair's n-let. It holds no text of anybody."""

    id: str
    """The pair."""
    mode: Mode | None
    cluster: str
    chosen: tuple[float, ...] = ()
    """The scores of the chosen response for each user, of whom the first is the right one; empty
    where one is missing."""
    rejected: tuple[float, ...] = ()
    unscored: str = ""
    """Why there are no scores."""
    detail: str = ""


def picked(scores: tuple[float, ...]) -> float:
    """Whether the first of the users has the highest score: shared with t - 1 others, 1/t."""
    if scores[0] < max(scores):
        return 0.0
    return 1 / scores.count(scores[0])


async def score_n_let(row: Row, scorer: Pointwise, sources: NLetSources) -> NLetLine:
    """Score both responses of a pair for each user of its n-let."""
    line = NLetLine(id=row.id, mode=row.mode, cluster=row.cluster)
    candidates = candidates_of(row, sources)
    if isinstance(candidates, Unscored):
        return _without(line, candidates)
    scores: dict[str, tuple[float, ...]] = {}
    try:
        for side, response in (("chosen", row.chosen), ("rejected", row.rejected)):
            found = await together(
                *(_score(shown, response, scorer, sources) for shown in candidates)
            )
            if missing := next((one for one in found if isinstance(one, Unscored)), None):
                return _without(line, missing)
            scores[side] = tuple(one for one in found if isinstance(one, float))
    except CallFailed as error:
        return _without(line, failed_call(error))
    return line.model_copy(update=scores)


async def _score(
    shown: PromptContent, response: str, scorer: Pointwise, sources: NLetSources
) -> float | Unscored:
    async def ask(fewer: PromptContent) -> ResponseScore | Unscored:
        return await scorer.score(fewer, response)

    answer, _ = await ask_fitting(shown, sources.history, ask)
    if isinstance(answer, Unscored):
        return answer
    if not math.isfinite(answer.value):
        return Unscored("not_a_number", str(answer.value))
    return float(answer.value)


def _without(line: NLetLine, why: Unscored) -> NLetLine:
    return line.model_copy(update={"unscored": why.reason, "detail": why.detail[:500]})
