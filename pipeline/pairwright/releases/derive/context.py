"""What the derived files are made of: the primary files and everything computed from them, of which
manifest.json is the record."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from pairwright.build_statement import BuildSummary
from pairwright.dataset import Layout
from pairwright.dataset.layout import file_digest
from pairwright.records import Record
from pairwright.releases.derive.audit_summary import AuditSummary, summarise_audit
from pairwright.releases.derive.build_summary import UnitCount, summarise_build, unit_counts
from pairwright.releases.derive.study_summary import HumanSummary, summarise_study
from pairwright.releases.primary import PrimaryFiles, ReleaseKind, primary_paths
from pairwright.releases.summary import Summary
from pairwright_human_eval.report.findings import Findings


@dataclass(frozen=True)
class ReleaseContext:
    """A release's primary files, and what is computed from them, each once."""

    layout: Layout
    primary: PrimaryFiles
    summary: Summary

    @cached_property
    def findings(self) -> Findings | None:
        """What is estimated of people's answers; None where nobody was asked."""
        return self.primary.public.findings if self.primary.public else None

    @cached_property
    def digests(self) -> dict[str, str]:
        """Of each primary file that exists: 64 hex digits of sha256 by relative path, sorted."""
        paths = primary_paths(self.layout, self.primary, self.summary)
        there = (path for path in paths if (self.layout.root / path).exists())
        return {path: file_digest(self.layout.root / path) for path in there}

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
        """How the pairs were made. Raises InputError where stated.json does not say it as a build
        does."""
        return summarise_build(self.primary.provenance, self.layout)

    @cached_property
    def units(self) -> tuple[UnitCount, ...]:
        """What happened to the units of the build, counted."""
        return unit_counts(self.primary.units)

    @cached_property
    def study(self) -> HumanSummary | None:
        """The human verification in brief; None where nobody was asked."""
        if self.primary.public is None or self.findings is None:
            return None
        return summarise_study(self.primary.public, self.findings)

    @cached_property
    def audit(self) -> AuditSummary | None:
        """The audit in brief; None without one. Raises InputError where audit.json is not of an
        audit."""
        return summarise_audit(self.primary, self.layout)

    @property
    def canary(self) -> str:
        """A string that occurs nowhere else: a hash of the release's name, version and rows."""
        parts = [self.name, self.version, *(part.digest for part in self.summary.parts)]
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return f"pairwright-canary-{digest[:32]}"


class Manifest(Record):
    """The whole file."""

    name: str
    version: str
    kind: ReleaseKind
    trial_because: tuple[str, ...]
    """Why it is not a benchmark; empty in an ordinary release."""
    pairwright: str
    """Version that wrote the release."""
    code: str
    """The digest of the code that wrote it: `version.code_digest()`."""
    canary: str
    rows: Summary
    units: tuple[UnitCount, ...]
    human: HumanSummary | None
    """None where nobody was asked."""
    audit: AuditSummary | None
    build: dict[str, JsonValue]
    """What the run says of itself: source, models, sampling, prompts, configuration, calls."""
    files: dict[str, str]
    """sha256 of each file that is not derived from others. checksums.sha256 has all files."""


def make_manifest(release: ReleaseContext) -> Manifest:
    provenance = release.primary.provenance
    return Manifest(
        name=release.name,
        version=release.version,
        kind=provenance.kind,
        trial_because=provenance.trial_because,
        pairwright=provenance.pairwright,
        code=provenance.code,
        canary=release.canary,
        rows=release.summary,
        units=release.units,
        human=release.study,
        audit=release.audit,
        build=provenance.build,
        files=release.digests,
    )
