"""Texts that a policy samples, and the scores that a scorer gives all texts of one question.

The texts for a question are the draws 0 to N - 1 of the policy, so a run with a larger N goes on
with the draws of a smaller one. A scorer is shown the same posts for all of them.
"""

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from pairwright.errors import CallFailed
from pairwright.evaluation.conditions import ask_fitting
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
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import PromptPosts, with_history


class SampledPolicy(NamedTuple):
    """The model whose texts are picked from."""

    model: Model
    prompts: Prompts
    history: HistoryRules
    words: int

    async def draw(
        self, n: int, prompt: str, question: str, posts: tuple[Post, ...], **values: Hashable
    ) -> tuple[tuple[str, ...], int] | Unscored:
        """Draw n texts by a prompt, and count the fewest posts that one of them was shown; or say
        why one is missing."""

        async def one(draw: int) -> tuple[str | Dropped, PromptPosts]:
            return await with_history(
                self.prompts, prompt, question, posts, self.history, self.model,
                lambda ask: self.model.write(ask, draw), words=self.words, **values,
            )  # fmt: skip

        try:
            texts, shown = zip(*await together(*map(one, range(n))), strict=True)
        except CallFailed as error:
            return failed_call(error)
        for draw, text in enumerate(texts):
            if isinstance(text, Dropped):
                return Unscored(text.reason, f"draw {draw}: {text.detail}")
        return texts, min(len(one.posts) for one in shown)


class SampleScores(Record):
    """One scorer's scores of one question's samples."""

    question: str
    """Id of its item or pair."""
    scorer: str
    scores: tuple[float, ...] = ()
    """The scores in the order of the draws."""
    left_out: int = 0
    """Posts that did not fit, for all samples."""
    unscored: str = ""
    detail: str = ""


async def score_samples(
    id: str,
    responses: Sequence[str],
    question: str,
    posts: tuple[Post, ...],
    name: str,
    scorer: Pointwise,
    history: HistoryRules,
) -> SampleScores:
    """Score all responses to a question with the scorer of this name, shown the same posts."""

    async def ask(shown: PromptContent) -> tuple[float, ...] | Unscored:
        scores = await together(*(scorer.score(shown, response) for response in responses))
        for draw, score in enumerate(scores):
            if isinstance(score, Unscored):
                return Unscored(score.reason, f"draw {draw}: {score.detail}")
            if not math.isfinite(score.value):
                return Unscored("not_a_number", f"draw {draw}: {score.value}")
        return tuple(score.value for score in scores if isinstance(score, ResponseScore))

    shown = fewer = PromptContent(question, selected(question, posts, history))
    try:
        scores, fewer = await ask_fitting(shown, history, ask)
    except CallFailed as error:
        scores = failed_call(error)
    left_out = len(shown.posts) - len(fewer.posts)
    if isinstance(scores, Unscored):
        return SampleScores(question=id, scorer=name, left_out=left_out, **scores.fields)
    return SampleScores(question=id, scorer=name, left_out=left_out, scores=scores)
