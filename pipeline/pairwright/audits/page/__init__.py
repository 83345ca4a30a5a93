"""The report of an audit: one HTML file with tables, a plot and a browser of pairs, which needs no
network and no other file.

verdict.py     what is seen first, and how values are written
plots.py       the plot of accuracies
pairs.py       the pairs that it holds, compressed, and the checks that name them
The words are in pages/templates/audit.md.jinja; the browser of pairs is pairs.html.jinja, pairs.js
and page.css.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import jinja2

from pairwright.audits.page import verdict as words
from pairwright.audits.page.pairs import MOST_PAIRS, hold_pairs
from pairwright.audits.page.plots import audit_plots
from pairwright.audits.records import Audit
from pairwright.files import write_whole
from pairwright.pages import render_page
from pairwright.pairs import PairSource

HERE = Path(__file__).resolve().parent


def write_page(
    path: Path,
    audit: Audit,
    source: PairSource,
    *,
    most: int = MOST_PAIRS,
    progress: Callable[[str, int | None], None] = lambda _what, _n: None,
) -> None:
    """Write the report of an audit, whose checks have all their flags, with about `most` pairs.

    The rows of `source` are read again, and are never all in memory. If they are too many for the
    file, it holds those that failed checks name and a sample of the others, and says so.
    `progress` is called at each step. The same input gives the same bytes. Raises StoreError if the
    file cannot be written.
    """
    progress("drawing the report", None)
    before, end, after = audit_page(audit).rpartition("</body>")
    held = hold_pairs(
        source, audit.checks, audit.source.rows, simulated=audit.simulated_decisions,
        progress=progress, most=most,
    )  # fmt: skip
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )  # fmt: skip
    browser = environment.get_template("pairs.html.jinja")

    def pieces() -> Iterator[str]:
        yield before
        yield from browser.generate(held=held)
        yield end + after

    write_whole(path, pieces())


def audit_page(audit: Audit) -> str:
    """The report without its pairs, as HTML."""
    extra = tuple((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "pairs.js"))
    return render_page(
        "audit", audit_plots(audit), (extra[0], extra[1]), audit=audit, words=words,
        verdict=words.audit_verdict(audit), warnings=[*words.warnings(audit)], short=words.short,
    ).html  # fmt: skip
