"""The report of an audit: one HTML file with tables, a plot and a browser of pairs, which needs no
network and no other file.

It holds pairs in compressed blocks: those that failed checks name, and a sample of the others by
the hash of their subject, so that the sides of a twin stay together. A block is JSON, compressed,
in base64, so that nothing in it can end the element that it is in.

verdict.py     what is seen first, and how values are written
plots.py       the plot of accuracies
The words are in pages/templates/audit.md.jinja; the browser of pairs is pairs.html.jinja, pairs.js
and page.css.
"""

import base64
import json
import zlib
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import Any

import jinja2

from pairwright.audits.checks import DEFINITIONS
from pairwright.audits.facts import place_of
from pairwright.audits.page import verdict as words
from pairwright.audits.page.plots import audit_plots
from pairwright.audits.records import Audit, Check
from pairwright.files import write_whole
from pairwright.pages import render_page
from pairwright.pairs import PairSource, Row
from pairwright.progress import Progress, Step

HERE = Path(__file__).resolve().parent
MOST_PAIRS = 5_000
"""About so many pairs are in the file of those that failed checks name, and of all."""
MOST_BYTES = 30_000_000
"""Characters of all blocks, after which no further pair is packed."""
BLOCK = 50
"""Pairs of a block."""


def write_page(
    path: Path,
    audit: Audit,
    source: PairSource,
    *,
    most: int = MOST_PAIRS,
    progress: Progress = lambda _: None,
) -> None:
    """Write the report of an audit, whose checks have all their flags, with about `most` pairs.

    The rows of `source` are read again, and are never all in memory. If they are too many for the
    file, it holds those that failed checks name and a sample of the others, and says so. The same
    input gives the same bytes. Raises StoreError if the file cannot be written.
    """
    progress(Step("drawing the report"))
    before, end, after = audit_page(audit).rpartition("</body>")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )  # fmt: skip
    browser = environment.get_template("pairs.html.jinja")
    held = browser.generate(held=_held_pairs(source, audit, most, progress))
    write_whole(path, chain([before], held, [end + after]))


def audit_page(audit: Audit) -> str:
    """The report without its pairs, as HTML."""
    extra = tuple((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "pairs.js"))
    return render_page(
        "audit", audit_plots(audit), (extra[0], extra[1]), audit=audit, words=words,
        verdict=words.audit_verdict(audit), warnings=[*words.warnings(audit)], short=words.short,
    ).html  # fmt: skip


# The pairs


def _held_pairs(source: PairSource, audit: Audit, most: int, progress: Progress) -> dict[str, Any]:
    """The pairs in the page: `listing` has the titles of checks, the id of each pair and the checks
    that name it; `blocks` the pairs, each as base64 of raw deflate (RFC 1951) of JSON."""
    titles, by_row, failed = _flags(audit.checks)
    ids, named, blocks, size = list[str](), list[list[int]](), list[str](), 0

    def wanted(row: str, twin: str | None) -> bool:
        of = len(failed) if row in failed else audit.source.rows
        return place_of(twin or row) * of < most << 64

    picked = source.pick(wanted)
    while size <= MOST_BYTES and (rows := list(islice(picked, BLOCK))):
        progress(Step("packing pairs", len(ids)))
        flags = [by_row.get(row.id, []) for row in rows]
        ids += (row.id for row in rows)
        named += (sorted({check for check, _, _ in own}) for own in flags)
        blocks.append(_compress([*map(_pair, rows, flags)]))
        size += len(blocks[-1])
    index = {"checks": titles, "ids": ids, "flags": named, "block": BLOCK}
    total = audit.source.rows
    return {"listing": _compress(index), "blocks": blocks, "pairs": len(ids), "total": total}


def _flags(
    checks: Iterable[Check],
) -> tuple[list[tuple[str, bool]], dict[str, list[tuple[int, str, str]]], set[str]]:
    """Titles of the checks that name rows and whether they failed, failed ones first; by row of
    each such check its number, its detail and the row's place; and the rows of failed checks."""
    numbers: dict[tuple[str, bool], int] = {}
    by_row: dict[str, list[tuple[int, str, str]]] = {}
    failed: set[str] = set()
    for check in sorted(checks, key=lambda check: check.status != "fail"):
        title, fails = DEFINITIONS[check.name].title, check.status == "fail"
        for flag in check.flags:
            number = numbers.setdefault((title, fails), len(numbers))
            by_row.setdefault(flag.row, []).append((number, flag.detail, flag.where))
        failed.update(flag.row for flag in check.flags if fails)
    return list(numbers), by_row, failed


def _pair(row: Row, flags: list[tuple[int, str, str]]) -> dict[str, Any]:
    """The page's entry for a pair, with annotators' answers. Answers of simulated annotators
    verify nothing."""
    votes, people = row.votes, "not verified" if row.votes else "nobody was asked"
    if row.simulated:
        people = "simulated annotators answered, nobody else"
    return {
        **{name: getattr(row, name) for name in ("id", "config", "question", "chosen", "rejected")},
        "posts": [[post.created or "", post.text] for post in row.profile],
        "aspects": [one.aspect for one in row.rubric_aspects],
        "people": "verified by people" if row.verified else people,
        "votes": [votes.chosen, votes.rejected, votes.equal, votes.cannot_tell] if votes else None,
        "where": flags[0][2] if flags else "",
        "flags": [[check, detail] for check, detail, _ in flags],
    }


def _compress(value: object) -> str:
    raw = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    compressor = zlib.compressobj(4, wbits=-15)
    packed = compressor.compress(raw.encode(errors="replace")) + compressor.flush()
    return base64.b64encode(packed).decode()
