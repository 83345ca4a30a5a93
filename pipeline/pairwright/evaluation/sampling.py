"""Texts that a policy samples for a question, and the scores that a scorer gives them.

The texts are the policy's draws 0 to N - 1, so a run with a larger N goes on with the draws of a
smaller one. A scorer is shown the same posts for all of them.
"""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import NamedTuple

from pairwright.errors import CallFailed
from pairwright.evaluation.conditions import ask_fitting
from pairwright.evaluation.scorers.opening import pointwise
from pairwright.evaluation.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
    ScorerRef,
    Unscored,
    failed_call,
)
from pairwright.evaluation.session import ScorerSession
from pairwright.models import Model, together
from pairwright.records import Dropped, Post, Record
from pairwright.retrieve import selected
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import PromptPosts, with_history


class Samples(NamedTuple):
    """What a policy wrote to one question."""

    id: str
    question: str
    posts: tuple[Post, ...]
    """All that is known of who asks it, oldest first."""
    texts: tuple[str, ...]
    """In the order of the draws."""


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
    """A line of a file: one scorer's scores of one question's samples."""

    question: str
    """Id of its item or pair."""
    scorer: str
    scores: tuple[float, ...] = ()
    """The scores in the order of the draws."""
    unscored: str = ""
    detail: str = ""


async def score_samples(
    samples: Samples, scorer: Pointwise, name: str, history: HistoryRules
) -> SampleScores:
    """Score all texts of a question with the scorer of this name, shown the same posts."""

    async def ask(shown: PromptContent) -> list[float] | Unscored:
        scores = await together(*(scorer.score(shown, text) for text in samples.texts))
        missing = [one for one in scores if isinstance(one, Unscored)]
        return missing[0] if missing else [s.value for s in scores if isinstance(s, ResponseScore)]

    posts = selected(samples.question, samples.posts, history)
    try:
        scores, _ = await ask_fitting(PromptContent(samples.question, posts), history, ask)
    except CallFailed as error:
        scores = failed_call(error)
    found = scores.fields if isinstance(scores, Unscored) else {"scores": scores}
    return SampleScores.model_validate({"question": samples.id, "scorer": name} | found)


async def scores_by(
    session: ScorerSession, names: Sequence[str], samples: Sequence[Samples], history: HistoryRules
) -> tuple[list[ScorerRef], list[SampleScores]]:
    """Have every scorer score all samples, one scorer after the other. Raises ConfigError, and as
    the session's `each` does."""
    refs, lines = list[ScorerRef](), list[SampleScores]()
    most = max((len(one.texts) for one in samples), default=1)
    for name in names:
        async with session.scorer(name) as opened:
            scorer, workers = pointwise(name, opened.scorer), max(1, opened.workers // most)
            work = partial(score_samples, scorer=scorer, name=name, history=history)
            lines += await session.calls.each(
                f"scored by {name}", samples, work, workers=workers, stop=opened.stop
            )
            refs.append(opened.ref)
    return refs, lines
