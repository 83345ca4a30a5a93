"""Writing the rows and the other primary files of a release from its content."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pairwright.dataset import Layout, Part, Row, row_of, write_rows
from pairwright.files import write_whole
from pairwright.releases.primary import PrimaryFiles, file_note, primary_texts
from pairwright.releases.selection import LineSpan, ReleaseCandidate, subject_at, votes_on
from pairwright.releases.summary import Summary, SummaryBuilder
from pairwright_human_eval.subjects import Subject


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
    """Write the primary files into an empty folder, and count the rows.

    `step` gets the number of rows that were written. Raises InputError if pairs.jsonl cannot be
    read, and StoreError if the disk refuses.
    """
    primary, builder, done = content.primary, SummaryBuilder(), 0
    parts: dict[Part, list[LineSpan]] = {}
    for entry in content.entries:
        if not content.why[entry.id]:
            part = Part(entry.config, content.splits[entry.users[0]])
            parts.setdefault(part, []).append(entry.place)

    def counted(part: Part, places: list[LineSpan]) -> Iterator[Row]:
        nonlocal done
        for place in places:
            for row in _rows(subject_at(file, place, content.pairs), primary):
                builder.add(part, row)
                done += 1
                step(done)
                yield row

    with content.pairs.open("rb") as file:
        for part, places in sorted(parts.items()):
            note = file_note(primary.provenance)
            write_rows(layout.part(part), counted(part, places), note=note)
    for path, text in primary_texts(primary, layout):
        write_whole(path, text)
    return builder.summary()


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
            # What simulated annotators say verifies nothing.
            verified=decision is not None and decision.state == "verified" and not simulated,
            simulated=simulated,
            licence=primary.provenance.info.licence,
        )
