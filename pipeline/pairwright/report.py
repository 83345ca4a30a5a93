"""A report as a page of blocks, written as one self-contained HTML file or as Markdown.

page = Page("Title", warnings=(...), sections=(Section("Counts", ("Some words.", Table(...))),))
to_html(page), to_markdown(page)

Every text is taken as untrusted and shown as it is: a template with autoescape, no scripts, and a
content policy that loads nothing. The same values give the same bytes.
"""

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import matplotlib as mpl
from markupsafe import Markup
from matplotlib.figure import Figure


class Table(NamedTuple):
    """Cells as they are shown; the first `left` columns are words, the rest numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1
    note: str = ""


class Plot(NamedTuple):
    """A drawing with a caption that says what is to be seen."""

    svg: Markup
    caption: str


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


class Colour(NamedTuple):
    """A colour on a light page and on a dark one."""

    light: str
    dark: str


INK = Colour("#1f2328", "#e6edf3")
FAINT = Colour("#6a727b", "#9aa4ae")
RULE = Colour("#d5dae0", "#353c45")
PAPER = Colour("#ffffff", "#12161c")
# Okabe and Ito's palette (2008), which people with any colour vision distinguish.
BLUE = Colour("#0072b2", "#4aa8e0")
ORANGE = Colour("#e69f00", "#f0b429")
GREEN = Colour("#009e73", "#2fc49a")
RED = Colour("#d55e00", "#f0813a")
SKY = Colour("#56b4e9", "#7cc7f0")
GREY = Colour("#999999", "#8b939c")
_VARIABLES = {
    "ink": INK, "faint": FAINT, "rule": RULE, "paper": PAPER, "blue": BLUE, "orange": ORANGE,
    "green": GREEN, "red": RED, "sky": SKY, "grey": GREY,
}  # fmt: skip
_BY_LIGHT = {colour.light: name for name, colour in _VARIABLES.items()}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # Text stays text: it can be searched, and read aloud.
    "svg.hashsalt": "pairwright",
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 10,
    "text.parse_math": False,
    "text.color": INK.light,
    "axes.labelcolor": INK.light,
    "axes.edgecolor": FAINT.light,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": INK.light,
    "ytick.color": INK.light,
    "grid.color": RULE.light,
    "legend.frameon": False,
}


@contextmanager
def drawing() -> Iterator[None]:
    """The style of plots, for making figures in."""
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        # A script that the measuring font lacks is drawn by the reader's own fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def plot(figure: Figure, caption: str, *, name: str) -> Plot:
    """The figure as SVG that follows the page's colours. Call it inside `drawing`.

    `name` sets its ids apart from those of the page's other plots.
    """
    file = io.StringIO()
    figure.savefig(
        file, format="svg", transparent=True,
        metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
    )  # fmt: skip
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r'(?<= id=")|(?<=href="#)|(?<=url\(#)', f"{name}-", svg)
    svg = svg.replace("*{stroke-linejoin", "svg *{stroke-linejoin", 1)
    # Variables work in styles alone, and the ground of a hatch is an attribute.
    svg = re.sub(r'fill="(#[0-9a-f]{6})"', r'style="fill: \1"', svg)
    svg = re.sub(r"(?<=: )#[0-9a-f]{6}(?=[;\"])", _themed, svg)
    named = f'<svg role="img" aria-label="{escape(caption)}" '
    return Plot(Markup(svg.replace("<svg ", named, 1)), caption)


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
    return Markup(sheet.render(light=_css("light"), dark=_css("dark")))


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


def _themed(match: re.Match[str]) -> str:
    name = _BY_LIGHT.get(match[0])
    return f"var(--{name})" if name else match[0]


def _css(scheme: str) -> Markup:
    return Markup(
        " ".join(f"--{name}: {getattr(colour, scheme)};" for name, colour in _VARIABLES.items())
    )


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
