"""Untrusted text as Markdown, and a table of texts for a page, a release's card or a terminal."""

import re
from typing import NamedTuple


class Table(NamedTuple):
    """Cells as they are shown; the first `left` columns are words, the rest numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1
    note: str = ""


_MARKUP = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_IN_ADDRESS = re.compile(r"(?<=\w):(?=//)|(?<=\bwww)\.", re.IGNORECASE)
"""What would turn an address into a link."""


def escape_inline(text: str) -> str:
    """Text that Markdown shows as it is, on one line: no markup, HTML, links or images. The
    beginning of a line needs more (a heading, a quotation, a list), which its caller knows."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return _IN_ADDRESS.sub(r"\\\g<0>", _MARKUP.sub(r"\\\g<0>", text))
