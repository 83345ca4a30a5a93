"""A report as a page of blocks, written as one self-contained HTML file or as Markdown.

page = Page("Title", warnings=(...), sections=(Section("Counts", ("Some words.", Table(...))),))
to_html(page), to_markdown(page)

Every text is taken as untrusted and shown as it is: a template with autoescape, no scripts, and a
content policy that loads nothing. The same values give the same bytes.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jinja2
from markupsafe import Markup

from pairwright.pages.plots import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PAPER,
    RED,
    SKY,
    Colour,
    Plot,
    css,
    drawing,
    plot,
)

__all__ = [
    "BLUE", "FAINT", "GREEN", "GREY", "INK", "ORANGE", "PAPER", "RED", "SKY", "Block", "Colour",
    "Fold", "Page", "Plot", "Section", "Table", "drawing", "inline", "plain", "plot", "style",
    "table", "templates", "to_html", "to_markdown",
]  # fmt: skip


class Table(NamedTuple):
    """Cells as they are shown; the first `left` columns are words, the rest numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1
    note: str = ""


class Fold(NamedTuple):
    """Blocks that are shown when the reader opens them."""

    summary: str
    blocks: tuple["Block", ...]


Block = str | Table | Plot | Fold


class Section(NamedTuple):
    """A heading with paragraphs, tables and plots in their order."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, kw_only=True)
class Page:
    """A whole report. Warnings are above everything else, and cannot be missed."""

    title: str
    warnings: tuple[str, ...] = ()
    sections: tuple[Section, ...]


def to_html(page: Page) -> str:
    """One file that needs nothing else, in the reader's choice of light or dark."""
    environment = templates()
    # Plots carry styles of their own, which a hash could not name.
    policy = Markup("default-src 'none'; style-src 'unsafe-inline'")
    template = environment.get_template("report.html.jinja")
    return template.render(page=page, policy=policy, style=Markup("\n") + style(environment))


@cache
def templates(*folders: Path) -> jinja2.Environment:
    """The templates of reports, and those of `folders`, which may extend them. Kept: to compile a
    template takes longer than to fill it."""
    here = Path(__file__).resolve().parent
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([here, *folders]), autoescape=True,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.tests["table"] = lambda block: isinstance(block, Table)
    environment.tests["plot"] = lambda block: isinstance(block, Plot)
    environment.tests["fold"] = lambda block: isinstance(block, Fold)
    return environment


def style(environment: jinja2.Environment) -> Markup:
    """The style sheet of every report."""
    sheet = environment.get_template("report.css.jinja")
    return Markup(sheet.render(light=css("light"), dark=css("dark")))


def to_markdown(page: Page) -> str:
    """Headings, paragraphs and tables; plots are named by their captions alone."""
    parts = [f"# {inline(page.title)}"]
    parts += [f"> **{inline(warning)}**" for warning in page.warnings]
    for section in page.sections:
        parts.append(f"## {inline(section.title)}")
        parts += map(_markdown, section.blocks)
    return "\n\n".join(parts) + "\n"


def _markdown(block: Block) -> str:
    match block:
        case Table():
            return table(block)
        case Plot():
            return f"*Plot, in the HTML report: {inline(block.caption)}*"
        case Fold():
            return "\n\n".join((f"**{inline(block.summary)}**", *map(_markdown, block.blocks)))
        case _:
            return plain(block)


def table(content: Table) -> str:
    """A table in Markdown, with its note below."""
    rule = ["---" if n < content.left else "--:" for n in range(len(content.head))]
    lines = [map(inline, content.head), rule, *(map(inline, row) for row in content.rows)]
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"{text}\n\n{plain(content.note)}" if content.note else text


def plain(text: str) -> str:
    """A paragraph that Markdown shows as it is: no heading, quotation or list either."""
    return re.sub(r"^(\d*)([#>+=.)-])", r"\1\\\2", inline(text))


def inline(text: str) -> str:
    """Text that Markdown shows as it is, on one line: no markup, HTML, links or images."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    text = re.sub(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", text)
    return re.sub(r"(?<=\w):(?=//)|(?<=\bwww)\.", r"\\\g<0>", text, flags=re.IGNORECASE)
