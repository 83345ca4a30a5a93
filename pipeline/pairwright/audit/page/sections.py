"""The sections below the verdict: plots, every check of each family, and what was audited."""

from collections.abc import Iterator

from pairwright.audit.catalogue import definition_of
from pairwright.audit.page.formats import (
    DETAIL,
    RESULTS,
    config_name,
    interval,
    limit,
    needed,
    number,
    short,
)
from pairwright.audit.page.plots import audit_plots
from pairwright.audit.records import Audit, AuditSource, Breakdown, Check, Family, Status
from pairwright.report import Block, Fold, Plot, Section, Table

MOST_CHECKS = 400
"""Rows of a table; audit.json has all."""
FOLD_TITLES: dict[Status, str] = {
    "too_few": "Too few pairs to decide", "pass": "Passed", "note": "Notes, which decide nothing",
}  # fmt: skip
"""Titles of the tables that a reader opens."""
TITLES: dict[Family, str] = {
    "shortcuts": "Shortcuts",
    "baselines": "Informed baselines",
    "leakage": "Leakage",
    "integrity": "Integrity",
    "people": "People and licences",
    "human": "Human verification",
    "balance": "Balance",
    "target": "Beside another release",
}
INTRODUCTIONS: dict[Family, str] = {
    "shortcuts": "What picks the chosen response without knowing the user. An accuracy far below"
    " one half is as telling as one far above, so the bound holds on both sides. A check fails"
    " where the whole interval lies beyond the bound, and passes where it lies within; intervals"
    " are by cluster (the users a pair is about), and hold for all estimates of the audit that"
    " decide (Holm). On twins such accuracies are one half by identity, so they are notes and"
    " decide nothing. Of questions with k options the figure is how often the right one is picked,"
    " and chance is 1 in k. Words that only one user's posts hold fail where the interval leaves"
    " out one half.",
    "baselines": "What word overlap with the user's posts or aspects picks. This is not a fault of"
    " the pairs: it is the floor that a scorer which reads the user has to pass. It decides only"
    " where the study or the auditor set a limit. Intervals of notes are 95 % intervals, each by"
    " itself.",
    "human": "Answers of annotators. Agreement, preferences and annotators are of the whole study,"
    " with pairs that are not here. Nobody verified pairs without votes.",
    "target": "Figures next to those of the pairs this was compared with. They decide nothing.",
}


def report_sections(audit: Audit) -> Iterator[Section]:
    """All sections with anything in them."""
    drawn = audit_plots(audit)
    yield Section("What was audited", tuple(_source(audit)))
    for family, title in TITLES.items():
        blocks = [*_family(audit, family, drawn)]
        if family == "balance":
            blocks += _balance(audit, drawn)
        if blocks:
            yield Section(title, tuple(blocks))


def _source(audit: Audit) -> Iterator[Block]:
    sources = [audit.source, *([audit.against] if audit.against else [])]
    head = ("", "these pairs", "compared with")[: 1 + len(sources)]
    values = [_facts(source) for source in sources]
    yield Table(
        head,
        tuple((name, *(facts[name] for facts in values)) for name in values[0]),
        left=len(head),
        note=f"Bound on the accuracy of blind checks: {audit.max_shortcut:g}. Audited by pairwright"
        f" {audit.pairwright}.",
    )
    yield from _problems(audit.source)


def _facts(source: AuditSource) -> dict[str, str]:
    return {
        "name": short(source.name, 100),
        "kind": {
            "release": "a release of Pairwright", "run": "a run folder",
            "official": "the official benchmark's schema", "plain": "plain files of pairs",
        }[source.kind],
        "version": short(source.version) or "not given",
        "pairs": f"{source.rows:,}",
        "configurations": f"{len(source.configs):,}",
        "simulated": "yes" if source.simulated else "no",
        "digest of its rows": short(source.digest, 32),
    }  # fmt: skip


def _problems(source: AuditSource) -> Iterator[Block]:
    if source.problems:
        rows = [(short(why, 120), f"{n:,}") for why, n in source.problems.items()]
        yield Table(("rows that could not be read", "n"), tuple(rows))


def _family(audit: Audit, family: Family, drawn: dict[str, Plot]) -> Iterator[Block]:
    checks = [check for check in audit.checks if check.family == family]
    if not checks:
        return
    if family in INTRODUCTIONS:
        yield INTRODUCTIONS[family]
    if family in drawn:
        yield drawn[family]
    by = {status: [check for check in checks if check.status == status] for status in FOLD_TITLES}
    failed = [check for check in checks if check.status == "fail"]
    if len(by["note"]) == len(checks):
        yield _checks(checks)
    else:
        yield _checks(failed) if failed else "Nothing fails here."
        for status, words in FOLD_TITLES.items():
            if by[status]:
                yield Fold(f"{words}: {len(by[status]):,}", (_checks(by[status]),))
    yield Fold("What is looked for, why, and what to do", (_words(checks),))


def _words(checks: list[Check]) -> Table:
    words = dict.fromkeys(definition_of(check) for check in checks)
    return Table(
        ("check", "why it matters", "what to do"),
        tuple((one.title, one.why, one.todo) for one in words),
        left=3,
    )


def _checks(checks: list[Check]) -> Table:
    """Columns without any value are left out, and the result where none decides anything."""
    head = ("result", "check", "of", "detail", "found (interval)", "n", "clusters", "rows", "limit",
            "needed, about")  # fmt: skip
    rows = [_row(check) for check in checks[:MOST_CHECKS]]
    decide = any(check.status != "note" for check in checks)
    kept = [n for n in range(len(head)) if (n or decide) and any(row[n] for row in rows)]
    further = (
        f"{len(checks) - MOST_CHECKS:,} further in audit.json." if len(checks) > MOST_CHECKS else ""
    )
    return Table(
        tuple(head[n] for n in kept),
        tuple(tuple(row[n] for n in kept) for row in rows),
        left=sum(n < 4 for n in kept),
        note=further,
    )


def _row(check: Check) -> tuple[str, ...]:
    estimate = check.found
    return (
        RESULTS[check.status],
        definition_of(check).title,
        config_name(check.config),
        short(check.detail, DETAIL),
        interval(estimate),
        number(estimate.n if estimate else None),
        number(estimate.clusters if estimate else None),
        "" if check.count is None else f"{check.count:,} of {check.of:,}",
        limit(check),
        needed(check),
    )


def _balance(audit: Audit, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield from (drawn[name] for name in ("counts", "lengths") if name in drawn)
    for breakdown in audit.breakdowns:
        table = _breakdown(breakdown)
        yield Fold(f"By {breakdown.by}", (table,)) if len(table.rows) > 1 else table


def _breakdown(breakdown: Breakdown) -> Table:
    names = dict.fromkeys(name for row in breakdown.rows for name in row.accuracies)
    return Table(
        (breakdown.by, "pairs", "users", "words chosen", "words rejected",
         *(name.replace("_", " ") for name in names)),
        tuple(
            (
                short(row.name) or "none", f"{row.pairs:,}", f"{row.users:,}",
                _mean_of(row.chosen_words), _mean_of(row.rejected_words),
                *(interval(row.accuracies.get(name)) for name in names),
            )
            for row in breakdown.rows
        ),
        note=f"{breakdown.left_out:,} less frequent ones are left out."
        if breakdown.left_out
        else "",
    )  # fmt: skip


def _mean_of(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.1f}"
