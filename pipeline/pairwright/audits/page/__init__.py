"""The report of an audit: one HTML file with tables, plots and a browser of pairs, which needs no
network and no other file.

verdict.py     the top of the page, the few tables that a terminal shows, and how values are written
plots.py       the plots
pairs.py       the pairs that it holds, compressed, and the checks that name them
The words are in pages/templates/audit.md.jinja; the browser of pairs is in pairs.html.jinja,
page.css and scripts/.
"""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import jinja2

from pairwright.audits.catalogue import definition_of
from pairwright.audits.page.pairs import Flags, HeldPairs, PairPacker, PairSizes, select_pairs
from pairwright.audits.page.plots import audit_plots
from pairwright.audits.page.verdict import (
    MOST_FLAGS,
    audit_verdict,
    config_name,
    limit,
    link_to,
    measured,
    middle_cut,
    needed,
    short,
    warnings,
)
from pairwright.audits.read.source import PairSource
from pairwright.audits.records import Audit
from pairwright.files import write_whole
from pairwright.pages import render_page
from pairwright.records import FULL_ADHERENCE

__all__ = ["HERE", "MOST_BYTES", "SCRIPTS", "PairSizes", "write_page"]

MOST_BYTES = 30_000_000
"""Bytes of the file."""
MOST_CHECKS = 400
"""Rows of a table; audit.json has all."""
HERE = Path(__file__).resolve().parent
SCRIPTS = ("text.js", "compare.js", "pair.js", "start.js")
"""The scripts, in the order in which they are joined into one."""


def write_page(
    path: Path,
    audit: Audit,
    source: PairSource,
    sizes: PairSizes,
    *,
    most: int = MOST_BYTES,
    progress: Callable[[str, int | None], None] | None = None,
) -> None:
    """Write the report of an audit, whose checks have all their flags, in at most `most` bytes.

    The rows of `source` are read again, and are never all in memory; `sizes` are their sizes,
    collected while the audit read them. Where they are too many for the file, it holds those that
    failed checks name and a sample of the others, and says so.
    `progress` is called at each step. The same input gives the same bytes. Raises StoreError if the
    file cannot be written.
    """
    if progress:
        progress("drawing the report", None)
    page = audit_page(audit)
    before, end, after = page.rpartition("</body>")
    template = _browser()

    def rendered(held: HeldPairs) -> Iterator[str]:
        yield before
        yield from template.generate(held=held)
        yield end + after

    flags = Flags(audit.checks)
    nothing = PairPacker(flags, {}).packed()
    empty = sum(len(piece.encode()) for piece in rendered(nothing))
    # Every block is in an element of its own, a few dozen characters long.
    room = round(0.99 * max(0, most - empty))
    simulated = audit.simulated_decisions
    held = select_pairs(source, sizes, flags, room, simulated=simulated, progress=progress)
    write_whole(path, rendered(held))


def audit_page(audit: Audit) -> str:
    """The report without its pairs, as HTML."""
    scripts = "\n".join((HERE / "scripts" / name).read_text(encoding="utf-8") for name in SCRIPTS)
    # The highest score of adherence stands in one place.
    scripts = scripts.replace("FULL_ADHERENCE", str(FULL_ADHERENCE))
    styles = (HERE / "page.css").read_text(encoding="utf-8")
    return render_page(
        "audit", audit_plots(audit), (styles, scripts),
        audit=audit, verdict=audit_verdict(audit), warnings=[*warnings(audit)], most=MOST_CHECKS,
        most_flags=MOST_FLAGS,
        config_name=config_name, definition_of=definition_of,
        definitions_of=lambda checks: list(dict.fromkeys(map(definition_of, checks))),
        limit=limit, link_to=link_to, measured=measured, middle_cut=middle_cut, needed=needed,
        short=short,
    ).html  # fmt: skip


@cache
def _browser() -> jinja2.Template:
    """The browser of pairs, below the report."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    return environment.get_template("pairs.html.jinja")
