"""Human verification: decisions on the pairs, agreement, claims and annotators."""

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from pairwright.audit.human.annotators import ANNOTATORS, annotator_checks
from pairwright.audit.human.claims import CLAIMS, agreement_checks, claim_checks
from pairwright.audit.records import Check, CheckDefinition, Definitions, Flag, LimitComparison
from pairwright.dataset import Row
from pairwright.estimate import Estimate
from pairwright.modes import is_own_choice
from pairwright.text import number_of
from pairwright_human_eval.public_study import ReleasedStudy

VERIFIED = CheckDefinition(
    family="human",
    name="verified",
    title="Pairs that people verified",
    why="A model's verdict that a pair fits one person is not evidence that people agree.",
    todo="Have the rest verified (`pairwright human export`), or release only what was.",
)

NOT_VERIFIED = CheckDefinition(
    family="human",
    name="not_verified",
    title="Pairs that people answered and did not verify",
    why="The rule of the study refuses them.",
    todo="Leave them out; have disputed ones adjudicated (`pairwright human adjudicate`).",
)


class Human:
    """The part of an audit on human verification. `public` is None where nobody was asked."""

    definitions: ClassVar[Definitions] = (VERIFIED, NOT_VERIFIED, *CLAIMS, *ANNOTATORS)

    def __init__(self, public: ReleasedStudy | None) -> None:
        self._public = public
        self._rows: Counter[str] = Counter()
        self._own_choices: set[str] = set()
        """Configurations whose labels are the users' own choices."""
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

    def add(self, row: Row) -> None:
        self._rows[row.config] += 1
        if is_own_choice(row.mode):
            self._own_choices.add(row.config)
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
        yield from annotator_checks(self._public)

    def _coverage(self) -> Iterator[Check]:
        """Counted, not estimated: there is no interval."""
        for config in sorted(self._rows):
            rows, verified = self._rows[config], self._verified[config]
            share = round(verified / rows, 6)
            yield Check(
                family=VERIFIED.family,
                name=VERIFIED.name,
                config=config,
                status="note",
                found=Estimate(value=share, low=None, high=None, n=rows, clusters=rows),
                count=verified,
                of=rows,
                detail=self._not_people(config),
            )

    def _not_people(self, config: str) -> str:
        """Why few or none are verified, where people are not the ones who answered."""
        if config in self._own_choices:
            return "nobody was asked: the labels are the users' own choices"
        if self._public is None:
            return "nobody was asked"
        if not self.simulated:
            return ""
        pairs = number_of(self._by_simulated[config], "pair")
        return f"{pairs} verified by simulated annotators, which verifies nothing"

    def _undecided(self) -> Check:
        flags = [
            Flag(row=row, detail=f"{decision.state}: {'; '.join(decision.reasons)}")
            for subject, rows in self._undecided_rows.items()
            if (decision := self._decisions[subject])
            for row in rows
        ]
        detail = "answered by people, and refused, disputed, waiting or a control"
        if self.simulated:
            detail += "; simulated annotators answered"
        return Check(
            family=NOT_VERIFIED.family,
            name=NOT_VERIFIED.name,
            status="fail" if flags else "pass",
            count=len(flags),
            of=self._rows.total(),
            limit=0,
            detail=detail if flags else "",
            flags=tuple(flags),
        )
