"""Samples of a policy, drawn, judged by the aspects, and scored.

The answers to each question are the draws 0 to N - 1 of the policy, so a run with a larger N goes
on with the draws of a smaller one. A scorer is shown the same posts for all samples of a question.
"""

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from pairwright.errors import CallFailed
from pairwright.evaluation.content import ask_fitting
from pairwright.evaluation.outputs import AspectJudge, PersonQuestion
from pairwright.evaluation.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
    Unscored,
    failed_call,
)
from pairwright.models import Model, together
from pairwright.records import Dropped, Post, Record
from pairwright.retrieve import selected
from pairwright.settings.prompt import Prompts, in_language
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import PromptPosts, with_history
from pairwright.text import language_of


class PolicySample(Record):
    """One answer of the policy."""

    response: str
    adherence: float | None = None
    """What the judge says of it, 0 to 1; None where it has no verdict."""
    unscored: str = ""
    detail: str = ""


class SampledQuestion(Record):
    """A question with its samples, in the order of the draws."""

    pair: str
    item_id: str
    domain: str
    cluster: str
    """The user whose question it is."""
    posts: int = 0
    """Posts that the policy was shown."""
    samples: tuple[PolicySample, ...] = ()
    unscored: str = ""
    """Why it does not count: a sample or a judgement is missing. Empty where it counts."""
    detail: str = ""


class SampleScores(Record):
    """What a scorer says of one question's samples."""

    pair: str
    scorer: str
    scores: tuple[float, ...] = ()
    """The scores in the order of the draws."""
    posts: int = 0
    """Posts that the scorer was shown, the same for all samples."""
    left_out: int = 0
    unscored: str = ""
    detail: str = ""


class SampledPolicy(NamedTuple):
    """The model whose texts are picked from."""

    model: Model
    prompts: Prompts
    history: HistoryRules
    words: int

    async def draw(
        self, n: int, prompt: str, question: str, posts: tuple[Post, ...], **values: Hashable
    ) -> tuple[tuple[str, ...], int] | Unscored:
        """The first n draws by a prompt, and the fewest posts that one of them was shown; or why
        one is missing. Raises CallFailed."""

        async def one(draw: int) -> tuple[str | Dropped, PromptPosts]:
            return await with_history(
                self.prompts, prompt, question, posts, self.history, self.model,
                lambda ask: self.model.write(ask, draw), words=self.words, **values,
            )  # fmt: skip

        texts, shown = zip(*await together(*map(one, range(n))), strict=True)
        for draw, text in enumerate(texts):
            if isinstance(text, Dropped):
                return Unscored(text.reason, f"draw {draw}: {text.detail}")
        return texts, min(len(one.posts) for one in shown)


async def sample_question(
    question: PersonQuestion, n: int, policy: SampledPolicy, judge: AspectJudge
) -> SampledQuestion:
    """A question with its samples, judged."""
    line = SampledQuestion(
        pair=question.pair, item_id=question.item, domain=question.domain, cluster=question.cluster
    )

    def without(why: Unscored) -> SampledQuestion:
        return line.model_copy(update=why.fields)

    if not question.aspects:
        return without(Unscored("no_rubric"))
    language = language_of(question.question, *(post.text for post in question.posts))
    values = in_language(language, (policy.words,))
    try:
        drawn = await policy.draw(n, "sample", question.question, question.posts, **values)
    except CallFailed as error:
        return without(failed_call(error))
    if isinstance(drawn, Unscored):
        return without(drawn._replace(reason=f"sample_{drawn.reason}"))
    responses, posts = drawn
    judged = await together(*(judge.judge(question, response) for response in responses))
    samples = tuple(
        PolicySample(response=response, **score.fields)
        if isinstance(score, Unscored)
        else PolicySample(response=response, adherence=round(score.share, 6))
        for response, (score, _) in zip(responses, judged, strict=True)
    )
    line = line.model_copy(update={"samples": samples, "posts": posts})
    for draw, sample in enumerate(samples):
        if sample.unscored:
            return without(Unscored(sample.unscored, f"draw {draw}: {sample.detail}"))
    return line


async def score_samples(
    sampled: SampledQuestion,
    question: PersonQuestion,
    name: str,
    scorer: Pointwise,
    history: HistoryRules,
) -> SampleScores:
    """The scores of a question's samples by the scorer of this name."""
    line = SampleScores(pair=sampled.pair, scorer=name)
    shown = PromptContent(question.question, selected(question.question, question.posts, history))
    responses = [sample.response for sample in sampled.samples]
    try:
        scores, fewer = await scores_of(responses, shown, scorer, history)
    except CallFailed as error:
        return line.model_copy(update=failed_call(error).fields)
    left_out = len(shown.posts) - len(fewer.posts)
    line = line.model_copy(update={"posts": len(fewer.posts), "left_out": left_out})
    found = scores.fields if isinstance(scores, Unscored) else {"scores": scores}
    return line.model_copy(update=found)


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
