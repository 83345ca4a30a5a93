"""Writing the primary files of a release from its content."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pairwright.dataset import Layout, Part, Row, row_of, write_one, write_rows
from pairwright.dataset.address import ForgetList
from pairwright.files import write_whole
from pairwright.releases.changes import (
    SubjectHashes,
    add_hashes,
    hashes_by_subject,
    next_version,
)
from pairwright.releases.primary import PrimaryFiles, ReleaseFiles, file_note, primary_texts
from pairwright.releases.selection import LineSpan, ReleaseCandidate, subject_at, votes_on
from pairwright.releases.summary import Summary, SummaryBuilder
from pairwright_human_eval.subjects import Subject


class ReleaseContent(NamedTuple):
    """What a release is written from, and why the rest of the run is not in it."""

    primary: PrimaryFiles
    """The files as the run gives them: no history, no audit, and all errata and units."""
    pairs: Path
    """The run's pairs.jsonl."""
    entries: tuple[ReleaseCandidate, ...]
    """All subjects of the run, in its order."""
    why: Mapping[str, str]
    """By subject: why it is not released; empty for those that are."""
    splits: Mapping[str, str]
    """The split of each user, by pseudonym."""
    previous: ReleaseFiles | None
    forgotten: ForgetList

    @property
    def candidates(self) -> list[ReleaseCandidate]:
        """The subjects that are released."""
        return [entry for entry in self.entries if not self.why[entry.id]]


def write_primary(
    layout: Layout, content: ReleaseContent, step: Callable[[int], None] = lambda _: None
) -> tuple[PrimaryFiles, Summary]:
    """Write the primary files, except the audit, into an empty folder; return what they hold, so
    that nobody needs to read them back.

    `step` gets the number of rows that were written or, of the previous release, read. Raises
    InputError where pairs.jsonl or the previous release cannot be read, and StoreError where the
    disk refuses.
    """
    primary, previous = content.primary, content.previous
    write_one(layout.provenance, primary.provenance)
    parts: dict[Part, list[LineSpan]] = {}
    for candidate in content.candidates:
        part = Part(candidate.config, content.splits[candidate.users[0]])
        parts.setdefault(part, []).append(candidate.place)
    tally = _RowTally(step, compared=previous is not None)
    with content.pairs.open("rb") as file:
        for part, places in sorted(parts.items()):
            subjects = (subject_at(file, place, content.pairs) for place in places)
            rows = (row for subject in subjects for row in _rows(subject, primary))
            note = file_note(primary.provenance)
            write_rows(layout.part(part), tally.each(part, rows), note=note)
    forgotten = {entry.id for entry in content.entries if entry.forgotten}

    def note_forgotten(row: Row) -> None:
        tally.count()
        if content.forgotten.concerns_row(row):
            forgotten.add(row.subject)

    before = hashes_by_subject(previous.layout, note_forgotten) if previous else {}
    line = next_version(primary, previous, before, tally.subjects, forgotten)
    kept = (hashes for subject, hashes in before.items() if subject not in forgotten)
    # Any other pair may be of somebody who is to be forgotten, whose words its erratum may quote.
    known = {pair for subject in (*tally.subjects.values(), *kept) for pair in subject.pairs}
    primary = primary._replace(
        units=tuple(
            unit.model_copy(update={"contents": tally.contents[unit.subject]})
            if unit.subject in tally.contents
            else unit
            for unit in primary.units
        ),
        history=(*(previous.primary.history if previous else ()), line),
        errata=tuple(erratum for erratum in primary.errata if erratum.pair in known),
    )
    for path, pieces in primary_texts(layout, primary):
        write_whole(layout.root / path, pieces)
    return primary, tally.builder.summary()


class _RowTally:
    """Every row that is written, counted and hashed as it goes by."""

    def __init__(self, step: Callable[[int], None], *, compared: bool) -> None:
        """`compared` says whether a previous release is compared with these rows."""
        self.builder = SummaryBuilder()
        self.subjects: dict[str, SubjectHashes] = {}
        self.contents: dict[str, tuple[str, ...]] = {}
        """Hashes of what was written of each subject."""
        self._step, self._n, self._compared = step, 0, compared

    def each(self, part: Part, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self.builder.add(part, row)
            add_hashes(self.subjects, part, row, compared=self._compared)
            self.contents[row.subject] = (*self.contents.get(row.subject, ()), row.content)
            self.count()
            yield row

    def count(self) -> None:
        self._n += 1
        self._step(self._n)


def _rows(subject: Subject, primary: PrimaryFiles) -> Iterator[Row]:
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
            label_error=public.label_errors.get(pair.id) if public else None,
            # What simulated annotators say verifies nothing.
            verified=decision is not None and decision.state == "verified" and not simulated,
            simulated=simulated,
            licence=primary.provenance.info.licence,
        )
