"""Accuracy, and what it leaves open."""

from collections.abc import Iterator, Sequence

from pairwright.evaluate.decision import POINTS, Choice, Decision
from pairwright.evaluate.measure.figure import Figure, Group, share, whole
from pairwright.evaluate.measure.units import Counted


def accuracies(of: Counted) -> Iterator[Figure]:
    """Of the mode, of each half of its twins where they have an asker, and of each config."""
    group = whole(of.mode)
    yield accuracy(group, of.scored)
    if of.mode == "twin":
        for half, asked in (("asked", True), ("counterfactual", False)):
            yield accuracy(
                Group(of.mode, f"{group.name}, {half}"),
                [one for one in of.scored if one.asked is asked],
            )
    for config, decisions in by_config(of.scored).items():
        yield accuracy(Group(of.mode, config), decisions)


def open_ends(of: Counted) -> Iterator[Figure]:
    """Coverage, ties, and the accuracy that ties and pairs without a score could still make."""
    group, clusters = whole(of.mode), [one.cluster for one in of.given]
    scores = [float(one.choice is not None) for one in of.given]
    yield share("coverage", group, scores, clusters, _missing(of))
    tied = [one for one in of.scored if one.choice == "tie"]
    unstable = sum(one.orders is not None and len(set(one.orders)) == 2 for one in tied)
    note = f"{unstable:,} of {len(tied):,} are verdicts that change with the order"
    ties = [float(one.choice == "tie") for one in of.scored]
    yield share("ties", group, ties, [one.cluster for one in of.scored], note if unstable else "")
    open_as: dict[str, Choice] = {"worst_case": "rejected", "best_case": "chosen"}
    for name, choice in open_as.items():
        points = [_settled(one.choice, choice) for one in of.given]
        yield share(name, group, points, clusters)


def accuracy(group: Group, decisions: Sequence[Decision]) -> Figure:
    """Of decisions that have a choice."""
    points = [one.points for one in decisions if one.points is not None]
    return share("accuracy", group, points, [one.cluster for one in decisions])


def by_config(decisions: Sequence[Decision]) -> dict[str, list[Decision]]:
    """Decisions by configuration: one domain in one mode."""
    found: dict[str, list[Decision]] = {}
    for one in decisions:
        found.setdefault(one.config, []).append(one)
    return found


def _settled(choice: Choice | None, open_as: Choice) -> float:
    return POINTS[open_as if choice in (None, "tie") else choice]


def _missing(of: Counted) -> str:
    parts = [f"{reason}: {n:,}" for reason, n in sorted(of.unscored.items())]
    if of.alone:
        parts.append(f"halves that left with the other half of their twin: {of.alone:,}")
    return "; ".join(parts)
