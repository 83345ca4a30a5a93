"""Every file of a release that is a function of its primary files.

known.py       the primary files, decisions and estimates, made once
built.py audited.py human.py units.py    what pages tell of build, audit, people and units
cautions.py making.py people.py columns.py baselines.py    sentences and rows that pages share
markdown.py    templates in which every value is escaped
manifest.py card.py (front_matter.py) datasheet.py croissant.py (croissant_*.py) licences.py
changelog.py attribution.py preference.py    one file each

To verify a release is to write these again and compare.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pairwright.dataset import Layout, Row, parts_of, read_rows
from pairwright.records import Record
from pairwright.release.derive.attribution import Line, attribution, lines_of
from pairwright.release.derive.card import card
from pairwright.release.derive.changelog import changelog
from pairwright.release.derive.croissant import croissant
from pairwright.release.derive.datasheet import datasheet
from pairwright.release.derive.known import Known, know
from pairwright.release.derive.licences import licence_page
from pairwright.release.derive.manifest import Manifest, manifest
from pairwright.release.derive.preference import preference

__all__ = ["Known", "Manifest", "documents", "know", "manifest"]
Document = tuple[str, Iterable[str]]
"""A path inside the release with forward slashes, and its text in pieces."""


def documents(known: Known) -> Iterator[Document]:
    """Every derived file. Pieces are made when they are asked for, and a file at a time: all of one
    before the next.

    Raises InputError where stated.json or the audit is not what it should be.
    """
    layout = known.layout
    yield _at(layout, layout.manifest), [_one(manifest(known))]
    yield "README.md", [card(known)]
    yield "DATASHEET.md", [datasheet(known)]
    yield "croissant.json", [croissant(known)]
    yield "LICENSE.md", [licence_page(known)]
    yield "CHANGELOG.md", [changelog(known)]
    if known.findings:
        decisions = known.decisions.values()
        yield _at(layout, layout.decisions), (of.model_dump_json() + "\n" for of in decisions)
        yield _at(layout, layout.findings), [_one(known.findings)]
    lines = set[Line]()
    for part in parts_of(layout.root):
        rows = _noted(read_rows(layout.part(part)), lines)
        yield _at(layout, layout.preference(part)), preference(rows, known.canary)
    # Last: rows are read once for both, and by now all were.
    yield _at(layout, layout.attribution), attribution(lines)


def _noted(rows: Iterable[Row], lines: set[Line]) -> Iterator[Row]:
    for row in rows:
        lines.update(lines_of(row))
        yield row


def _at(layout: Layout, path: Path) -> str:
    return path.relative_to(layout.root).as_posix()


def _one(record: Record) -> str:
    return record.model_dump_json(indent=2) + "\n"
