"""One scorer in one condition, with its figures."""

from pairwright.evaluate.measure import Figure, whole
from pairwright.evaluate.results import Evaluated
from pairwright.evaluate.scorers.baselines import BASELINES
from pairwright.evaluate.shown import Condition
from pairwright.records import Mode, Record

COVERAGE = 0.95
"""Share of a mode's twins or pairs that must have a score for a row to be ranked: below it, too
much of an accuracy is what was left out."""
UNRANKED: dict[Condition, str] = {
    "rubric": "ceiling: it is shown the answer key",
    "wrong-profile": "control: it is shown somebody else's posts",
}


class Entry(Record):
    """A row of the leaderboard."""

    about: Evaluated
    figures: tuple[Figure, ...]
    gains: tuple[Figure, ...] = ()
    """In condition profile: accuracy over each of the two controls that there are results of."""

    @property
    def name(self) -> str:
        """`SCORER.CONDITION`."""
        return self.about.stem

    @property
    def baseline(self) -> bool:
        return self.about.scorer.kind == "baseline" or self.about.scorer.name in BASELINES

    def figure(self, name: str, mode: Mode | None) -> Figure | None:
        """A figure or gain of all pairs of a mode; None where there is none."""
        asked = (name, *whole(mode))
        every = (*self.figures, *self.gains)
        return next((of for of in every if (of.name, of.mode, of.group) == asked), None)

    def unranked(self, mode: Mode | None) -> str:
        """Why it is shown and not ranked; empty where it is ranked."""
        if self.about.condition in UNRANKED:
            return UNRANKED[self.about.condition]
        if self.about.simulated:
            return "simulated: no result"
        if self.about.self_agreement:
            return "self-agreement: its planner has the model or prompt that built the pairs"
        accuracy = self.figure("accuracy", mode)
        coverage = self.figure("coverage", mode)
        if accuracy is None or accuracy.value is None or coverage is None or not coverage.value:
            return "no pair has a score"
        if coverage.value < COVERAGE:
            units = "twins have both scores" if mode == "twin" else "pairs have a score"
            return f"only {coverage.value:.1%} of the {units}"
        return ""
