"""The files of a run that are derived from its outcomes, and its pairs read again.

They are written whole at the end of a build, in source order, without times, each by a rename. So a
file that is there is a whole one.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from pairwright.construct.folder import FILES
from pairwright.construct.outcomes import Outcomes
from pairwright.errors import InputError, on_disk
from pairwright.lines import read_lines
from pairwright.pairs import Layout, Row, parts_of, read_rows
from pairwright.records import Pair

_PAIRS = """
    SELECT pair.value FROM outcomes, json_each(record, '$.pairs') pair
    WHERE kind = 'kept' ORDER BY position, pair.key"""
# Of a dropped unit the refusal, of a kept one the drafts that were refused before.
_DROPPED = """
    SELECT json_object(
        'unit', unit, 'mode', mode, 'item_id', item, 'user', user, 'partner', partner,
        'kept', json(iif(kind = 'kept', 'true', 'false')),
        'dropped', json(iif(kind = 'dropped', record, json_object(
            'stage', 'gates', 'reason', json_extract(refusals, '$[#-1]'),
            'drafts', json_extract(record, '$.refused')))))
    FROM outcomes
    WHERE kind = 'dropped' OR kind = 'kept' AND json_array_length(record, '$.refused')
    ORDER BY position"""


def write_files(outcomes: Outcomes, folder: Path, manifest: JsonValue) -> None:
    """Write all files; the manifest last, so that it speaks of files that are there."""
    lines = outcomes.query(_PAIRS), outcomes.query(_DROPPED)
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    with on_disk(folder):
        for name, found in zip(FILES, (*lines, [(text,)]), strict=True):
            with (folder / name).with_suffix(".partial").open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for (line,) in found)
        for name in FILES:
            (folder / name).with_suffix(".partial").replace(folder / name)


def load_release(path: str | Path) -> list[Pair] | list[Row]:
    """Read the rows of a release, or the pairs of a run folder or of a `pairs.jsonl`, which hold
    more.

    Raises InputError where there are no pairs, or a line is not a pair.

        >>> [row.chosen for row in load_release("releases/1.0.0") if row.mode == "twin"]
        ['Simmer the beans for an hour ...', ...]
    """
    root = Path(path)
    if parts := parts_of(root):
        layout = Layout(root)
        return [row for part in parts for row in read_rows(layout.part(part))]
    return list(iterate_pairs(root))


def iterate_pairs(path: Path) -> Iterator[Pair]:
    """Read the pairs of a run folder or a `pairs.jsonl`, one at a time; raises InputError."""
    file = path / "pairs.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "no such file",
            where=file,
            fix="Name a release, or a run folder whose build has finished.",
        )
    fix = "Build again: pairs.jsonl is derived from the run folder's store."
    yield from read_lines(file, Pair, fix=fix)
