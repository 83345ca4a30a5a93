"""The top of an audit: failed checks, why they matter and what to do; the table of accuracies that
a terminal shows; and how values are written."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from urllib.parse import quote

from pairwright.audits.catalogue import definition_of
from pairwright.audits.records import Audit, Check, CheckDefinition, Flag
from pairwright.modes import MODES
from pairwright.pages.markdown import Table
from pairwright.text import number_of, visible

LINES = 12
"""Configurations of a finding that have a line of their own."""

FailedCheck = tuple[CheckDefinition, list[str], list[Flag]]
"""A failed check over the configurations that it failed in: its words, a line for each
configuration, with what was found and the limit, and the rows that it names."""


class AuditVerdict(NamedTuple):
    """The audit in two sentences, and its findings."""

    status: Literal["fail", "pass", "open"]
    headline: str
    overlap: str
    """What word overlap solves, whatever the checks say; empty where that is not measured."""
    findings: tuple[FailedCheck, ...]


def audit_verdict(audit: Audit) -> AuditVerdict:
    """`open`: nothing failed, but not every check could be decided."""
    counts = Counter(check.status for check in audit.checks)
    deciding = sum(n for status, n in counts.items() if status != "note")
    undecided = counts["too_few"]
    if counts["fail"]:
        headline = f"Fail: {counts['fail']:,} of {deciding:,} checks"
    elif undecided:
        headline = f"No check fails, and {undecided:,} of {deciding:,} have too few pairs to decide"
    else:
        headline = f"Pass: all {deciding:,} checks"
    by_name: dict[str, list[Check]] = {}
    for check in audit.failed:
        by_name.setdefault(check.name, []).append(check)
    return AuditVerdict(
        status="fail" if counts["fail"] else "open" if undecided else "pass",
        headline=headline,
        overlap="; ".join(_overlap(audit)),
        findings=tuple(map(_finding, by_name.values())),
    )


def _overlap(audit: Audit) -> Iterator[str]:
    """How much of each mode those solve who count words that a response shares with the posts."""
    found = {(one.name, one.config): one.found for one in audit.checks}
    for mode in (*MODES, None):
        config = f"mode {mode}" if mode else ""
        if overlap := found.get(("profile_overlap", config)):
            weighed = found.get(("profile_tfidf", config))
            words = f"word overlap with the posts is right in {overlap.percent()} of"
            pairs = number_of(overlap.n, "pair") + (f" of mode {mode}" if mode else "")
            yield f"{words} {pairs}" + (f", tf-idf in {weighed.percent()}" if weighed else "")


def warnings(audit: Audit) -> Iterator[str]:
    """Sentences that a reader must know before the figures."""
    source = audit.source
    trial = f"TRIAL, version {short(source.version)}" if source.version.endswith("-trial") else ""
    if source.simulated:
        yield (
            f"{' '.join(filter(None, ('SIMULATED', trial)))}: simulated annotators decided"
            " on these pairs. They show how the tool works, and are evidence of nothing."
        )
    elif trial:
        yield f"A {trial}: it may hold pairs that nobody verified, and is no ordinary release."
    if unread := sum(source.problems.values()):
        are = "is" if unread == 1 else "are"
        yield f"{number_of(unread, 'row')} could not be read and {are} part of no number below."


def _finding(checks: Sequence[Check]) -> FailedCheck:
    lines = [_line(check) for check in checks[:LINES]]
    if len(checks) > LINES:
        lines.append(f"and in {len(checks) - LINES:,} further configurations")
    flags = list(dict.fromkeys(flag for check in checks for flag in check.flags))
    return definition_of(checks[0]), lines, flags


def _line(check: Check) -> str:
    parts = [measured(check), f"limit {limit(check)}" if check.limit is not None else ""]
    line = f"{config_name(check.config)}: {'; '.join(filter(None, parts)) or 'failed'}."
    return f"{line} {short(check.detail, 300)}" if check.detail else line


def accuracy_table(audit: Audit) -> Table:
    """How often each blind rule picks the chosen response: with the configuration if there are any,
    the outcome, the accuracy with its interval, and the number of pairs, or of questions."""
    rows: list[tuple[str, ...]] = []
    for check in audit.checks:
        if check.family == "shortcuts" and check.limit and check.found and check.found.n:
            name, status = (text.replace("_", " ") for text in (check.name, check.status))
            pairs = f"{check.found.n:,}"
            rows.append((name, short(check.config), status, check.found.text(2), pairs))
    asked = any(check.chance is not None and check.chance < 0.5 for check in audit.checks)
    heads = ["", "configuration", "", "accuracy", "questions" if asked else "pairs"]
    if not any(config for _, config, *_ in rows):
        heads, rows = heads[:1] + heads[2:], [row[:1] + row[2:] for row in rows]
    return Table(tuple(heads), tuple(rows), len(heads) - 2, "accuracy without the user")


def short(text: str, most: int = 60) -> str:
    """One line without invisible characters, cut to `most` characters."""
    line = " ".join(visible(text[: 4 * most]).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def config_name(config: str) -> str:
    """A configuration's name, or that it is all of them."""
    return short(config) if config else "all"


def measured(check: Check) -> str:
    """`0.712 (0.651 to 0.768), n = 400 in 390 clusters`, or `12 of 400`, or both."""
    parts = []
    if check.found:
        n, clusters = check.found.n, check.found.clusters
        parts.append(f"{check.found.text()}, n = {n:,} in {clusters:,} clusters")
    if check.count is not None:
        parts.append(f"{check.count:,} of {check.of:,}")
    return "; ".join(parts)


def needed(check: Check) -> str:
    """`461 questions`: how many would settle a check; empty where it is not known."""
    if check.needed is None:
        return ""
    return f"{check.needed:,} {'questions' if check.chance is not None else 'pairs'}"


def limit(check: Check) -> str:
    """`0.42 to 0.58` for an accuracy on pairs, as telling far below one half as far above."""
    if check.limit is None:
        return ""
    if check.family == "shortcuts" and check.found and check.chance is None:
        return f"{1 - check.limit:.3g} to {check.limit:.3g}"
    return f"{check.limit:.3g}"


def link_to(row: str) -> str:
    """The address within the page that opens a pair."""
    return f"#pair={quote(row, safe='', errors='replace')}"
