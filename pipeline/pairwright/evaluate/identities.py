"""Figures of twins that are what they are by construction, whatever the data.

A scorer that cannot see the user gives both halves of a twin the same scores, and the chosen
response of one half is the rejected one of the other. So it is right on exactly one half, or tied
on both. An interval around such a figure would say that it could have come out otherwise.
"""

from collections.abc import Iterator, Sequence

from pairwright.evaluate.conditions import CONDITIONS
from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.measure import ScorerFigure
from pairwright.evaluate.measure.units import by_mode, points
from pairwright.evaluate.results import ResultSummary
from pairwright.evaluate.scorers.baselines import BLIND
from pairwright.modes import is_twin

IDENTITIES = {
    "accuracy": 0.5,
    "accuracy_of_scored": 0.5,
    "worst_case": 0.5,
    "best_case": 0.5,
    "slice_accuracy": 0.5,
    "accuracy_of_surer_half": 0.5,
    "both_right": 0.0,
    "both_right_of_scored": 0.0,
    "interaction": 0.5,
}
"""The value of each figure where the points of every twin sum to one. A gain is 0 then."""


def without_error(
    about: ResultSummary, decisions: Sequence[PairDecision], figures: Sequence[ScorerFigure]
) -> Iterator[ScorerFigure]:
    """The figures of a result, without an interval where they have no sampling error: its scorer is
    shown nothing of the user or ignores it, and every twin has one point. A scorer may draw at
    random, or leave out one half; then its figures are estimates."""
    condition = CONDITIONS[about.condition]
    blind = not (condition.shows_posts or condition.about_user) or about.scorer.name in BLIND
    even = {
        mode_pairs.mode
        for mode_pairs in by_mode(decisions)
        if blind
        and is_twin(mode_pairs.mode)
        and all(sum(map(points, unit)) == 1 for unit in mode_pairs.units)
    }
    for one in figures:
        value = 0.0 if one.name.startswith("gain") else IDENTITIES.get(one.name)
        # The halves by themselves have an error each.
        if (
            one.mode in even
            and ", " not in one.group
            and one.value is not None
            and one.value == value
        ):
            yield one.model_copy(update={"low": None, "high": None, "by_identity": True})
        else:
            yield one
