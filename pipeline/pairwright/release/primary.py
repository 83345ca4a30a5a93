"""The primary files of a release but its rows: read, and as the text that is written and verified.

A new primary file gets its path in `dataset.Layout`, and here a field, a line that reads it and a
line of `primary_texts`. Writing, verifying, `manifest.json` and the checksums follow from these.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

from pydantic import JsonValue

from pairwright.dataset import Layout, check_files, read_lines, read_one
from pairwright.dataset.checksums import root_digest
from pairwright.dataset.lines import read_document
from pairwright.errors import InputError
from pairwright.records import Record
from pairwright.release.records import Erratum, Provenance, UnitOutcome, Version
from pairwright.release.summary import Summary
from pairwright_human_eval.public_study import ReleasedStudy, read_public

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
