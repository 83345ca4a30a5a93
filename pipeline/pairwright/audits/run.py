"""One pass over the pairs through every part of the audit."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from pairwright.audits import integrity
from pairwright.audits.balance import Balance, ComparedPairs, compare
from pairwright.audits.catalogue import decide
from pairwright.audits.human import Human
from pairwright.audits.leakage import leakage_checks
from pairwright.audits.leakage.corpora import corpus_texts
from pairwright.audits.people import people_checks
from pairwright.audits.people.scan import PersonalData
from pairwright.audits.read import PairSource, ReadRow, UnreadRow
from pairwright.audits.reader_guard import AuditPart, ReaderGuard
from pairwright.audits.records import (
    EXAMPLES,
    Audit,
    AuditSource,
    Breakdown,
    Check,
    LimitComparison,
)
from pairwright.audits.shortcuts import MAX_SHORTCUT, Shortcuts
from pairwright.audits.shortcuts.trials import BLIND
from pairwright.audits.tally import RowLocations, RowTally
from pairwright.dataset import Layout, Row, content_digest
from pairwright.dataset.address import ForgetList
from pairwright.errors import InputError
from pairwright.version import __version__
from pairwright_human_eval.public_study import ReleasedStudy, read_public

Progress = Callable[[str, int | None], None]
"""Called with the name of a step, and the number of rows read so far where it reads rows."""
EVERY = 100
"""Rows between two such calls."""


class Options(NamedTuple):
    """What an auditor may choose."""

    max_shortcut: float = MAX_SHORTCUT
    """The bound on blind accuracies, 0.5 to 1."""
    max_overlap: float | None = None
    """The bound on the accuracy of word overlap with the posts, 0.5 to 1; None: that which the
    release or run states, if it states one."""
    corpora: tuple[Path, ...] = ()
    """Files of texts that the pairs are compared with."""
    forgotten: ForgetList | None = None
    """What tombstones name; None where there is no list of them."""
    public: ReleasedStudy | None = None
    """What people said of a run's pairs. A release has its own."""
    max_aspects_overlap: float | None = None
    """The same as `max_overlap` of word overlap with the aspects."""


DEFAULT = Options()


def audit(
    source: PairSource,
    options: Options = DEFAULT,
    *,
    against: PairSource | None = None,
    progress: Progress = lambda _what, _rows: None,
) -> Audit:
    """Audit the pairs of a source: all checks with all their flags. `shortened` gives what
    audit.json keeps of it.

    `against` is measured by the same blind checks, for comparison. Raises InputError if a source or
    a corpus cannot be read, or a source holds no pairs.
    """
    # The last digits of a sum depend on how many threads share it.
    with threadpool_limits(1):
        parts = _Parts(source, options)
        places = RowLocations()

        def add(line: ReadRow) -> None:
            places.add(line.row, line.where)
            parts.add(line)

        own = _read(source, add, progress)
        checks = decide([*own.checks, *parts.checks(progress)])
        beside = None
        if against is not None:
            measured = ComparedPairs(source.name, parts.balance, _blind(checks))
            beside, compared = _compare(measured, against, options, progress)
            checks += compared if parts.counted else []
    return Audit(
        pairwright=__version__,
        source=own.source,
        max_shortcut=options.max_shortcut,
        against=beside,
        checks=tuple(places.checks(checks)),
        breakdowns=tuple(parts.breakdowns()) if parts.counted else (),
        simulated_decisions=parts.human.simulated,
        redactions=places.redactions(parts.people.redactions()),
    )


def shortened(whole: Audit) -> Audit:
    """An audit with the first EXAMPLES flags of each check."""
    checks = tuple(c.model_copy(update={"flags": c.flags[:EXAMPLES]}) for c in whole.checks)
    return whole.model_copy(update={"checks": checks})


