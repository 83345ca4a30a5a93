"""A guided policy beside its parts: the policy alone and the reward alone, on the same pairs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pairwright.evaluate.decision import Decision
from pairwright.evaluate.guided.records import Line
from pairwright.evaluate.measure.figure import numbered
from pairwright.evaluate.measure.units import by_mode
from pairwright.evaluate.scorers.spec import Guided, Likelihood, Scorers, ServedLikelihood
from pairwright.evaluate.shown import Condition
from pairwright.intervals import LEVEL, Floats, Interval, accuracy, mean, with_width, z_of


def lines(
    name: str, scorers: Scorers, condition: Condition, decided: Mapping[str, Sequence[Decision]]
) -> Iterator[Line]:
    """One for each mode of pairs; nothing where no pair has a score from all three.

    `decided` has by scorer the decisions on the same pairs in the same order.
    """
    spec = scorers.scorers[name]
    assert isinstance(spec, Guided), "its name was asked for"
    policy, reward = scorers.scorers[spec.policy], scorers.scorers.get(spec.reward)
    assert isinstance(policy, Likelihood | ServedLikelihood), "checked when the file was read"
    every_token = isinstance(reward, Likelihood | ServedLikelihood)
    three = [decided[of] for of in (name, spec.policy, spec.reward)]
    whole = [_whole(together) for together in zip(*three, strict=True)]
    for of in by_mode(whole):
        counted = {one.id for one in of.scored}
        if not counted:
            continue
        guided, alone, rewarded = (
            [one for one in decisions if one.id in counted] for decisions in three
        )
        clusters = [one.cluster for one in guided]
        difference = mean(_points(guided) - _points(alone), numbered(clusters), least=-1, most=1)
        assert difference, "some pairs count"
        yield Line(
            scorer=name,
            policy=spec.policy,
            reward=spec.reward,
            beta=spec.beta,
            per_token=policy.per_token,
            counts="at every token" if every_token else "at the last token",
            condition=condition,
            mode=of.mode,
            pairs=len(of.given),
            unscored=dict(sorted(_reasons(of.given, counted).items())),
            accuracy=_accuracy(guided, clusters),
            policy_alone=_accuracy(alone, clusters),
            reward_alone=_accuracy(rewarded, clusters),
            gain=with_width(difference),
        )


def _whole(three: tuple[Decision, ...]) -> Decision:
    """The guided policy's decision, without a choice where one of the three has none."""
    missing = next((one for one in three if one.choice is None), None)
    if missing is None:
        return three[0]
    bare = {"chosen": None, "rejected": None, "orders": None}
    return three[0].model_copy(update={**bare, "unscored": missing.unscored or "no score"})


def _reasons(given: Sequence[Decision], counted: set[str]) -> Counter[str]:
    return Counter(
        one.unscored or "the other half of its twin has no score"
        for one in given
        if one.id not in counted
    )


def _accuracy(decisions: Sequence[Decision], clusters: Sequence[str]) -> Interval:
    found = accuracy(_points(decisions), numbered(clusters))
    assert found, "some pairs count"
    return found.found(z_of(LEVEL))


def _points(decisions: Sequence[Decision]) -> Floats:
    return np.array([one.points for one in decisions], np.float64)
