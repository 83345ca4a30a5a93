"""Human verification: which pairs people verified, and whether they prefer the chosen response."""

from collections import Counter
from collections.abc import Iterator

from pairwright.audits.records import Check, Status
from pairwright.audits.row_check import RowCheck
from pairwright.modes import label_of
from pairwright.pairs import ReadRow
from pairwright.stats import Estimate
from pairwright.text import number_of
from pairwright_human_eval.released import ReleasedStudy


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
        """Counts of verified pairs by configuration; of a study those that are not, and votes."""
        for config, rows in sorted(self._rows.items()):
            verified = self._verified[config]
            # Counted, not estimated: there is no interval.
            share = Estimate(
                value=round(verified / rows, 6), low=None, high=None, n=rows, clusters=rows
            )
            yield Check(
                family="human", name="verified", config=config, status="note", found=share,
                count=verified, of=rows, detail=self._why_few(config),
            )  # fmt: skip
        if self._public is None:
            return
        yield self._refused.check("answered, and refused, disputed or waiting")
        votes = self._public.findings.preferred
        # Whether the interval of the votes lies above or below 50 %.
        status: Status = "too_few"
        if votes.low is not None and votes.high is not None and not votes.low <= 0.5 <= votes.high:
            status = "pass" if votes.low > 0.5 else "fail"
        yield Check(
            family="human", name="preferred", status=status, found=votes, of=votes.n, limit=0.5,
            detail=votes.note,
        )  # fmt: skip

    def _why_few(self, config: str) -> str:
        """Why few or none are verified, where people are not the ones who answered."""
        if label_of(self._modes[config]) == "given":
            return "nobody was asked: the labels are the users' own choices"
        if self._public is None:
            return "nobody was asked"
        pairs = number_of(self._by_simulated[config], "pair")
        if self.simulated:
            return f"{pairs} verified by simulated annotators, which verifies nothing"
        return ""
