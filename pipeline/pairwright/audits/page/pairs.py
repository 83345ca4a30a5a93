"""The pairs that the page of an audit holds, in compressed blocks: those that failed checks name,
and a sample of the others by the hash of their subject, so that the sides of a twin stay together.

A block is JSON, compressed, in base64, so that nothing in it can end the element that it is in.
"""

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from pairwright.audits.catalogue import DEFINITIONS
from pairwright.audits.records import Check
from pairwright.audits.sample import place_of
from pairwright.pairs import PairSource, Row

MOST_PAIRS = 5_000
"""About so many pairs are in the file of those that failed checks name, and of all."""
MOST_BYTES = 30_000_000
"""Characters of all blocks, after which no further pair is packed."""
BLOCK = 50
"""Pairs of a block."""


class HeldPairs(NamedTuple):
    """What the page holds: base64 of raw deflate (RFC 1951) of JSON."""

    listing: str
    """Titles of checks, and the id of each pair and the checks that name it."""
    blocks: tuple[str, ...]
    pairs: int
    total: int


def hold_pairs(
    source: PairSource,
    checks: Iterable[Check],
    total: int,
    *,
    simulated: Mapping[str, bool],
    progress: Callable[[str, int | None], None],
    most: int = MOST_PAIRS,
) -> HeldPairs:
    """Pack the pairs of a source of `total` rows: about `most` of those that failed checks name,
    and of all.

    `simulated`: the subjects that simulated annotators decided on, and whether they verified them.
    """
    titles, by_row, failed = _flags(checks)
    ids: list[str] = []
    named: list[list[int]] = []
    blocks: list[str] = []
    open_block: list[dict[str, Any]] = []
    size = 0
    for number, row in enumerate(source, start=1):
        if number % 1000 == 0:
            progress("packing pairs", number)
        flags = by_row.get(row.id, [])
        of = len(failed) if row.id in failed else total
        if place_of(row.subject) * of >= most << 64:
            continue
        ids.append(row.id)
        named.append(sorted({check for check, _, _ in flags}))
        open_block.append(_pair(row, flags, simulated))
        if len(open_block) == BLOCK:
            blocks.append(_compress(open_block))
            open_block = []
            size += len(blocks[-1])
            if size > MOST_BYTES:
                break
    if open_block:
        blocks.append(_compress(open_block))
    index = {"checks": titles, "ids": ids, "flags": named, "block": BLOCK}
    return HeldPairs(_compress(index), tuple(blocks), len(ids), total)


_Notes = dict[str, list[tuple[int, str, str]]]
"""By row, of each check that names it: its number, its detail and the place of the row."""


def _flags(checks: Iterable[Check]) -> tuple[list[tuple[str, bool]], _Notes, set[str]]:
    """Titles of the checks that name rows and whether they failed, failed ones first; notes by row;
    and the rows that failed checks name."""
    numbers: dict[tuple[str, bool], int] = {}
    by_row: _Notes = {}
    failed: set[str] = set()
    for check in sorted(checks, key=lambda check: check.status != "fail"):
        title, fails = DEFINITIONS[check.name].title, check.status == "fail"
        for flag in check.flags:
            number = numbers.setdefault((title, fails), len(numbers))
            by_row.setdefault(flag.row, []).append((number, flag.detail, flag.where))
        failed.update(flag.row for flag in check.flags if fails)
    return list(numbers), by_row, failed


def _pair(
    row: Row, flags: list[tuple[int, str, str]], simulated: Mapping[str, bool]
) -> dict[str, Any]:
    """What the page shows of a pair, and what people said of it, or simulated annotators, who
    verify nothing."""
    votes, people = row.votes, "not verified" if row.votes else "nobody was asked"
    if row.subject in simulated:
        decided = "verified" if simulated[row.subject] else "not verified"
        people = f"{decided} by simulated annotators, not by people"
    names = ("id", "config", "question", "chosen", "rejected")
    return {
        **{name: getattr(row, name) for name in names},
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
