"""The primary files of a release, written and read: everything else follows from them.

Rows in Parquet, `human/{study.json,units.jsonl,answers.jsonl}`, `build/units.jsonl` and
`stated.json`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import JsonValue

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright.lines import read_lines, read_one
from pairwright.pairs import Layout, Part, Row, check_files, row_of, write_rows
from pairwright.pairs.layout import root_digest
from pairwright.records import Record
from pairwright.releases.selection import ReleaseCandidate, subject_at, votes_on
from pairwright.releases.summary import Summary, SummaryBuilder
from pairwright.settings.rules import ReleaseInfo
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.released import ReleasedStudy, read_public
from pairwright_human_eval.units import Unit

ReleaseKind = Literal["release", "trial"]
"""A trial may hold pairs that nobody verified. It is no benchmark, and its pages say so."""


class Provenance(Record):
    """stated.json: what the run says of itself, which the release cannot show."""

    pairwright: str
    """Version that wrote the release."""
    version: str
    """X.Y.Z, with `-trial` in a trial."""
    kind: ReleaseKind
    trial_because: tuple[str, ...]
    """Empty in an ordinary release."""
    previous: str | None
    """The version before; None in the first."""
    previous_digest: str | None
    """Its root digest."""
    info: ReleaseInfo
    """What the run's configuration says of the dataset: name, contact, how people were paid."""
    build: dict[str, JsonValue]
    """The run's manifest without counts of units: source, roles, endpoints, calls, prompts,
    checks, configuration."""
    validation_share: float
    """Of users, whose rows are in the split `validation`."""

    @property
    def name(self) -> str:
        """The dataset's name; that of a trial says so."""
        return f"{self.info.name}-trial" if self.kind == "trial" else self.info.name


class UnitOutcome(Record):
    """A line of build/units.jsonl: what came of one item in one mode."""

    unit: str
    """`content_id("unit", ...)` of the unit's name in the run."""
    mode: str
    outcome: Literal["kept", "dropped", "failed"]
    stage: str = ""
    reason: str = ""
    subject: str | None = None
    """The twin's or pair's id, if it was kept."""


class PrimaryFiles(NamedTuple):
    """The primary files beside the rows."""

    provenance: Provenance
    units: tuple[UnitOutcome, ...]
    public: ReleasedStudy | None
    """None if nobody was asked."""

    @property
    def decisions(self) -> dict[str, Decision]:
        """By subject, in the order of the study; empty if nobody was asked."""
        return self.public.decisions if self.public else {}


class ReleaseFiles(NamedTuple):
    """A release's primary files without its rows."""

    layout: Layout
    digest: str
    """Its root digest."""
    primary: PrimaryFiles


def read_primary(layout: Layout) -> PrimaryFiles:
    """Read them. Raises InputError naming the file and line that is not what it should be."""
    return PrimaryFiles(
        provenance=read_one(layout.provenance, Provenance),
        units=tuple(read_lines(layout.units, UnitOutcome)),
        public=read_public(layout),
    )


def read_release(root: Path) -> ReleaseFiles:
    """Read a release's folder without its rows.

    Raises InputError if the folder is not a release, or a line of it is not what it should be.
    """
    layout = Layout(root)
    if not layout.manifest.is_file():
        raise InputError(
            "is not a release" if root.is_dir() else "no such folder",
            where=root,
            fix="Name the folder of a release: it has a manifest.json and checksums.sha256.",
        )
    check_files(root)
    return ReleaseFiles(layout, root_digest(root), read_primary(layout))


class ReleaseContent(NamedTuple):
    """What a release is written from, and why the rest of the run is not in it."""

    primary: PrimaryFiles
    pairs: Path
    """The run's pairs.jsonl."""
    entries: tuple[ReleaseCandidate, ...]
    """All units of the run, in its order."""
    why: Mapping[str, str]
    """By unit: why it is not released; empty for those that are."""
    splits: Mapping[str, str]
    """The split of each user, by pseudonym."""


def write_primary(
    layout: Layout, content: ReleaseContent, step: Callable[[int], None] = lambda _: None
) -> Summary:
    """Write the primary files into an empty folder, and count the rows; `step` gets their number.
    Raises StoreError if the disk refuses.
    """
    primary, builder, done = content.primary, SummaryBuilder(), 0
    provenance = primary.provenance
    parts: dict[Part, list[ReleaseCandidate]] = {}
    for entry in content.entries:
        if not content.why[entry.id]:
            part = Part(entry.config, content.splits[entry.users[0]])
            parts.setdefault(part, []).append(entry)

    def counted(part: Part, entries: list[ReleaseCandidate]) -> Iterator[Row]:
        nonlocal done
        for entry in entries:
            for row in _rows(subject_at(file, entry, content.pairs), primary):
                builder.add(part, row)
                done += 1
                if done % 100 == 0:
                    step(done)
                yield row

    note = f"{provenance.name} {provenance.version}"
    note += ": a trial, no benchmark" if provenance.kind == "trial" else ""
    with content.pairs.open("rb") as file:
        for part, entries in sorted(parts.items()):
            write_rows(layout.part(part), counted(part, entries), note=note)
    for path, text in _texts(primary, layout):
        write_whole(path, text)
    return builder.summary()


def _rows(subject: Unit, primary: PrimaryFiles) -> Iterator[Row]:
    """A row a pair, the asked half of a twin first."""
    decision = primary.decisions.get(subject.id)
    public = primary.public if decision else None
    simulated = decision is not None and decision.simulated
    users = [pair.user for pair in subject.pairs]
    for pair, partner in zip(subject.pairs, reversed(users), strict=True):
        yield row_of(
            pair,
            partner=partner if pair.twin_id else None,
            votes=votes_on(pair.id, decision),
            answers=public.aspect_counts.get(pair.id, ()) if public else (),
            # What simulated annotators say verifies nothing.
            verified=decision is not None and decision.state == "verified" and not simulated,
            simulated=simulated,
            licence=primary.provenance.info.licence,
        )


def _texts(primary: PrimaryFiles, layout: Layout) -> Iterator[tuple[Path, str]]:
    """The primary files except the rows, as they are written."""
    yield layout.provenance, primary.provenance.model_dump_json(indent=2) + "\n"
    yield layout.units, _lines(primary.units)
    if primary.public:
        yield layout.study, primary.public.study.model_dump_json(indent=2) + "\n"
        yield layout.asked, _lines(primary.public.outlines)
        yield layout.answers, _lines(primary.public.answers)
        yield layout.decisions, _lines(primary.decisions.values())


def _lines(records: Iterable[Record]) -> str:
    return "".join(record.model_dump_json() + "\n" for record in records)
