"""A report in its three forms: for a browser, for a repository, and for a program."""

from pathlib import Path

from pairwright.files import write_whole
from pairwright.records import Record
from pairwright.report import Page, to_html, to_markdown


def write_report(
    folder: Path, name: str, page: Page, values: Record, summary: Page | None = None
) -> None:
    """NAME.html, NAME.md and last NAME.json, each whole; with a `summary` the Markdown is of that.
    Raises StoreError."""
    write_whole(folder / f"{name}.html", to_html(page))
    write_whole(folder / f"{name}.md", to_markdown(summary or page))
    write_whole(folder / f"{name}.json", values.model_dump_json(indent=2) + "\n")
