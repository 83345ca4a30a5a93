"""What a report holds: report.json. The pages show these values and compute none.

`Findings` is what the answers of a study say, which a release, too, can derive; `StudyReport` adds
what only the study's key says. Values are rounded to six places. What cannot be estimated is None,
with its reason.
"""

from pairwright.estimate import Estimate
from pairwright.modes import Mode
from pairwright.records import Record
from pairwright.settings.rules import StoredRules
from pairwright_human_eval.agreement import Agreement, Parity
from pairwright_human_eval.agreement.intervals import Measurement
from pairwright_human_eval.decisions import State
from pairwright_human_eval.looks import Looks
from pairwright_human_eval.records import Kind, Purpose, Support


class States(Record):
    """The decisions on one group of subjects, each as a share of the group."""

    group: str
    subjects: int
    states: dict[State, Estimate]
    of_verifiable: Estimate
    """Verified, of those that can be: without controls where the rule asks about aspects."""


class StateReason(Record):
    """Subjects that are in a state for a reason, of all sampled; one may have several reasons."""

    state: State
    reason: str
    subjects: Estimate


class ByChance(Record):
    """What annotators who toss a coin for their preference would have verified, of what can be."""

    mode: str
    votes: int
    """On each pair."""
    rule: str
    halves: int
    share: float


class QuestionAgreement(Record):
    """How far annotators agree on one question."""

    question: str
    measurement: Measurement
    agreement: Agreement


class PreferenceShares(Record):
    """Preference votes of one group of pairs."""

    group: str
    chosen: int
    other: int
    equal: int
    cannot_tell: int
    of_choices: Estimate
    """For the chosen response, of the votes for either response: 0.5 by chance."""
    of_all: Estimate
    """Of all votes: `equal` and `cannot_tell` count against it."""


class Consensus(Record):
    """What the votes together say of each pair, by Dawid and Skene's model on neutral labels."""

    pairs: int
    chosen: int
    other: int
    equal: int
    share: Estimate
    """Pairs whose most probable label is the chosen response."""
    converged: bool


class ControlComparison(Record):
    """The same pairs shown with their own posts, and as a control: only pairs that were both."""

    control: Purpose
    """`wrong_profile` or `narrative`."""
    pairs: int
    own: PreferenceShares
    control_votes: PreferenceShares
    difference: Estimate
    """Own less control, of the votes for either response."""
    difference_of_all: Estimate
    at_most: float | None = None
    """With a stranger's posts: the one-sided 95 % bound of the share for the chosen response, of
    the choices."""


class SupportShares(Record):
    """Whether the posts carry the aspects, in one group of pairs."""

    group: str
    answers: dict[Support, Estimate]
    """Each as a share of all answers."""
    there: Estimate
    """Aspects that more than half of their answers call clearly or plausibly there."""


class FoilComparison(Record):
    """Answers that call an aspect clearly or plausibly there, where it is the user's and where it
    is a foil, another user's."""

    pairs: int
    """With a foil."""
    aspects: Estimate
    foils: Estimate
    difference: Estimate
    """Aspects less foils."""

    @property
    def aspects_ahead(self) -> bool:
        """Whether it is shown that aspects are confirmed more often."""
        return self.difference.low is not None and self.difference.low > 0


class DeliveryShares(Record):
    """Which responses deliver the aspects, in one group of pairs: shares of the aspects for which
    more than half of the answers say the same, "cannot tell" left out."""

    group: str
    undecided: int
    """Aspects without such a majority."""
    chosen: Estimate
    """Only the chosen response, as `other` is only the other."""
    other: Estimate
    both: Estimate
    neither: Estimate


class SideNames(Record):
    """How the scores of two responses are subtracted."""

    mode: Mode
    first: str
    second: str


class ParityOf(Record):
    """Whether both sides of a mode are of equal quality on one scale, or on the mean of all."""

    mode: Mode
    scale: str
    parity: Parity


class ScoreCounts(Record):
    """The scores that one side got on one scale."""

    mode: Mode
    side: str
    scale: str
    counts: dict[int, int]
    """By score, from the lowest to the highest."""
    cannot_judge: int
    mean: Estimate


class DeliveryAgreement(Record):
    """Judge against people: does a response deliver an aspect? People by majority."""

    responses: str
    n: int
    """Aspect and response, where people have a majority."""
    undecided: int
    """Where they have none."""
    both_yes: int
    only_judge: int
    only_people: int
    both_no: int
    agree: Estimate
    kappa: Estimate
    """Cohen's, of the judge and the majority."""


class JudgeQuality(Record):
    """Judge against people's mean score of a response on one scale."""

    scale: str
    judge: Estimate
    people: Estimate
    difference: Estimate
    """Judge less people, in points."""
    near: Estimate
    """Share at most half a point apart: the same after rounding."""
    within_one: Estimate
    spearman: Estimate


class JudgePreference(Record):
    """The judge's say, which is the chosen response, against people's majority on each pair."""

    group: str
    pairs: int
    for_chosen: int
    for_other: int
    no_choice: int
    """Pairs with no majority for either response, or one for `equal`."""
    agree: Estimate
    """Of the pairs with a majority for a response."""


class Findings(Record):
    """What the answers say: a function of outlines, verdicts and rules, and so of a release."""

    policy: StoredRules
    """In force."""
    decisions: tuple[States, ...]
    reasons: tuple[StateReason, ...]
    label_error: Estimate
    """How probable it is that the label of a verified pair is wrong, by all votes together: the
    mean over these pairs."""
    by_chance: tuple[ByChance, ...]
    agreement: tuple[QuestionAgreement, ...]
    preferred: tuple[PreferenceShares, ...]
    with_excluded: PreferenceShares | None
    """The share of all votes with those of excluded annotators; None where nobody is."""
    consensus: Consensus | None
    """None where there is no vote."""
    contrasted: tuple[ControlComparison, ...]
    supported: tuple[SupportShares, ...]
    foils: FoilComparison | None
    """None where nobody was asked about a foil."""
    delivered_by: tuple[DeliveryShares, ...]
    sides: tuple[SideNames, ...]
    parity: tuple[ParityOf, ...]
    scores: tuple[ScoreCounts, ...]
    delivered: tuple[DeliveryAgreement, ...]
    judged_quality: tuple[JudgeQuality, ...]
    judged_preference: tuple[JudgePreference, ...]
    unjudged: int
    """Pairs without a judge's scores: not compared."""
    replicates: int
    seed: int
    """Of the bootstrap: a fixed number, which says nothing of the study's secret seed."""


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
    with_majority: Estimate
    """Preference votes that are what most of the others on the pair said, where most said one."""
    first: Estimate
    """Answers for the response shown as A, of those for A or B; attention checks left out."""
    attention: Estimate
    nonreader: float | None
    """The probability that somebody who does not read the posts passes the floor in as many checks;
    None where no check was met, or not only the posts decide them."""
    retest: Estimate
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
    powered: Estimate
    """With the judge's margins; no interval where nothing varies, or of too few dyads. n counts
    those that people decided on."""
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
