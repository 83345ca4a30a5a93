"""The summary of an audit: failed checks, and whether the label can be guessed without the user;
and the format of values."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from urllib.parse import quote

from pairwright.audits.checks import DEFINITIONS
from pairwright.audits.records import Audit, Check, CheckDefinition, Flag, Status
from pairwright.audits.shortcuts import MIRRORED
from pairwright.modes import MODES
from pairwright.pages import Table
from pairwright.text import number_of, visible

LINES = 12
"""Configurations of a finding that have a line of their own."""
QUESTION = "Can the label be guessed without the user?"
LABELS = {
    "length": "the longer response", "markup": "more markup",
    "breaks_off": "the response that breaks off", "bag_of_words": "a bag of words",
    "question_overlap": "more of the question's words",
    "key_place": "always one place", "blind_preference": "a judge without the user",
    "profile_overlap": "overlap with the posts", "profile_tfidf": "tf-idf similarity to the posts",
}  # fmt: skip
"""Ways of choosing, by check."""
VERDICTS: dict[Status, str] = {
    "fail": "fails", "too_few": "needs more pairs", "pass": "passes", "note": "no limit"
}  # fmt: skip

FailedCheck = tuple[CheckDefinition, list[str], list[Flag]]
"""A failed check over the configurations that it failed in: its words, a line for each
configuration, with what was found and the limit, and the rows that it names."""


class AuditVerdict(NamedTuple):
    """The audit in a few sentences, and its findings."""

    status: Literal["fail", "pass", "open"]
    """`open`: nothing failed, but not every check could be decided."""
    headline: str
    guess: str
    """The answer to QUESTION."""
    overlap: str
    """The accuracy of word overlap, whatever the checks say; empty if it is not measured."""
    findings: tuple[FailedCheck, ...]


def audit_verdict(audit: Audit) -> AuditVerdict:
    """The verdict of an audit."""
    counts = Counter(check.status for check in audit.checks)
    deciding = counts.total() - counts["note"]
    failed, undecided = counts["fail"], counts["too_few"]
    more = f" ({undecided:,} {'needs' if undecided == 1 else 'need'} more pairs)"
    headline = f"{failed:,} of {number_of(deciding, 'check')} fail{'s' * (failed == 1)}"
    if not failed:
        headline = f"No fault found in {number_of(deciding, 'check')}"
    return AuditVerdict(
        status="fail" if failed else "open" if undecided else "pass",
        headline=headline + (more if undecided else ""),
        guess=_guess(audit),
        overlap="; ".join(_overlap(audit)),
        findings=tuple(map(_finding, _by_name(audit, "fail").values())),
    )


def _by_name(audit: Audit, status: Status) -> dict[str, list[Check]]:
    """The checks with this status, over all configurations."""
    by_name: dict[str, list[Check]] = {}
    for check in audit.checks:
        if check.status == status:
            by_name.setdefault(check.name, []).append(check)
    return by_name


def guesses(audit: Audit) -> list[Check]:
    """The configuration with the worst outcome, for each way of choosing without the user."""
    worst: dict[str, Check] = {}
    for check in audit.checks:
        if check.family == "shortcuts" and check.limit and check.found and check.found.n:
            worst[check.name] = max(worst.get(check.name, check), check, key=_badness)
    return list(worst.values())


def _badness(check: Check) -> tuple[int, float]:
    """The severity of a check's outcome: by its status, then by the distance from chance."""
    order = ("note", "pass", "too_few", "fail")
    value = check.found.value if check.found else None
    chance = 0.5 if check.chance is None else check.chance
    distance = 0.0 if value is None else value - chance
    return order.index(check.status), abs(distance) if check.chance is None else distance


def _guess(audit: Audit) -> str:
    ways = guesses(audit)
    if ways:
        counts = Counter(check.status for check in ways)
        if counts["fail"]:
            worst = max(ways, key=_badness)
            value = worst.found.text(2) if worst.found else ""
            worst_way = f"the worst is {LABELS.get(worst.name, worst.name)}, {value}"
            return f"Yes, by {counts['fail']} of {number_of(len(ways), 'way')}; {worst_way}."
        if counts["too_few"]:
            few = f"{counts['too_few']} of {number_of(len(ways), 'way')}"
            return f"Not decided: {few} {'needs' if counts['too_few'] == 1 else 'need'} more pairs."
        return f"No: none of {number_of(len(ways), 'way')} is right more often than allowed."
    if any(MIRRORED in check.detail for check in audit.checks):
        return "No: each pair is there with swapped sides, too, which makes exactly 50 %."
    if any(check.name == "twin_shared_words" for check in audit.checks):
        return "No: on complete twins, whoever cannot see the user is right in exactly 50 %."
    return "Not measured."


