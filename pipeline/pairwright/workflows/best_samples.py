"""Policies downstream: best-of-n of their samples, and whether reward-guided decoding prefers the
chosen response."""

from collections import Counter
from collections.abc import Awaitable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

from typer import Option

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
from pairwright.evaluation.settings import Policy, history_hash
from pairwright.notebook import run_async
from pairwright.options import OutPath, ReleasePath, SubjectLimit, SubjectSplit
from pairwright.progress import Progress, Stop, log_notes
from pairwright.records import Record
from pairwright.settings.prompt import SAMPLING
from pairwright.workflows.evaluation import (
    EvaluationResult,
    EvaluationTask,
    OnResult,
    conditions_of,
    run_evaluation,
)
from pairwright.workflows.output import output_folder, write_page
from pairwright.workflows.scoring import (
    ScorerSession,
    ScorersFile,
    open_session,
    policy_of,
    scorer_settings,
)


def best_of_n(
    release: ReleasePath,
    scorers: ScorersFile,
    out: OutPath,
    names: Annotated[
        Iterable[str], Option("--scorer", help="A scorer; repeatable.", metavar="NAME")
    ],
    *,
    n: Annotated[int, Option("-n", help="Samples a question.", metavar="N", min=1, max=1000)] = 16,
    split: SubjectSplit = None,
    limit: SubjectLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> BestOfN:
    """Sample N answers a question from a policy and let scorers pick the best of k.

    The policy and the scorers are shown the user's posts; the judge reads the aspects that its user
    expects, and never a profile. Every sample is judged. Calls are stored as they come: running the
    same command again goes on, and a larger -n goes on with the samples there are. Writes
    best_of_n.json, .md and .html, samples.jsonl and scores.jsonl. Exit code 1: fewer questions
    count than 95 %.

    Examples::

        pairwright downstream best-of-n 1.0.0 --scorers scorers.toml --scorer skywork --out best
        pairwright downstream best-of-n 1.0.0 --scorers scorers.toml --scorer rm --out best -n 64
    """
    folder, (settings, prompts) = output_folder(out), scorer_settings(scorers)
    asked = tuple(dict.fromkeys(names))
    pairs = Release(Path(release), split)
    with open_session(settings, prompts, folder, progress, stop) as session:
        sampling = _sample_and_score(session, pairs, asked, n, limit)
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
    scorers: ScorersFile,
    out: OutPath,
    *,
    names: Annotated[
        Iterable[str], Option("--scorer", help="A guided policy; repeatable [all].", metavar="NAME")
    ] = (),
    conditions: Annotated[
        Iterable[str], Option("--condition", help="As in evaluate; repeatable.", metavar="COND")
    ] = ("none", "profile"),
    split: SubjectSplit = None,
    limit: SubjectLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
    on_result: OnResult = lambda _about, _decisions: None,
) -> tuple[PolicyAccuracy, EvaluationResult]:
    """Measure policy accuracy: does reward-guided decoding prefer the chosen response?

    Scores each guided policy, its policy alone and its reward alone, summed over tokens and per
    token, and says by Kendall's tau over rewards whether those that rank pairs well guide well.
    Scores are stored as they come: running the same command again goes on, and what `evaluate`
    scored in the same folder is not scored again. Writes policy.json, .md and .html, and results
    that `leaderboard` reads. Exit code 1: a scorer left more than 5 % of the pairs without a
    score.

    Raises as `evaluate` does. Returns the accuracies, and the results behind them.

    Examples::

        pairwright downstream policy releases/1.0.0 --scorers scorers.toml --out results
        pairwright downstream policy 1.0.0 --scorers s.toml --out results --scorer arm --limit 50
    """
    folder, (settings, prompts) = output_folder(out), scorer_settings(scorers)
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
