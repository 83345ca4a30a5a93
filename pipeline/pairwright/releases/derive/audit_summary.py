"""The audit of a release in brief. Release and audit know each other by files alone."""

from collections import Counter
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from pairwright.dataset import AuditSource, Layout
from pairwright.dataset.lines import read_document
from pairwright.errors import InputError, first_invalid
from pairwright.estimate import Estimate
from pairwright.records import Record

BASELINES = {
    "length": "longer", "bag_of_words": "bag of words", "profile_overlap": "words of the posts",
    "profile_tfidf": "words of the posts, tf-idf",
}  # fmt: skip
"""Checks of the audit that choose a response by counting, and how a table names them. The first
two see nothing of the user."""


class AuditCheck(Record, extra="ignore"):
    """A check of the audit."""

    name: str
    config: str = ""
    """Empty: all rows together."""
    status: str
    found: Estimate | None = None


class AuditFile(Record, extra="ignore"):
    """The fields of audit.json that a release is held to or shows."""

    source: AuditSource
    checks: tuple[AuditCheck, ...]


class AuditSummary(Record):
    """audit/audit.json in brief."""

    verdict: Literal["passed", "undecided", "failed"]
    """Failed if one check did; else undecided if one had too few pairs."""
    checks: dict[str, int]
    """The number of checks by status."""
    failed: tuple[tuple[str, str], ...]
    """Name and configuration of the checks that failed, in the order of the audit."""
    baselines: dict[str, dict[str, Estimate]]
    """What ways of choosing score, by configuration and name."""


def read_audit(layout: Layout, path: Path | None = None) -> AuditFile:
    """Read a release's audit, or the one at `path`. Raises InputError if it is none."""
    path = path or layout.audit
    try:
        return AuditFile.model_validate_json(read_document(path))
    except ValidationError as error:
        field, fault = first_invalid(error)
        fix = "Take this file again from where it came from."
        raise InputError(fault, where=f"{path} [{field}]", fix=fix) from None


def summarise_audit(audit: AuditFile) -> AuditSummary:
    statuses = Counter(check.status for check in audit.checks)
    baselines: dict[str, dict[str, Estimate]] = {}
    for check in audit.checks:
        if check.name in BASELINES and check.found and not check.config.startswith("mode "):
            baselines.setdefault(check.config, {})[check.name] = check.found
    return AuditSummary(
        verdict="failed" if statuses["fail"] else "undecided" if statuses["too_few"] else "passed",
        checks=dict(sorted(statuses.items())),
        failed=tuple((one.name, one.config) for one in audit.checks if one.status == "fail"),
        baselines=baselines,
    )
