"""From an audit and its rows to the file, whose content policy names every style by its hash."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from pairwright import report
from pairwright.audit.page.flags import Flags
from pairwright.audit.page.formats import short
from pairwright.audit.page.sections import report_sections
from pairwright.audit.page.selection import SelectedPairs, Sizes, select_pairs
from pairwright.audit.page.verdict import audit_verdict, warnings
from pairwright.audit.records import Audit
from pairwright.dataset import Row
from pairwright.files import write_whole
from pairwright.records import FULL_ADHERENCE
from pairwright.report import Block, Fold, Page, Plot, Section

_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_ATTRIBUTE = re.compile(r'([\w:-]+)="([^"]*)"')
_SHEET = re.compile(r'<style type="text/css">([^<]*)</style>')


class StyledPage(NamedTuple):
    """A page without styles in its elements, and the sheet that has them."""

    page: Page
    sheet: Markup


def lift_styles(page: Page) -> StyledPage:
    """The page with its plots' styles in one sheet, each style once, in order of appearance."""
    classes: dict[str, str] = {}
    sheets: dict[str, None] = {}

    def attribute(match: re.Match[str]) -> str:
        if match[1] != "style":
            return match[0]
        return f'class="{classes.setdefault(match[2], f"p{len(classes)}")}"'

    def tag(match: re.Match[str]) -> str:
        return _ATTRIBUTE.sub(attribute, match[0])

    def styled_plot(plot: Plot) -> Plot:
        sheets.update(dict.fromkeys(_SHEET.findall(plot.svg)))
        return plot._replace(svg=Markup(_TAG.sub(tag, _SHEET.sub("", plot.svg))))

    def styled(block: Block) -> Block:
        if isinstance(block, Fold):
            return block._replace(blocks=tuple(map(styled, block.blocks)))
        return styled_plot(block) if isinstance(block, Plot) else block

    sections = tuple(
        Section(section.title, tuple(map(styled, section.blocks))) for section in page.sections
    )
    rules = [*sheets, *(f".{name} {{ {style} }}" for style, name in classes.items())]
    page = Page(title=page.title, warnings=page.warnings, sections=sections)
    return StyledPage(page, Markup("\n".join(rules)))


def source_hash(text: str) -> str:
    """The name of an inline script or sheet in a policy (CSP Level 3, section 2.3.1)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


MOST_BYTES = 30_000_000
"""Bytes of the file."""
HERE = Path(__file__).resolve().parent
SCRIPTS = (
    "data.js", "text.js", "words.js", "diff.js", "evidence.js", "pairs.js", "parts.js", "detail.js",
    "list.js", "start.js",
)  # fmt: skip
"""The scripts, in the order in which they are joined into one."""


def write_page(
    path: Path,
    audit: Audit,
    rows: Iterable[Row],
    sizes: Sizes,
    *,
    most: int = MOST_BYTES,
    progress: Callable[[str, int | None], None] | None = None,
) -> None:
    """Write the report of an audit, whose checks have all their flags, in at most `most` bytes.

    `rows` can be read again, and are never all in memory; `sizes` are their sizes, collected while
    the audit read them. Where they are too many for the file, it holds those that failed checks
    name and a sample of the others, and says so.
    `progress` is called at each step. The same input gives the same bytes. Raises StoreError if the
    file cannot be written.
    """
    if progress:
        progress("drawing the report", None)
    page = report.Page(
        title=f"Audit of {short(audit.source.name, 100)}",
        warnings=tuple(warnings(audit)),
        sections=tuple(report_sections(audit)),
    )
    styled = lift_styles(page)
    environment = report.templates(HERE)
    own = Markup((HERE / "page.css").read_text(encoding="utf-8"))
    style = Markup("\n").join((report.style(environment), own, styled.sheet))
    script = Markup(_script())

    def rendered(held: SelectedPairs) -> Iterator[str]:
        template = environment.get_template("page.html.jinja")
        return template.generate(
            page=styled.page, style=style, script=script, policy=Markup(policy_of(style, script)),
            verdict=audit_verdict(audit), held=held,
        )  # fmt: skip

    flags = Flags(audit.checks)
    nothing = select_pairs((), Sizes(), flags, most, simulated={})
    empty = sum(len(piece.encode()) for piece in rendered(nothing))
    # Every block is in an element of its own, a few dozen characters long.
    room = round(0.99 * max(0, most - empty))
    simulated = audit.simulated_decisions
    held = select_pairs(rows, sizes, flags, room, simulated=simulated, progress=progress)
    write_whole(path, rendered(held))


def policy_of(style: str, script: str) -> str:
    """A policy under which nothing is loaded or sent, and this one style and script is in force."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src {source_hash(style)}",
            f"script-src {source_hash(script)}",
            "base-uri 'none'",
            "form-action 'none'",
            # Text that is handed to a parser of HTML is an error, not an element.
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _script() -> str:
    """All scripts as one, with the highest score of adherence in its place."""
    texts = ((HERE / "scripts" / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return "\n".join(texts).replace("FULL_ADHERENCE", str(FULL_ADHERENCE))
