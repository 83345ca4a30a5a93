"""Writing the primary files of a release from its content."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pairwright.dataset import (
    Layout,
    Part,
    Row,
    RowVotes,
    row_of,
    write_one,
    write_rows,
)
from pairwright.dataset.address import ForgetList
from pairwright.files import write_whole
from pairwright.releases.changes import (
    ChangeContext,
    SubjectHasher,
    SubjectHashes,
    first_version,
    hashes_by_subject,
    next_version,
)
from pairwright.releases.primary import (
    Erratum,
    PrimaryFiles,
    ReleaseFiles,
    UnitOutcome,
    Version,
    file_note,
    primary_texts,
)
from pairwright.releases.selection import ReleaseCandidate, subject_at
from pairwright.releases.summary import Summary, SummaryBuilder
from pairwright_human_eval.decisions import Decision, Votes
from pairwright_human_eval.subjects import Subject


class PrimaryContent(NamedTuple):
    """What a release is written from."""

    primary: PrimaryFiles
    """The files as the run gives them: no history, no audit, and all errata and units."""
    pairs: Path
    """The run's pairs.jsonl."""
    candidates: tuple[ReleaseCandidate, ...]
    """The subjects that are released, in the run's order."""
    splits: Mapping[str, str]
    """The split of each user, by pseudonym."""
    decisions: Mapping[str, Decision]
    """The decisions by subject; empty where nobody was asked."""
    previous: ReleaseFiles | None
    forgotten: ForgetList


class WrittenFiles(NamedTuple):
    """What the primary files hold, so that nobody needs to read them back."""

    primary: PrimaryFiles
    """The primary files without an audit, which is made of them."""
    summary: Summary


def write_primary(
    layout: Layout, content: PrimaryContent, step: Callable[[int], None] = lambda _: None
) -> WrittenFiles:
    """Write the primary files, except the audit, into an empty folder.

    `step` gets the number of rows that were written or, of the previous release, read. Raises
    InputError where pairs.jsonl or the previous release cannot be read, and StoreError where the
    disk refuses.
    """
    provenance = content.primary.provenance
    write_one(layout.provenance, provenance)
    tally = _RowTally(step)
    with content.pairs.open("rb") as file:
        for part, candidates in sorted(_by_part(content).items()):
            subjects = (subject_at(file, each.place, content.pairs) for each in candidates)
            rows = (row for subject in subjects for row in _rows(subject, content))
            write_rows(layout.part(part), tally.each(part, rows), note=file_note(provenance))
    history, before = _history(content, tally)
    released = (*tally.hasher.subjects.values(), *before)
    primary = content.primary._replace(
        units=tuple(tally.with_contents(unit) for unit in content.primary.units),
        history=history,
        errata=_errata(content.primary.errata, released),
    )
    for path, pieces in primary_texts(layout, primary):
        write_whole(layout.root / path, pieces)
    return WrittenFiles(primary, tally.builder.summary())


class _RowTally:
    """Every row that is written, counted and hashed as it goes by."""

    def __init__(self, step: Callable[[int], None]) -> None:
        self.builder, self.hasher, self._step = SummaryBuilder(), SubjectHasher(), step
        self._n = 0
        self._contents: dict[str, tuple[str, ...]] = {}

    def each(self, part: Part, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self.builder.add(part, row)
            self.hasher.add(part, row)
            self._contents[row.subject] = (*self._contents.get(row.subject, ()), row.content)
            self.count(row)
            yield row

    def with_contents(self, unit: UnitOutcome) -> UnitOutcome:
        """The unit with hashes of what was written of its subject."""
        contents = self._contents.get(unit.subject or "", ())
        return unit.model_copy(update={"contents": contents}) if contents else unit

    def count(self, _: Row) -> None:
        self._n += 1
        self._step(self._n)


def _by_part(content: PrimaryContent) -> dict[Part, list[ReleaseCandidate]]:
    parts: dict[Part, list[ReleaseCandidate]] = {}
    for candidate in content.candidates:
        part = Part(candidate.config, content.splits[candidate.users[0]])
        parts.setdefault(part, []).append(candidate)
    return parts


def _rows(subject: Subject, content: PrimaryContent) -> Iterator[Row]:
    """A row a pair, the asked half of a twin first."""
    decision = content.decisions.get(subject.id)
    votes = {counted.pair: counted for counted in decision.votes} if decision else {}
    public = content.primary.public
    counts = public.aspect_counts if decision and public else {}
    simulated = decision is not None and decision.simulated
    users = [pair.user for pair in subject.pairs]
    for pair, partner in zip(subject.pairs, reversed(users), strict=True):
        yield row_of(
            pair,
            partner=partner if pair.twin_id else None,
            votes=_votes(votes.get(pair.id)),
            answers=counts.get(pair.id, ()),
            label_error=public.label_errors.get(pair.id) if decision and public else None,
            # What simulated annotators say verifies nothing.
            verified=decision is not None and decision.state == "verified" and not simulated,
            simulated=simulated,
            licence=content.primary.provenance.info.licence,
        )


def _votes(votes: Votes | None) -> RowVotes | None:
    return RowVotes(**votes.model_dump(exclude={"pair"})) if votes and votes.n else None


def _errata(errata: Iterable[Erratum], released: Iterable[SubjectHashes]) -> tuple[Erratum, ...]:
    """The errata on pairs of these subjects. Any other pair may be of somebody who is to be
    forgotten, and its erratum may quote their words."""
    pairs = {pair for subject in released for pair in subject.pairs}
    return tuple(erratum for erratum in errata if erratum.pair in pairs)


def _history(
    content: PrimaryContent, tally: _RowTally
) -> tuple[tuple[Version, ...], list[SubjectHashes]]:
    """The history with a line for this release; and the subjects of the previous release in which
    nobody and nothing is to be forgotten."""
    version, previous = content.primary.provenance.version, content.previous
    after = tally.hasher.subjects
    if previous is None:
        return (first_version(version, after),), []
    forgotten = set[str]()

    def note(row: Row) -> None:
        tally.count(row)
        if content.forgotten.concerns_row(row):
            forgotten.add(row.subject)

    before = hashes_by_subject(previous.layout, note)
    context = ChangeContext(
        decisions_before=previous.primary.public.decisions if previous.primary.public else {},
        decisions=content.decisions,
        units_before=previous.primary.units,
        units=content.primary.units,
    )
    line = next_version(version, previous, before, after, context, forgotten)
    kept = [hashes for subject, hashes in before.items() if subject not in forgotten]
    return (*previous.primary.history, line), kept
