"""Texts that a policy samples for a question, what each is worth, and which of them scorers pick.

The texts are the policy's draws 0 to N - 1, so a run with a larger N goes on with the draws of a
smaller one. All N are worth something, because each is the best of some subset. If a scorer gives
several texts its best score, each of them is picked equally often.
"""

from collections.abc import Callable, Coroutine, Hashable, Iterable, Mapping, Sequence
from functools import partial
from math import comb
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from pairwright.errors import CallFailed
from pairwright.evaluation.conditions import Posts, ask_fitting
from pairwright.evaluation.scorers.opening import pointwise
from pairwright.evaluation.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
    ScorerRef,
    Unscored,
    failed_call,
)
from pairwright.evaluation.session import OpenModel, ScorerSession, policy_of
from pairwright.models import together
from pairwright.records import Dropped, Record
from pairwright.retrieve import selected
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import PromptPosts, with_history
from pairwright.stats import Floats


class SampleTask(NamedTuple):
    """A question that texts are sampled for."""

    id: str
    user: str
    question: str
    posts: Posts
    """All that is known of the user, oldest first: scorers are shown the best of it."""
    shown: Mapping[str, Posts]
    """What the policy is shown, by condition. Scorers pick among the texts of the last."""
    values: Mapping[str, Hashable] = {}
    """Further values of the policy's prompt."""


class Sampled(Record):
    """A line of a file: the texts for one question in one condition."""

    id: str
    user: str
    condition: str
    posts: int = 0
    """The fewest posts that a text was shown; those that did not fit are left out."""
    texts: tuple[str, ...] = ()
    """In the order of the draws."""
    worth: dict[str, tuple[float | None, ...]] = Field(default={})
    """What each text is worth, 0 to 1, by figure; None if that is not known."""
    unscored: str = ""
    """Why it does not count: a text or its worth is missing. Empty if it counts."""
    detail: str = ""


class SampleScores(Record):
    """A line of a file: one scorer's scores of one question's texts."""

    question: str
    scorer: str
    scores: tuple[float, ...] = ()
    """The scores in the order of the draws."""
    unscored: str = ""
    detail: str = ""


Worth = Callable[[SampleTask, str], Coroutine[Any, Any, dict[str, float] | Unscored]]


