"""Agreement and claims as checks. All are estimated on every pair that was asked about.

A report on a study gives each claim its own 95 % interval. Here the same estimates are decided with
all comparisons of the audit, so their intervals are wider.
"""

from collections.abc import Iterator
from typing import NamedTuple

from scipy.stats import t

from pairwright.audit.records import Check, Comparison, Status
from pairwright.intervals import LEVEL, Interval, z_of
from pairwright_human_eval.agreement import Parity
from pairwright_human_eval.agreement.equivalence import LEVEL as PARITY_LEVEL
from pairwright_human_eval.report.findings_records import Findings, Measure, ParityOf


def agreement_checks(found: Findings) -> Iterator[Check]:
    """Krippendorff's alpha, question by question: told, not judged."""
    for row in found.agreement:
        of = row.agreement
        alpha = of.alpha_ordinal if row.measurement == "ordinal" else of.alpha_nominal
        yield Check(
            family="human",
            name="agreement",
            config=row.question,
            status="note",
            found=Interval(
                value=alpha.value, low=alpha.low, high=alpha.high, n=alpha.ratings,
                clusters=alpha.items,
            ),
            of=alpha.ratings,
            detail=_agreement_detail(of.percent.value, of.gwet_ac1.value, alpha.reason),
        )  # fmt: skip


def claim_checks(found: Findings) -> Iterator[Check | Comparison]:
    """Personal, equally good, and judged by a judge that people bear out."""
    for own in found.preferred:
        if own.group == "all" or own.group.startswith(("mode", "twin")):
            yield Claim("preferred", own.group, own.of_choices, bound=0.5, least=0.0)
    for control in found.contrasted:
        if control.control == "wrong_profile":
            yield Claim("own_posts_tell", "", control.difference, bound=0.0, least=-1.0)
    for of in found.parity:
        yield EquallyGood(of)
    yield from _judge(found)


class Claim(NamedTuple):
    """A share of votes, or a difference of two, against what chance gives: it passes where its
    interval lies above, and fails where it lies below."""

    name: str
    config: str
    of: Measure
    bound: float
    least: float
    """The smallest value that can be; the greatest is 1."""

    def settled(self, level: float) -> bool:
        return self._status(level) != "too_few"

    def check(self, level: float) -> Check:
        return Check(
            family="human", name=self.name, config=self.config, status=self._status(level),
            found=self._interval(level), of=self.of.n, limit=self.bound, detail=self.of.reason,
        )  # fmt: skip

    def _status(self, level: float) -> Status:
        low, high = self._ends(level)
        if low is None or high is None:
            return "too_few"
        return "pass" if low > self.bound else "fail" if high < self.bound else "too_few"

    def _interval(self, level: float) -> Interval:
        low, high = self._ends(level)
        return _interval(self.of).model_copy(update={"low": low, "high": high})

    def _ends(self, level: float) -> tuple[float | None, float | None]:
        """The bootstrap's 95 % interval, each end as much further from the estimate as a normal
        quantile is: its replicates are too few for the tail of a smaller level."""
        value, low, high = self.of.value, self.of.low, self.of.high
        if value is None or low is None or high is None:
            return None, None
        wider = z_of(level) / z_of(LEVEL)
        return (
            round(max(self.least, value - wider * (value - low)), 6),
            round(min(1.0, value + wider * (high - value)), 6),
        )


class EquallyGood(NamedTuple):
    """The mean difference of quality against the margin: two one-sided t tests."""

    of: ParityOf

    def settled(self, level: float) -> bool:
        return self._status(level) != "too_few"

    def check(self, level: float) -> Check:
        tested = self.of.parity
        status = self._status(level)
        low, high = _parity_ends(tested, level)
        return Check(
            family="human",
            name="equally_good",
            config=f"{self.of.mode}: {self.of.scale}",
            # A side that was written against the aspects may read as the worse one.
            status="note" if (status, self.of.mode) == ("fail", "violate") else status,
            found=Interval(
                value=tested.mean, low=low, high=high, n=tested.pairs, clusters=tested.clusters
            ),
            of=tested.pairs,
            limit=tested.margin,
            detail=tested.reason,
        )

    def _status(self, level: float) -> Status:
        low, high = _parity_ends(self.of.parity, level)
        margin = self.of.parity.margin
        if low is None or high is None:
            return "too_few"
        if -margin < low and high < margin:
            return "pass"
        return "fail" if low > margin or high < -margin else "too_few"


def _parity_ends(of: Parity, level: float) -> tuple[float | None, float | None]:
    """The interval whose one-sided tests err at `level`; 90 % at 0.05."""
    if of.mean is None or of.low is None or of.high is None:
        return None, None
    degrees = min(of.clusters, of.annotators) - 1
    wider = float(t.isf(level, degrees) / t.isf(PARITY_LEVEL, degrees))
    return (
        round(of.mean - wider * (of.mean - of.low), 6),
        round(of.mean + wider * (of.high - of.mean), 6),
    )


def _judge(found: Findings) -> Iterator[Check]:
    for delivered in found.delivered:
        yield _told("judge_on_aspects", f"{delivered.responses} responses", delivered.kappa)
    for quality in found.judged_quality:
        yield _told("judge_on_quality", quality.scale, quality.within_one)
    for preference in found.judged_preference:
        if preference.group == "all":
            yield _told("judge_on_preference", "", preference.agree)


def _told(name: str, config: str, of: Measure) -> Check:
    return Check(
        family="human", name=name, config=config, status="note", found=_interval(of), of=of.n,
        detail=of.reason,
    )  # fmt: skip


def _interval(of: Measure) -> Interval:
    return Interval(value=of.value, low=of.low, high=of.high, n=of.n, clusters=of.dyads)


def _agreement_detail(percent: float | None, ac1: float | None, reason: str) -> str:
    if percent is None or ac1 is None:
        return reason
    return f"{100 * percent:.0f} % alike; Gwet's AC1 {ac1:.2f}"
