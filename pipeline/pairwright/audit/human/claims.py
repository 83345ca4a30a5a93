"""Agreement and claims as checks, estimated on every pair that people answered.

A report on a study gives each claim its own 95 % interval. Here the same estimates are decided with
all comparisons of the audit, so their intervals are wider.
"""

from collections.abc import Iterator
from typing import NamedTuple

from scipy.stats import t

from pairwright.audit.records import Check, CheckDefinition, LimitComparison, Status
from pairwright.estimate import Estimate
from pairwright.intervals import LEVEL, z_of
from pairwright_human_eval.agreement import Parity
from pairwright_human_eval.agreement.models import LEVEL as PARITY_LEVEL
from pairwright_human_eval.assign import LIMIT
from pairwright_human_eval.report.records import Findings, ParityOf

AGREEMENT = CheckDefinition(
    family="human",
    name="agreement",
    title="Agreement of annotators, Krippendorff's alpha",
    why="Where people do not agree, a majority of three is close to a coin.",
    todo="Read the comments, sharpen the guidelines, or ask more people per pair.",
)

PREFERRED = CheckDefinition(
    family="human",
    name="preferred",
    title="Votes for the chosen response, of the votes for either",
    why="If people who read the posts do not prefer the chosen response, the label is wrong.",
    todo="Look at the pairs that were refused, and at what the planner inferred for them.",
    by_estimate=True,
)

OWN_POSTS_TELL = CheckDefinition(
    family="human",
    name="own_posts_tell",
    title="Pairs of mode violate: another user's posts do not tell the chosen response",
    why="If a stranger's posts lead to the same votes, it is not the person that decides.",
    todo="Look for responses that are simply better; raise the gates on quality and parity.",
    by_estimate=True,
)

EQUALLY_GOOD = CheckDefinition(
    family="human",
    name="equally_good",
    title="Both responses equally good, in points of quality",
    why="If one side is the better answer for anyone, picking it needs no person.",
    todo="Raise the parity gate; have more pairs judged where too few were.",
    by_estimate=True,
)

JUDGE_ON_ASPECTS = CheckDefinition(
    family="human",
    name="judge_on_aspects",
    title="Judge and people on which aspects are delivered, Cohen's kappa",
    why="The gates accept pairs by the verdicts of this judge.",
    todo="Try another judge model, or a clearer adherence prompt.",
)

JUDGE_ON_QUALITY = CheckDefinition(
    family="human",
    name="judge_on_quality",
    title="Judge within one point of people, on quality",
    why="The gates accept pairs by the verdicts of this judge.",
    todo="Try another judge model, or clearer anchors in rubrics/quality.toml.",
)

JUDGE_ON_PREFERENCE = CheckDefinition(
    family="human",
    name="judge_on_preference",
    title="Pairs in which most people prefer the response that the judge accepted as chosen",
    why="It is the judge's accuracy on the pairs that passed its gates.",
    todo="Look at the pairs where people prefer the other response.",
)


CLAIMS = (
    AGREEMENT, PREFERRED, OWN_POSTS_TELL, EQUALLY_GOOD, JUDGE_ON_ASPECTS, JUDGE_ON_QUALITY,
    JUDGE_ON_PREFERENCE,
)  # fmt: skip
"""The checks of this file, in the order of the report."""


def agreement_checks(findings: Findings) -> Iterator[Check]:
    """Krippendorff's alpha of each question. It decides nothing."""
    for row in findings.agreement:
        own = row.agreement
        alpha = own.alpha_ordinal if row.measurement == "ordinal" else own.alpha_nominal
        yield Check(
            family=AGREEMENT.family,
            name=AGREEMENT.name,
            config=row.question,
            status="note",
            found=_interval(alpha),
            of=alpha.n,
            detail=_agreement_detail(own.percent.value, own.gwet_ac1.value, alpha.note),
        )  # fmt: skip


def claim_checks(findings: Findings) -> Iterator[Check | LimitComparison]:
    """Whether pairs are personal and equally good, and whether people agree with the judge."""
    for own in findings.preferred:
        if own.group == "all" or own.group.startswith(("mode", "twin")):
            yield VoteComparison(PREFERRED, own.group, own.of_choices, bound=0.5, least=0.0)
    for control in findings.contrasted:
        if control.control == "wrong_profile":
            yield VoteComparison(
                OWN_POSTS_TELL, "own less stranger's", control.difference, bound=0.0, least=-1.0
            )
            yield VoteComparison(
                OWN_POSTS_TELL, "stranger's", control.control_votes.of_choices, bound=LIMIT,
                least=0.0, above=False,
            )  # fmt: skip
    for scale in findings.parity:
        yield ParityComparison(scale)
    yield from _judge(findings)