async def sample(
    session: ScorerSession,
    policy: OpenModel,
    tasks: Sequence[SampleTask],
    prompt: str,
    n: int,
    worth: Worth,
    stop: Callable[[], None],
) -> list[Sampled]:
    """Draw n texts for each task in its last condition, and one in each other, and find what they
    are worth. Raises as the session's `each` does."""
    pieces = [
        (task, condition, n if condition == list(task.shown)[-1] else 1)
        for task in tasks
        for condition in task.shown
    ]
    spec = policy_of(session.settings, n)

    async def sampled(piece: tuple[SampleTask, str, int]) -> Sampled:
        task, condition, draws = piece
        line = {"id": task.id, "user": task.user, "condition": condition}
        posts = task.shown[condition]
        # The posts are chosen already.
        rules = HistoryRules(**spec.history.model_dump() | {"posts": max(1, len(posts))})

        async def one(draw: int) -> tuple[str | Dropped, PromptPosts]:
            return await with_history(
                session.prompts, prompt, task.question, posts, rules,
                lambda ask: policy.model.write(ask, draw), words=spec.words, **task.values,
            )  # fmt: skip

        try:
            texts, carried = zip(*await together(*map(one, range(draws))), strict=True)
        except CallFailed as error:
            return Sampled.model_validate(line | failed_call(error).fields)
        for draw, text in enumerate(texts):
            if isinstance(text, Dropped):
                why = Unscored(text.reason, f"draw {draw}: {text.detail}")
                return Sampled.model_validate(line | why.fields)
        worths = await together(*(worth(task, text) for text in texts))
        missing = [one for one in worths if isinstance(one, Unscored)]
        names = {name: None for one in worths if isinstance(one, dict) for name in one}
        return Sampled(
            **line,
            posts=min(len(one.posts) for one in carried),
            texts=texts,
            worth={
                name: tuple(one[name] if isinstance(one, dict) else None for one in worths)
                for name in names
            },
            **(missing[0].fields if missing else {}),
        )

    workers = max(1, policy.workers // n)
    return await session.calls.each(
        "questions sampled", pieces, sampled, workers=workers, stop=stop
    )


async def scores_by(
    session: ScorerSession,
    names: Sequence[str],
    tasks: Sequence[SampleTask],
    samples: Iterable[Sampled],
    history: HistoryRules,
) -> tuple[list[ScorerRef], list[SampleScores]]:
    """Have every scorer score the texts of the tasks' last conditions, one scorer after the other.
    Raises ConfigError, and as the session's `each` does."""
    refs, lines, by_id = list[ScorerRef](), list[SampleScores](), {one.id: one for one in tasks}
    drawn = [
        (by_id[one.id], one.texts)
        for one in samples
        if not one.unscored and one.condition == list(by_id[one.id].shown)[-1]
    ]
    most = max((len(texts) for _, texts in drawn), default=1)
    for name in names:
        async with session.scorer(name) as opened:
            scorer, workers = pointwise(name, opened.scorer), max(1, opened.workers // most)
            work = partial(_scored, scorer=scorer, name=name, history=history)
            lines += await session.calls.each(
                f"scored by {name}", drawn, work, workers=workers, stop=opened.stop
            )
            refs.append(opened.ref)
    return refs, lines


async def _scored(
    drawn: tuple[SampleTask, tuple[str, ...]], scorer: Pointwise, name: str, history: HistoryRules
) -> SampleScores:
    """Score all texts of a question, shown the same posts."""
    task, texts = drawn

    async def ask(shown: PromptContent) -> list[float] | Unscored:
        scores = await together(*(scorer.score(shown, text) for text in texts))
        missing = [one for one in scores if isinstance(one, Unscored)]
        return missing[0] if missing else [s.value for s in scores if isinstance(s, ResponseScore)]

    posts = selected(task.question, task.posts, history)
    try:
        scores, _ = await ask_fitting(PromptContent(task.question, posts), history, ask)
    except CallFailed as error:
        scores = failed_call(error)
    found = scores.fields if isinstance(scores, Unscored) else {"scores": scores}
    return SampleScores.model_validate({"question": task.id, "scorer": name} | found)


def means_of(samples: Iterable[Sampled]) -> pd.DataFrame:
    """A line for each question and condition: `id, condition, cluster, reason`, and the means of
    what its texts are worth, by figure; the reason says why there are none."""
    return pd.DataFrame(
        {
            "id": one.id, "condition": one.condition, "cluster": one.user, "reason": one.unscored,
            **{name: np.array(own, float).mean() for name, own in one.worth.items()},
        }
        for one in samples
    )  # fmt: skip


def picks_of(
    samples: Iterable[Sampled], scored: Iterable[SampleScores], ks: Sequence[int]
) -> pd.DataFrame:
    """A line for each scorer, question and k: what the scorer's pick of any k of the texts of the
    samples is worth, by figure; the reason says why that is not known."""
    by_id, lines = {one.id: one for one in samples if not one.unscored}, []
    for line in scored:
        of, scores = by_id[line.question], np.array(line.scores, float)
        for k in ks:
            found = {
                name: of_subsets(scores, np.array(own, float), k) if len(scores) else np.nan
                for name, own in of.worth.items()
            }
            lines.append(
                {"scorer": line.scorer, "k": k, "id": of.id, "cluster": of.user,
                 "reason": line.unscored, **found}
            )  # fmt: skip
    return pd.DataFrame(lines)


def of_subsets(scores: Floats, worth: Floats, k: int) -> float:
    """The mean worth of those with the highest score, over all subsets of k of the N samples, each
    as likely: an unbiased estimate of best-of-k that uses every sample. Both of shape (N,); raises
    ValueError if k is not from 1 to N.

    Without ties the sample of rank r (1 is the lowest) is the best of C(r - 1, k - 1) of the C(N,
    k) subsets: the others are among the r - 1 below. The best of a subset is among m samples that
    tie above a lower ones where it is one of the C(a + m, k) subsets of these a + m, and not one of
    the C(a, k) of the lower ones; of that each of the m has an equal share, for the subsets are the
    same whichever of them change places. With m = 1 that is the first formula, by Pascal's rule.
    """
    if not 1 <= k <= len(scores):
        raise ValueError(f"k is {k}, and there are {len(scores)} samples")
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    subsets = comb(len(scores), k)
    shares = [
        (comb(int(end), k) - comb(int(end - size), k)) / subsets / int(size)
        for end, size in zip(np.cumsum(sizes), sizes, strict=True)
    ]
    return float(np.array(shares, np.float64)[group] @ worth)
