"""The derived files of a release, in the order in which they are written."""

from collections.abc import Iterable, Iterator

from pairwright.dataset import Row, parts_of, read_rows
from pairwright.records import Record
from pairwright.release.derive.card import dataset_card
from pairwright.release.derive.context import ReleaseContext, make_manifest
from pairwright.release.derive.croissant import croissant_json
from pairwright.release.derive.licences import licence_page
from pairwright.release.derive.pages import changelog, datasheet
from pairwright.release.derive.row_files import (
    AttributionLine,
    attribution,
    attribution_lines,
    preference,
)
from pairwright.release.primary import Document


def derived_files(release: ReleaseContext) -> Iterator[Document]:
    """Every derived file. The pieces of a file are made when they are asked for: take all pieces of
    one file before the next.

    Raises InputError where stated.json or the audit is not what it should be.
    """
    layout = release.layout
    yield layout.inside(layout.manifest), [_indented(make_manifest(release))]
    yield layout.inside(layout.card), [dataset_card(release)]
    yield layout.inside(layout.datasheet), [datasheet(release)]
    yield layout.inside(layout.croissant), [croissant_json(release)]
    yield layout.inside(layout.licences), [licence_page(release)]
    yield layout.inside(layout.changelog), [changelog(release)]
    if release.findings:
        decisions = release.decisions.values()
        yield layout.inside(layout.decisions), (each.model_dump_json() + "\n" for each in decisions)
        yield layout.inside(layout.findings), [_indented(release.findings)]
    lines = set[AttributionLine]()
    for part in parts_of(layout.root):
        rows = _collecting(read_rows(layout.part(part)), lines)
        yield layout.inside(layout.preference(part)), preference(rows, release.canary)
    # The last file: all rows were read for the views before it.
    yield layout.inside(layout.attribution), attribution(lines)


def _collecting(rows: Iterable[Row], lines: set[AttributionLine]) -> Iterator[Row]:
    for row in rows:
        lines.update(attribution_lines(row))
        yield row


def _indented(record: Record) -> str:
    return record.model_dump_json(indent=2) + "\n"
