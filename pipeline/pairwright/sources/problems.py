"""Rows and posts that a source refuses, repairs or notes: each by a rule of `reasons.toml`."""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

from pairwright.records import Record

REASONS: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("reasons.toml").read_text(encoding="utf-8")
)
"""Reasons, each with the `phrase` that a terminal prints, the `rule`, and maybe a `fix`."""
REMEDIES: dict[str, str] = {reason: one["fix"] for reason, one in REASONS.items() if "fix" in one}
"""Advice by reason, if there is more to do than to correct the row."""
NAMED = 10
"""Values of a reason in a message, such as categories."""
Repairs = dict[str, str]
"""Repairs of the fields of a row, by reason."""
Action = Literal["refused", "repaired", "noted"]


def excerpt(value: object) -> str:
    """A value of the file as a message shows it: quoted, short, on one line, printable."""
    line = repr(str(value))
    return line if len(line) <= 80 else f"{line[:76]}...{line[-1]}"


class SourceProblem(Record):
    """One row or post that was refused, or used after a repair. Data, not an error."""

    action: Action
    """`noted`: nothing was refused or changed, and a person should know of it."""
    reason: str
    """A key of REASONS, to count by."""
    where: str
    """`file:line`; for JSON arrays, Parquet and the Hub `file:row`, counted from 1."""
    id: str | None = None
    """The post, item or user it is about, as far as known."""
    detail: str = ""
    value: str | None = None
    """Value that could not be used, if other rows may have it too: a category or a time."""


class SourceRefusal(Exception):
    """Raised while a row is read, and counted as a SourceProblem by `Problems.row`."""

    def __init__(
        self, reason: str, detail: str, value: str | None = None, action: Action = "refused"
    ) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail, self.value, self.action = reason, detail, value, action


def refuse(
    reason: str, detail: str, value: str | None = None, action: Action = "refused"
) -> NoReturn:
    """Refuse the row that is being read. Raises SourceRefusal."""
    raise SourceRefusal(reason, detail, value, action)


@dataclass
class ProblemCount:
    """The rows and posts that one reason concerns."""

    first: SourceProblem
    n: int = 0
    values: Counter[str] = field(default_factory=Counter)

    @property
    def reason(self) -> str:
        return self.first.reason

    @property
    def phrase(self) -> str:
        """The reason as a terminal prints it."""
        return REASONS.get(self.reason, {}).get("phrase", self.reason.replace("_", " "))

    @property
    def said(self) -> str:
        """The first row's detail, else the phrase; and the values if there are several."""
        detail = self.first.detail or self.phrase
        if len(self.values) < 2:
            return detail
        named = ", ".join(f"{excerpt(v)} ({n:,})" for v, n in self.values.most_common(NAMED))
        return f"{detail} ({len(self.values):,} values: {named})"

    @property
    def remedy(self) -> str:
        """Advice; empty if there is no more to do than to correct the row."""
        return REMEDIES.get(self.reason, "")


class Problems:
    """The problems of a source: counted by reason, and each handed on as it arises."""

    def __init__(self, hand_on: Callable[[SourceProblem], object] = lambda _: None) -> None:
        self._hand_on = hand_on
        self._counts: dict[tuple[Action, str], ProblemCount] = {}

    def add(self, problem: SourceProblem) -> None:
        """Count one more."""
        key = problem.action, problem.reason
        count = self._counts.setdefault(key, ProblemCount(problem))
        count.n += 1
        if problem.value is not None:
            count.values[problem.value] += 1
        self._hand_on(problem)

    def report(
        self, action: Action, reason: str, where: str, id: str | None, detail: str = "",
        value: str | None = None,
    ) -> None:  # fmt: skip
        """Count one more, from its parts."""
        problem = SourceProblem(
            action=action, reason=reason, where=where, id=id, detail=detail, value=value
        )
        self.add(problem)

    @contextmanager
    def row(self, where: str, known: Mapping[str, Any]) -> Iterator[None]:
        """Count what the block refuses with a SourceRefusal, which ends there. `known` is what is
        read of the row by then: it is named by its id, or else by its user."""
        try:
            yield
        except SourceRefusal as why:
            id = known.get("id") or known.get("user") or None
            self.report(why.action, why.reason, where, id, why.detail, why.value)

    def repair(self, repairs: Mapping[str, str], where: str, id: str) -> None:
        """Count the repairs of a row or post that is used."""
        for reason, detail in repairs.items():
            action: Action = "noted" if reason == "html_kept" else "repaired"
            self.report(action, reason, where, id, detail)

    def once(self) -> "Problems":
        """Problems of posts that several items hold: what is said of one counts once here, by
        whatever id each item knows it."""
        seen = set[tuple[str, str, str]]()

        def hand_on(problem: SourceProblem) -> None:
            if (said := (problem.reason, problem.where, problem.detail)) not in seen:
                seen.add(said)
                self.add(problem)

        return Problems(hand_on)

    def of(self, action: Action) -> list[ProblemCount]:
        """The reasons of one action, most frequent first."""
        found = [count for (kind, _), count in self._counts.items() if kind == action]
        return sorted(found, key=lambda count: -count.n)

    def counts(self, action: Action) -> dict[str, int]:
        """Number of rows and posts per reason of one action, by the reason's name."""
        return dict(sorted((count.reason, count.n) for count in self.of(action)))

    def lines(self) -> Iterator[str]:
        """Lines for a person: what to know, what was refused and why, and then the repairs."""
        for count in (*self.of("noted"), *self.of("refused")):
            where, phrase, said = count.first.where, count.phrase, count.said
            refused = f"refused {count.n:,}: {phrase}; the first at {where}"
            refused += f": {said}" if said != phrase else ""
            yield f"note: {said} ({where})" if count.first.action == "noted" else refused
            if count.remedy:
                yield f"  {count.remedy}"
        if repaired := self.of("repaired"):
            yield f"repaired: {', '.join(f'{one.phrase} ({one.n:,})' for one in repaired)}"
