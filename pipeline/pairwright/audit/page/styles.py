"""A content policy that names every style by its hash allows none inside elements.

Plots carry many; each becomes a class of the page's one sheet.
"""

import base64
import hashlib
import re
from typing import NamedTuple

from markupsafe import Markup

from pairwright.report import Block, Fold, Page, Plot, Section

_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_ATTRIBUTE = re.compile(r'([\w:-]+)="([^"]*)"')
_SHEET = re.compile(r'<style type="text/css">([^<]*)</style>')


class Styled(NamedTuple):
    """A page without styles in its elements, and the sheet that has them."""

    page: Page
    sheet: Markup


def lifted(page: Page) -> Styled:
    """The page with its plots' styles in one sheet, each style once, in order of appearance."""
    classes: dict[str, str] = {}
    sheets: dict[str, None] = {}

    def attribute(found: re.Match[str]) -> str:
        if found[1] != "style":
            return found[0]
        return f'class="{classes.setdefault(found[2], f"p{len(classes)}")}"'

    def tag(found: re.Match[str]) -> str:
        return _ATTRIBUTE.sub(attribute, found[0])

    def drawn(plot: Plot) -> Plot:
        sheets.update(dict.fromkeys(_SHEET.findall(plot.svg)))
        return plot._replace(svg=Markup(_TAG.sub(tag, _SHEET.sub("", plot.svg))))

    def block(of: Block) -> Block:
        if isinstance(of, Fold):
            return of._replace(blocks=tuple(map(block, of.blocks)))
        return drawn(of) if isinstance(of, Plot) else of

    sections = tuple(Section(of.title, tuple(map(block, of.blocks))) for of in page.sections)
    rules = [*sheets, *(f".{name} {{ {style} }}" for style, name in classes.items())]
    page = Page(title=page.title, warnings=page.warnings, sections=sections)
    return Styled(page, Markup("\n".join(rules)))


def source_hash(text: str) -> str:
    """The name of an inline script or sheet in a policy (CSP Level 3, section 2.3.1)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
