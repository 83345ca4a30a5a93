"""What a report holds: report.json. Markdown and HTML show these values and compute none.

Values are rounded to six places. What cannot be estimated is None, with its reason.
"""

from pairwright.estimate import Estimate
from pairwright.modes import Mode
from pairwright.records import Record
from pairwright.settings.study_rules import StoredRules
from pairwright_human_eval.decisions import State
from pairwright_human_eval.looks import Looks
from pairwright_human_eval.records import Kind, Purpose
from pairwright_human_eval.report.findings_records import Findings, Proportion


class RuleChange(Record):
    """A number of the rule that is not as it was fixed at export."""

    name: str
    fixed: str
    in_force: str


class TaskCount(Record):
    """Tasks of one sort, and how many of them have a verdict."""

    round: int
    kind: Kind
    purpose: Purpose
    tasks: int
    answered: int


class StudyCounts(Record):
    """What the study is, and what became of its tasks and annotations."""

    version: str
    simulated_pairs: bool
    simulated_verdicts: int
    subjects: int
    of: int
    """Subjects in the run."""
    twins: int
    pairs: int
    annotators: int
    overlap: int
    tasks: int
    answered: int
    unanswered: int
    by_sort: tuple[TaskCount, ...]
    """Adds up to `tasks` and `answered`."""
    annotations: int
    """Verdicts and what was set aside."""
    verdicts: int
    set_aside: dict[str, int]
    """By reason."""
    excluded: tuple[str, ...]
    """Annotators below the attention floor: none of their answers counts below."""
    changes: tuple[RuleChange, ...]


class Seconds(Record):
    """The median time of a task; None where no time was recorded."""

    median: float | None
    n: int
    """Answers whose time was recorded."""


class AdjudicationCount(Record):
    """Tasks of the second round, of one kind."""

    kind: Kind
    tasks: int
    answered: int
    for_chosen: int | None
    """Preferences for the chosen response; None for another kind."""
    refused: int | None
    """All other preferences."""
    seconds: Seconds


class Adjudication(Record):
    """The second round. Its answers close what was disputed, and count in no estimate."""

    adjudicators: int
    by_kind: tuple[AdjudicationCount, ...]
    subjects: int
    """Handed to adjudicators."""
    states: dict[State, int]
    """What is decided about them now."""
    voted_before: int
    """Answers set aside because their author had answered on the subject in the first round."""


class AnnotatorRow(Record):
    """One annotator of the first round, by pseudonym."""

    annotator: str
    excluded: bool
    simulated: bool
    assigned: int
    answered: int
    by_kind: dict[Kind, int]
    seconds: dict[Kind, Seconds]
    with_majority: Proportion
    """Preference votes that are what most of the others on the pair said, where most said one."""
    first: Proportion
    """Answers for the response shown as A, of those for A or B; attention checks left out."""
    attention: Proportion
    nonreader: float | None
    """The probability that somebody who does not read the posts passes the floor in as many checks;
    None where no check was met, or not only the posts decide them."""
    retest: Proportion
    """Swapped repeats answered as before."""


class Comment(Record):
    """What an annotator wrote, without who."""

    kind: Kind
    about: str
    text: str


class VoteCalibrationBin(Record):
    """Pairs whose judge's margins are about alike, and how people voted on them."""

    least: float
    most: float
    mean: float
    pairs: int
    chosen: Estimate
    """Share of votes for the chosen response, by dyad; n counts votes."""


class PoweredShare(Record):
    """The share of one mode that people would verify of the whole run."""

    mode: Mode
    people: Estimate
    """Of those that people decided on, alone."""
    judged: int
    """Twins or pairs that were not sampled, with a judge's margin."""
    value: float
    low: float | None
    high: float | None
    """With the judge's margins; none where nothing varies, or of too few dyads."""
    tuning: float
    """The weight of the margins."""
    waiting: int = 0
    """Sampled twins or pairs that are not decided yet, and are left out."""


class StudyReport(Findings):
    """Everything that is reported: what the answers say, and what only the study's key says."""

    head: StudyCounts
    fixed: StoredRules
    """The rule at export."""
    adjudication: Adjudication | None
    """None where no second round was made."""
    annotators: tuple[AnnotatorRow, ...]
    seconds: dict[Kind, Seconds]
    """Of all annotators together, in the first round."""
    calibration: tuple[VoteCalibrationBin, ...] = ()
    """The judge's margin against people's votes."""
    powered: tuple[PoweredShare, ...] = ()
    """Empty where every twin and pair of the run was sampled."""
    looks: Looks | None = None
    """What this report and those before it saw of the claim of the stopping rule."""
    comments: tuple[Comment, ...]
    comments_in_all: int
