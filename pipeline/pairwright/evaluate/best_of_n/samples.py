"""N answers to each question, the draws 0 to N - 1 of the policy, each judged by the aspects.

All N are judged, for all are the best of some subset. The first k of N are the draws 0 to k - 1, so
a run with a larger N goes on with the draws of a smaller one.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pairwright.errors import CallFailed
from pairwright.evaluate.asked import Asked
from pairwright.evaluate.best_of_n.records import Sample, Sampled
from pairwright.evaluate.evaluation import CALL_FAILED
from pairwright.evaluate.outputs import AspectJudge
from pairwright.evaluate.scorers.seam import Unscored
from pairwright.models import Model, together
from pairwright.models.run import work_through
from pairwright.records import Rejected
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import with_history

MOST = 1000
"""Draws beyond these are those of replies that were empty."""


class SampledPolicy(NamedTuple):
    """The model whose answers are picked from."""

    model: Model
    prompts: Prompts
    history: HistoryRules
    words: int

    async def draw(self, asked: Asked, draw: int) -> tuple[str | Rejected, int]:
        """One answer, and how many posts it was shown. Raises CallFailed."""
        answer, shown = await with_history(
            self.prompts,
            "sample",
            asked.question,
            asked.posts,
            self.history,
            self.model,
            lambda ask: self.model.write(ask, draw),
            words=self.words,
        )
        return answer, len(shown.posts)


async def sampled(
    questions: Sequence[Asked],
    n: int,
    policy: SampledPolicy,
    judge: AspectJudge,
    *,
    workers: int,
    stop: Callable[[], None],
    seen: Callable[[Sampled], None],
) -> list[Sampled]:
    """Every question with its samples, in order. `seen` is told of each as it comes.

    Raises Interrupted, EndpointRefused and StoreError: what was drawn and judged is stored.
    """
    done: dict[int, Sampled] = {}

    async def work(numbered: tuple[int, Asked]) -> None:
        number, asked = numbered
        done[number] = await _of(asked, n, policy, judge)
        seen(done[number])

    await work_through(iter(enumerate(questions)), work, workers=workers, stop=stop)
    return [done[number] for number in range(len(questions))]


async def _of(asked: Asked, n: int, policy: SampledPolicy, judge: AspectJudge) -> Sampled:
    line = Sampled(pair=asked.pair, item_id=asked.item, domain=asked.domain, cluster=asked.cluster)
    if not asked.aspects:
        return _without(line, Unscored("no_rubric"))
    try:
        drawn = await together(*(policy.draw(asked, draw) for draw in range(n)))
    except CallFailed as error:
        return _without(line, Unscored(f"{CALL_FAILED}:{error.reason}", error.detail))
    responses = [answer for answer, _ in drawn if not isinstance(answer, Rejected)]
    for draw, (answer, _) in enumerate(drawn):
        if isinstance(answer, Rejected):
            detail = f"draw {draw}: {answer.detail}"
            return _without(line, Unscored(f"sample_{answer.reason}", detail))
    judged = await together(*(judge.judge(asked, response) for response in responses))
    samples = tuple(
        Sample(response=response, unscored=given.reason, detail=given.detail[:500])
        if isinstance(given, Unscored)
        else Sample(response=response, adherence=round(given.share, 6))
        for response, (given, _) in zip(responses, judged, strict=True)
    )
    line = line.model_copy(update={"samples": samples, "posts": min(posts for _, posts in drawn)})
    for draw, sample in enumerate(samples):
        if sample.unscored:
            return _without(line, Unscored(sample.unscored, f"draw {draw}: {sample.detail}"))
    return line


def _without(line: Sampled, why: Unscored) -> Sampled:
    return line.model_copy(update={"unscored": why.reason, "detail": why.detail[:500]})
