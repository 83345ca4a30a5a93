"""A page in Markdown."""

from collections.abc import Sequence

NOTE = "<!-- Written by docs/generate.py from the code. After a change there run `make docs`. -->"


def page_of(title: str, *parts: str) -> str:
    return "\n\n".join([title, NOTE, *(part for part in parts if part)]) + "\n"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(" | ".join(cell.replace("|", "&#124;") for cell in r) for r in lines)
