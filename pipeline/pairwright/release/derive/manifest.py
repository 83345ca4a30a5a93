"""manifest.json: everything that a release is, counted and hashed, in one record."""

from pydantic import JsonValue

from pairwright.records import Record
from pairwright.release.derive.audit import AuditSummary
from pairwright.release.derive.build import UnitCount
from pairwright.release.derive.context import ReleaseContext
from pairwright.release.derive.study import HumanSummary
from pairwright.release.records import Kind
from pairwright.release.summary import Summary


class Manifest(Record):
    """The whole file."""

    name: str
    version: str
    kind: Kind
    trial_because: tuple[str, ...]
    """Why it is no benchmark; empty in an ordinary release."""
    pairwright: str
    """Version that wrote the release."""
    code: str
    """Of the code that wrote it: `version.code_digest()`."""
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
