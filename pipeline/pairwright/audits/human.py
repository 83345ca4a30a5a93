"""Human verification: which pairs people verified, whether they agree, and whether they prefer the
chosen response."""

from collections import Counter
from collections.abc import Iterator

from pairwright.audits.catalogue import note_check
from pairwright.audits.records import Check, Status
from pairwright.audits.row_check import RowCheck
from pairwright.modes import label_of
from pairwright.pairs import ReadRow
from pairwright.stats import Estimate
from pairwright.text import number_of
from pairwright_human_eval.released import Findings, ReleasedStudy


class Human:
    """The part of an audit on human verification. `public` is None where nobody was asked."""

    def __init__(self, public: ReleasedStudy | None) -> None:
        self._public = public
        self._rows: Counter[str] = Counter()
        self._verified: Counter[str] = Counter()
        self._by_simulated: Counter[str] = Counter()
        self._modes: dict[str, str | None] = {}
        self._decisions = public.decisions if public else {}
        self._refused = RowCheck("not_verified")
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
        refused = decision is not None and decision.state != "verified"
        reasons = f"{decision.state}: {'; '.join(decision.reasons)}" if decision and refused else ""
        self._refused.count(line, reasons)

    def checks(self) -> Iterator[Check]:
        yield from self._coverage()
        if self._public is not None:
            yield self._refused.check("answered, and refused, disputed or waiting")
            yield from _agreement(self._public.findings)
            yield from _preferred(self._public.findings)

    def _coverage(self) -> Iterator[Check]:
        """Counted, not estimated: there is no interval."""
        for config in sorted(self._rows):
            rows, verified = self._rows[config], self._verified[config]
            # Why few or none are verified, where people are not the ones who answered.
            detail = ""
            if label_of(self._modes[config]) == "given":
                detail = "nobody was asked: the labels are the users' own choices"
            elif self._public is None:
                detail = "nobody was asked"
            elif self.simulated:
                pairs = number_of(self._by_simulated[config], "pair")
                detail = f"{pairs} verified by simulated annotators, which verifies nothing"
            share = Estimate(
                value=round(verified / rows, 6), low=None, high=None, n=rows, clusters=rows
            )
            note = note_check("verified", config, share, detail=detail)
            yield note.model_copy(update={"count": verified})


def _agreement(findings: Findings) -> Iterator[Check]:
    """Krippendorff's alpha of each question. It decides nothing."""
    for row in findings.agreement:
        own = row.agreement
        alpha = own.alpha_ordinal if row.measurement == "ordinal" else own.alpha_nominal
        yield note_check("agreement", row.question, alpha, detail=alpha.note)


def _preferred(findings: Findings) -> Iterator[Check]:
    """Whether the interval of the votes for the chosen response lies above or below 50 %."""
    votes = findings.preferred
    status: Status = "too_few"
    if votes.low is not None and votes.high is not None and not votes.low <= 0.5 <= votes.high:
        status = "pass" if votes.low > 0.5 else "fail"
    yield Check(
        family="human", name="preferred", status=status, found=votes, of=votes.n, limit=0.5,
        detail=votes.note,
    )  # fmt: skip
