"""One pass over pairs through all checks, which gives an Audit."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Protocol, get_args

from threadpoolctl import threadpool_limits

from pairwright.assets import __version__
from pairwright.audits import comparisons, copies, texts
from pairwright.audits.accuracies import decide
from pairwright.audits.checks import DEFINITIONS, ROW_CHECKS, TABLE_CHECKS, Found, counted
from pairwright.audits.duplicates import NearDuplicates
from pairwright.audits.facts import Facts
from pairwright.audits.personal_data import PersonalData
from pairwright.audits.records import EXAMPLES, Audit, AuditSource, Check, Family, Flag
from pairwright.audits.rights import Licences
from pairwright.audits.shortcuts import Shortcuts
from pairwright.errors import InputError
from pairwright.pairs import MAX_SHORTCUT, TIE, PairSource, ReadRow
from pairwright.pairs.pairing import REASONS
from pairwright.pairs.read import NO_INFO
from pairwright.progress import Progress, Step
from pairwright.settings.rules import ReleaseInfo
from pairwright.sources.problems import Problems, SourceProblem

EVERY = 100
"""Rows between two calls of `progress`."""
_ORDER = {
    name: 0 if one.family in ("shortcuts", "baselines") else n
    for n, (name, one) in enumerate(DEFINITIONS.items())
}
"""The places of checks in the report; those of accuracies stay together by configuration."""
_CHECKS = (comparisons, copies, texts)
"""The files whose functions are checks."""


class _Stream(Protocol):
    """A check, or several that share their work, which keeps what it needs of each row."""

    def add(self, number: int, line: ReadRow) -> None: ...

    def checks(self, facts: Facts) -> Iterable[Check]: ...


class Examination:
    """All checks of one audit while its rows are read."""

    def __init__(
        self,
        max_shortcut: float = MAX_SHORTCUT,
        max_overlap: float | None = None,
        info: ReleaseInfo = NO_INFO,
        families: Collection[Family] = get_args(Family),
    ) -> None:
        """`info` is what the pairs state of themselves. Checks of other families are left out."""
        self.facts, self.people = Facts(), PersonalData()
        streams: list[tuple[Family, _Stream]] = [
            ("shortcuts", Shortcuts(max_shortcut, max_overlap)),
            ("leakage", NearDuplicates()),
            ("people", self.people),
            ("people", Licences(attributed=bool(info.attribution.strip()))),
        ]
        self._streams = [one for one in streams if one[0] in families]
        own = {name for name, one in DEFINITIONS.items() if one.family in families}
        self._rows = [(name, look, Found()) for name, look in ROW_CHECKS.items() if name in own]
        self._tables = {name: look for name, look in TABLE_CHECKS.items() if name in own}

    def add(self, line: ReadRow) -> None:
        """Examine one row."""
        number = len(self.facts)
        self.facts.add(line)
        for _, look, found in self._rows:
            found.add(number, look(line.row))
        for _, stream in self._streams:
            stream.add(number, line)

    def checks(self, progress: Progress = lambda _: None) -> list[Check]:
        """The findings after the last row, in the order of the report."""
        facts = self.facts
        checks = [counted(name, found, facts) for name, _, found in self._rows]
        for family, stream in self._streams:
            progress(Step(family))
            checks += stream.checks(facts)
        for name, compare in self._tables.items():
            found = compare(facts) if len(facts) else Found()
            if isinstance(found, Found):
                found = counted(name, found, facts)
            checks += filter(None, [found])
        return sorted(checks, key=lambda one: _ORDER[one.name])


def audit_pairs(
    source: PairSource,
    max_shortcut: float = MAX_SHORTCUT,
    max_overlap: float | None = None,
    *,
    progress: Progress = lambda _: None,
    look: Callable[[ReadRow], None] = lambda _line: None,
) -> Audit:
    """Audit the pairs of a source: all checks with all their flags. `shortened` gives what
    audit.json keeps of it.

    `max_shortcut` bounds blind accuracies, 0.5 to 1; `max_overlap` that of word overlap with the
    posts, which else has no bound. `look` is called with every row of the source as it is read.
    Raises InputError if a source cannot be read, or holds no pairs.
    """
    flags = dict[str, list[Flag]]()
    examination = Examination(max_shortcut, max_overlap, source.info)

    def show(one: SourceProblem) -> None:
        if len(flags.setdefault(one.reason, [])) < EXAMPLES:
            said = f"{REASONS[one.reason]}: {one.detail}"
            flags[one.reason].append(Flag(row=one.where, where=one.where, detail=said))

    problems, facts, digest = Problems(show), examination.facts, hashlib.sha256()
    with threadpool_limits(1):  # Else sums, and with them last digits, follow the machine.
        for number, line in enumerate(source.read(problems), start=1):
            look(line)
            examination.add(line)
            digest.update(line.row.line)
            if number % EVERY == 0:
                progress(Step(source.name, number, source.total))
        if not len(facts):
            fix = "Audit a source that has some."
            raise InputError("holds no pairs", where=source.name, fix=fix)
        found = [*_reading(source, problems, flags, len(facts)), *examination.checks(progress)]
    configs = facts.table["config"].value_counts().sort_index()
    return Audit(
        pairwright=__version__,
        source=AuditSource(
            name=source.name,
            kind=source.kind,
            version=source.version,
            digest=f"sha256:{digest.hexdigest()}",
            rows=len(facts),
            configs={str(name): int(n) for name, n in configs.items()},
            simulated=bool(facts.table["simulated"].any()),
            problems=problems.counts("refused"),
        ),
        max_shortcut=max_shortcut,
        checks=tuple(decide(sorted(found, key=lambda one: _ORDER[one.name]))),
        redactions=tuple(examination.people.redactions()),
    )


def _reading(
    source: PairSource, problems: Problems, flags: dict[str, list[Flag]], rows: int
) -> Iterator[Check]:
    """Checks of the columns and labels as they were read, and of rows that are not pairs."""
    unread = problems.of("refused")
    lost, ties = sum(one.n for one in unread), problems.counts("noted").get(TIE, 0)
    yield Check(
        family="integrity", name="unreadable_rows", status="fail" if lost else "pass", count=lost,
        of=rows + lost, limit=0,
        detail="; ".join(f"{REASONS[one.reason]}: {one.n:,}" for one in unread),
        flags=tuple(flag for one in unread for flag in flags[one.reason]),
    )  # fmt: skip
    if source.said:
        yield Check(
            family="integrity", name="read_as", status="note", of=rows,
            detail="; ".join(source.said),
        )  # fmt: skip
    if ties:
        yield Check(
            family="integrity", name="ties", status="note", count=ties, of=rows + ties,
            flags=tuple(flags[TIE]),
        )  # fmt: skip


def shortened(whole: Audit) -> Audit:
    """An audit with the first EXAMPLES flags of each check."""
    checks = (Check(**dict(check) | {"flags": check.flags[:EXAMPLES]}) for check in whole.checks)
    return Audit(**dict(whole) | {"checks": tuple(checks)})
