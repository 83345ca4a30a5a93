"""Policies downstream: best-of-n of their samples, and whether reward-guided decoding prefers the
chosen response."""

from collections import Counter
from collections.abc import Awaitable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

from pairwright.evaluation.best_of_n import (
    BestOfN,
    ScorerCurve,
    best_of_n_page,
    ceiling,
    curve,
    powers,
)
from pairwright.evaluation.guided import (
    GuidedResult,
    PolicyAccuracy,
    guided_names,
    guided_results,
    guided_spec,
    parts,
    policy_page,
    taus,
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
from pairwright.evaluation.scorers.scorer import Pointwise
from pairwright.evaluation.settings import Policy, Scorers, history_hash
from pairwright.notebook import run_async
from pairwright.options import Doc, OutPath, ReleasePath, SubjectLimit, SubjectSplit
from pairwright.records import Record
from pairwright.settings.prompt_variables import SAMPLING
from pairwright.workflows.evaluation import (
    EvaluationResult,
    EvaluationTask,
    OnResult,
    conditions_of,
    run_evaluation,
)
from pairwright.workflows.output import write_page
from pairwright.workflows.progress import Progress, Stop, log_notes
from pairwright.workflows.scoring import ScorerSession, open_session, policy_of, scorer_settings


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
    split: Annotated[str | None, Doc("Only this split's questions [all].", "NAME")] = None,
    limit: Annotated[
        int | None, Doc("Only the first N questions, to try it.", "N", least=1)
    ] = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> BestOfN:
    """Sample `n` answers a question from a policy and let scorers pick the best of k.

    `scorers` has the tables [policy] and [judge] and the scorers of `names`, which must score a
    single response; k are the powers of 2 up to n. Policy and scorers are shown the user's posts;
    the judge reads the aspects, and never a profile. `out`
    gets best_of_n.json, .md and .html, samples.jsonl, scores.jsonl and `run.sqlite`: what is
    stored there is not asked again.

    Raises InputError, ConfigError, EndpointRefused, Interrupted and StoreError.

        >>> done = best_of_n("releases/1.0.0", "scorers.toml", "best", "skywork", n=4)
        >>> [curve.scorer.name for curve in done.curves]
        ['skywork']
    """
    (settings, prompts), folder = scorer_settings(scorers), Path(out)
    names = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
    pairs = Release(Path(release), split)
    with open_session(settings, prompts, folder, progress, stop) as session:
        sampling = _sample_and_score(session, pairs, names, n, limit)
        summary, lines = run_async(sampling)
    write_page(folder, "best_of_n", best_of_n_page(summary), summary, lines)
    return summary


async def _sample_and_score(
    session: ScorerSession,
    release: Release,
    names: tuple[str, ...],
    n: int,
    limit: int | None,
) -> tuple[BestOfN, dict[str, Sequence[Record]]]:
    """The result, and the lines behind it by their files."""
    spec = policy_of(session.settings, n)
    questions = ReleaseQuestions(release.rows()).own[:limit]
    by_pair = {question.pair: question for question in questions}
    await session.check_pointwise(names)
    policy, judge, samples = await _sample(session, spec, questions, n)
    history = session.settings.history.rules(release.study_posts)

    def score(sampled: SampledQuestion, name: str, scorer: Pointwise) -> Awaitable[SampleScores]:
        return score_samples(sampled, by_pair[sampled.pair], name, scorer, history)

    scores: list[SampleScores] = []
    curves: list[ScorerCurve] = []
    whole = [sampled for sampled in samples if not sampled.unscored]
    for name in names:
        ref, lines = await session.score(name, whole, score, responses=n)
        scores += lines
        curves.append(curve(ref, samples, lines, powers(n)))
    unscored = Counter(one.unscored for one in samples if one.unscored)
    summary = BestOfN(
        release=release.ref,
        limit=limit,
        n=n,
        policy=policy,
        judge=judge,
        history=history_hash(history),
        questions=len(questions),
        sampled=len(whole),
        unscored=dict(sorted(unscored.items())),
        ceiling=ceiling(samples, powers(n)),
        curves=tuple(curves),
    )
    return summary, {"samples.jsonl": samples, "scores.jsonl": scores}


async def _sample(
    session: ScorerSession, spec: Policy, questions: list[PersonQuestion], n: int
) -> tuple[ScorerRef, ScorerRef, list[SampledQuestion]]:
    """The policy, the judge, and what they wrote and said."""
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
            lambda question: sample_question(question, n, sampled, asked),
            workers=max(1, policy.workers // n),
            stop=end,
        )
    return policy.ref, judge.ref, lines


def policy_accuracy(
    release: ReleasePath,
    scorers: Annotated[
        str | Path | Scorers,
        Doc("Guided policies, their policies and rewards.", "FILE.toml", name="--scorers"),
    ],
    out: Annotated[
        str | Path,
        Doc("Folder of the results; one of `evaluate` will do.", "DIR", name="--out"),
    ],
    *,
    names: Annotated[
        Iterable[str],
        Doc("A guided policy; again for more [all of the file].", "NAME", name="--scorer"),
    ] = (),
    conditions: Annotated[
        Iterable[str],
        Doc("none, profile, ... as in evaluate; again for more.", "COND", name="--condition"),
    ] = ("none", "profile"),
    split: SubjectSplit = None,
    limit: SubjectLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
    on_result: OnResult = lambda _about, _decisions: None,
) -> tuple[PolicyAccuracy, EvaluationResult]:
    """Score guided policies, their policies and their rewards on a release's pairs: their
    accuracies, and the results behind them, which `leaderboard` reads.

    `names` are guided policies of the file of scorers, all of them where none is named; the rest is
    as in `evaluate`. `out` gets policy.json, .md and .html beside the results. Raises as `evaluate`
    does.

        >>> policy_accuracy("releases/1.0.0", "scorers.toml", "results")[0].lines[0].policy
        'qwen'
    """
    (settings, prompts), folder = scorer_settings(scorers), Path(out)
    guided = guided_names(settings, tuple(names))
    # The parts first: then what a guided policy adds up is stored, and no two models are loaded.
    task = EvaluationTask(
        Release(Path(release), split),
        (*parts(settings, guided), *guided),
        conditions_of(conditions),
        limit,
    )
    done = run_evaluation(task, settings, prompts, folder, progress, stop, on_result)
    lines: list[GuidedResult] = []
    for condition in task.conditions:
        decided = {
            one.about.scorer.name: list(one.decisions())
            for one in done.results
            if one.about.condition == condition
        }
        for name in guided:
            lines += guided_results(name, guided_spec(settings, name), condition, decided)
    accuracy = PolicyAccuracy(
        release=task.release.ref,
        limit=limit,
        split=split,
        lines=tuple(lines),
        taus=taus(lines),
    )
    write_page(folder, "policy", policy_page(accuracy), accuracy)
    return accuracy, done
