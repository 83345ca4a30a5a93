"""A row of the leaderboard: one scorer in one condition, with all its figures."""

from pairwright.evaluate.builders import BuildTie
from pairwright.evaluate.conditions import CONDITIONS, ConditionName
from pairwright.evaluate.measure import Calibration, ScorerFigure, mode_group
from pairwright.evaluate.results import ResultSummary
from pairwright.modes import is_twin
from pairwright.records import Mode, Record

COVERAGE = 0.95
"""Share of a mode's twins or pairs that must have a score for a row to be ranked: below it, too
much of an accuracy is what was left out."""


class BoardEntry(Record):
    """A row of the leaderboard."""

    about: ResultSummary
    figures: tuple[ScorerFigure, ...]
    gains: tuple[ScorerFigure, ...] = ()
    """In condition profile: the gain over each control that was evaluated."""
    calibrations: tuple[Calibration, ...] = ()
    """How far its margins can be trusted, by mode."""
    build_ties: tuple[BuildTie, ...] = ()
    """What its scorer has to do with the models that built the release: it is marked."""

    @property
    def name(self) -> str:
        """`SCORER.CONDITION`."""
        return self.about.stem

    @property
    def baseline(self) -> bool:
        """Whether its scorer is a baseline, an embedding's cosine included."""
        return self.about.scorer.kind in ("baseline", "embedding")

    def figure(self, name: str, mode: Mode | None) -> ScorerFigure | None:
        """A figure or gain of all pairs of a mode; None where there is none."""
        key = (name, *mode_group(mode))
        every = (*self.figures, *self.gains)
        return next(
            (figure for figure in every if (figure.name, figure.mode, figure.group) == key), None
        )

    def unranked(self, mode: Mode | None) -> str:
        """Why it is shown and not ranked; empty where it is ranked."""
        if why := CONDITIONS[self.about.condition].unranked:
            return why
        if self.about.simulated:
            return "simulated: no result"
        if self.about.self_agreement:
            return "self-agreement: its planner has the model or prompt that built the pairs"
        accuracy = self.figure("accuracy", mode)
        coverage = self.figure("coverage", mode)
        if accuracy is None or accuracy.value is None or coverage is None or not coverage.value:
            return "no pair has a score"
        if coverage.value < COVERAGE:
            units = "twins have both scores" if is_twin(mode) else "pairs have a score"
            return f"only {coverage.value:.1%} of the {units}"
        return ""


def gain_over(control: ConditionName) -> str:
    """What a gain over a control is called among an entry's figures."""
    return f"gain over {control}"
