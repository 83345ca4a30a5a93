"""The output of a command: a folder that may be written to, and a report in its three forms."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.lines import write_lines, write_one
from pairwright.pages.page import Page
from pairwright.records import Record


def output_folder(out: Path | str, option: str = "--out") -> Path:
    """Check the folder that the option names, and return its path.

    Raises InputError where a file is in its place, and inside a release, whose checksums name every
    file.
    """
    folder = Path(out)
    for above in (folder.resolve(), *folder.resolve().parents):
        if above.exists() and not above.is_dir():
            fix = f"Give {option} the name of a folder; one that is not there is made."
            raise InputError("is a file, and a folder is wanted", where=above, fix=fix)
        release = any((above / "data").glob("*/*.parquet"))
        if release and (above / "manifest.json").is_file():
            what = f"is inside the release {above}, whose checksums name every file in it"
            raise InputError(what, where=folder, fix=f"Give {option} a new folder outside of it.")
    return folder


def write_page(
    folder: Path, name: str, page: Page, values: Record,
    lines: Mapping[str, Iterable[Record]] | None = None,
) -> None:  # fmt: skip
    """Write files of `lines` by their names, NAME.html, NAME.md, and last NAME.json, the summary
    that is of them, each whole. Raises StoreError."""
    summary = folder / f"{name}.json"
    # An earlier summary is never beside lines that it is not of.
    with on_disk(summary):
        summary.unlink(missing_ok=True)
    for file, records in (lines or {}).items():
        write_lines(folder / file, records)
    write_whole(folder / f"{name}.html", page.html)
    write_whole(folder / f"{name}.md", page.markdown)
    write_one(summary, values)
