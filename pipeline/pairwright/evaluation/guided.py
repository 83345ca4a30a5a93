"""Policy accuracy: does what reward-guided decoding adds up tell the response that fits its user?

A guided policy beside its parts, on the same pairs; and tau over rewards: whether good rewards also
guide well.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pairwright.assets import DOCS
from pairwright.errors import ConfigError
from pairwright.evaluation.conditions import ConditionName
from pairwright.evaluation.correlation.correlations import interval, leave_out
from pairwright.evaluation.correlation.measures import RankMeasure, kendall
from pairwright.evaluation.correlation.table import LEAST_MODELS, ModelTable
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.figures import by_mode
from pairwright.evaluation.release import ReleaseRef
from pairwright.evaluation.settings import (
    GuidedDecoding,
    Scorers,
)
from pairwright.pages import Page, render_page
from pairwright.pages.plots import (
    BLUE,
    FAINT,
    GREEN,
    ORANGE,
    RED,
    SKY,
    WIDTH,
    Plot,
    draw_cross,
    drawing,
    plot,
)  # fmt: skip
from pairwright.records import Record
from pairwright.stats import Estimate, Floats, cluster_numbers, mean, mean_points, with_width
from pairwright.text import visible


class GuidedResult(Record):
    """One guided policy in one condition on the pairs of one mode that it, its policy and its
    reward have a score for."""

    scorer: str
    policy: str
    reward: str
    beta: float
    condition: ConditionName
    mode: str | None
    unscored: dict[str, int]
    """Pairs without a score from all three, by reason."""
    accuracy: Estimate
    """Policy accuracy."""
    policy_alone: Estimate
    reward_alone: Estimate
    """The reward model's accuracy."""
    gain: Estimate
    """Policy accuracy less that of the policy alone, pair by pair."""


class Tau(Record):
    """Kendall's tau-b over rewards between their own accuracy and the policy accuracy that they
    lead to."""

    policy: str
    beta: float
    condition: ConditionName
    mode: str | None
    found: Estimate
    """Its n are rewards."""


class PolicyAccuracy(Record):
    """All of it."""

    release: ReleaseRef
    limit: int | None
    split: str | None
    lines: tuple[GuidedResult, ...]
    taus: tuple[Tau, ...]

    @property
    def best(self) -> GuidedResult | None:
        """The line whose policy accuracy is the highest; None of none."""
        return max(self.lines, key=lambda line: line.accuracy.value or 0.0, default=None)


def guided_names(scorers: Scorers, names: Sequence[str]) -> tuple[str, ...]:
    """The guided policies that are named, or all of the file. Raises ConfigError where one is no
    guided policy, and where there is none."""
    known = [name for name, spec in scorers.scorers.items() if isinstance(spec, GuidedDecoding)]
    if wrong := [name for name in names if name not in known]:
        raise ConfigError(
            f"{wrong[0]!r} is not a scorer of kind guided",
            where="--scorer",
            fix=f"Name one of: {', '.join(known) or 'none is there'}.",
        )
    if not known:
        raise ConfigError(
            "there is no scorer of kind guided",
            where="--scorers",
            fix="Add [scorers.NAME] with kind = 'guided', a policy and a reward;"
            f" {DOCS / 'train.md'} shows one.",
        )
    return tuple(dict.fromkeys(names)) or tuple(known)


def parts(scorers: Scorers, guided: Sequence[str]) -> tuple[str, ...]:
    """The policies and rewards of these guided policies, each once."""
    specs = [guided_spec(scorers, name) for name in guided]
    return tuple(dict.fromkeys(part for spec in specs for part in (spec.policy, spec.reward)))


def guided_spec(scorers: Scorers, name: str) -> GuidedDecoding:
    """A guided policy's table."""
    spec = scorers.scorers[name]
    assert isinstance(spec, GuidedDecoding), "its name was asked for"
    return spec


