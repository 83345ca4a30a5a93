"""What the derived files are made of: the primary files and everything computed from them, of which
manifest.json is the record."""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import JsonValue, ValidationError

from pairwright.audits.records import AuditSource
from pairwright.build_statement import BuildSummary
from pairwright.errors import InputError, first_invalid
from pairwright.lines import read_document
from pairwright.pairs import Layout
from pairwright.records import Record
from pairwright.releases.primary import PrimaryFiles, ReleaseKind
from pairwright.releases.summary import Summary
from pairwright.settings.rules import HumanRules
from pairwright.stats import Estimate
from pairwright_human_eval.records import State

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


class HumanSummary(Record):
    """The human verification in brief."""

    subjects: int
    """Twins and single pairs that people were asked about and that are in this release's study."""
    of: int
    """Those in the run, of which they were drawn."""
    states: dict[State, int]
    """How many the rule decided in which way."""
    answers: int
    """Answers released, of every kind."""
    annotators: int
    simulated_annotators: int
    excluded: tuple[str, ...]
    """Those who failed the attention checks: their answers do not count."""
    rule: HumanRules


class Manifest(Record):
    """manifest.json."""

    name: str
    version: str
    kind: ReleaseKind
    trial_because: tuple[str, ...]
    """Why it is not a benchmark; empty in an ordinary release."""
    pairwright: str
    """Version that wrote the release."""
    canary: str
    rows: Summary
    units: dict[str, int]
    """How many units of the build ended in which way: mode, outcome, stage and reason."""
    human: HumanSummary | None
    """None if nobody was asked."""
    audit: AuditSummary
    build: dict[str, JsonValue]
    """What the run says of itself: source, models, sampling, prompts, configuration, calls."""


@dataclass(frozen=True)
class ReleaseContext:
    """A release's primary files, and what is computed from them, each once."""

    layout: Layout
    primary: PrimaryFiles
    summary: Summary

    @property
    def trial(self) -> bool:
        return self.primary.provenance.kind == "trial"

    @property
    def name(self) -> str:
        return self.primary.provenance.name

    @property
    def version(self) -> str:
        return self.primary.provenance.version

    @cached_property
    def build(self) -> BuildSummary:
        """How the pairs were made. Raises InputError if stated.json does not say it as a build
        does."""
        try:
            return BuildSummary.model_validate(self.primary.provenance.build)
        except ValidationError as error:
            field, fault = first_invalid(error)
            where = f"{self.layout.provenance} [build.{field}]"
            fix = "Take this file again from where it came from."
            raise InputError(fault, where=where, fix=fix) from None

    @cached_property
    def units(self) -> dict[str, int]:
        """The units of the build, counted; within a mode and outcome the most frequent first."""
        units = self.primary.units
        counts = Counter((one.mode, one.outcome, one.stage, one.reason) for one in units)
        order = sorted(counts, key=lambda key: (*key[:2], -counts[key], *key[2:]))
        return {": ".join(filter(None, key)): counts[key] for key in order}

    @cached_property
    def study(self) -> HumanSummary | None:
        """The human verification in brief; None if nobody was asked."""
        public = self.primary.public
        if public is None:
            return None
        states = Counter[State](one.state for one in public.decisions.values())
        return HumanSummary(
            subjects=len(public.outlines),
            of=public.study.of,
            states=dict(sorted(states.items())),
            answers=public.tasks,
            annotators=len(public.study.annotators),
            simulated_annotators=sum(one.simulated for one in public.study.annotators),
            excluded=tuple(sorted(public.excluded)),
            rule=public.study.policy,
        )

    @cached_property
    def audit(self) -> AuditSummary:
        """The audit in brief. Raises InputError if audit.json is not an audit."""
        return summarise_audit(read_audit(self.layout))

    @property
    def canary(self) -> str:
        """A string that occurs nowhere else: a hash of the release's name, version and rows."""
        parts = [self.name, self.version, *(part.digest for part in self.summary.parts)]
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return f"pairwright-canary-{digest[:32]}"


def make_manifest(release: ReleaseContext) -> Manifest:
    """Put together manifest.json."""
    provenance = release.primary.provenance
    return Manifest(
        name=release.name,
        version=release.version,
        kind=provenance.kind,
        trial_because=provenance.trial_because,
        pairwright=provenance.pairwright,
        canary=release.canary,
        rows=release.summary,
        units=release.units,
        human=release.study,
        audit=release.audit,
        build=provenance.build,
    )
