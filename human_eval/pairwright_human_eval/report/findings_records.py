"""What the answers of a study say: the part of report.json that a release, too, can derive.

Values are rounded to six places. What cannot be estimated is None, with its reason.
"""

from pairwright.modes import Mode
from pairwright.records import Record
from pairwright.settings.study_rules import StoredRules
from pairwright_human_eval.agreement import Agreement, Parity
from pairwright_human_eval.agreement.intervals import Measurement
from pairwright_human_eval.decisions import State
from pairwright_human_eval.records import Purpose, Support


class Measure(Record):
    """An estimate with its 95 % bootstrap interval."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    """What it is the share or mean of: votes, scores, pairs, ..."""
    dyads: int
    """Clusters drawn: the users that a twin or pair is about."""
    annotators: int | None
    """Clusters drawn in the other direction; None where only dyads are drawn."""
    reason: str
    """Why the value, or else its interval, is missing."""


class Proportion(Record):
    """k of n with its 95 % Wilson interval; all None at n = 0."""

    k: int
    n: int
    value: float | None
    low: float | None
    high: float | None


class States(Record):
    """The decisions on one group of subjects, each as a share of the group."""

    group: str
    subjects: int
    states: dict[State, Proportion]
    of_verifiable: Proportion
    """Verified, of those that can be: without controls where the rule asks about aspects."""


class StateReason(Record):
    """Subjects that are in a state for a reason, of all sampled; one may have several reasons."""

    state: State
    reason: str
    subjects: Proportion


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
    of_choices: Measure
    """For the chosen response, of the votes for either response: 0.5 by chance."""
    of_all: Measure
    """Of all votes: `equal` and `cannot_tell` count against it."""


class Consensus(Record):
    """What the votes together say of each pair, by Dawid and Skene's model on neutral labels."""

    pairs: int
    chosen: int
    other: int
    equal: int
    share: Measure
    """Pairs whose most probable label is the chosen response."""
    converged: bool


class ControlComparison(Record):
    """The same pairs shown with their own posts, and as a control: only pairs that were both."""

    control: Purpose
    """`wrong_profile` or `narrative`."""
    pairs: int
    own: PreferenceShares
    control_votes: PreferenceShares
    difference: Measure
    """Own less control, of the votes for either response."""
    difference_of_all: Measure
    at_most: float | None = None
    """With a stranger's posts: the one-sided 95 % bound of the share for the chosen response, of
    the choices."""


class SupportShares(Record):
    """Whether the posts carry the aspects, in one group of pairs."""

    group: str
    answers: dict[Support, Measure]
    """Each as a share of all answers."""
    there: Measure
    """Aspects that more than half of their answers call clearly or plausibly there."""


class FoilComparison(Record):
    """Answers that call an aspect clearly or plausibly there, where it is the user's and where it
    is a foil, another user's."""

    pairs: int
    """With a foil."""
    aspects: Measure
    foils: Measure
    difference: Measure
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
    chosen: Measure
    """Only the chosen response, as `other` is only the other."""
    other: Measure
    both: Measure
    neither: Measure


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
    mean: Measure


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
    agree: Measure
    kappa: Measure
    """Cohen's, of the judge and the majority."""


class JudgeQuality(Record):
    """Judge against people's mean score of a response on one scale."""

    scale: str
    judge: Measure
    people: Measure
    difference: Measure
    """Judge less people, in points."""
    near: Measure
    """Share at most half a point apart: the same after rounding."""
    within_one: Measure
    spearman: Measure


class JudgePreference(Record):
    """The judge's say, which is the chosen response, against people's majority on each pair."""

    group: str
    pairs: int
    for_chosen: int
    for_other: int
    no_choice: int
    """Pairs with no majority for either response, or one for `equal`."""
    agree: Measure
    """Of the pairs with a majority for a response."""


class Findings(Record):
    """What the answers say: a function of outlines, verdicts and rules, and so of a release."""

    policy: StoredRules
    """In force."""
    decisions: tuple[States, ...]
    reasons: tuple[StateReason, ...]
    label_error: Measure
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
