"""A page from a template in Markdown.

    page = render_page("best_of_n", plots, result=result)
    page.markdown, page.html

Every value that a template prints is untrusted text and is shown as it is: no markup, HTML, link or
image comes from a value. A whole number is printed with its thousands, an estimate with its
interval; any other number is formatted by the template; None is an error. The words of a template
are Markdown with tables. `fold` (kit.md.jinja) hides what follows until a reader opens it. The HTML
needs no other file and loads nothing; its policy names its script where it has one. The same values
give the same bytes.
"""

import base64
import hashlib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import jinja2
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from pairwright.stats import Estimate
from pairwright.text import number_of, visible

if TYPE_CHECKING:
    from pairwright.pages.plots import Plot

FOLDER = Path(__file__).resolve().parent
# No value can be such a mark: its invisible characters are left out.
_PLOT = re.compile(r"^\x02([\w-]+)$", re.MULTILINE)
_MARKUP = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
# What would turn an address into a link.
_IN_ADDRESS = re.compile(r"(?<=\w):(?=//)|(?<=\bwww)\.", re.IGNORECASE)


class Table(NamedTuple):
    """Cells as they are shown; the first `left` columns are words, the rest numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1
    note: str = ""


class Page(NamedTuple):
    """A report in its forms."""

    markdown: str
    html: str
    opening: tuple[str, ...]
    """The paragraphs before the first heading as plain text, for a terminal: warnings, verdict."""
    tables: tuple[Table, ...]
    """The tables that are not folded as plain text, for a terminal; each notes its heading."""


def render_page(
    name: str,
    plots: Mapping[str, "Plot"] | None = None,
    extra: tuple[str, str] = ("", ""),
    /,
    **values: object,
) -> Page:
    """The page of `templates/NAME.md.jinja`, filled with `values`; `extra` are a style sheet and a
    script of its own.

    `{{ plot("accuracy") }}` places the plot of that name; one that is not among `plots` leaves
    nothing. Raises jinja2.UndefinedError for a value that is missing, and ValueError for one that
    has no text.
    """
    pictures = dict(plots or {})

    def place(plot: str) -> Markup:
        return Markup(f"\x02{plot}") if plot in pictures else Markup("")

    def with_plots(form: Callable[["Plot"], str]) -> str:
        return _PLOT.sub(lambda mark: form(pictures[mark[1]]), text)

    text = render_markdown(name, plot=place, **values)
    tokens = _parser().parse(with_plots(_figure))
    heads = (n for n, one in enumerate(tokens) if (one.type, one.tag) == ("heading_open", "h2"))
    opening = tokens[: next(heads, len(tokens))]
    return Page(
        with_plots(lambda plot: f"*Plot, in the HTML report: {_escaped_text(plot.caption)}*"),
        _html(tokens, *extra),
        tuple(one for one in _contents(opening) if isinstance(one, str)),
        tuple(one for one in _contents(tokens) if isinstance(one, Table)),
    )


def _figure(plot: "Plot") -> str:
    """A plot as one block of HTML, which ends at the first empty line."""
    figure = Markup("<figure>{}\n<figcaption>{}</figcaption></figure>")
    return re.sub(r"[\r\n]\s*[\r\n]", "\n", figure.format(plot.svg, plot.caption))


def render_markdown(name: str, /, **values: object) -> str:
    """The Markdown of `templates/NAME.md.jinja` with `values`. Raises as `render_page` does."""
    text = _environment().get_template(f"{name}.md.jinja").render(**values)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def render_words(name: str, /, **values: object) -> Iterator[str | Table]:
    """Render `templates/NAME.md.jinja`, filled with `values`, for a terminal, in its order: its
    paragraphs, the lines of its code with two spaces before each, and its tables.

    A value in a line of code needs the filter `verbatim`. Raises as `render_page` does.
    """
    text = _environment().get_template(f"{name}.md.jinja").render(**values)
    return _contents(_parser().parse(text))


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable("table")


def escaped(value: object) -> Markup:
    """A value as Markdown that shows it as it is. Raises ValueError for None and for a number that
    the template should have formatted."""
    match value:
        case Markup():
            return value
        case str() | Path():
            return Markup(_escaped_text(str(value)))
        case jinja2.Undefined():
            return Markup(str(value))  # It raises what says which name is missing.
        case int() if not isinstance(value, bool):
            return Markup(f"{value:,}")
        case Estimate():
            return Markup(value.text())
        case _:
            raise ValueError(f"{value!r} has no text on a page")


def _escaped_text(text: str) -> str:
    """Text that Markdown shows as it is, on one line: no markup, HTML, links or images."""
    text = " ".join(visible(text).split())
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _IN_ADDRESS.sub(r"\\\g<0>", _MARKUP.sub(r"\\\g<0>", text))
    # A value may begin a line: it is turned neither into a heading nor into a list.
    text = re.sub(r"^(?=[#+=-]+(\s|$))", r"\\", text)
    return re.sub(r"^(\d+)(?=[.)](\s|$))", r"\1\\", text)


def _inside_html(text: str) -> Markup:
    """A text for the inside of an HTML element of a template: with every mark as an entity, neither
    HTML nor Markdown changes it."""
    marks = re.sub(r"[^\w\s,;()%-]|_", lambda mark: f"&#{ord(mark[0])};", visible(text))
    return Markup(" ".join(marks.split()))


def _verbatim(value: object) -> Markup:
    """A value for a line of code, in which Markdown changes nothing."""
    return Markup(" ".join(visible(str(value)).splitlines()))


def _source_hash(text: str) -> Markup:
    """The name of an inline script in a policy (CSP Level 3, section 2.3.1)."""
    digest = hashlib.sha256(text.encode()).digest()
    return Markup(f"'sha256-{base64.b64encode(digest).decode()}'")


@cache
def _environment() -> jinja2.Environment:
    """Kept: to compile a template takes longer than to fill it."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([FOLDER / "templates", FOLDER]),
        autoescape=True,
        finalize=escaped,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["number_of"] = number_of
    environment.filters |= {
        "inside_html": _inside_html, "source_hash": _source_hash, "verbatim": _verbatim
    }  # fmt: skip
    return environment


