"""manifest.json: everything that a release is, counted and hashed, in one record."""

from pydantic import JsonValue

from pairwright.records import Record
from pairwright.release.derive.audited import Audited, audited
from pairwright.release.derive.human import HumanSummary, human_summary
from pairwright.release.derive.known import Known
from pairwright.release.derive.units import UnitCount, unit_counts
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
    audit: Audited | None
    build: dict[str, JsonValue]
    """What the run says of itself: source, models, sampling, prompts, configuration, calls."""
    files: dict[str, str]
    """sha256 of each file that is not derived from others. checksums.sha256 has all files."""


def manifest(known: Known) -> Manifest:
    stated = known.primary.stated
    return Manifest(
        name=known.name,
        version=known.version,
        kind=stated.kind,
        trial_because=stated.trial_because,
        pairwright=stated.pairwright,
        code=stated.code,
        canary=known.canary,
        rows=known.summary,
        units=unit_counts(known.primary.units),
        human=human_summary(known),
        audit=audited(known.primary, known.layout),
        build=stated.build,
        files=known.digests,
    )
