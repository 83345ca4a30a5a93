"""Accuracy on slices of a mode's pairs: where word overlap is right, tied or wrong, by source, by
how the aspect follows that is hardest to find, and by the date of the posts against a model's
cutoff.

A twin is in one slice with both halves, so that a scorer that cannot see the user is right on one
half of every slice, too.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pairwright.evaluation.decision import AspectsFollow, PairDecision, hardest_kind
from pairwright.evaluation.measure.accuracy import accuracy_figure
from pairwright.evaluation.measure.figure import (
    Group,
    ModeDecisions,
    ScorerFigure,
    Unit,
    by_mode,
    points,
    unit_name,
)
from pairwright.evaluation.release import SOURCES

FLOOR = "overlap"
"""The baseline whose decisions make the slices of word overlap."""
OVERLAP_SLICES = ("word overlap right", "word overlap tied", "word overlap wrong")
OVERLAP_RIGHT, OVERLAP_WRONG = OVERLAP_SLICES[0], OVERLAP_SLICES[-1]
DATE_SLICES = (
    "posts before the cutoff",
    "posts before and after",
    "posts after the cutoff",
    "posts without dates",
)
FOLLOWS_SLICES: dict[AspectsFollow, str] = {
    "stated": "all aspects stated",
    "inferred": "an aspect inferred, none a pattern",
    "pattern": "an aspect shown by a pattern",
    "mixed": "aspects of several kinds, in older results",
}

OWN_SLICES = ("chosen by their users", "not chosen by a user")


def overlap_slices(decisions: Sequence[PairDecision]) -> dict[str, str]:
    """By unit, the slice that the baseline's decisions give: right where it is right on more than
    half of the unit, wrong on less. A twin with one half right and one wrong is tied, as one with
    two ties is: word overlap does not decide it."""
    slices = {}
    for mode_pairs in by_mode(decisions):
        for unit in mode_pairs.whole:
            ahead = sum(map(points, unit)) - len(unit) / 2
            right, tied, wrong = OVERLAP_SLICES
            slices[unit_name(unit)] = right if ahead > 0 else wrong if ahead < 0 else tied
    return slices


def date_slice(unit: Unit, cutoff: str) -> str:
    """Where the posts of a unit lie; `cutoff` is a year, month or day. What was written in the
    month of a cutoff that is a month is before it."""
    days = [(one.first_post, one.last_post) for one in unit]
    known = [(first, last) for first, last in days if first is not None and last is not None]
    before, both, after, unknown = DATE_SLICES
    if len(known) < len(days):
        return unknown
    first, last = min(first for first, _ in known), max(last for _, last in known)
    if last[: len(cutoff)] <= cutoff:
        return before
    return after if first[: len(cutoff)] > cutoff else both


def own_slice(unit: Unit) -> str:
    """Whether all users who were asked chose their own response; empty where none was, or none
    could tell."""
    votes = {one.own_vote for one in unit} - {None, "cannot_tell"}
    return OWN_SLICES[votes != {"chosen"}] if votes else ""


def slice_figures(
    decisions: Sequence[PairDecision], overlap: Mapping[str, str], cutoff: str | None
) -> Iterator[ScorerFigure]:
    """The accuracy on each slice that has pairs: by `overlap`, which has the slice of each unit,
    by source, by how the aspects follow from the posts, by what users chose themselves, and by the
    dates of the posts, where the scorer's cutoff is known."""
    for mode_pairs in by_mode(decisions):
        yield from _figures(mode_pairs, OVERLAP_SLICES, overlap)
        sources = {unit_name(unit): unit[0].source for unit in mode_pairs.units if unit[0].source}
        largest = [name for name, _ in Counter(sources.values()).most_common(SOURCES)]
        yield from _figures(mode_pairs, largest, sources, "source_accuracy")
        kinds = {
            unit_name(unit): hardest_kind(one.follows for one in unit) for unit in mode_pairs.units
        }
        follows = {unit: FOLLOWS_SLICES[kind] for unit, kind in kinds.items() if kind}
        yield from _figures(mode_pairs, list(FOLLOWS_SLICES.values()), follows)
        own = {unit_name(unit): own_slice(unit) for unit in mode_pairs.units}
        yield from _figures(mode_pairs, OWN_SLICES, {unit: one for unit, one in own.items() if one})
        if cutoff is not None:
            dates = {unit_name(unit): date_slice(unit, cutoff) for unit in mode_pairs.units}
            yield from _figures(mode_pairs, DATE_SLICES, dates)


def _figures(
    mode_pairs: ModeDecisions,
    names: Sequence[str],
    slices: Mapping[str, str],
    figure: str = "slice_accuracy",
) -> Iterator[ScorerFigure]:
    for name in names:
        some = [
            one for unit in mode_pairs.units if slices.get(unit_name(unit)) == name for one in unit
        ]
        if some:
            yield accuracy_figure(figure, Group(mode_pairs.mode, name), some)
