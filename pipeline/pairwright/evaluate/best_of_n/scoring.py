"""What a scorer says of the samples of every question, shown the same posts for all of them."""

import math
from collections.abc import Callable, Mapping, Sequence

from pairwright.errors import CallFailed
from pairwright.evaluate.asked import Asked
from pairwright.evaluate.best_of_n.records import Sampled, Scored
from pairwright.evaluate.conditions import fitted
from pairwright.evaluate.evaluation import CALL_FAILED
from pairwright.evaluate.scorers.seam import Pointwise, Score, Unscored
from pairwright.evaluate.shown import Shown
from pairwright.models import together
from pairwright.models.run import work_through
from pairwright.retrieve import selected
from pairwright.settings.rules import HistoryRules


async def scored(
    samples: Sequence[Sampled],
    asked: Mapping[str, Asked],
    name: str,
    scorer: Pointwise,
    history: HistoryRules,
    *,
    workers: int,
    stop: Callable[[], None],
    seen: Callable[[Scored], None],
) -> list[Scored]:
    """Of the questions that have all samples, in their order; `asked` is by the pair's id.

    Raises Interrupted, EndpointRefused and StoreError: what was scored is stored.
    """
    done: dict[int, Scored] = {}

    async def work(numbered: tuple[int, Sampled]) -> None:
        number, of = numbered
        done[number] = await _of(of, asked[of.pair], name, scorer, history)
        seen(done[number])

    whole = [of for of in samples if not of.unscored]
    await work_through(iter(enumerate(whole)), work, workers=workers, stop=stop)
    return [done[number] for number in range(len(whole))]


async def scores_of(
    responses: Sequence[str], shown: Shown, scorer: Pointwise, history: HistoryRules
) -> tuple[tuple[float, ...] | Unscored, Shown]:
    """Of all responses, shown the same posts, and what was shown. Raises CallFailed."""

    async def ask(shown: Shown) -> tuple[float, ...] | Unscored:
        given = await together(*(scorer.score(shown, response) for response in responses))
        for draw, score in enumerate(given):
            if isinstance(score, Unscored):
                return score._replace(detail=f"draw {draw}: {score.detail}")
            if not math.isfinite(score.value):
                return Unscored("not_a_number", f"draw {draw}: {score.value}")
        return tuple(score.value for score in given if isinstance(score, Score))

    return await fitted(shown, history, ask)


async def _of(
    of: Sampled, asked: Asked, name: str, scorer: Pointwise, history: HistoryRules
) -> Scored:
    line = Scored(pair=of.pair, scorer=name)
    shown = Shown(asked.question, selected(asked.question, asked.posts, history))

    try:
        responses = [sample.response for sample in of.samples]
        scores, fewer = await scores_of(responses, shown, scorer, history)
    except CallFailed as error:
        why = {"unscored": f"{CALL_FAILED}:{error.reason}", "detail": error.detail[:500]}
        return line.model_copy(update=why)
    left_out = len(shown.posts) - len(fewer.posts)
    line = line.model_copy(update={"posts": len(fewer.posts), "left_out": left_out})
    if isinstance(scores, Unscored):
        why = {"unscored": scores.reason, "detail": scores.detail[:500]}
        return line.model_copy(update=why)
    return line.model_copy(update={"scores": scores})
