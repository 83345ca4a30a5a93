"""The audit that a release holds: is it about these rows, and is it the one they give now?

Where plots were drawn and blocks compressed by other libraries, everything of the page outside of
plots, blocks, sheet and content policy must be the same, byte by byte: no element can be added and
no figure in a text changed. Of a plot the words and figures in it must be the same, and its
elements may only be such as draw; of a block what it holds; of the sheet, all but the styles of
plots. The policy must name the page's own sheet.
"""

import base64
import binascii
import hashlib
import json
import math
import re
import zlib
from collections import Counter
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.dataset import AuditSource, Layout
from pairwright.errors import Difference
from pairwright.releases.derive.audit_summary import read_audit
from pairwright.releases.primary import PrimaryFiles
from pairwright.releases.verify.comparison import by_another, compare, difference, same, shown
from pairwright.releases.verify.rows import RowTotals
from pairwright.version import library_versions
from pairwright_human_eval.public_study import ReleasedStudy

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

    @classmethod
    def of(cls, text: str) -> "_SplitPage":
        page, at = cls([], []), 0
        for region in _REGION.finditer(text):
            page.fixed.append(text[at : region.start()])
            page.regions.append((region.lastgroup or "", region[0]))
            at = region.end()
        page.fixed.append(text[at:])
        return page


def check_page(there: Path, must: Path, name: str) -> bool:
    """Whether the plots are drawn alike, too. Raises Difference, where `name` is the file's."""
    if there.stat().st_size > 2 * must.stat().st_size + _LARGEST:
        raise difference("is larger than the page of these pairs", name)
    try:
        actual, wanted = (_SplitPage.of(path.read_text(encoding="utf-8")) for path in (there, must))
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
    regions = zip(actual.regions, wanted.regions, strict=True)
    alike = True
    for (kind, a), (_, b) in regions:
        alike &= _is_alike(kind, a, b, actual, name)
    return alike


def _is_alike(kind: str, there: str, must: str, page: _SplitPage, name: str) -> bool:
    """Whether one region is drawn as it must be. Raises Difference."""
    if there == must:
        return True
    if kind == "block" and _inflated(there, name) != _inflated(must, name):
        raise difference("a block holds other pairs than these", name)
    if kind == "style":
        sheets = (_STYLE_OF_PLOT.sub("", sheet).splitlines() for sheet in (there, must))
        ours, theirs = ([line for line in lines if line.strip()] for lines in sheets)
        if ours != theirs:
            raise difference("its sheet has other styles than this page's", name)
    if kind == "policy":
        # The page's own sheet under the policy that this code writes.
        sheet = next(text for kind, text in page.regions if kind == "style")
        digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
        own = re.sub(r"style-src '[^']*'", lambda _: f"style-src 'sha256-{digest}'", must)
        if there != own:
            raise difference(f"its policy is {shown(there)}, and must be {shown(own)}", name)
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


def check_audit(layout: Layout, primary: PrimaryFiles, read: RowTotals) -> None:
    """Raises Difference; InputError where audit.json is not of an audit."""
    name, stated = layout.inside(layout.audit), primary.provenance
    audit = read_audit(primary, layout)
    must = AuditSource(
        name=stated.name,
        kind="release",
        version=stated.version,
        digest=read.digest,
        rows=read.summary.rows,
        configs=dict(Counter({each.config: each.rows for each in read.summary.configs})),
        simulated=read.summary.simulated > 0,
        problems={},
    )
    same("pairwright", audit.pairwright, stated.pairwright, name)
    for field in AuditSource.model_fields:
        same(field, getattr(audit.source, field), getattr(must, field), f"{name} [source]")


WriteAudit = Callable[[Path, ReleasedStudy | None, Path, Path], object]
"""Audits the release in a folder with its study, and writes audit.json and report.html to two
places. Release and audit know each other by files alone."""
TOLERANCE = 1e-6
"""Between figures that two versions of a library estimate: they are rounded to six places."""


def check_audit_again(layout: Layout, primary: PrimaryFiles, write: WriteAudit) -> bool:
    """Hold both files of the audit to those that `write` gives, byte by byte.

    Where the release was written with other versions of the libraries that estimate, draw and
    compress, the figures may differ in the last place and the plots in how they are drawn; all else
    is held to what it must be. False where the plots are drawn otherwise: then nothing is known of
    what they show but their words. Raises Difference.
    """
    here, there = library_versions(), primary.provenance.libraries
    with TemporaryDirectory(prefix="pairwright-audit-") as folder:
        file, page = Path(folder) / layout.audit.name, Path(folder) / layout.audit_page.name
        write(layout.root, primary.public, file, page)
        with by_another(primary.provenance):
            if there == here:
                for own, must in ((layout.audit, file), (layout.audit_page, page)):
                    with must.open(encoding="utf-8", newline="") as lines:
                        compare(layout.root, layout.inside(own), lines)
                return True
            try:
                written = json.loads(file.read_bytes())
                _check_value(primary.audit, written, layout.inside(layout.audit), "")
                return check_page(layout.audit_page, page, layout.inside(layout.audit_page))
            except Difference as found:
                both = (
                    ", ".join(f"{name} {version}" for name, version in sorted(libraries.items()))
                    for libraries in (there, here)
                )
                writer, reader = (names or "others" for names in both)
                fix = f"{found.fix} It was written with {writer}; here are {reader}."
                raise Difference(found.what, where=found.where, fix=fix) from None


def _check_value(there: JsonValue, must: JsonValue, file: str, at: str) -> None:
    """Raise Difference unless both are the same but for the last place of a figure."""
    if isinstance(there, dict) and isinstance(must, dict) and list(there) == list(must):
        for key, value in must.items():
            _check_value(there[key], value, file, f"{at}.{key}" if at else key)
    elif isinstance(there, list) and isinstance(must, list) and len(there) == len(must):
        for n, value in enumerate(must):
            _check_value(there[n], value, file, f"{at}.{n}" if at else str(n))
    elif isinstance(there, float) and isinstance(must, float):
        if not math.isclose(there, must, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            raise _other(there, must, file, at)
    elif there != must or type(there) is not type(must):
        raise _other(there, must, file, at)


def _other(there: JsonValue, must: JsonValue, file: str, at: str) -> Difference:
    return difference(f"is {shown(there)}, and must be {shown(must)}", f"{file} [{at}]")
