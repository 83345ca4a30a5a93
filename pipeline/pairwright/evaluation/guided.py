"""Policy accuracy: does what reward-guided decoding adds up tell the response that fits its user?

A guided policy beside its parts, on the same pairs, in two readings: the sum over tokens, and that
over their number; and tau over rewards: whether good rewards also guide well.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pairwright.assets import DOCS
from pairwright.errors import ConfigError
from pairwright.estimate import Estimate, p_value
from pairwright.evaluation.conditions import ConditionName
from pairwright.evaluation.correlation.correlations import CLAIMS_FROM
from pairwright.evaluation.correlation.measures import RankMeasure, kendall
from pairwright.evaluation.correlation.table import LEAST_MODELS
from pairwright.evaluation.correlation.uncertainty import Chance, compare_with_chance, jackknife
from pairwright.evaluation.correlation.uncertainty import MeasureInterval as OfRewards
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.figures import by_mode
from pairwright.evaluation.release import ReleaseRef
from pairwright.evaluation.scorers.scorer import BASELINES
from pairwright.evaluation.settings import (
    GuidedDecoding,
    Likelihood,
    Scorers,
    ServedLikelihood,
    Spec,
)
from pairwright.intervals import Floats, cluster_numbers, mean, mean_points, with_width
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
from pairwright.records import Mode, Record
from pairwright.text import visible


class GuidedResult(Record):
    """One guided policy in one condition on the pairs of one mode that it, its policy and its
    reward have a score for."""

    scorer: str
    policy: str
    reward: str
    beta: float
    per_token: bool
    """Whether the sum is over the number of tokens."""
    counts: Literal["at every token", "at the last token"]
    """The tokens at which the reward counts."""
    condition: ConditionName
    mode: Mode | None
    pairs: int
    """Pairs of this mode, with a score or without."""
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
    lead to. Without a value where `note` says why."""

    policy: str
    beta: float
    per_token: bool
    condition: ConditionName
    mode: Mode | None
    n: int
    """Rewards."""
    value: float | None = None
    interval: OfRewards | None = None
    chance: Chance | None = None
    note: str = ""


class PolicyAccuracy(Record):
    """All of it."""

    release: ReleaseRef
    limit: int | None
    split: str | None
    seed: int
    lines: tuple[GuidedResult, ...]
    taus: tuple[Tau, ...]

    @property
    def best(self) -> GuidedResult | None:
        """The line whose policy accuracy is the highest; None of none."""
        return max(self.lines, key=lambda line: line.accuracy.value or 0.0, default=None)

    @property
    def defined(self) -> tuple[Tau, ...]:
        """The taus that have a value."""
        return tuple(tau for tau in self.taus if tau.value is not None)

    @property
    def undefined(self) -> dict[str, int]:
        """How many taus have no value, by reason."""
        return Counter(tau.note for tau in self.taus if tau.note)


PER_TOKEN = "-per-token"


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


def both_readings(scorers: Scorers, guided: Sequence[str]) -> tuple[Scorers, tuple[str, ...]]:
    """The file with a reading over the number of tokens beside each sum, and the names of all
    guided policies. Raises ConfigError where such a name is taken by another scorer."""
    specs: dict[str, Spec] = dict(scorers.scorers)
    names: list[str] = []
    for name in guided:
        spec, policy = _guided_spec(scorers, name)
        names.append(name)
        if policy.per_token:
            continue
        other = f"{spec.policy}{PER_TOKEN}"
        per_token: dict[str, Spec] = {
            other: policy.model_copy(update={"per_token": True}),
            f"{name}{PER_TOKEN}": spec.model_copy(update={"policy": other}),
        }
        for key, reading in per_token.items():
            if specs.setdefault(key, reading) != reading or key in BASELINES:
                raise ConfigError(
                    "is another scorer, and the reading per token has this name",
                    where=f"[scorers.{key}]",
                    fix="Give that scorer another name.",
                )
        names.append(f"{name}{PER_TOKEN}")
    return scorers.model_copy(update={"scorers": specs}), tuple(dict.fromkeys(names))


def parts(scorers: Scorers, guided: Sequence[str]) -> tuple[str, ...]:
    """The policies and rewards of these guided policies, each once."""
    specs = [_guided_spec(scorers, name)[0] for name in guided]
    return tuple(dict.fromkeys(part for spec in specs for part in (spec.policy, spec.reward)))


def _guided_spec(
    scorers: Scorers, name: str
) -> tuple[GuidedDecoding, Likelihood | ServedLikelihood]:
    """A guided policy's table, and that of its policy."""
    spec = scorers.scorers[name]
    assert isinstance(spec, GuidedDecoding), "its name was asked for"
    policy = scorers.scorers[spec.policy]
    assert isinstance(policy, Likelihood | ServedLikelihood), "checked when the file was read"
    return spec, policy


