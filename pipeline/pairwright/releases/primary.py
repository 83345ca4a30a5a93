"""The primary files of a release: their records, read, and as the text that is written and
verified.

Primary files are written from a run and cannot be derived from anything else in the release: the
rows, `human/{subjects,verdicts}.jsonl`, `human/study.json`, `build/units.jsonl`, `stated.json`,
`history.jsonl`, `errata.jsonl`. Every other file is a function of these; to verify a release is to
derive those files again, its audit included.

A new primary file gets its path in `dataset.Layout`, and here a field, a line that reads it and a
line of `primary_texts`. Writing, verifying, `manifest.json` and the checksums follow from these.
"""

import json
from collections.abc import Iterable, Iterator
from operator import not_
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn

from pydantic import Field, JsonValue, SerializerFunctionWrapHandler, model_serializer

from pairwright.dataset import Layout, check_files, read_lines, read_one
from pairwright.dataset.layout import root_digest
from pairwright.dataset.lines import read_document
from pairwright.errors import InputError
from pairwright.records import Mode, Record
from pairwright.releases.summary import Summary
from pairwright.settings.rules import ReleaseInfo
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.public_study import ReleasedStudy, read_public

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
    contents: tuple[str, ...] = Field(default=(), exclude_if=not_)
    """Of a released subject: a hash of each pair as the build made it, its question, posts, aspects
    and responses, the asked half of a twin first. Empty of others, and in format 1."""


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


Document = tuple[str, Iterable[str]]
"""A path inside the release with forward slashes, and its text in pieces."""


class PrimaryFiles(NamedTuple):
    """What everything that can be derived is derived from, beside the rows."""

    provenance: Provenance
    history: tuple[Version, ...]
    """The last line is this release."""
    errata: tuple[Erratum, ...]
    units: tuple[UnitOutcome, ...]
    public: ReleasedStudy | None
    """None where nobody was asked."""
    audit: JsonValue = None
    """audit/audit.json; release and audit know each other by files alone. None without one, or
    where it was not read."""

    @property
    def decisions(self) -> dict[str, Decision]:
        """By subject, in the order of the study; empty where nobody was asked."""
        return self.public.decisions if self.public else {}


class ReleaseFiles(NamedTuple):
    """A release's primary files without its rows and its audit."""

    layout: Layout
    digest: str
    """Its root digest."""
    primary: PrimaryFiles

    @property
    def name(self) -> str:
        provenance = self.primary.provenance
        return f"{provenance.name} {provenance.version}"


def read_primary(layout: Layout, *, audit: bool = True) -> PrimaryFiles:
    """Read them. Raises InputError naming the file and line that is not what it should be."""
    return PrimaryFiles(
        provenance=read_one(layout.provenance, Provenance),
        history=tuple(read_lines(layout.history, Version)),
        errata=tuple(read_lines(layout.errata, Erratum)),
        units=tuple(read_lines(layout.units, UnitOutcome)),
        public=read_public(layout),
        audit=_audit(layout.audit) if audit else None,
    )


def read_release(root: Path) -> ReleaseFiles:
    """Read a release's folder without its rows.

    Raises InputError where the folder is not a release, or a line of it is not what it should be.
    """
    layout = Layout(root)
    if not layout.manifest.is_file():
        raise InputError(
            "is not a release" if root.is_dir() else "no such folder",
            where=root,
            fix="Name the folder of a release: it has a manifest.json and checksums.sha256.",
        )
    check_files(root)
    return ReleaseFiles(layout, root_digest(root), read_primary(layout, audit=False))


def primary_texts(layout: Layout, primary: PrimaryFiles) -> Iterator[Document]:
    """The primary files except rows and audit, as they are written. stated.json comes first: it
    tells the next release that an interrupted one left the folder."""
    yield _document(layout, layout.provenance, primary.provenance)
    yield _lines(layout, layout.history, primary.history)
    yield _lines(layout, layout.errata, primary.errata)
    yield _lines(layout, layout.units, primary.units)
    if primary.public:
        yield _document(layout, layout.study, primary.public.study)
        yield _lines(layout, layout.subjects, primary.public.outlines)
        yield _lines(layout, layout.verdicts, primary.public.verdicts)


def primary_paths(layout: Layout, primary: PrimaryFiles, summary: Summary) -> list[str]:
    """All primary files, sorted; `summary` names those of the rows."""
    texts = (path for path, _ in primary_texts(layout, primary))
    audit = (layout.inside(path) for path in (layout.audit, layout.audit_page))
    return sorted((*texts, *audit, *(part.path for part in summary.parts)))


def _document(layout: Layout, path: Path, record: Record) -> Document:
    return layout.inside(path), [record.model_dump_json(indent=2) + "\n"]


def _lines(layout: Layout, path: Path, records: Iterable[Record]) -> Document:
    return layout.inside(path), (record.model_dump_json() + "\n" for record in records)


def _audit(path: Path) -> JsonValue:
    if not path.exists():
        return None
    try:
        value: JsonValue = json.loads(
            read_document(path), object_pairs_hook=_object, parse_constant=_constant
        )
        json.dumps(value, ensure_ascii=False).encode()  # Fails for half a surrogate pair.
    except (ValueError, RecursionError) as error:
        raise InputError(
            str(error), where=path, fix="Take this file again from where it came from."
        ) from None
    return value


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object that has a key twice")
    return members


def _constant(name: str) -> NoReturn:
    """Raises ValueError for NaN and the infinities, which Python's JSON would let pass."""
    raise ValueError(f"{name} is not a number in JSON")