class VoteComparison(NamedTuple):
    """A share of votes, or the difference of two shares, compared with a bound. It passes where its
    interval lies on the right side, and fails where it lies on the other."""

    definition: CheckDefinition
    config: str
    measure: Estimate
    bound: float
    least: float
    """The smallest possible value; the largest is 1."""
    above: bool = True
    """Whether it is to be above the bound. Below it is a test of equivalence, one-sided."""

    def settled(self, level: float) -> bool:
        return self._status(level) != "too_few"

    def check(self, level: float) -> Check:
        return Check(
            family=self.definition.family, name=self.definition.name, config=self.config,
            status=self._status(level), found=self._interval(level), of=self.measure.n,
            limit=self.bound, detail=self.measure.note,
        )  # fmt: skip

    def _status(self, level: float) -> Status:
        low, high = self._ends(level)
        if low is None or high is None:
            return "too_few"
        if low > self.bound or high < self.bound:
            return "pass" if (low > self.bound) == self.above else "fail"
        return "too_few"

    def _interval(self, level: float) -> Estimate:
        low, high = self._ends(level)
        return _interval(self.measure).model_copy(update={"low": low, "high": high})

    def _ends(self, level: float) -> tuple[float | None, float | None]:
        """The bootstrap's 95 % interval, each end as much further from the estimate as a normal
        quantile is: its replicates are too few for the tail of a smaller level."""
        value, low, high = self.measure.value, self.measure.low, self.measure.high
        if value is None or low is None or high is None:
            return None, None
        wider = z_of(level if self.above else 2 * level) / z_of(LEVEL)
        return (
            round(max(self.least, value - wider * (value - low)), 6),
            round(min(1.0, value + wider * (high - value)), 6),
        )


class ParityComparison(NamedTuple):
    """The mean difference of quality compared with the margin, by two one-sided t tests."""

    scale: ParityOf

    def settled(self, level: float) -> bool:
        return self._status(level) != "too_few"

    def check(self, level: float) -> Check:
        tested = self.scale.parity
        low, high = _parity_ends(tested, level)
        return Check(
            family=EQUALLY_GOOD.family,
            name=EQUALLY_GOOD.name,
            config=f"{self.scale.mode}: {self.scale.scale}",
            status=self._status(level),
            found=Estimate(
                value=tested.mean, low=low, high=high, n=tested.pairs, clusters=tested.clusters
            ),
            of=tested.pairs,
            limit=tested.margin,
            detail=tested.reason,
        )

    def _status(self, level: float) -> Status:
        low, high = _parity_ends(self.scale.parity, level)
        margin = self.scale.parity.margin
        if low is None or high is None:
            return "too_few"
        if -margin < low and high < margin:
            return "pass"
        return "fail" if low > margin or high < -margin else "too_few"


def _parity_ends(parity: Parity, level: float) -> tuple[float | None, float | None]:
    """The interval whose one-sided tests err at `level`; 90 % at 0.05."""
    if parity.mean is None or parity.low is None or parity.high is None:
        return None, None
    degrees = min(parity.clusters, parity.annotators) - 1
    wider = float(t.isf(level, degrees) / t.isf(PARITY_LEVEL, degrees))
    return (
        round(parity.mean - wider * (parity.mean - parity.low), 6),
        round(parity.mean + wider * (parity.high - parity.mean), 6),
    )


def _judge(findings: Findings) -> Iterator[Check]:
    for delivered in findings.delivered:
        yield _note(JUDGE_ON_ASPECTS, f"{delivered.responses} responses", delivered.kappa)
    for quality in findings.judged_quality:
        yield _note(JUDGE_ON_QUALITY, quality.scale, quality.within_one)
    for preference in findings.judged_preference:
        if preference.group == "all":
            yield _note(JUDGE_ON_PREFERENCE, "", preference.agree)


def _note(definition: CheckDefinition, config: str, measure: Estimate) -> Check:
    return Check(
        family=definition.family, name=definition.name, config=config, status="note",
        found=_interval(measure), of=measure.n, detail=measure.note,
    )  # fmt: skip


def _interval(measure: Estimate) -> Estimate:
    """Without its note, which is the check's detail."""
    return measure.model_copy(update={"note": ""})


def _agreement_detail(percent: float | None, ac1: float | None, reason: str) -> str:
    if percent is None or ac1 is None:
        return reason
    return f"{100 * percent:.0f} % alike; Gwet's AC1 {ac1:.2f}"