def guided_results(
    name: str,
    scorers: Scorers,
    condition: ConditionName,
    decided: Mapping[str, Sequence[PairDecision]],
) -> Iterator[GuidedResult]:
    """One for each mode of pairs; nothing where no pair has a score from all three.

    `decided` has by scorer the decisions on the same pairs in the same order.
    """
    spec, policy = _guided_spec(scorers, name)
    every_token = isinstance(scorers.scorers.get(spec.reward), Likelihood | ServedLikelihood)
    three = [decided[scorer] for scorer in (name, spec.policy, spec.reward)]
    whole = [_whole(together) for together in zip(*three, strict=True)]
    for mode_pairs in by_mode(whole):
        counted = {one.id for unit in mode_pairs.whole for one in unit}
        if not counted:
            continue
        given = [one for one in whole if one.mode == mode_pairs.mode]
        missing = Counter(
            one.unscored or "the other half of its twin has no score"
            for one in given
            if one.id not in counted
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
            per_token=policy.per_token,
            counts="at every token" if every_token else "at the last token",
            condition=condition,
            mode=mode_pairs.mode,
            pairs=len(given),
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
    x = np.array([line.reward_alone.value for line in lines], np.float64)
    y = np.array([line.accuracy.value for line in lines], np.float64)
    found: dict[str, object]
    if len(lines) < LEAST_MODELS:
        found = {"note": f"nothing can be said of fewer than {LEAST_MODELS} rewards"}
    elif len(set(x)) == 1 or len(set(y)) == 1:
        found = {"note": "one of the two accuracies is the same for all"}
    else:
        rewards = tuple(line.reward for line in lines)
        found = {
            "value": round(float(kendall(x, y)), 6),
            "interval": jackknife(lambda at: kendall(x[at], y[at]), rewards).interval(),
            "chance": compare_with_chance(_TAU, x, y, seed),
        }
    first = lines[0]
    return Tau(
        policy=first.policy,
        beta=first.beta,
        per_token=first.per_token,
        condition=first.condition,
        mode=first.mode,
        n=len(lines),
    ).model_copy(update=found)


LOOKS = [(marker, colour) for marker in "os^D" for colour in (BLUE, ORANGE, GREEN, RED, SKY)]
"""They come again, so that twenty guided policies can be distinguished."""


def policy_page(result: PolicyAccuracy, *, drawn: bool = True) -> Page:
    """The whole report; a terminal does without the drawings."""
    groups: dict[tuple[str, str], list[GuidedResult]] = {}
    for line in result.lines:
        groups.setdefault((line.condition, line.mode or "pairs"), []).append(line)
    # One guided policy alone is in the table.
    several = {group: lines for group, lines in groups.items() if len(_guided(lines)) > 1}
    plots = {
        f"rewards-{condition}-{mode}": _plot(lines, condition, mode)
        for (condition, mode), lines in (several.items() if drawn else ())
    }
    return render_page(
        "policy",
        plots,
        result=result,
        groups=groups,
        alone=len(groups) - len(several),
        claims_from=CLAIMS_FROM,
        p_value=p_value,
    )


def _plot(lines: list[GuidedResult], condition: str, mode: str) -> Plot:
    readings = {
        reading: [line for line in lines if line.per_token is per_token]
        for reading, per_token in (("summed", False), ("per token", True))
    }
    drawn = [(reading, some) for reading, some in readings.items() if some]
    names = _guided(lines)
    with drawing():
        height = max(4.2, 0.2 * len(names))
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        panels = figure.subplots(1, len(drawn), sharex=True, sharey=True, squeeze=False)[0]
        points: dict[str, Line2D] = {}
        for axes, (reading, some) in zip(panels, drawn, strict=True):
            axes.set_title(reading)
            axes.axhline(50, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
            axes.axvline(50, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
            axes.set_xlabel("accuracy of the reward alone, %")
            for line in some:
                name = line.scorer.removesuffix(PER_TOKEN)
                marker, colour = LOOKS[names.index(name) % len(LOOKS)]
                points[visible(name)[:40]] = draw_cross(
                    axes, line.reward_alone, line.accuracy, colour, marker, scale=100
                )
        panels[0].set_ylabel("policy accuracy, %")
        # Beside the panels: rewards often lie so near to each other that names there would overlap.
        figure.legend(points.values(), points.keys(), loc="outside right upper", fontsize=8)
        caption = (
            f"Shown: {condition}; pairs of {mode}. Each point is a guided policy, with 95 %"
            " intervals of both accuracies. The dashed lines are one half."
        )
        return plot(figure, caption, name=f"rewards-{condition}-{mode}")


def _guided(lines: list[GuidedResult]) -> list[str]:
    """The guided policies, each once: a sum and its reading per token are one."""
    return list(dict.fromkeys(line.scorer.removesuffix(PER_TOKEN) for line in lines))
