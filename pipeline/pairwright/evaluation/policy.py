"""Policy accuracy: does what reward-guided decoding adds up prefer the response that fits its user?
`downstream policy`.

A policy guided by a reward beside its parts, on the same pairs, from the scores of both.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
from typer import Option

from pairwright.assets import DOCS
from pairwright.errors import ConfigError
from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef
from pairwright.evaluation.conditions import ConditionName
from pairwright.evaluation.evaluate import EvaluationResult, evaluate
from pairwright.evaluation.scores import ScoreTable, joined
from pairwright.evaluation.session import ScorersFile
from pairwright.evaluation.settings import Scorers, ServedLikelihood, load_scorers
from pairwright.options import OutPath, ReleasePath, SubjectLimit, SubjectSplit
from pairwright.pages import Page, render_page
from pairwright.pages.output import output_folder, write_page
from pairwright.progress import Progress, Stop, log_notes
from pairwright.records import Record
from pairwright.stats import Estimate, cluster_numbers, mean, mean_points


class GuidedResult(Record):
    """A policy guided by a reward, in one condition, on the pairs of one mode that both have a
    score for."""

    policy: str
    reward: str
    beta: float
    condition: ConditionName
    mode: str
    unscored: dict[str, int]
    """Pairs without both scores, by reason."""
    accuracy: Estimate
    """Policy accuracy."""
    policy_alone: Estimate
    reward_alone: Estimate
    """The reward model's accuracy."""
    gain: Estimate
    """Policy accuracy less that of the policy alone, pair by pair."""


class PolicyAccuracy(Record):
    """The accuracies of all guided policies."""

    benchmark: BenchmarkRef
    lines: tuple[GuidedResult, ...]

    @property
    def best(self) -> GuidedResult | None:
        """The line whose policy accuracy is the highest; None of none."""
        return max(self.lines, key=lambda line: line.accuracy.value or 0.0, default=None)


def guided_results(
    policy: ScoreTable, reward: ScoreTable, beta: float, benchmark: Benchmark
) -> Iterator[GuidedResult]:
    """Add up the scores of a policy and of a reward over beta: one result for each mode of pairs;
    nothing where no pair has both."""
    own, other = (joined(one, benchmark).set_index("pair") for one in (policy, reward))
    pairs = own[own.label != "equal"].copy()
    pairs["alone"], pairs["reward"] = pairs.point, other.point
    pairs["reason"] = pairs.reason.where(pairs.reason != "", other.reason)
    difference = pairs.chosen - pairs.rejected + (other.chosen - other.rejected) / beta
    pairs["guided"] = (np.sign(difference.astype(float)) + 1) / 2
    missing = pairs[["alone", "reward"]].isna().any(axis=1)
    whole = ~missing.groupby(pairs.unit).transform("any")
    reasons = pairs.reason.where(missing, "the other half of its twin has no score")
    for mode, counted in pairs[whole].groupby("mode", sort=False):
        clusters = cluster_numbers(list(counted.cluster))
        guided, alone, rewarded = (
            counted[column].to_numpy(float) for column in ("guided", "alone", "reward")
        )
        left_out = reasons[(pairs["mode"] == mode) & ~whole]
        yield GuidedResult(
            policy=policy.about.scorer.name,
            reward=reward.about.scorer.name,
            beta=beta,
            condition=policy.about.condition,
            mode=str(mode),
            unscored=dict(sorted(Counter(left_out).items())),
            accuracy=mean_points(guided, clusters),
            policy_alone=mean_points(alone, clusters),
            reward_alone=mean_points(rewarded, clusters),
            gain=mean(guided - alone, clusters, least=-1, most=1),
        )


def policy_page(result: PolicyAccuracy) -> Page:
    """The whole report."""
    return render_page("policy", result=result)


def policy_accuracy(
    release: ReleasePath,
    scorers: ScorersFile,
    out: OutPath,
    *,
    policy: Annotated[str, Option(help="The scorer that says how likely responses are.")],
    rewards: Annotated[
        Iterable[str], Option("--reward", help="A scorer that guides; repeatable.", metavar="NAME")
    ],
    beta: Annotated[float, Option(help="The reward is divided by it.", min=1e-6)] = 1.0,
    conditions: Annotated[
        Iterable[str], Option("--condition", help="As in evaluate; repeatable.", metavar="COND")
    ] = ("none", "profile"),
    split: SubjectSplit = None,
    limit: SubjectLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> tuple[PolicyAccuracy, EvaluationResult]:
    """Measure policy accuracy: does reward-guided decoding prefer the chosen response?

    Scores pairs with the policy, which is a scorer of kind served-likelihood, and
    with each reward. What guided decoding adds up is the policy's score plus the reward over beta.
    Whether rewards that rank pairs well also guide well is a question for `correlate`, with both
    accuracies of each. Scores are stored as they come: running the same command again goes on.
    Writes policy.json, .md and .html, and results that `leaderboard` reads. Exit code 1: a scorer
    left more than 5 % of the pairs without a score.

    Raises as `evaluate` does. Returns the accuracies, and the results behind them.

    Examples::

        pairwright downstream policy 1.0.0 --scorers s.toml --out out --policy lm --reward rm
    """
    folder, guides = output_folder(out), tuple(rewards)
    settings = scorers if isinstance(scorers, Scorers) else load_scorers(Path(scorers))
    if not isinstance(settings.scorers.get(policy), ServedLikelihood):
        raise ConfigError(
            f"{policy!r} is not a scorer of kind served-likelihood",
            where="--policy",
            fix=f"Add such a table to the file of scorers; {DOCS / 'train.md'} shows one.",
        )
    benchmark = Benchmark.built(release, split)
    done = evaluate(
        release, scorers, out, names=(policy, *guides), conditions=conditions, split=split,
        limit=limit, progress=progress, stop=stop,
    )  # fmt: skip
    by_condition: dict[ConditionName, list[ScoreTable]] = {}
    for one in done.tables:
        by_condition.setdefault(one.about.condition, []).append(one)
    lines = tuple(
        line
        for own, *others in by_condition.values()
        for other in others
        for line in guided_results(own, other, beta, benchmark)
    )
    accuracy = PolicyAccuracy(benchmark=benchmark.ref, lines=lines)
    write_page(folder, "policy", policy_page(accuracy), accuracy)
    return accuracy, done
