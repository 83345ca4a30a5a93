"""Best-of-n: a policy samples, a judge scores every sample, and scorers pick."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from pairwright.errors import InputError
from pairwright.evaluation.best_of_n import (
    BestOfN,
    ScorerCurve,
    best_of_n_page,
    ceiling,
    curve,
    powers,
)
from pairwright.evaluation.outputs import AspectJudge, PersonQuestion, ReleaseQuestions
from pairwright.evaluation.policy_samples import (
    SampledPolicy,
    SampledQuestion,
    SampleScores,
    sample_question,
    score_samples,
)
from pairwright.evaluation.release import Release
from pairwright.evaluation.results import ScorerRef
from pairwright.evaluation.settings import Scorers, history_hash
from pairwright.notebook import run_async
from pairwright.options import Doc, OutPath, ReleasePath
from pairwright.settings.prompt_variables import SAMPLING
from pairwright.settings.rules import HistoryRules
from pairwright.workflows.output import write_page
from pairwright.workflows.progress import Progress, Stop, log_notes
from pairwright.workflows.scorers import pointwise
from pairwright.workflows.scoring import ScorerSession, open_session, policy_of, scorer_settings


@dataclass(frozen=True, slots=True)
class SamplingResult:
    """What best-of-n wrote."""

    summary: BestOfN
    """A curve for each scorer: the mean score of its pick of k samples, from 0 to 1, and the gain
    over a random pick, with 95 % intervals by user."""
    samples: tuple[SampledQuestion, ...]
    scores: tuple[SampleScores, ...]

    @property
    def counted(self) -> int:
        """Questions that count in every curve."""
        return min((curve.questions for curve in self.summary.curves), default=0)


def best_of_n(
    release: ReleasePath,
    scorers: Annotated[
        str | Path | Scorers,
        Doc("Its [policy], [judge], scorers and endpoints.", "FILE.toml", name="--scorers"),
    ],
    out: OutPath,
    names: Annotated[
        str | Iterable[str], Doc("A scorer that picks; again for more.", "NAME", name="--scorer")
    ],
    *,
    n: Annotated[int, Doc("Samples a question.", name="-n", least=1, most=1000)] = 16,
    ks: Annotated[
        Iterable[int] | None,
        Doc("Samples to pick from; again for more [1, 2, 4, ...].", "K", name="-k"),
    ] = None,
    split: Annotated[str | None, Doc("Only this split's questions [all].", "NAME")] = None,
    limit: Annotated[
        int | None, Doc("Only the first N questions, to try it.", "N", least=1)
    ] = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> SamplingResult:
    """Sample `n` answers a question from a policy and let scorers pick the best of k.

    `scorers` has the tables [policy] and [judge] and the scorers of `names`, which must score a
    single response. `ks` are the numbers of samples to pick from (the powers of 2 up to n). Policy
    and scorers are shown the user's posts; the judge reads the aspects, and never a profile. `out`
    gets best_of_n.json, .md and .html, samples.jsonl, scores.jsonl and `calls.sqlite`: what is
    stored there is not asked again.

    Raises InputError, ConfigError, EndpointRefused, Interrupted and StoreError.

        >>> done = best_of_n("releases/1.0.0", "scorers.toml", "best", "skywork", n=4)
        >>> [curve.scorer.name for curve in done.summary.curves]
        ['skywork']
    """
    settings, folder = scorer_settings(scorers), Path(out)
    names = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
    picked = tuple(sorted(set(ks or powers(n))))
    if wrong := [k for k in picked if not 1 <= k <= n]:
        raise InputError(
            f"the best of {wrong[0]} cannot be picked from {n} samples",
            where=f"-k {wrong[0]}",
            fix=f"Raise -n to {wrong[0]}: samples are never used twice."
            if wrong[0] > n
            else "k is 1 or more.",
        )
    task = _SamplingTask(Release(Path(release), split), names, n, picked, limit)
    with open_session(settings, folder, progress, stop) as session:
        done = run_async(_sample_and_score(task, session))
    report = best_of_n_page(done.summary)
    lines = {"samples.jsonl": done.samples, "scores.jsonl": done.scores}
    write_page(folder, "best_of_n", report, done.summary, lines)
    return done


async def check_pointwise(session: ScorerSession, names: Iterable[str]) -> None:
    """Check that scorers give a score of a single response, before anything is sampled.

    Nothing is connected or loaded by opening them. Raises ConfigError for a scorer that is not
    there, or that does not.
    """
    async with session.scorers(*names) as opened:
        for name, one in opened.items():
            pointwise(name, one.scorer)


class _SamplingTask(NamedTuple):
    release: Release
    scorers: tuple[str, ...]
    n: int
    ks: tuple[int, ...]
    limit: int | None


async def _sample_and_score(task: _SamplingTask, session: ScorerSession) -> SamplingResult:
    policy_of(session.settings, task.n)
    questions = ReleaseQuestions(task.release.rows()).own[: task.limit]
    await check_pointwise(session, task.scorers)
    policy, judge, samples = await _sample(task, session, questions)
    scores: list[SampleScores] = []
    curves: list[ScorerCurve] = []
    for name in task.scorers:
        lines, of_scorer = await _score(task, session, name, questions, samples)
        scores += lines
        curves.append(of_scorer)
    models = {policy.model, judge.model, *(one.scorer.model for one in curves)}
    unscored = Counter(one.unscored for one in samples if one.unscored)
    summary = BestOfN(
        release=task.release.ref,
        limit=task.limit,
        n=task.n,
        policy=policy,
        judge=judge,
        history=history_hash(_history(task, session)),
        simulated=session.calls.any_simulated(models),
        questions=len(questions),
        sampled=sum(not one.unscored for one in samples),
        unscored=dict(sorted(unscored.items())),
        ceiling=ceiling(samples, task.ks),
        curves=tuple(curves),
    )
    return SamplingResult(summary, tuple(samples), tuple(scores))


async def _sample(
    task: _SamplingTask, session: ScorerSession, questions: list[PersonQuestion]
) -> tuple[ScorerRef, ScorerRef, list[SampledQuestion]]:
    """The policy, the judge, and what they wrote and said."""
    spec = policy_of(session.settings, task.n)
    prompts = tuple(sorted({"history", *SAMPLING}))
    async with session.judge() as judge, session.policy(prompts) as policy:

        def end() -> None:
            policy.stop()
            judge.stop()

        sampled = SampledPolicy(policy.model, session.prompts, spec.history, spec.words)
        asked = AspectJudge(judge.model, session.prompts)
        lines = await session.calls.each(
            "questions sampled and judged",
            questions,
            lambda question: sample_question(question, task.n, sampled, asked),
            workers=max(1, policy.workers // task.n),
            stop=end,
        )
    return policy.ref, judge.ref, lines


async def _score(
    task: _SamplingTask,
    session: ScorerSession,
    name: str,
    questions: list[PersonQuestion],
    samples: list[SampledQuestion],
) -> tuple[list[SampleScores], ScorerCurve]:
    by_pair = {question.pair: question for question in questions}
    history = _history(task, session)
    # One at a time: a model in this process fills the memory there is.
    async with session.scorer(name) as opened:
        scorer = pointwise(name, opened.scorer)
        lines = await session.calls.each(
            f"scored by {name}",
            [sampled for sampled in samples if not sampled.unscored],
            lambda sampled: score_samples(sampled, by_pair[sampled.pair], name, scorer, history),
            workers=max(1, opened.workers // task.n),
            stop=opened.stop,
        )
    return lines, curve(opened.ref, samples, lines, task.ks)


def _history(task: _SamplingTask, session: ScorerSession) -> HistoryRules:
    """The rules by which scorers are shown posts."""
    return session.settings.history.rules(task.release.study_posts)
