"""A guided policy beside its parts on the same pairs, and whether good rewards also guide well."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pairwright.estimate import Estimate
from pairwright.evaluate.conditions import ConditionName
from pairwright.evaluate.correlation.measures import RankMeasure, kendall
from pairwright.evaluate.correlation.table import LEAST_MODELS
from pairwright.evaluate.correlation.uncertainty import compare_with_chance, jackknife
from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.guided.records import GuidedResult, Tau
from pairwright.evaluate.measure.units import by_mode
from pairwright.evaluate.scorers.spec import GuidedDecoding, Likelihood, ServedLikelihood
from pairwright.evaluate.settings import Scorers
from pairwright.intervals import LEVEL, Floats, accuracy, cluster_numbers, mean, with_width, z_of


def guided_results(
    name: str,
    scorers: Scorers,
    condition: ConditionName,
    decided: Mapping[str, Sequence[PairDecision]],
) -> Iterator[GuidedResult]:
    """One for each mode of pairs; nothing where no pair has a score from all three.

    `decided` has by scorer the decisions on the same pairs in the same order.
    """
    spec = scorers.scorers[name]
    assert isinstance(spec, GuidedDecoding), "its name was asked for"
    policy, reward = scorers.scorers[spec.policy], scorers.scorers.get(spec.reward)
    assert isinstance(policy, Likelihood | ServedLikelihood), "checked when the file was read"
    every_token = isinstance(reward, Likelihood | ServedLikelihood)
    three = [decided[scorer] for scorer in (name, spec.policy, spec.reward)]
    whole = [_whole(together) for together in zip(*three, strict=True)]
    for mode_pairs in by_mode(whole):
        counted = {one.id for one in mode_pairs.scored}
        if not counted:
            continue
        guided, alone, rewarded = (
            [one for one in decisions if one.id in counted] for decisions in three
        )
        clusters = [one.cluster for one in guided]
        difference = mean(
            _points(guided) - _points(alone), cluster_numbers(clusters), least=-1, most=1
        )
        assert difference, "some pairs count"
        yield GuidedResult(
            scorer=name,
            policy=spec.policy,
            reward=spec.reward,
            beta=spec.beta,
            per_token=policy.per_token,
            counts="at every token" if every_token else "at the last token",
            condition=condition,
            mode=mode_pairs.mode,
            pairs=len(mode_pairs.given),
            unscored=dict(sorted(_reasons(mode_pairs.given, counted).items())),
            accuracy=_accuracy(guided, clusters),
            policy_alone=_accuracy(alone, clusters),
            reward_alone=_accuracy(rewarded, clusters),
            gain=with_width(difference),
        )


def _whole(three: tuple[PairDecision, ...]) -> PairDecision:
    """The guided policy's decision, without a choice where one of the three has none."""
    missing = next((one for one in three if one.choice is None), None)
    if missing is None:
        return three[0]
    bare = {"chosen": None, "rejected": None, "orders": None}
    return three[0].model_copy(update={**bare, "unscored": missing.unscored or "no score"})


def _reasons(decisions: Sequence[PairDecision], counted: set[str]) -> Counter[str]:
    return Counter(
        one.unscored or "the other half of its twin has no score"
        for one in decisions
        if one.id not in counted
    )


def _accuracy(decisions: Sequence[PairDecision], clusters: Sequence[str]) -> Estimate:
    estimate = accuracy(_points(decisions), cluster_numbers(clusters))
    assert estimate, "some pairs count"
    return estimate.found(z_of(LEVEL))


def _points(decisions: Sequence[PairDecision]) -> Floats:
    return np.array([one.points for one in decisions], np.float64)


_TAU = RankMeasure("Kendall", kendall, True, "tau-b")


def taus(lines: Sequence[GuidedResult], seed: int) -> tuple[Tau, ...]:
    """One for each policy, beta, condition and mode: policies are not mixed, for a policy's own
    accuracy would then be taken for that of its rewards."""
    groups: dict[tuple[object, ...], dict[str, GuidedResult]] = {}
    for line in lines:
        key = (line.policy, line.beta, line.condition, line.mode)
        groups.setdefault(key, {}).setdefault(line.reward, line)
    return tuple(_tau(tuple(group.values()), seed) for group in groups.values())


def _tau(lines: tuple[GuidedResult, ...], seed: int) -> Tau:
    first = lines[0]
    bare = Tau(
        policy=first.policy,
        beta=first.beta,
        per_token=first.per_token,
        condition=first.condition,
        mode=first.mode,
        n=len(lines),
    )
    if len(lines) < LEAST_MODELS:
        return bare.model_copy(
            update={"note": f"nothing can be said of fewer than {LEAST_MODELS} rewards"}
        )
    x = np.array([line.reward_alone.value for line in lines], np.float64)
    y = np.array([line.accuracy.value for line in lines], np.float64)
    if len(set(x)) == 1 or len(set(y)) == 1:
        return bare.model_copy(update={"note": "one of the two accuracies is the same for all"})
    rewards = tuple(line.reward for line in lines)
    interval = jackknife(lambda places: kendall(x[places], y[places]), rewards).interval()
    return bare.model_copy(
        update={
            "value": round(float(kendall(x, y)), 6),
            "interval": interval,
            "chance": compare_with_chance(_TAU, x, y, seed),
        }
    )
