"""An audit in a few tables: the accuracy of blind rules, what is undecided, and checks counted."""

from collections import Counter

from pairwright.audit.catalogue import definition_of
from pairwright.audit.page.formats import short
from pairwright.audit.records import Audit, Status
from pairwright.report import Table


def accuracy_rows(audit: Audit) -> list[tuple[str, ...]]:
    """How often each blind rule picks the chosen response: its name, the configuration, the
    accuracy with its interval, the number of pairs and the outcome."""
    rows: list[tuple[str, ...]] = []
    for check in audit.checks:
        if check.family != "shortcuts" or not check.found or not check.limit:
            continue
        if check.found.value is None:
            continue
        value, low, high = check.found.value, check.found.low, check.found.high
        interval = "" if low is None or high is None else f" ({low:.2f} to {high:.2f})"
        name, status = (text.replace("_", " ") for text in (check.name, check.status))
        accuracy, pairs = f"{value:.3f}{interval}", f"{check.found.n:,}"
        rows.append((name, short(check.config), accuracy, pairs, status))
    return rows


def undecided_table(audit: Audit) -> Table:
    """By check: in how many configurations, and the pairs that the least settled of them needs."""
    needs: dict[str, list[int | None]] = {}
    for check in audit.checks:
        if check.status == "too_few":
            needs.setdefault(definition_of(check).title, []).append(check.needed)
    rows = []
    for title, needed in needs.items():
        numbers = [n for n in needed if n is not None]
        most = f"{max(numbers):,}" if len(numbers) == len(needed) else "unknown"
        rows.append((title, f"{len(needed):,}", most))
    heads = ("", "configurations", "pairs of each that would settle it, about")
    return Table(heads, tuple(rows), note="too few pairs to decide")


def counts_table(audit: Audit) -> Table:
    """Checks by family and status; those of the last column decide nothing."""
    counts = Counter((check.family, check.status) for check in audit.checks)
    statuses: tuple[Status, ...] = ("fail", "too_few", "pass", "note")
    rows = (
        (family, *(f"{counts[family, status]:,}" for status in statuses))
        for family in dict.fromkeys(check.family for check in audit.checks)
    )
    heads = ("", "failed", "too few pairs", "passed", "noted")
    return Table(heads, tuple(rows), note="checks")
