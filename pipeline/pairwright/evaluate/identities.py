"""Figures of twins that are what they are by construction, whatever the data.

A scorer that cannot see the user gives both halves of a twin the same scores, and the chosen
response of one half is the rejected one of the other. So it is right on exactly one half, or tied
on both. An interval around such a figure would say that it could have come out otherwise.
"""

from collections.abc import Sequence

from pairwright.evaluate.conditions import CONDITIONS
from pairwright.evaluate.measure import ScorerFigure, mode_group
from pairwright.evaluate.results import ResultSummary
from pairwright.evaluate.scorers.baselines import BLIND
from pairwright.modes import is_twin

IDENTITIES = {
    "accuracy": 0.5,
    "accuracy_of_scored": 0.5,
    "both_right": 0.0,
    "both_right_of_scored": 0.0,
    "interaction": 0.5,
}
"""The value of each figure where the points of every twin sum to one."""


def holds_by_identity(
    about: ResultSummary, figures: Sequence[ScorerFigure], figure: ScorerFigure
) -> bool:
    """Whether one of a result's figures has no sampling error: its scorer is shown nothing of the
    user or ignores it, and every twin has one point. A scorer may draw at random, or leave out one
    half; then its figures of the whole mode are others."""
    condition = CONDITIONS[about.condition]
    sees = condition.shows_posts or condition.about_user
    if (sees and about.scorer.name not in BLIND) or not is_twin(figure.mode):
        return False
    whole = {one.name: one.value for one in figures if one.group == mode_group(figure.mode).name}
    one_point = (whole.get("accuracy"), whole.get("both_right")) == (0.5, 0.0)
    # The halves by themselves have an error each.
    halves = ", " in figure.group
    return one_point and not halves and figure.value == IDENTITIES.get(figure.name)