def _overlap(audit: Audit) -> Iterator[str]:
    """The accuracy of counting words that a response shares with the posts, by mode."""
    found = {(one.name, one.config): one.found for one in audit.checks}
    for mode in (*MODES, None):
        config = f"mode {mode}" if mode else ""
        if overlap := found.get(("profile_overlap", config)):
            weighed = found.get(("profile_tfidf", config))
            pairs = number_of(overlap.n, "pair") + (f" of mode {mode}" if mode else "")
            also = f", tf-idf similarity in {weighed.percent()}" if weighed else ""
            yield f"word overlap with the posts is right in {overlap.percent()} of {pairs}{also}"


def _finding(checks: Sequence[Check]) -> FailedCheck:
    lines = []
    for check in checks[:LINES]:
        bound = f"limit {limit(check)}" if check.limit is not None else ""
        found = "; ".join(filter(None, (measured(check), bound))) or "failed"
        detail = f" {short(check.detail, 300)}" if check.detail else ""
        lines.append(f"{short(check.config) or 'all'}: {found}.{detail}")
    if len(checks) > LINES:
        lines.append(f"and in {len(checks) - LINES:,} further configurations")
    flags = list(dict.fromkeys(flag for check in checks for flag in check.flags))
    return DEFINITIONS[checks[0].name], lines, flags


def warnings(audit: Audit) -> Iterator[str]:
    """Sentences that a reader must know before the figures."""
    source = audit.source
    trial = f"TRIAL, version {short(source.version)}" if source.version.endswith("-trial") else ""
    if source.simulated:
        yield (
            f"{' '.join(filter(None, ('SIMULATED', trial)))}: a program answered instead of"
            " people. These figures describe the simulation."
        )
    elif trial:
        yield f"A {trial}: it may hold pairs that nobody verified, and is no ordinary release."
    if unread := sum(source.problems.values()):
        are = "is" if unread == 1 else "are"
        yield f"{number_of(unread, 'row')} could not be read and {are} part of no number below."


# Tables


def guess_table(audit: Audit) -> Table:
    """The accuracy of each way of choosing without the user, in its worst configuration."""
    ways = guesses(audit)
    units = "questions" if any(one.chance is not None for one in ways) else "pairs"
    columns: dict[str, Sequence[str]] = {
        "way of choosing": [LABELS.get(one.name, one.name) for one in ways],
        "accuracy": [one.found.text(2) if one.found else "" for one in ways],
        "": [VERDICTS[one.status] for one in ways],
        "allowed": [limit(one) for one in ways],
        "worst in": [short(one.config, 30) for one in ways],
        units: [f"{one.of:,}" for one in ways],
    }
    if not any(columns["worst in"]):
        del columns["worst in"]
    return Table(tuple(columns), tuple(zip(*columns.values(), strict=True)), 1, "")


def check_lines(audit: Audit, status: Status) -> list[tuple[str, str, str]]:
    """A line per check with this status: its title, the finding in the worst configuration, and an
    explanation."""
    lines = []
    for name, checks in _by_name(audit, status).items():
        worst = max(checks, key=_badness)
        found = worst.found.text(2) if worst.found else f"{worst.count or 0:,} of {worst.of:,}"
        several = f", worst of {len(checks)}" if len(checks) > 1 else ""
        note = short(worst.detail, 60) if status == "note" else ""
        lines.append((DEFINITIONS[name].title, found + several, note))
    return lines


# Values


def short(text: str, most: int = 60) -> str:
    """One line without invisible characters, cut to `most` characters."""
    line = " ".join(visible(text[: 4 * most]).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def measured(check: Check) -> str:
    """`0.712 (0.651 to 0.768), n = 400 in 390 clusters`, or `12 of 400`, or both."""
    parts = []
    if check.found:
        n, clusters = check.found.n, check.found.clusters
        within = f" in {clusters:,} clusters" if clusters != n else ""
        parts.append(f"{check.found.text()}, n = {n:,}{within}")
    if check.count is not None:
        parts.append(f"{check.count:,} of {check.of:,}")
    return "; ".join(parts)


def limit(check: Check) -> str:
    """`0.42 to 0.58` for an accuracy on pairs: far below .5 predicts as well as far above."""
    if check.limit is None:
        return ""
    if check.family == "shortcuts" and check.found and check.chance is None:
        return f"{1 - check.limit:.3g} to {check.limit:.3g}"
    return f"{check.limit:.3g}"


def link_to(row: str) -> str:
    """The address within the page that opens a pair."""
    return f"#pair={quote(row, safe='', errors='replace')}"
