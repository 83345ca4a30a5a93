"""The records of an audit, as in audit.json. The page shows these values and computes none."""

from typing import Literal

from pydantic import Field

from pairwright.records import Record
from pairwright.stats import Estimate

Family = Literal["shortcuts", "baselines", "leakage", "integrity", "people", "balance"]
Status = Literal["pass", "fail", "too_few", "note"]
"""`note`: a figure that decides nothing. `too_few`: the pairs are too few to decide."""
EXAMPLES = 20
"""Rows that audit.json names per check."""


class CheckDefinition(Record):
    """A check in checks.toml: its words, and how many rows it may find."""

    family: Family
    name: str
    title: str
    why: str
    todo: str
    """A remedy for the person who made the pairs."""
    limit: float = 0.0
    """The share of rows that it may find; 1 of a check that decides nothing."""
    others: float | None = None
    """The same for pairs that are not from a release or run, if it differs."""
    how: str = ""
    """How it looks, if the title does not say it."""
    nothing: str = "no row has anything that this check examines"
    """The words if no row could be examined."""


class Flag(Record):
    """One row that a check names."""

    row: str
    detail: str = ""
    where: str = ""
    """`file:line` in what was audited; ids may be there twice."""


class Check(Record):
    """The result of a check, in one configuration or in all of them."""

    family: Family
    name: str
    config: str = ""
    """Empty: all rows together."""
    status: Status
    found: Estimate | None = None
    """The estimated accuracy or share with its 95 % interval; None if nothing is estimated."""
    count: int | None = None
    """The number of rows found, if the check looks for rows."""
    of: int = 0
    """The number of rows examined; if it is a sample, `detail` says so."""
    limit: float | None = None
    chance: float | None = None
    """The accuracy of chance on questions with options; on pairs it is .5."""
    detail: str = ""
    flags: tuple[Flag, ...] = ()
    """The rows found, in the order of the source; audit.json keeps the first EXAMPLES."""
    p: float | None = Field(None, exclude=True)
    """The probability that an accuracy is as far from its limit by chance."""


class Redaction(Record):
    """Personal data in a text, in the first row that holds the text: a line of redactions.jsonl."""

    row: str
    where: str = ""
    field: str
    """Such as `question` or `profile[2].text`, counted from 0."""
    post: str
    """The post's id; may be empty."""
    kind: str
    start: int
    end: int
    """The place in characters; `text[start:end]` is to be redacted."""
    masked: str
    rows: int
    """The number of rows that hold the same text in such a field; all of them must be redacted."""


class AuditSource(Record):
    """The description of the rows that an audit saw."""

    name: str
    """A folder's or file's name, or a Hub id; never a path of the auditor's machine."""
    kind: Literal["release", "run", "plain"]
    version: str = ""
    digest: str
    """`sha256:` over the rows as JSON lines, in their order and with their fields' order."""
    rows: int
    configs: dict[str, int]
    simulated: bool
    problems: dict[str, int]
    """Rows that could not be read, by reason. They are part of no other number."""


class Audit(Record):
    """A whole audit."""

    pairwright: str
    source: AuditSource
    max_shortcut: float
    """The bound on the accuracy of blind checks."""
    checks: tuple[Check, ...]
    redactions: tuple[Redaction, ...] = Field((), exclude=True)
    """Written to a file of its own, for the person who corrects the pairs."""

    @property
    def failed(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.status == "fail")