class _Parts:
    """The parts of the audit of one source, in the order of the report."""

    def __init__(self, source: PairSource, options: Options) -> None:
        released = source.folder if source.kind == "release" else None
        self.balance = Balance()
        self.people = PersonalData()
        self.human = Human(options.public or (read_public(Layout(released)) if released else None))
        self._shortcuts = Shortcuts(
            max_shortcut=options.max_shortcut,
            max_overlap=options.max_overlap,
            max_aspects_overlap=options.max_aspects_overlap,
            study=source.info,
        )
        attribution = bool(source.info.attribution.strip())
        corpora = corpus_texts(options.corpora) if options.corpora else None
        self._parts = {
            "shortcuts": AuditPart([self._shortcuts]),
            "leakage": AuditPart(leakage_checks(corpora)),
            "integrity": AuditPart(new() for new in integrity.CHECKS),
            "people": AuditPart(
                people_checks(self.people, options.forgotten, has_attribution=attribution)
            ),
            "human": AuditPart([self.human]),
            "balance": AuditPart([self.balance]),
        }

    def add(self, line: ReadRow) -> None:
        for part in self._parts.values():
            part.add(line)

    @property
    def counted(self) -> bool:
        """Whether the balance has counted every row."""
        return not self._parts["balance"].failed

    def checks(self, progress: Progress) -> Iterator[Check | LimitComparison]:
        for name, part in self._parts.items():
            progress(name, None)
            yield from part.checks()

    def breakdowns(self) -> Iterator[Breakdown]:
        """Rows counted by their properties; sources with their accuracies, too."""
        # Where the shortcuts broke on a row, their figures are not whole.
        accuracies = {} if self._parts["shortcuts"].failed else self._shortcuts.by_source
        for one in self.balance.breakdowns():
            rows = tuple(
                row.model_copy(update={"accuracies": accuracies.get(row.name, {})})
                for row in one.rows
            )
            yield one.model_copy(update={"rows": rows}) if one.by == "source" else one


class _ReadSource(NamedTuple):
    """A source after it was read."""

    source: AuditSource
    checks: tuple[Check, ...]


def _compare(
    own: ComparedPairs, against: PairSource, options: Options, progress: Progress
) -> tuple[AuditSource, list[Check]]:
    balance = Balance()
    counts = ReaderGuard(balance)
    shortcuts = ReaderGuard(Shortcuts(max_shortcut=options.max_shortcut))

    def add(line: ReadRow) -> None:
        counts.add(line)
        shortcuts.add(line)

    read = _read(against, add, progress)
    progress("target", None)
    measured = ComparedPairs(against.name, balance, _blind(decide(shortcuts.checks())))
    if failures := [one.failure for one in (counts, shortcuts) if one.failure]:
        return read.source, [_of_other(failure, against.name) for failure in failures]
    return read.source, list(compare(own, measured))


def _of_other(failure: Check, name: str) -> Check:
    """The finding that a check of the other pairs could not be computed."""
    flags = tuple(flag.model_copy(update={"where": name}) for flag in failure.flags)
    return failure.model_copy(update={"detail": f"{name}: {failure.detail}", "flags": flags})


def _blind(checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks whose figure is an accuracy; the same family has shares and ratios, too."""
    return tuple(check for check in checks if check.name in BLIND)


def _read(source: PairSource, add: Callable[[ReadRow], None], progress: Progress) -> _ReadSource:
    """One pass: every row goes to `add` and into the digest."""
    tally = RowTally()

    def rows() -> Iterator[Row]:
        for line in source.read():
            if isinstance(line, UnreadRow):
                tally.unread(line)
                continue
            add(line)
            tally.row(line.row)
            if tally.rows % EVERY == 0:
                progress(source.name, tally.rows)
            yield line.row

    digest = content_digest(rows())
    if not tally.rows:
        raise InputError("holds no pairs", where=source.name, fix="Audit a source that has some.")
    return _ReadSource(tally.source(source, digest), tuple(tally.checks()))
