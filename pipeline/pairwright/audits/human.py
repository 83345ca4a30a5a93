"""Human verification: decisions on the pairs, agreement, claims and annotators.

A report on a study gives each claim its own 95 % interval. Here the same estimates are decided with
all comparisons of the audit, so their intervals are wider. Annotators whose answers suggest that
they did not read are found by exact binomial tests, adjusted by Holm (1979), Scand. J. Stat. 6,
65-70, over the annotators at the level that the check has among all comparisons.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from pairwright.audits.catalogue import names_of, note_check
from pairwright.audits.read.source import ReadRow
from pairwright.audits.records import Check, Flag, LimitComparison, Status
from pairwright.estimate import Estimate
from pairwright.intervals import LEVEL, z_of
from pairwright.modes import has_no_preference, is_own_choice
from pairwright.text import number_of
from pairwright_human_eval.public_study import ReleasedStudy
from pairwright_human_eval.report.findings import Findings


class Human:
    """The part of an audit on human verification. `public` is None where nobody was asked."""

    names = names_of("human")

    def __init__(self, public: ReleasedStudy | None) -> None:
        self._public = public
        self._rows: Counter[str] = Counter()
        self._modes: dict[str, str | None] = {}
        """By configuration."""
        self._verified: Counter[str] = Counter()
        self._by_simulated: Counter[str] = Counter()
        self._undecided_rows: dict[str, list[str]] = {}
        self._decisions = public.decisions if public else {}
        self.simulated = {
            subject: decision.state == "verified"
            for subject, decision in self._decisions.items()
            if decision.simulated
        }
        """Pairs and twins that simulated annotators decided on, and whether they verified them."""

    def add(self, line: ReadRow) -> None:
        row = line.row
        self._rows[row.config] += 1
        self._modes[row.config] = row.mode
        self._verified[row.config] += row.verified
        self._by_simulated[row.config] += self.simulated.get(row.subject, False)
        decision = self._decisions.get(row.subject)
        if decision and decision.state != "verified":
            self._undecided_rows.setdefault(row.subject, []).append(row.id)

    def checks(self) -> Iterator[Check | LimitComparison]:
        yield from self._coverage()
        if self._public is None:
            return
        yield self._undecided()
        findings = self._public.findings
        yield from agreement_checks(findings)
        yield from claim_checks(findings)

    def _coverage(self) -> Iterator[Check]:
        """Counted, not estimated: there is no interval."""
        for config in sorted(self._rows):
            rows, verified = self._rows[config], self._verified[config]
            share = round(verified / rows, 6)
            # Why few or none are verified, where people are not the ones who answered.
            detail = ""
            if is_own_choice(self._modes[config]):
                detail = "nobody was asked: the labels are the users' own choices"
            elif self._public is None:
                detail = "nobody was asked"
            elif has_no_preference(self._modes[config]) and not self._public.study.placebos:
                detail = "the study asked about no placebo"
            elif self.simulated:
                pairs = number_of(self._by_simulated[config], "pair")
                detail = f"{pairs} verified by simulated annotators, which verifies nothing"
            yield Check(
                family="human",
                name="verified",
                config=config,
                status="note",
                found=Estimate(value=share, low=None, high=None, n=rows, clusters=rows),
                count=verified,
                of=rows,
                detail=detail,
            )

    def _undecided(self) -> Check:
        flags = [
            Flag(row=row, detail=f"{decision.state}: {'; '.join(decision.reasons)}")
            for subject, rows in self._undecided_rows.items()
            if (decision := self._decisions[subject])
            for row in rows
        ]
        detail = "answered by people, and refused, disputed or waiting"
        if self.simulated:
            detail += "; simulated annotators answered"
        return Check(
            family="human",
            name="not_verified",
            status="fail" if flags else "pass",
            count=len(flags),
            of=self._rows.total(),
            limit=0,
            detail=detail if flags else "",
            flags=tuple(flags),
        )


def agreement_checks(findings: Findings) -> Iterator[Check]:
    """Krippendorff's alpha of each question. It decides nothing."""
    for row in findings.agreement:
        own = row.agreement
        alpha = own.alpha_ordinal if row.measurement == "ordinal" else own.alpha_nominal
        percent, ac1, detail = own.percent.value, own.gwet_ac1.value, alpha.note
        if percent is not None and ac1 is not None:
            detail = f"{100 * percent:.0f} % alike; Gwet's AC1 {ac1:.2f}"
        yield note_check("agreement", row.question, _interval(alpha), detail=detail)


def claim_checks(findings: Findings) -> Iterator[Check | LimitComparison]:
    """Whether pairs are personal and equally good, and whether people agree with the judge."""
    for own in findings.preferred:
        if own.group == "all" or own.group.startswith(("mode", "twin")):
            yield VoteComparison("preferred", own.group, own.of_choices, bound=0.5, least=0.0)
    for question, agree in findings.judge.items():
        yield note_check("judge", question, _interval(agree), detail=agree.note)


class VoteComparison(NamedTuple):
    """A share of votes, or the difference of two shares, compared with a bound. It passes where its
    interval lies on the right side, and fails where it lies on the other."""

    name: str
    config: str
    measure: Estimate
    bound: float
    least: float
    """The smallest possible value; the largest is 1."""

    def settled(self, level: float) -> bool:
        return self._status(level) != "too_few"

    def check(self, level: float) -> Check:
        return Check(
            family="human", name=self.name, config=self.config,
            status=self._status(level), found=self._interval(level), of=self.measure.n,
            limit=self.bound, detail=self.measure.note,
        )  # fmt: skip

    def _status(self, level: float) -> Status:
        low, high = self._ends(level)
        if low is None or high is None:
            return "too_few"
        if low > self.bound or high < self.bound:
            return "pass" if low > self.bound else "fail"
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
        wider = z_of(level) / z_of(LEVEL)
        return (
            round(max(self.least, value - wider * (value - low)), 6),
            round(min(1.0, value + wider * (high - value)), 6),
        )


def _interval(measure: Estimate) -> Estimate:
    """Without its note, which is the check's detail."""
    return measure.model_copy(update={"note": ""})
