"""The values of an audit as text. Names in tables and plots are shortened, since they may be any
text."""

from urllib.parse import quote

from pairwright.audit.catalogue import definition_of
from pairwright.audit.records import Check, Status
from pairwright.estimate import Estimate
from pairwright.text import visible

RESULTS: dict[Status, str] = {
    "fail": "✗ fail", "pass": "✓ pass", "too_few": "? too few", "note": "· note",
}  # fmt: skip
DETAIL = 600
"""Characters of a detail in a table."""


def short(text: str, most: int = 60) -> str:
    """One line without invisible characters, cut to `most` characters."""
    line = " ".join(visible(text[: 4 * most]).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def middle_cut(text: str, most: int) -> str:
    """As `short`, but cut in the middle: names differ at their ends, too."""
    line = short(text, 200)
    half = most // 2
    return line if len(line) <= most else f"{line[: most - half - 1]}…{line[-half:]}"


def config_name(config: str) -> str:
    """A configuration's name, or that it is all of them."""
    return short(config) if config else "all"


def interval(estimate: Estimate | None) -> str:
    """`0.712 (0.651 to 0.768)`; empty where nothing was estimated."""
    if estimate is None:
        return ""
    if estimate.value is None:
        return "n/a"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f} (no interval)"
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def measured(check: Check) -> str:
    """`0.712 (0.651 to 0.768), n = 400 in 390 clusters`, or `12 of 400`, or both."""
    parts = []
    if check.found:
        n, clusters = check.found.n, check.found.clusters
        parts.append(f"{interval(check.found)}, n = {n:,} in {clusters:,} clusters")
    if check.count is not None:
        parts.append(f"{check.count:,} of {check.of:,}")
    return "; ".join(parts)


def number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def needed(check: Check) -> str:
    """`461 questions`: how many would settle a check, and of what; empty where it is not known."""
    if check.needed is None:
        return ""
    unit = "questions" if check.chance is not None else definition_of(check).unit
    return f"{check.needed:,} {unit}"


def limit(check: Check) -> str:
    """`0.42 to 0.58` for an accuracy on pairs, as telling far below one half as far above."""
    if check.limit is None:
        return ""
    if check.family == "shortcuts" and check.found and check.chance is None:
        return f"{1 - check.limit:g} to {check.limit:g}"
    return f"{check.limit:g}"


def link_to(row: str) -> str:
    """The address within the page that opens a pair."""
    return f"#pair={quote(row, safe='', errors='replace')}"
