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
from collections.abc import Iterable, Iterator, Set
from contextlib import ExitStack
from json.encoder import encode_basestring as _json
from pathlib import Path

from pairwright.files import whole_file
from pairwright.pairs import Part, Row, RowPost
from pairwright.pairs.conversion import user_message
from pairwright.releases.derive.card import dataset_card, licence_page
from pairwright.releases.derive.context import ReleaseContext, make_manifest
from pairwright.releases.derive.croissant import croissant_json

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


AttributionLine = tuple[str, str, str, str]
"""Id, address, licence and time of one post or question; empty where nothing is known."""
_COLUMNS = ("id", "address", "licence", "created")


def attribution(lines: Set[AttributionLine]) -> Iterator[str]:
    """The file, line by line: every post and question, sorted."""
    for line in (_COLUMNS, *sorted(lines)):
        yield _written(line)


def attribution_lines(row: Row) -> Iterator[AttributionLine]:
    """The lines of the question and the posts, without their texts."""
    texts: list[tuple[str, Row | RowPost]] = [(row.item_id, row)]
    texts += [(post.id, post) for post in row.profile]
    for name, of in texts:
        yield name, of.source_url or "", of.licence or "", of.created or ""


def _written(cells: Iterable[str]) -> str:
    file = io.StringIO()
    # Quoted throughout: a lone carriage return would end a line otherwise.
    csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(
        [f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells]
    )
    return file.getvalue()


def preference_line(row: Row, canary: str) -> str:
    """The row's line in preference/. Its user's message is there three times, and encoded once."""
    text = _json(user_message(row.question, row.profile))
    chosen, rejected = (
        f'[{{"role": "user", "content": {text}}},'
        f' {{"role": "assistant", "content": {_json(response)}}}]'
        for response in (row.chosen, row.rejected)
    )
    return (
        f'{{"id": {_json(row.id)}, "subset": {_json(row.config)}, "prompt": {text},'
        f' "chosen": {chosen}, "rejected": {rejected}, "canary": {_json(canary)}}}\n'
    )


class RowFiles(ExitStack):
    """Writes the files of preference/ while the rows are read for something else, and collects the
    lines of attribution.csv, so that no file made of rows needs another reading."""

    def __init__(self, release: ReleaseContext) -> None:
        super().__init__()
        self._layout, self._canary = release.layout, release.canary
        self.attributed = set[AttributionLine]()
        self._part: Part | None = None

    def add(self, part: Part, row: Row) -> None:
        """The next row, part by part. Raises StoreError where the disk refuses."""
        if part != self._part:
            self.close()  # The file of the part before is whole.
            self._part = part
            self._file = self.enter_context(whole_file(self._layout.preference(part)))
        self._file.write(preference_line(row, self._canary).encode())
        self.attributed.update(attribution_lines(row))


def derived_files(
    release: ReleaseContext, attributed: Set[AttributionLine]
) -> Iterator[tuple[Path, str]]:
    """Every derived file but those of preference/, with its text; `attributed` are the lines of
    attribution.csv.

    Raises InputError if stated.json or the audit is not what it should be.
    """
    layout = release.layout
    yield layout.manifest, make_manifest(release).model_dump_json(indent=2) + "\n"
    yield layout.card, dataset_card(release)
    yield layout.croissant, croissant_json(release)
    yield layout.licences, licence_page(release)
    yield layout.attribution, "".join(attribution(attributed))
