"""The figures of one result: accuracy and what it leaves open, twins, gains."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from pairwright.evaluate.decision import NOTHING_TO_SHOW, POINTS, Choice, PairDecision
from pairwright.evaluate.measure.calibration import calibration_figures
from pairwright.evaluate.measure.figure import (
    Group,
    ScorerFigure,
    figure_of,
    mode_group,
    share,
)
from pairwright.evaluate.measure.order import order_figures
from pairwright.evaluate.measure.units import Halves, ModeDecisions, by_mode, points
from pairwright.intervals import cluster_numbers, difference
from pairwright.modes import MODES, is_twin
from pairwright.text import number_of


def accuracies(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """The accuracies of the mode, of each half of its twins, and of each configuration."""
    group = mode_group(mode_pairs.mode)
    yield accuracy_figure("accuracy", group, mode_pairs.due)
    yield accuracy_figure("accuracy_of_scored", group, mode_pairs.scored)
    if mode_pairs.mode and is_twin(mode_pairs.mode) and not MODES[mode_pairs.mode].own_choice:
        for half, of_asker in (("asked", True), ("counterfactual", False)):
            some = [one for one in mode_pairs.due if one.asked is of_asker]
            yield accuracy_figure("accuracy", Group(mode_pairs.mode, f"{group.name}, {half}"), some)
    for config, decisions in by_config(mode_pairs.due).items():
        yield accuracy_figure("accuracy", Group(mode_pairs.mode, config), decisions)


def bounds_and_ties(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """Coverage, ties, and the accuracy that ties and pairs without a score could still make."""
    group = mode_group(mode_pairs.mode)
    covered = [float(all(one.choice is not None for one in unit)) for unit in mode_pairs.units]
    yield share(
        "coverage",
        group,
        covered,
        [unit[0].clusters for unit in mode_pairs.units],
        _missing(mode_pairs),
    )
    tied = [one for one in mode_pairs.scored if one.choice == "tie"]
    unstable = sum(one.orders is not None and len(set(one.orders)) == 2 for one in tied)
    note = f"{unstable:,} of {len(tied):,} are verdicts that change with the order"
    ties = [float(one.choice == "tie") for one in mode_pairs.scored]
    yield share(
        "ties", group, ties, [one.clusters for one in mode_pairs.scored], note if unstable else ""
    )
    open_as: dict[str, Choice] = {"worst_case": "rejected", "best_case": "chosen"}
    for name, choice in open_as.items():
        settled = [_settled(one.choice, choice) for one in mode_pairs.due]
        yield share(name, group, settled, [one.clusters for one in mode_pairs.due])


def accuracy_figure(name: str, group: Group, decisions: Sequence[PairDecision]) -> ScorerFigure:
    """The accuracy of decisions; those without a score count as wrong."""
    return share(name, group, list(map(points, decisions)), [one.clusters for one in decisions])


def by_config(decisions: Sequence[PairDecision]) -> dict[str, list[PairDecision]]:
    """Decisions by configuration: one domain in one mode."""
    configs: dict[str, list[PairDecision]] = {}
    for one in decisions:
        configs.setdefault(one.config, []).append(one)
    return configs


def _settled(choice: Choice | None, open_as: Choice) -> float:
    return POINTS[open_as if choice in (None, "tie") else choice]


def _missing(mode_pairs: ModeDecisions) -> str:
    parts = [f"{reason}: {n:,}" for reason, n in sorted(mode_pairs.unscored.items())]
    if any(reason in NOTHING_TO_SHOW for reason in mode_pairs.unscored):
        parts.append("pairs that the release has nothing to show of are not counted")
    if mode_pairs.lone_halves:
        parts.append(f"halves with a score whose other half has none: {mode_pairs.lone_halves:,}")
    return "; ".join(parts)


def twin_figures(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """The figures of all twins, and of those of each configuration."""
    group, twins = (
        mode_group(mode_pairs.mode),
        [(first, second) for first, second in mode_pairs.units],
    )
    yield from _of_twins(group, twins)
    yield _both_right("both_right_of_scored", group, [(a, b) for a, b in mode_pairs.whole])
    configs: dict[str, list[Halves]] = {}
    for twin in twins:
        configs.setdefault(twin[0].config, []).append(twin)
    for config, some in configs.items():
        yield from _of_twins(Group(mode_pairs.mode, config), some)


def _of_twins(group: Group, twins: Sequence[Halves]) -> Iterator[ScorerFigure]:
    yield _both_right("both_right", group, twins)
    signs = [(np.sign(interaction(*twin)) + 1) / 2 if _is_scored(twin) else 0.0 for twin in twins]
    yield share("interaction", group, signs, [first.clusters for first, _ in twins])


def _both_right(name: str, group: Group, twins: Sequence[Halves]) -> ScorerFigure:
    """Nobody is right on both halves of more twins than on one half: where the interval of the
    halves, which allows for more, reaches lower, so does this one."""
    both = [float(a.choice == b.choice == "chosen") for a, b in twins]
    figure = share(name, group, both, [first.clusters for first, _ in twins])
    halves = accuracy_figure(name, group, [half for twin in twins for half in twin])
    bounds = {
        end: min(own, other)
        for end, own, other in (
            ("low", figure.low, halves.low),
            ("high", figure.high, halves.high),
        )
        if own is not None and other is not None
    }
    return figure.model_copy(update=bounds)


def _is_scored(twin: Halves) -> bool:
    return all(half.choice is not None for half in twin)


def interaction(first: PairDecision, second: PairDecision) -> float:
    """[s(u, r_u) - s(u, r_v)] + [s(v, r_v) - s(v, r_u)], over four, of the scores of both halves;
    of a comparing judge the sum of its two margins. Of scores the sum is exact, so that it is 0
    for a scorer that scores a response alike for both users."""
    if first.orders is not None or second.orders is not None:
        return (first.margin or 0.0) + (second.margin or 0.0)
    sides = ((first.chosen, 1), (first.rejected, -1), (second.chosen, 1), (second.rejected, -1))
    # A quarter of each, so that no sum of great scores is too great.
    return math.fsum(sign * score / 4 for score, sign in sides if score is not None)


def gains(
    profile: Sequence[PairDecision],
    other: Sequence[PairDecision],
    name: str = "gain",
    *,
    of_twins: bool = False,
) -> tuple[ScorerFigure, ...]:
    """Accuracy of `profile` less that of `other`, on the pairs that have a score in both, of twins
    on those that are whole in both: of each mode, and of its configs.

    Only where `of_twins` has it are there any of twins: without a user their accuracy is one half,
    so a gain over that says no more than the accuracy.
    """
    figures = []
    for mode_pairs, joined in join_decisions(profile, other):
        if is_twin(mode_pairs.mode) and not of_twins:
            continue
        short = len(mode_pairs.given) - len(joined)
        note = (
            f"{number_of(short, 'pair has', 'pairs have')} no score in one of the two"
            if short
            else ""
        )
        figures.append(_gain(name, mode_group(mode_pairs.mode), joined, note))
        configs: dict[str, list[tuple[PairDecision, PairDecision]]] = {}
        for both in joined:
            configs.setdefault(both[0].config, []).append(both)
        figures += [
            _gain(name, Group(mode_pairs.mode, config), some) for config, some in configs.items()
        ]
    return tuple(figures)


def join_decisions(
    decisions: Sequence[PairDecision], control: Sequence[PairDecision]
) -> Iterator[tuple[ModeDecisions, list[tuple[PairDecision, PairDecision]]]]:
    """Each mode of `decisions`, with the pairs of its units that are scored whole in both: each
    pair's decision, and the one in the control."""
    there = {one.id: one for mode_pairs in by_mode(control) for one in mode_pairs.scored}
    for mode_pairs in by_mode(decisions):
        joined = [unit for unit in mode_pairs.whole if all(one.id in there for one in unit)]
        yield mode_pairs, [(one, there[one.id]) for unit in joined for one in unit]


def _gain(
    name: str,
    group: Group,
    joined: Sequence[tuple[PairDecision, PairDecision]],
    note: str = "",
) -> ScorerFigure:
    differences = [points(own) - points(other) for own, other in joined]
    clusters = cluster_numbers([own.clusters for own, _ in joined])
    return figure_of(name, group, difference(np.array(differences, np.float64), clusters), note)


def figures_of(decisions: Sequence[PairDecision]) -> tuple[ScorerFigure, ...]:
    """All figures of one result: of each mode in turn, those of the whole mode before those of its
    configurations."""
    return tuple(
        figure for mode_pairs in by_mode(decisions) for figure in _mode_figures(mode_pairs)
    )


def _mode_figures(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    yield from accuracies(mode_pairs)
    yield from bounds_and_ties(mode_pairs)
    yield from order_figures(mode_pairs)
    if is_twin(mode_pairs.mode):
        yield from twin_figures(mode_pairs)
    yield from calibration_figures(mode_pairs)
