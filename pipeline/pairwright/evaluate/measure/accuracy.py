"""Accuracy, and what it leaves open."""

from collections.abc import Iterator, Sequence

from pairwright.evaluate.decision import NOTHING_TO_SHOW, POINTS, Choice, Decision
from pairwright.evaluate.measure.figure import Figure, Group, share, whole
from pairwright.evaluate.measure.units import Counted, points


def accuracies(of: Counted) -> Iterator[Figure]:
    """Of the mode, of each half of its twins where they have an asker, and of each config."""
    group = whole(of.mode)
    yield accuracy("accuracy", group, of.due)
    yield accuracy("accuracy_of_scored", group, of.scored)
    if of.mode == "twin":
        for half, asked in (("asked", True), ("counterfactual", False)):
            some = [one for one in of.due if one.asked is asked]
            yield accuracy("accuracy", Group(of.mode, f"{group.name}, {half}"), some)
    for config, decisions in by_config(of.due).items():
        yield accuracy("accuracy", Group(of.mode, config), decisions)


def open_ends(of: Counted) -> Iterator[Figure]:
    """Coverage, ties, and the accuracy that ties and pairs without a score could still make."""
    group = whole(of.mode)
    covered = [float(all(one.choice is not None for one in unit)) for unit in of.units]
    yield share("coverage", group, covered, [unit[0].cluster for unit in of.units], _missing(of))
    tied = [one for one in of.scored if one.choice == "tie"]
    unstable = sum(one.orders is not None and len(set(one.orders)) == 2 for one in tied)
    note = f"{unstable:,} of {len(tied):,} are verdicts that change with the order"
    ties = [float(one.choice == "tie") for one in of.scored]
    yield share("ties", group, ties, [one.cluster for one in of.scored], note if unstable else "")
    open_as: dict[str, Choice] = {"worst_case": "rejected", "best_case": "chosen"}
    for name, choice in open_as.items():
        settled = [_settled(one.choice, choice) for one in of.due]
        yield share(name, group, settled, [one.cluster for one in of.due])


def accuracy(name: str, group: Group, decisions: Sequence[Decision]) -> Figure:
    """Of decisions; those without a score count as wrong."""
    return share(name, group, list(map(points, decisions)), [one.cluster for one in decisions])


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
    if any(reason in NOTHING_TO_SHOW for reason in of.unscored):
        parts.append("pairs that the release has nothing to show of are not counted")
    if of.alone:
        parts.append(f"halves with a score whose other half has none: {of.alone:,}")
    return "; ".join(parts)
