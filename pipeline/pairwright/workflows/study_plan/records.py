"""What a plan of a study holds: plan.json. The page shows these values and computes none."""

from pairwright.estimate import Estimate
from pairwright.modes import Mode
from pairwright.records import Record
from pairwright_human_eval.small_study import SmallStudy
from pairwright_human_eval.workload import StudyLoad, StudyPilot


class SizeEstimate(StudyLoad):
    """What a study of some size takes, and what can be shown with what it verifies."""

    hours_range: Estimate | None
    """Its hours with the ends that the intervals of the pilot's times give together; None where a
    kind was not timed. n: tasks that were timed; clusters: the pilot's people."""
    cost: float | None
    """None without a wage."""
    verified: Estimate | None
    """How many are verified at the pilot's yield, whose n and clusters it has; None without one,
    but in a study of a few people: then as many as simulated readers verify of sound ones.
    There is no upper end where the pilot may have verified next to nothing. The same for the next
    two."""
    hours_per_verified: Estimate | None
    cost_per_verified: Estimate | None
    pairs: int
    """Pairs of the release: of all that are verified, or of all that can be without a pilot."""
    clusters: int
    """Their dyads of users."""
    two_alone: float | None
    """The smallest difference between two scorers that is found in 8 of 10 releases; None where
    even the greatest possible one is found in fewer. The same for the next three."""
    two_of_many: float | None
    """The same in a leaderboard of `scorers`."""
    above_chance: float | None
    """The smallest accuracy of a single scorer that is found to be above one half."""
    above_chance_of_many: float | None
    """The same where `scorers` are compared with one half."""


class StudyEstimate(Record):
    """What studies of several sizes take, and what they could show."""

    mode: Mode
    run_units: int
    """Twins, or pairs of another mode, that the run has: their texts are counted."""
    reading: str
    """How fast they are read, and what the rate is of."""
    pilot: StudyPilot | None
    """None where nobody has answered yet: then hours are those of reading, and all that can be
    verified is taken to be."""
    pilot_of: str
    """The run whose study is the pilot; empty without one."""
    simulated: bool
    """Whether pairs or answers come from a program: then the numbers plan nothing real."""
    annotators: int
    """The fewest people that the assignment takes."""
    few: SmallStudy | None
    """What a study of a few people asks and shows; None where there are as many as it takes."""
    overlap: int
    hours_limit: float
    wage: float | None
    currency: str
    scorers: int
    disagreement: float
    correlation: float
    sizes: tuple[SizeEstimate, ...]
