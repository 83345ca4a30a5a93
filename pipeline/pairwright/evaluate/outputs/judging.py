"""Every output judged against its question's aspects: one score for each.

It is the adherence judge of a build, with its prompt: one call an output, a reason before every
score, and as many scores as aspects, or the reply is asked for again. What cannot be read in the
end is a reason, and never 0.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pairwright.errors import CallFailed
from pairwright.evaluate.outputs.records import JudgedOutput, QuestionOutput
from pairwright.evaluate.questions import PersonQuestion
from pairwright.evaluate.scorers.judges import MeteredModel
from pairwright.evaluate.scorers.scorer_protocols import Unscored, failed_call
from pairwright.models import Model
from pairwright.models.run import work_through
from pairwright.records import Adherence, Aspect, Rejected, Rubric
from pairwright.settings.prompt import Prompts
from pairwright.stages.judges import adherence


class AspectJudge(NamedTuple):
    """The adherence judge, bound to what answers for it."""

    model: Model
    prompts: Prompts

    async def judge(
        self, question: PersonQuestion, response: str
    ) -> tuple[Adherence | Unscored, int]:
        """The judge's scores of a response, with the tokens that they took. A call that failed is a
        reason, and is asked again by the next run."""
        if not question.aspects:
            return Unscored("no_rubric"), 0
        if not response.strip():
            return Unscored("empty_output"), 0
        metered = MeteredModel.around(self.model)
        try:
            result = await adherence(
                question.question, response, _rubric(question), metered.model, self.prompts
            )
        except CallFailed as error:
            return failed_call(error), metered.tokens
        if isinstance(result, Rejected):
            return Unscored(result.reason, result.detail), metered.tokens
        return result, metered.tokens


async def judge_outputs(
    outputs: Sequence[QuestionOutput],
    judge: AspectJudge,
    *,
    workers: int,
    stop: Callable[[], None],
    on_each: Callable[[JudgedOutput], None],
) -> list[JudgedOutput]:
    """The judgement of each output, in their order. `on_each` is called with each as it comes.

    Raises Interrupted, EndpointRefused and StoreError: what was judged is stored.
    """
    done: dict[int, JudgedOutput] = {}

    async def work(numbered: tuple[int, QuestionOutput]) -> None:
        number, output = numbered
        done[number] = await _judged(output, judge)
        on_each(done[number])

    await work_through(iter(enumerate(outputs)), work, workers=workers, stop=stop)
    return [done[number] for number in range(len(outputs))]


async def _judged(output: QuestionOutput, judge: AspectJudge) -> JudgedOutput:
    adherence, tokens = await judge.judge(output.question, output.output.output)
    line = JudgedOutput(
        id=output.output.id,
        pair=output.question.pair,
        item_id=output.question.item,
        model=output.output.model,
        domain=output.question.domain,
        cluster=output.question.cluster,
        tokens=tokens,
    )
    if isinstance(adherence, Unscored):
        why = {"unscored": adherence.reason, "detail": adherence.detail[:500]}
        return line.model_copy(update=why)
    return line.model_copy(
        update={"adherence": round(adherence.share, 6), "scores": adherence.scores}
    )


def _rubric(question: PersonQuestion) -> Rubric:
    aspects = tuple(Aspect(aspect=aspect, reason="", evidence="") for aspect in question.aspects)
    return Rubric(
        question_id=question.item, user=question.cluster, origin="planner", aspects=aspects
    )
