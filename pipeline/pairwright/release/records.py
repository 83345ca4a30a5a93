"""The records of a release beside its rows.

Primary files are written from a run and cannot be derived from anything else in the release: the
rows, `human/{subjects,verdicts}.jsonl`, `human/study.json`, `build/units.jsonl`, `stated.json`,
`history.jsonl`, `errata.jsonl`, `audit/`. Every other file is a function of these; to verify a
release is to derive those files again.
"""

from typing import Literal

from pydantic import Field, JsonValue, SerializerFunctionWrapHandler, model_serializer

from pairwright.records import Mode, Record
from pairwright.settings.release_info import ReleaseInfo

Kind = Literal["release", "trial"]
"""A trial may hold pairs that nobody verified or that a simulation had a part in. It is no
benchmark, and every file that people read says so at its top."""
Format = Literal[1, 2, 3]
FORMAT: Format = 3
"""Of the releases that are written now. 2: rows have no annotators' answers on aspects. 1: neither,
and no line of build/units.jsonl holds hashes of contents, so that an edited question or post
changes nothing that is not derived from it, and stated.json names no libraries, languages and
licence of its own."""


class Provenance(Record):
    """stated.json: what the run says of itself, which the release cannot show."""

    format: Format = 1
    """Older releases do not state it."""
    pairwright: str
    """Version that wrote the release."""
    code: str
    """`version.code_digest()` of the very code that wrote it."""
    libraries: dict[str, str] = Field(default={})
    """`version.library_versions()` where it was written; empty in format 1."""
    version: str
    """X.Y.Z, with `-trial` in a trial."""
    kind: Kind
    trial_because: tuple[str, ...]
    """Empty in an ordinary release."""
    info: ReleaseInfo
    """What the run's configuration says of the dataset: name, contact, how people were paid."""
    build: dict[str, JsonValue]
    """The run's manifest without counts of units: source, roles, endpoints, calls, prompts,
    checks, configuration."""
    validation_share: float
    """Of users, whose rows are in the split `validation`."""

    @model_serializer(mode="wrap")
    def _as_its_format(self, handler: SerializerFunctionWrapHandler) -> dict[str, JsonValue]:
        fields: dict[str, JsonValue] = handler(self)
        if self.format == 1:
            info = fields["info"]
            assert isinstance(info, dict)
            del fields["format"], fields["libraries"], info["own_licence"], info["languages"]
        return fields

    @property
    def name(self) -> str:
        """The dataset's name; that of a trial says so."""
        return f"{self.info.name}-trial" if self.kind == "trial" else self.info.name


def file_note(provenance: Provenance) -> str:
    """What the metadata of each Parquet file says: its release, and that a trial is one."""
    name = f"{provenance.name} {provenance.version}"
    return name if provenance.kind == "release" else f"{name}: a trial, no benchmark"


class UnitOutcome(Record):
    """A line of build/units.jsonl: what came of one item in one mode."""

    unit: str
    """`content_id("unit", ...)` of the unit's name in the run."""
    mode: Mode
    outcome: Literal["kept", "rejected", "failed"]
    stage: str = ""
    reason: str = ""
    subject: str | None = None
    """The twin's or pair's id, where it was kept."""
    contents: tuple[str, ...] = ()
    """Of a released subject: a hash of each pair as the build made it, its question, posts, aspects
    and responses, the asked half of a twin first. Empty of others, and in format 1."""

    @model_serializer(mode="wrap")
    def _as_its_format(self, handler: SerializerFunctionWrapHandler) -> dict[str, JsonValue]:
        fields: dict[str, JsonValue] = handler(self)
        if not self.contents:
            del fields["contents"]
        return fields


class Change(Record):
    """How many pairs of one configuration changed in one way, and why."""

    config: str
    what: Literal["added", "removed", "changed"]
    reason: str
    pairs: int


class Version(Record):
    """A line of history.jsonl; the last is this release's."""

    version: str
    previous: str | None
    """The version before; None in the first."""
    previous_digest: str | None
    """Its root digest."""
    pairs: int
    changes: tuple[Change, ...]


class Erratum(Record):
    """A line of errata.jsonl: a known fault of a released pair."""

    pair: str
    versions: str
    """The versions that have it, such as `1.0.0 to 1.1.0`."""
    what: str
    mended: str = ""
    """The version in which it was mended, and how."""
