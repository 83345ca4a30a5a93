"""The files of a run that are derived from its outcomes, and its pairs read again.

They are written whole at the end of a build, in source order, without times, each by a rename. So a
file that is there is a whole one.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from pairwright.construct.folder import FILES
from pairwright.construct.outcomes import Outcome, Outcomes
from pairwright.dataset import Layout, Row, parts_of, read_lines, read_rows
from pairwright.errors import InputError, on_disk
from pairwright.records import Pair


def write_files(outcomes: Outcomes, folder: Path, manifest: JsonValue) -> None:
    """Write all files; the manifest last, so that it speaks of files that are there."""
    with on_disk(folder), ExitStack() as stack:
        pairs, dropped = (
            stack.enter_context((folder / name).with_suffix(".partial").open("w", encoding="utf-8"))
            for name in FILES[:2]
        )
        for row in outcomes.rows("kind IN ('kept', 'dropped') AND mode != 'plan'"):
            # As records, drafts and profiles would take a hundred times as long to read.
            record = from_json(row.record)
            if row.kind == "kept":
                pairs.writelines(map(_line, record["pairs"]))
            if line := _dropped(row, record):
                dropped.write(_line(line))
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (folder / "manifest.partial").write_text(text, encoding="utf-8")
    for name in FILES:
        (folder / name).with_suffix(".partial").replace(folder / name)


def _dropped(row: Outcome, record: dict[str, JsonValue]) -> dict[str, object] | None:
    """The line of a dropped unit, or of the refused drafts of a kept one."""
    refusal: Mapping[str, JsonValue] = record
    if row.kind == "kept":
        if not record["refused"]:
            return None
        reason = json.loads(row.refusals)[-1]
        refusal = {"stage": "gates", "reason": reason, "drafts": record["refused"]}
    return {
        "unit": row.unit,
        "mode": row.mode,
        "item_id": row.item,
        "user": row.user,
        "partner": row.partner,
        "kept": row.kind == "kept",
        "dropped": refusal,
    }


def _line(values: object) -> str:
    return to_json(values).decode() + "\n"


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
