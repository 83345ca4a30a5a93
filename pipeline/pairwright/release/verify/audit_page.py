"""The page of an audit, where its plots were drawn and its blocks compressed by other libraries.

Everything outside of plots, blocks, sheet and content policy must be the same, byte by byte: no
element can be added and no figure in a text changed. Of a plot the words and figures in it must be
the same, and its elements may only be such as draw; of a block what it holds; of the sheet, all
but the styles of plots. The policy must name the page's own sheet.
"""

import base64
import binascii
import hashlib
import re
import zlib
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from pairwright.release.verify.comparison import difference, shown

_REGION = re.compile(
    r"(?P<svg><svg\b.*?</svg>)"
    r"|(?<=<style>)(?P<style>[^<]*)(?=</style>)"
    r'|(?<=")(?P<policy>default-src [^"]*)(?=")'
    r"|(?P<block>(?<=>)[A-Za-z0-9+/]{40,}={0,2}(?=</script>))",
    re.DOTALL,
)
_TAG = re.compile(r'<(/?)([A-Za-z]+)((?:\s+[\w:-]+="[^"<>]*")*)\s*/?>|<!--[^<>]*-->')
_ATTRIBUTE = re.compile(r'([\w:-]+)="([^"]*)"')
_DRAWING = {
    "svg", "metadata", "defs", "g", "path", "use", "clipPath", "rect", "text", "tspan", "title",
    "desc", "line", "circle", "polygon", "polyline", "ellipse",
}  # fmt: skip
_ATTRIBUTES = re.compile(
    r"(?!on)(?:role|aria-[a-z]+|class|id|d|x|y|x1|x2|y1|y2|cx|cy|r|rx|ry|points|width|height|"
    r"viewBox|version|transform|clip-path|xmlns(?::xlink)?|(?:xlink:)?href|preserveAspectRatio|"
    r"fill|stroke|opacity|[a-z]+-[a-z-]+)"
)
_STYLE_OF_PLOT = re.compile(r"\.p\d+ \{ [^{}<>@\\]* \}|svg \*\{[^{}<>@\\]*\}")
_LARGEST = 64_000_000
"""Bytes that a block may hold; ours hold a few hundred thousand."""


class _SplitPage(NamedTuple):
    fixed: list[str]
    """The texts between regions."""
    regions: list[tuple[str, str]]
    """Kind and text."""


def check_page(there: Path, must: Path, name: str) -> bool:
    """Whether the plots are drawn alike, too. Raises Difference, where `name` is the file's."""
    if there.stat().st_size > 2 * must.stat().st_size + _LARGEST:
        raise difference("is larger than the page of these pairs", name)
    try:
        actual, wanted = (_page(path.read_text(encoding="utf-8")) for path in (there, must))
    except UnicodeDecodeError:
        raise difference("is not UTF-8", name) from None
    kinds = [[kind for kind, _ in page.regions] for page in (actual, wanted)]
    for a, b in zip(actual.fixed, wanted.fixed, strict=False):
        if a != b:
            at = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(b))
            here, due = (text[max(0, at - 20) : at + 40] for text in (a, b))
            raise difference(f"has {shown(here)}, and must have {shown(due)}", name)
    if kinds[0] != kinds[1]:
        raise difference("has other plots or blocks than the page of these pairs", name)
    pairs = zip(actual.regions, wanted.regions, strict=True)
    alike = True
    for (kind, a), (_, b) in pairs:
        alike &= _check(kind, a, b, actual, name)
    return alike


def _page(text: str) -> _SplitPage:
    fixed, regions, at = [], [], 0
    for region in _REGION.finditer(text):
        fixed.append(text[at : region.start()])
        regions.append((region.lastgroup or "", region[0]))
        at = region.end()
    return _SplitPage([*fixed, text[at:]], regions)


def _check(kind: str, there: str, must: str, page: _SplitPage, name: str) -> bool:
    """Whether one region is drawn as it must be. Raises Difference."""
    if there == must:
        return True
    if kind == "block" and _inflated(there, name) != _inflated(must, name):
        raise difference("a block holds other pairs than these", name)
    if kind == "style" and _fixed_styles(there) != _fixed_styles(must):
        raise difference("its sheet has other styles than this page's", name)
    if kind == "policy":
        _check_policy(there, must, page, name)
    if kind == "svg":
        _check_plot(there, must, name)
    return kind == "block"


def _inflated(block: str, name: str) -> bytes:
    try:
        engine = zlib.decompressobj(wbits=-15)
        whole = engine.decompress(base64.b64decode(block, validate=True), _LARGEST)
    except (zlib.error, binascii.Error):
        raise difference("a block is not of compressed pairs", name) from None
    if not engine.eof or engine.unused_data:
        raise difference("a block is not of compressed pairs", name)
    return whole


def _fixed_styles(sheet: str) -> str:
    return "\n".join(line for line in _STYLE_OF_PLOT.sub("", sheet).splitlines() if line.strip())


def _check_policy(there: str, must: str, page: _SplitPage, name: str) -> None:
    """The page's own sheet under the policy that this code writes."""
    sheet = next(text for kind, text in page.regions if kind == "style")
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    own = re.sub(r"style-src '[^']*'", lambda _: f"style-src 'sha256-{digest}'", must)
    if there != own:
        raise difference(f"its policy is {shown(there)}, and must be {shown(own)}", name)


def _check_plot(there: str, must: str, name: str) -> None:
    if _TAG.sub("", there).count("<"):
        raise difference("a plot has what is not an element that draws", name)
    for _, tag, attributes in _TAG.findall(there):
        if tag and tag not in _DRAWING:
            raise difference(f"a plot has {shown(tag)}, which does not draw", name)
        for attribute, value in _ATTRIBUTE.findall(attributes):
            if not _ATTRIBUTES.fullmatch(attribute) or "javascript:" in value.lower():
                raise difference(f"a plot has {shown(attribute)}, which does not draw", name)
            if attribute.endswith("href") and not value.startswith("#"):
                raise difference(f"a plot leads to {shown(value)}", name)
    for a, b in zip_longest(_words(there), _words(must), fillvalue="nothing"):
        if a != b:
            raise difference(f"a plot says {shown(a)}, and must say {shown(b)}", name)


def _words(plot: str) -> list[str]:
    """What a reader or a screen reader finds in it."""
    labels = re.findall(r'aria-label="([^"]*)"', plot)
    texts = (" ".join(text.split()) for text in re.split(r"<[^<>]*>", plot))
    return [*labels, *filter(None, texts)]
