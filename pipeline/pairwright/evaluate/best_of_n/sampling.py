"""N answers to each question, the draws 0 to N - 1 of the policy, each judged and scored.

All N are judged by the aspects, because each is the best of some subset. The first k of N are the
draws 0 to k - 1, so a run with a larger N goes on with the draws of a smaller one. A scorer is
shown the same posts for all samples of a question.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pairwright.errors import CallFailed
from pairwright.evaluate.best_of_n.curves import PolicySample, SampledQuestion, SampleScores
from pairwright.evaluate.content import ask_fitting
from pairwright.evaluate.outputs import AspectJudge, PersonQuestion
from pairwright.evaluate.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
    Unscored,
    failed_call,
)
from pairwright.models import Model, together
from pairwright.models.run import work_through
from pairwright.records import Rejected
from pairwright.retrieve import selected
from pairwright.settings.prompt import Prompts, in_language
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import with_history
from pairwright.text import language_of

MOST = 1000
"""Draws beyond these are those of replies that were empty."""


class SampledPolicy(NamedTuple):
    """The model whose answers are picked from."""

    model: Model
    prompts: Prompts
    history: HistoryRules
    words: int

    async def draw(self, question: PersonQuestion, draw: int) -> tuple[str | Rejected, int]:
        """One answer, and how many posts it was shown. Raises CallFailed."""
        posts = (post.text for post in question.posts)
        language = language_of(question.question, *posts)
        answer, shown = await with_history(
            self.prompts,
            "sample",
            question.question,
            question.posts,
            self.history,
            self.model,
            lambda ask: self.model.write(ask, draw),
            words=self.words,
            **in_language(language, (self.words,)),
        )
        return answer, len(shown.posts)


async def sample_questions(
    questions: Sequence[PersonQuestion],
    n: int,
    policy: SampledPolicy,
    judge: AspectJudge,
    *,
    workers: int,
    stop: Callable[[], None],
    on_each: Callable[[SampledQuestion], None],
) -> list[SampledQuestion]:
    """Every question with its samples, in order. `on_each` is called with each as it comes.

    Raises Interrupted, EndpointRefused and StoreError: what was drawn and judged is stored.
    """
    done: dict[int, SampledQuestion] = {}

    async def work(numbered: tuple[int, PersonQuestion]) -> None:
        number, question = numbered
        done[number] = await _sampled_question(question, n, policy, judge)
        on_each(done[number])

    await work_through(iter(enumerate(questions)), work, workers=workers, stop=stop)
    return [done[number] for number in range(len(questions))]


async def _sampled_question(
    question: PersonQuestion, n: int, policy: SampledPolicy, judge: AspectJudge
) -> SampledQuestion:
    line = SampledQuestion(
        pair=question.pair, item_id=question.item, domain=question.domain, cluster=question.cluster
    )
    if not question.aspects:
        return _without(line, Unscored("no_rubric"))
    try:
        drawn = await together(*(policy.draw(question, draw) for draw in range(n)))
    except CallFailed as error:
        return _without(line, failed_call(error))
    responses = [answer for answer, _ in drawn if not isinstance(answer, Rejected)]
    for draw, (answer, _) in enumerate(drawn):
        if isinstance(answer, Rejected):
            detail = f"draw {draw}: {answer.detail}"
            return _without(line, Unscored(f"sample_{answer.reason}", detail))
    judged = await together(*(judge.judge(question, response) for response in responses))
    samples = tuple(
        PolicySample(response=response, unscored=score.reason, detail=score.detail[:500])
        if isinstance(score, Unscored)
        else PolicySample(response=response, adherence=round(score.share, 6))
        for response, (score, _) in zip(responses, judged, strict=True)
    )
    line = line.model_copy(update={"samples": samples, "posts": min(posts for _, posts in drawn)})
    for draw, sample in enumerate(samples):
        if sample.unscored:
            return _without(line, Unscored(sample.unscored, f"draw {draw}: {sample.detail}"))
    return line


def _without(line: SampledQuestion, why: Unscored) -> SampledQuestion:
    return line.model_copy(update={"unscored": why.reason, "detail": why.detail[:500]})


async def score_samples(
    samples: Sequence[SampledQuestion],
    questions: Mapping[str, PersonQuestion],
    name: str,
    scorer: Pointwise,
    history: HistoryRules,
    *,
    workers: int,
    stop: Callable[[], None],
    on_each: Callable[[SampleScores], None],
) -> list[SampleScores]:
    """The scores of the questions that have all samples, in their order; `questions` is by the
    pair's id.

    Raises Interrupted, EndpointRefused and StoreError: what was scored is stored.
    """
    done: dict[int, SampleScores] = {}

    async def work(numbered: tuple[int, SampledQuestion]) -> None:
        number, question = numbered
        done[number] = await _sample_scores(
            question, questions[question.pair], name, scorer, history
        )
        on_each(done[number])

    whole = [question for question in samples if not question.unscored]
    await work_through(iter(enumerate(whole)), work, workers=workers, stop=stop)
    return [done[number] for number in range(len(whole))]


async def scores_of(
    responses: Sequence[str], shown: PromptContent, scorer: Pointwise, history: HistoryRules
) -> tuple[tuple[float, ...] | Unscored, PromptContent]:
    """The scores of all responses, shown the same posts, and what was shown. Raises CallFailed."""

    async def ask(shown: PromptContent) -> tuple[float, ...] | Unscored:
        scores = await together(*(scorer.score(shown, response) for response in responses))
        for draw, score in enumerate(scores):
            if isinstance(score, Unscored):
                return score._replace(detail=f"draw {draw}: {score.detail}")
            if not math.isfinite(score.value):
                return Unscored("not_a_number", f"draw {draw}: {score.value}")
        return tuple(score.value for score in scores if isinstance(score, ResponseScore))

    return await ask_fitting(shown, history, ask)


async def _sample_scores(
    samples: SampledQuestion,
    question: PersonQuestion,
    name: str,
    scorer: Pointwise,
    history: HistoryRules,
) -> SampleScores:
    line = SampleScores(pair=samples.pair, scorer=name)
    shown = PromptContent(question.question, selected(question.question, question.posts, history))

    try:
        responses = [sample.response for sample in samples.samples]
        scores, fewer = await scores_of(responses, shown, scorer, history)
    except CallFailed as error:
        failure = failed_call(error)
        return line.model_copy(update={"unscored": failure.reason, "detail": failure.detail})
    left_out = len(shown.posts) - len(fewer.posts)
    line = line.model_copy(update={"posts": len(fewer.posts), "left_out": left_out})
    if isinstance(scores, Unscored):
        why = {"unscored": scores.reason, "detail": scores.detail[:500]}
        return line.model_copy(update=why)
    return line.model_copy(update={"scores": scores})
