"""Every output judged against its question's aspects: 0, 1 or 2 for each.

It is the adherence judge of a build, with its prompt: one call an output, a reason before every
score, and as many scores as aspects, or the reply is asked for again. What cannot be read in the
end is a reason, and never 0.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pairwright.errors import CallFailed
from pairwright.evaluate.evaluation import CALL_FAILED
from pairwright.evaluate.outputs.records import JudgedOutput, QuestionOutput
from pairwright.evaluate.questions import PersonQuestion
from pairwright.evaluate.scorers.judges import MeteredModel
from pairwright.evaluate.scorers.seam import Unscored
from pairwright.models import Model
from pairwright.models.run import work_through
from pairwright.records import Adherence, Aspect, Rejected, Rubric
from pairwright.settings.prompt import Prompts
from pairwright.stages.judges import adherence


class AspectJudge(NamedTuple):
    """The adherence judge, bound to what answers for it."""

    model: Model
    prompts: Prompts

    async def judge(self, asked: PersonQuestion, response: str) -> tuple[Adherence | Unscored, int]:
        """With the tokens it took. A call that came to nothing is a reason, and is asked again by
        the next run."""
        if not asked.aspects:
            return Unscored("no_rubric"), 0
        if not response.strip():
            return Unscored("empty_output"), 0
        counted = MeteredModel.of(self.model)
        try:
            found = await adherence(
                asked.question, response, _rubric(asked), counted.model, self.prompts
            )
        except CallFailed as error:
            return Unscored(f"{CALL_FAILED}:{error.reason}", error.detail), counted.tokens
        if isinstance(found, Rejected):
            return Unscored(found.reason, found.detail), counted.tokens
        return found, counted.tokens


async def judge_outputs(
    found: Sequence[QuestionOutput],
    judge: AspectJudge,
    *,
    workers: int,
    stop: Callable[[], None],
    seen: Callable[[JudgedOutput], None],
) -> list[JudgedOutput]:
    """What is said of each output, in their order. `seen` is told of each as it comes.

    Raises Interrupted, EndpointRefused and StoreError: what was judged is stored.
    """
    done: dict[int, JudgedOutput] = {}

    async def work(numbered: tuple[int, QuestionOutput]) -> None:
        number, of = numbered
        done[number] = await _judged(of, judge)
        seen(done[number])

    await work_through(iter(enumerate(found)), work, workers=workers, stop=stop)
    return [done[number] for number in range(len(found))]


async def _judged(of: QuestionOutput, judge: AspectJudge) -> JudgedOutput:
    given, tokens = await judge.judge(of.asked, of.output.output)
    line = JudgedOutput(
        id=of.output.id,
        pair=of.asked.pair,
        item_id=of.asked.item,
        model=of.output.model,
        domain=of.asked.domain,
        cluster=of.asked.cluster,
        tokens=tokens,
    )
    if isinstance(given, Unscored):
        why = {"unscored": given.reason, "detail": given.detail[:500]}
        return line.model_copy(update=why)
    return line.model_copy(update={"adherence": round(given.share, 6), "scores": given.scores})


def _rubric(asked: PersonQuestion) -> Rubric:
    aspects = tuple(Aspect(aspect=aspect, reason="", evidence="") for aspect in asked.aspects)
    return Rubric(question_id=asked.item, user=asked.cluster, origin="planner", aspects=aspects)
