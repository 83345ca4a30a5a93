"""What the audit of a release says, in brief. Release and audit know each other by files alone."""

from collections import Counter
from typing import Literal

from pydantic import ConfigDict, ValidationError

from pairwright.dataset import Layout
from pairwright.errors import InputError
from pairwright.records import Record
from pairwright.release.primary import Primary

Verdict = Literal["passed", "failed"]


class Failed(Record):
    """A check that failed."""

    family: str
    name: str
    config: str
    """Empty: all rows together."""


class Audited(Record):
    """audit/audit.json in brief."""

    verdict: Verdict
    """Failed if one check did."""
    checks: dict[str, int]
    """By status."""
    failed: tuple[Failed, ...]
    """In the order of the audit."""
    rows: int
    digest: str
    """Of the rows that the audit saw: `content_digest` of all rows of the release."""


class _Part(Record):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class _Check(_Part):
    family: str
    name: str
    config: str = ""
    status: str


class _Source(_Part):
    digest: str
    rows: int


class _Audit(_Part):
    source: _Source
    checks: tuple[_Check, ...]


def audited(primary: Primary, layout: Layout) -> Audited | None:
    """The audit in brief; None where there is none. Raises InputError where it is no audit."""
    if primary.audit is None:
        return None
    try:
        audit = _Audit.model_validate(primary.audit)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise InputError(
            first["msg"],
            where=f"{layout.audit} [{at}]",
            fix="Take this file anew from where it came from.",
        ) from None
    failed = tuple(
        Failed(family=of.family, name=of.name, config=of.config)
        for of in audit.checks
        if of.status == "fail"
    )
    return Audited(
        verdict="failed" if failed else "passed",
        checks=dict(sorted(Counter(of.status for of in audit.checks).items())),
        failed=failed,
        rows=audit.source.rows,
        digest=audit.source.digest,
    )
