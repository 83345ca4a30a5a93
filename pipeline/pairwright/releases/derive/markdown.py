"""Pages in Markdown, from templates beside this file.

Every value that a template shows is taken as untrusted and escaped, without a filter to forget;
only what these functions return is Markdown already.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import jinja2

from pairwright import text as words
from pairwright.pages.markdown import escape_inline

NOT_STATED = "Not stated."
# No characters at all (Unicode, section 23.7), which editors and parsers stumble over.
_NOTHING = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")


class Markdown(str):
    """Text that goes onto a page as it is."""


def page(template: str, **values: object) -> str:
    """The page; raises jinja2.UndefinedError where the template asks for what is not there."""
    return _templates().get_template(template).render(**values)


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).resolve().parent),
        undefined=jinja2.StrictUndefined, finalize=_shown, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    filters = {
        "paragraph": paragraph,
        "or_not_stated": or_not_stated,
        "points": points,
        "code": code,
    }
    environment.filters.update(filters)
    return environment


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], left: int = 1) -> Markdown:
    """A table; the first `left` columns are words, the rest numbers."""
    rule = ["---" if n < left else "--:" for n in range(len(head))]
    shown = (map(escape_inline, map(visible, row)) for row in rows)
    lines = [map(escape_inline, head), rule, *shown]
    return Markdown("\n".join("| " + " | ".join(line) + " |" for line in lines))


def paragraph(text: str) -> Markdown:
    """Text at the start of a line: it is no heading, quotation or list either."""
    return Markdown(re.sub(r"^(\d*)([#>+=.)-])", r"\1\\\2", escape_inline(visible(text))))


def or_not_stated(text: str) -> Markdown:
    """Paragraphs that the release's makers wrote, or that they wrote none."""
    parts = [paragraph(part) for part in re.split(r"\n\s*\n", visible(text)) if part.strip()]
    return Markdown("\n\n".join(parts) or NOT_STATED)


def points(texts: Iterable[str]) -> Markdown:
    """A list, one point a text."""
    return Markdown("\n".join(f"- {paragraph(text)}" for text in texts))


def code(text: str, language: str = "") -> Markdown:
    """A block shown letter by letter; its fence is longer than any run of backticks in it."""
    text = visible(text)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return Markdown(f"{fence}{language}\n{text.strip()}\n{fence}")


def visible(text: str) -> str:
    """A text without characters that show nothing and change how the rest is shown."""
    return _NOTHING.sub("", words.visible(text))


def _shown(value: object) -> object:
    if isinstance(value, Markdown):
        return value
    return f"{value:,}" if isinstance(value, int) else escape_inline(visible(str(value)))
