"""The derived files in the order in which they are written, and those made of rows line by line:
attribution.csv and preference/CONFIG-SPLIT.jsonl.

attribution.csv has the address and the licence of each post, question and published response; the
address names the author, or the conversation that the author had a part in. A cell that a
spreadsheet would take for a formula begins with an apostrophe, which a spreadsheet does not show.

A line of preference/ is a pair as message lists, which RewardBench's CLI reads:

    {"id", "subset", "prompt", "chosen", "rejected", "canary"}

`chosen` and `rejected` hold two messages each: the user's, the same in both, and the assistant's.
`prompt` is the text of the user's message: RewardBench documents it as text beside whole
conversations (`load_preference_dataset`, now `load_and_process_dataset`), and takes a list for the
other schema, where `chosen` is text.
RewardBench takes no system message, so the user's history is in the user's message, oldest post
first. Aspects and narrative are never in it: they are the answer key.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from pairwright.dataset import Row, RowPost, RowSource, parts_of, read_rows
from pairwright.dataset.conversion import user_message
from pairwright.records import Record, content_id
from pairwright.releases.derive.context import ReleaseContext, make_manifest
from pairwright.releases.derive.croissant import croissant_json
from pairwright.releases.derive.pages import changelog, dataset_card, datasheet, licence_page
from pairwright.releases.primary import Document

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class AttributionLine(NamedTuple):
    """One post, question or published response; empty where nothing is known."""

    id: str
    address: str
    licence: str
    created: str


def attribution(lines: Set[AttributionLine]) -> Iterator[str]:
    """The file, line by line: every post, question and published response, sorted."""
    yield _written(AttributionLine._fields)
    for line in sorted(lines):
        yield _written(line)


def attribution_lines(row: Row) -> Iterator[AttributionLine]:
    """The lines of the question, the posts and the responses that people published, without their
    texts. A response is known by the hash of its text."""
    yield _line(row.item_id, row)
    for post in row.profile:
        yield _line(post.id, post)
    if row.response_sources:
        yield _line(content_id("answer", row.chosen), row.response_sources.chosen)
        yield _line(content_id("answer", row.rejected), row.response_sources.rejected)


def _line(name: str, text: Row | RowPost | RowSource) -> AttributionLine:
    return AttributionLine(name, text.source_url or "", text.licence or "", text.created or "")


def _written(cells: Iterable[str]) -> str:
    file = io.StringIO()
    # Quoted throughout: a lone carriage return would end a line otherwise.
    csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(
        [f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells]
    )
    return file.getvalue()


def preference(rows: Iterable[Row], canary: str) -> Iterator[str]:
    """One line a row, in their order."""
    for row in rows:
        text = user_message(row.question, row.profile)
        prompt = {"role": "user", "content": text}
        line = {
            "id": row.id,
            "subset": row.config,
            "prompt": text,
            "chosen": [prompt, {"role": "assistant", "content": row.chosen}],
            "rejected": [prompt, {"role": "assistant", "content": row.rejected}],
            "canary": canary,
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"


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
