"""Where a workflow writes: a folder that may be written to, and a report in its three forms."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.records import Record

if TYPE_CHECKING:
    from pairwright.pages import Page


def output_folder(out: Path | str) -> Path:
    """Check the folder of an option `--out`, and return its path.

    Raises InputError where a file is in its place, and inside a release, whose checksums name every
    file.
    """
    folder = Path(out)
    for above in (folder.resolve(), *folder.resolve().parents):
        if above.exists() and not above.is_dir():
            raise InputError(
                "is a file, and a folder is wanted",
                where=above,
                fix="Give --out the name of a folder; one that is not there is made.",
            )
    if release := release_above(folder):
        raise InputError(
            "is a release already, which is never changed"
            if release == folder.resolve()
            else f"is inside the release {release}, whose checksums name every file in it",
            where=folder,
            fix="Give --out a new folder outside of it.",
        )
    return folder


def release_above(path: Path) -> Path | None:
    """The release that a path is of or inside of; None where there is none."""
    # What reads rows takes a while to import, and other commands do without.
    from pairwright.pairs import Layout, parts_of

    for above in (path.resolve(), *path.resolve().parents):
        if Layout(above).manifest.is_file() and parts_of(above):
            return above
    return None


def write_page(
    folder: Path,
    name: str,
    page: "Page",
    values: Record,
    lines: Mapping[str, Iterable[Record]] | None = None,
) -> None:
    """Write NAME.html, NAME.md and last NAME.json, each whole; before them files of `lines`, by
    their names. Raises StoreError.
    """
    summary = folder / f"{name}.json"
    write_below(summary, lines or {})
    write_whole(folder / f"{name}.html", page.html)
    write_whole(folder / f"{name}.md", page.markdown)
    write_whole(summary, values.model_dump_json(indent=2) + "\n")


def write_below(summary: Path, lines: Mapping[str, Iterable[Record]]) -> None:
    """Write the files of lines, by their names, that a summary beside them is of. An earlier one
    goes first, so that it is never beside lines that it is not of. Raises StoreError."""
    from pairwright.lines import write_lines

    with on_disk(summary):
        summary.unlink(missing_ok=True)
    for name, records in lines.items():
        write_lines(summary.with_name(name), records)