def guided_results(
    name: str,
    spec: GuidedDecoding,
    condition: ConditionName,
    decided: Mapping[str, Sequence[PairDecision]],
) -> Iterator[GuidedResult]:
    """One for each mode of pairs; nothing where no pair has a score from all three.

    `decided` has by scorer the decisions on the same pairs in the same order.
    """
    three = [decided[scorer] for scorer in (name, spec.policy, spec.reward)]
    whole = [_whole(together) for together in zip(*three, strict=True)]
    for mode_pairs in by_mode(whole):
        counted = {one.id for unit in mode_pairs.whole for one in unit}
        if not counted:
            continue
        missing = Counter(
            one.unscored or "the other half of its twin has no score"
            for one in whole
            if one.mode == mode_pairs.mode and one.id not in counted
        )
        guided, alone, rewarded = (
            [one for one in decisions if one.id in counted] for decisions in three
        )
        clusters = cluster_numbers([one.cluster for one in guided])
        gain = mean(_points(guided) - _points(alone), clusters, least=-1, most=1)
        yield GuidedResult(
            scorer=name,
            policy=spec.policy,
            reward=spec.reward,
            beta=spec.beta,
            condition=condition,
            mode=mode_pairs.mode,
            unscored=dict(sorted(missing.items())),
            accuracy=mean_points(_points(guided), clusters),
            policy_alone=mean_points(_points(alone), clusters),
            reward_alone=mean_points(_points(rewarded), clusters),
            gain=with_width(gain),
        )


def _whole(three: tuple[PairDecision, ...]) -> PairDecision:
    """The guided policy's decision, without a choice where one of the three has none."""
    missing = next((one for one in three if one.choice is None), None)
    if missing is None:
        return three[0]
    bare = {"chosen": None, "rejected": None, "orders": None}
    return three[0].model_copy(update={**bare, "unscored": missing.unscored or "no score"})


def _points(decisions: Sequence[PairDecision]) -> Floats:
    return np.array([one.points for one in decisions], np.float64)


_TAU = RankMeasure("Kendall", kendall, -1, "tau-b")


def taus(lines: Sequence[GuidedResult]) -> tuple[Tau, ...]:
    """One for each policy, beta, condition and mode with rewards enough: policies are not mixed,
    for a policy's own accuracy would then be taken for that of its rewards."""
    groups: dict[tuple[object, ...], dict[str, GuidedResult]] = {}
    for line in lines:
        key = (line.policy, line.beta, line.condition, line.mode)
        groups.setdefault(key, {}).setdefault(line.reward, line)
    return tuple(
        _tau(list(group.values())) for group in groups.values() if len(group) >= LEAST_MODELS
    )


def _tau(lines: Sequence[GuidedResult]) -> Tau:
    x = np.array([line.reward_alone.value for line in lines], np.float64)
    y = np.array([line.accuracy.value for line in lines], np.float64)
    rewards = tuple(line.reward for line in lines)
    table = ModelTable(rewards, {}, y, rewards)
    first = lines[0]
    return Tau(
        policy=first.policy,
        beta=first.beta,
        condition=first.condition,
        mode=first.mode,
        found=interval(leave_out(_TAU, x, table), table, least=-1),
    )


LOOKS = [(marker, colour) for marker in "os^D" for colour in (BLUE, ORANGE, GREEN, RED, SKY)]
"""They come again, so that twenty guided policies can be distinguished."""


def policy_page(result: PolicyAccuracy, *, drawn: bool = True) -> Page:
    """The whole report; a terminal does without the drawings."""
    groups: dict[tuple[str, str], list[GuidedResult]] = {}
    for line in result.lines:
        groups.setdefault((line.condition, line.mode or "pairs"), []).append(line)
    # One guided policy alone is in the table.
    plots = {
        f"rewards-{condition}-{mode}": _plot(lines, condition, mode)
        for (condition, mode), lines in groups.items()
        if drawn and len(lines) > 1
    }
    return render_page("policy", plots, result=result, groups=groups)


def _plot(lines: list[GuidedResult], condition: str, mode: str) -> Plot:
    with drawing():
        figure = Figure(figsize=(WIDTH, max(4.2, 0.2 * len(lines))), layout="constrained")
        axes = figure.add_subplot()
        points: dict[str, Line2D] = {}
        axes.axhline(50, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
        axes.axvline(50, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
        axes.set_xlabel("accuracy of the reward alone, %")
        axes.set_ylabel("policy accuracy, %")
        for n, line in enumerate(lines):
            marker, colour = LOOKS[n % len(LOOKS)]
            points[visible(line.scorer)[:40]] = draw_cross(
                axes, line.reward_alone, line.accuracy, colour, marker, scale=100
            )
        # Beside the axes: rewards often lie so near to each other that names there would overlap.
        figure.legend(points.values(), points.keys(), loc="outside right upper", fontsize=8)
        caption = (
            f"Shown: {condition}; pairs of {mode}. Each point is a guided policy, with 95 %"
            " intervals of both accuracies. The dashed lines are one half."
        )
        return plot(figure, caption, name=f"rewards-{condition}-{mode}")
