"""The primary files of a release, written."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pairwright.dataset import (
    Layout,
    Part,
    Row,
    RowVotes,
    row_of,
    write_lines,
    write_one,
    write_rows,
)
from pairwright.dataset.tombstones import Forgotten
from pairwright.release.diff import Sides, Sketch, Sketches, sketches_of
from pairwright.release.history import first_version, next_version
from pairwright.release.kept import subject_at
from pairwright.release.primary import Primary
from pairwright.release.records import Erratum, Stated, Unit, Version
from pairwright.release.select import Entry
from pairwright.release.summary import Summary, Summing
from pairwright.release.told import Told
from pairwright_human_eval.decisions import Decision, Votes
from pairwright_human_eval.public_study import ReleasedStudy, write_public
from pairwright_human_eval.subjects import Subject


class Content(NamedTuple):
    """What a release is written from."""

    stated: Stated
    pairs: Path
    """The run's pairs.jsonl."""
    entries: tuple[Entry, ...]
    """The subjects that go in, in the run's order."""
    splits: Mapping[str, str]
    """By pseudonym."""
    units: tuple[Unit, ...]
    errata: tuple[Erratum, ...]
    public: ReleasedStudy | None
    decisions: Mapping[str, Decision]
    """By subject; empty where nobody was asked."""
    previous: Told | None
    forgotten: Forgotten


class Written(NamedTuple):
    """What stands in the primary files, so that nobody needs to read them back."""

    primary: Primary
    """Without an audit: that is made of these files."""
    summary: Summary


def write_primary(
    layout: Layout, content: Content, step: Callable[[int], None] = lambda _: None
) -> Written:
    """Write them into an empty folder.

    `step` is told how many rows were written or, of the previous release, read. Raises InputError
    where pairs.jsonl or the previous release cannot be read, and StoreError where the disk refuses.
    """
    write_one(layout.stated, content.stated)
    if content.public:
        write_public(content.public, layout)
    seen = _Seen(step)
    with content.pairs.open("rb") as file:
        for part, entries in sorted(_by_part(content).items()):
            subjects = (subject_at(file, entry.place, content.pairs) for entry in entries)
            rows = (row for subject in subjects for row in _rows(subject, content))
            write_rows(layout.part(part), seen.each(part, rows), note=_note(content.stated))
    units = tuple(seen.with_contents(unit) for unit in content.units)
    write_lines(layout.units, units)
    history, before = _history(content, seen)
    write_lines(layout.history, history)
    errata = _errata(content.errata, (*seen.sketches.found.values(), *before))
    write_lines(layout.errata, errata)
    primary = Primary(content.stated, history, errata, units, content.public, audit=None)
    return Written(primary, seen.summing.summary())


class _Seen:
    """Every row that is written, counted and sketched as it goes by."""

    def __init__(self, step: Callable[[int], None]) -> None:
        self.summing, self.sketches, self.n, self.step = Summing(), Sketches(), 0, step
        self._contents: dict[str, tuple[str, ...]] = {}

    def each(self, part: Part, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self.summing.add(part, row)
            self.sketches.add(part, row)
            self._contents[row.subject] = (*self._contents.get(row.subject, ()), row.content)
            self.told(row)
            yield row

    def with_contents(self, unit: Unit) -> Unit:
        """The unit with hashes of what was written of its subject."""
        contents = self._contents.get(unit.subject or "", ())
        return unit.model_copy(update={"contents": contents}) if contents else unit

    def told(self, _: Row) -> None:
        self.n += 1
        self.step(self.n)


def _by_part(content: Content) -> dict[Part, list[Entry]]:
    parts: dict[Part, list[Entry]] = {}
    for entry in content.entries:
        part = Part(entry.config, content.splits[entry.users[0]])
        parts.setdefault(part, []).append(entry)
    return parts


def _rows(subject: Subject, content: Content) -> Iterator[Row]:
    """A row a pair, the asked half of a twin first."""
    decision = content.decisions.get(subject.id)
    votes = {of.pair: of for of in decision.votes} if decision else {}
    simulated = decision is not None and decision.simulated
    users = [pair.user for pair in subject.pairs]
    for pair, partner in zip(subject.pairs, reversed(users), strict=True):
        yield row_of(
            pair,
            partner=partner if pair.twin_id else None,
            votes=_votes(votes.get(pair.id)),
            # What simulated annotators say verifies nothing.
            verified=decision is not None and decision.state == "verified" and not simulated,
            simulated=simulated,
            licence=content.stated.info.licence,
        )


def _votes(votes: Votes | None) -> RowVotes | None:
    return RowVotes(**votes.model_dump(exclude={"pair"})) if votes and votes.n else None


def _note(stated: Stated) -> str:
    name = f"{stated.name} {stated.version}"
    return name if stated.kind == "release" else f"{name}: a trial, no benchmark"


def _errata(errata: Iterable[Erratum], there: Iterable[Sketch]) -> tuple[Erratum, ...]:
    """Those on pairs that are `there`. Of any other nobody can tell any more whether it is of
    somebody who is to be forgotten, whose words it may quote."""
    known = {pair for sketch in there for pair in sketch.pairs}
    return tuple(erratum for erratum in errata if erratum.pair in known)


def _history(content: Content, seen: _Seen) -> tuple[tuple[Version, ...], list[Sketch]]:
    """With it, what of the previous release nobody asked to have forgotten."""
    version, previous, after = content.stated.version, content.previous, seen.sketches.found
    if previous is None:
        return (first_version(version, after),), []
    left = set[str]()

    def look(row: Row) -> None:
        seen.told(row)
        if content.forgotten.concerns_row(row):
            left.add(row.subject)

    before = sketches_of(previous.layout, look)
    sides = Sides(
        decisions_before=previous.public.decisions if previous.public else {},
        decisions=content.decisions,
        units_before=previous.units,
        units=content.units,
    )
    history = (*previous.history, next_version(version, previous, before, after, sides, left))
    return history, [sketch for subject, sketch in before.items() if subject not in left]