def _contents(tokens: Sequence[Token]) -> Iterator[str | Table]:
    """Paragraphs, lines of code and tables that are not folded, as plain text."""
    folds, title, words = 0, "", 0
    rows: list[list[str]] = []
    for token, after in itertools.zip_longest(tokens, tokens[1:]):
        match token.type:
            case "html_block":
                folds += token.content.count("<details") - token.content.count("</details")
            case "heading_open":
                title = _plain(after)
            case "table_open":
                rows, words = [], 0
            case "tr_open":
                rows.append([])
            case "th_open" | "td_open":
                rows[-1].append(_plain(after))
                words += token.type == "th_open" and "style" not in token.attrs
            case "paragraph_open" if not folds:
                yield _plain(after)
            case "code_block" if not folds:
                yield from (f"  {line}" for line in token.content.splitlines())
            case "table_close" if not folds:
                yield Table(tuple(rows[0]), tuple(map(tuple, rows[1:])), words, title)


def _plain(inline: Token) -> str:
    breaks = {"softbreak": " ", "hardbreak": "\n"}
    return "".join(breaks.get(one.type, one.content) for one in inline.children or [])


def _html(tokens: list[Token], sheet: str, script: str) -> str:
    markdown = _parser()
    heads = (words for head, words in itertools.pairwise(tokens) if head.tag == "h1")
    title = next(map(_plain, heads), "")
    body = markdown.renderer.render(tokens, markdown.options, {})
    body = body.replace(' style="text-align:right"', ' class="number"')
    body = body.replace("<table>", '<div class="wide" tabindex="0">\n<table>')
    body = body.replace("</table>", "</table>\n</div>")
    # The first section comes after the verdict.
    verdict, heading, rest = body.partition("<h2>")
    common = (FOLDER / "page.css").read_text(encoding="utf-8")
    parts = {"verdict": verdict, "body": heading + rest, "script": script}
    parts["sheet"] = "\n".join(("", common, sheet, ""))
    trusted = {name: Markup(part) for name, part in parts.items()}
    layout = _environment().get_template("page.html.jinja")
    return layout.render(title=escape(title), **trusted)
