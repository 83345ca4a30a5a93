"""One pass over the pairs through every part of the audit.

Where a check fails on a row, that is a finding, and the audit goes on.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from traceback import extract_tb
from typing import NamedTuple

from pairwright.audits import integrity
from pairwright.audits.balance import Balance, ComparedPairs, compare
from pairwright.audits.catalogue import decide
from pairwright.audits.human import Human
from pairwright.audits.leakage import leakage_checks
from pairwright.audits.leakage.corpora import corpus_texts
from pairwright.audits.people import people_checks
from pairwright.audits.people.scan import PersonalData, public_id
from pairwright.audits.read import PairSource, ReadRow
from pairwright.audits.read.source import REASONS, TIE
from pairwright.audits.records import (
    EXAMPLES,
    Audit,
    Breakdown,
    Check,
    Flag,
    LimitComparison,
    RowReader,
)
from pairwright.audits.shortcuts import MAX_SHORTCUT, Shortcuts
from pairwright.audits.shortcuts.trials import BLIND
from pairwright.dataset import AuditSource, Layout, Row, content_digest
from pairwright.dataset.address import ForgetList
from pairwright.errors import InputError, PairwrightError
from pairwright.sources.problems import SourceProblem
from pairwright.threads import one_thread
from pairwright.version import __version__
from pairwright_human_eval.public_study import ReleasedStudy, read_public

AuditProgress = Callable[[str, int | None], None]
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
    progress: AuditProgress = lambda _what, _rows: None,
    look: Callable[[ReadRow], None] = lambda _line: None,
) -> Audit:
    """Audit the pairs of a source: all checks with all their flags. `shortened` gives what
    audit.json keeps of it.

    `against` is measured by the same blind checks, for comparison. `look` is called with every row
    of the source as it is read. Raises InputError if a source or
    a corpus cannot be read, or a source holds no pairs.
    """
    with one_thread():
        parts = _Parts(source, options)
        places = RowLocations()

        def add(lines: Sequence[ReadRow]) -> None:
            for line in lines:
                look(line)
                places.add(line.row, line.where)
            parts.add(lines)

        read, unread = _read(source, add, progress)
        checks = decide([*unread, *parts.checks(progress)])
        beside = None
        if against is not None:
            measured = ComparedPairs(source.name, parts.balance, _blind(checks))
            beside, compared = _compare(measured, against, options, progress)
            checks += compared if parts.counted else []
    return Audit(
        pairwright=__version__,
        source=read,
        max_shortcut=options.max_shortcut,
        against=beside,
        checks=tuple(map(places.located, checks)),
        breakdowns=tuple(parts.breakdowns()) if parts.counted else (),
        simulated_decisions=parts.human.simulated,
        redactions=tuple(
            one.model_copy(update={"where": places.place(one.row)})
            for one in parts.people.redactions()
        ),
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
            most_shared_words=source.most_shared_words,
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

    def add(self, lines: Sequence[ReadRow]) -> None:
        for part in self._parts.values():
            part.add(lines)

    @property
    def counted(self) -> bool:
        """Whether the balance has counted every row."""
        return not self._parts["balance"].failures

    def checks(self, progress: AuditProgress) -> Iterator[Check | LimitComparison]:
        for name, part in self._parts.items():
            progress(name, None)
            yield from part.checks()

    def breakdowns(self) -> Iterator[Breakdown]:
        """Rows counted by their properties; sources with their accuracies, too."""
        # Where the shortcuts broke on a row, their figures are not whole.
        accuracies = {} if self._parts["shortcuts"].failures else self._shortcuts.by_source
        for one in self.balance.breakdowns():
            rows = tuple(
                row.model_copy(update={"accuracies": accuracies.get(row.name, {})})
                for row in one.rows
            )
            yield one.model_copy(update={"rows": rows}) if one.by == "source" else one


def _compare(
    own: ComparedPairs, against: PairSource, options: Options, progress: AuditProgress
) -> tuple[AuditSource, list[Check]]:
    balance = Balance()
    counts = AuditPart([balance])
    shortcuts = AuditPart([Shortcuts(max_shortcut=options.max_shortcut)])

    def add(lines: Sequence[ReadRow]) -> None:
        counts.add(lines)
        shortcuts.add(lines)

    read, _ = _read(against, add, progress)
    progress("target", None)
    measured = ComparedPairs(against.name, balance, _blind(decide(shortcuts.checks())))
    failures = [
        failure.model_copy(
            update={
                "detail": f"{against.name}: {failure.detail}",
                "flags": tuple(
                    flag.model_copy(update={"where": against.name}) for flag in failure.flags
                ),
            }
        )
        for failure in (*counts.failures.values(), *shortcuts.failures.values())
    ]
    return read, failures or list(compare(own, measured))


def _blind(checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks whose figure is an accuracy; the same family has shares and ratios, too."""
    return tuple(check for check in checks if check.name in BLIND)


TOGETHER = 16
"""Rows that one check sees before the next one does: the code of a check, and the words of so few
texts, stay in a processor's cache."""


def _read(
    source: PairSource, add: Callable[[Sequence[ReadRow]], None], progress: AuditProgress
) -> tuple[AuditSource, list[Check]]:
    """One pass: every row goes to `add`, few at a time, and into the digest; and what could not be
    read."""
    rows, simulated = 0, False
    configs: Counter[str] = Counter()
    unread: Counter[str] = Counter()
    examples: list[SourceProblem] = []

    def read_rows() -> Iterator[Row]:
        nonlocal rows, simulated
        waiting: list[ReadRow] = []
        for line in source.read():
            if isinstance(line, SourceProblem):
                unread[line.reason] += 1
                if unread[line.reason] <= EXAMPLES:
                    examples.append(line)
                continue
            waiting.append(line)
            if len(waiting) == TOGETHER:
                add(waiting)
                waiting = []
            rows += 1
            configs[line.row.config] += 1
            simulated |= line.row.simulated
            if rows % EVERY == 0:
                progress(source.name, rows)
            yield line.row
        add(waiting)

    digest = content_digest(read_rows())
    if not rows:
        raise InputError("holds no pairs", where=source.name, fix="Audit a source that has some.")
    tied = unread.pop(TIE, 0)
    read = AuditSource(
        name=source.name,
        kind=source.kind,
        version=source.version,
        digest=digest,
        rows=rows,
        configs=dict(sorted(configs.items())),
        simulated=simulated,
        problems=dict(sorted(unread.items())),
    )
    faults = [
        one.model_copy(
            update={"detail": ": ".join(filter(None, (REASONS[one.reason], one.detail)))}
        )
        for one in examples
        if one.reason != TIE
    ]
    checks = [
        Check(
            family="integrity",
            name="unreadable_rows",
            status="fail" if unread else "pass",
            count=unread.total(),
            of=rows + unread.total(),
            limit=0,
            detail="; ".join(f"{REASONS[why]}: {n:,}" for why, n in unread.most_common()),
            flags=_flags(faults),
        )
    ]
    if tied:
        ties = _flags([one for one in examples if one.reason == TIE])
        checks.append(
            Check(
                family="integrity", name="ties", status="note", count=tied, of=rows + tied,
                flags=ties,
            )
        )  # fmt: skip
    return read, checks


def _flags(unread: Iterable[SourceProblem]) -> tuple[Flag, ...]:
    return tuple(Flag(row=one.where, detail=one.detail, where=one.where) for one in unread)


MOST_PLACES = 3
"""Places that are listed of one id; a source may repeat one row thousands of times."""


class RowLocations:
    """The places of all rows, collected while an audit reads them."""

    def __init__(self) -> None:
        self._rows = 0
        self._places: dict[str, list[str]] = {}
        self._further: dict[str, int] = {}

    def add(self, row: Row, where: str) -> None:
        """Note the place of one more row, after those before: `file:line`, counted from 1."""
        self._rows += 1
        name = public_id(row.id, self._rows)
        places = self._places.setdefault(name, [])
        if len(places) < MOST_PLACES:
            places.append(where)
        else:
            self._further[name] = self._further.get(name, 0) + 1

    def place(self, row: str) -> str:
        """The place of the row that has this id, or of all that share it:
        `pairs.jsonl:3, pairs.jsonl:9`. Empty where there is no such row."""
        listed = ", ".join(self._places.get(row, ()))
        further = self._further.get(row)
        return f"{listed} and {further:,} more" if further else listed

    def located(self, check: Check) -> Check:
        """The same check, with the place of every row that it names."""
        flags = tuple(
            flag.model_copy(update={"where": flag.where or self.place(flag.row)})
            for flag in check.flags
        )
        return check.model_copy(update={"flags": flags}) if flags else check


_CODE = Path(__file__).parents[1]


class AuditPart:
    """Checks that a report has together. Where one breaks, it becomes a failed `not_computed`.

    After an error a check looks at no further row, and gives no figure: what it counted by then is
    not whole. Errors that the auditor must mend, and those of memory and disk, end the audit.
    """

    def __init__(self, readers: Iterable[RowReader]) -> None:
        self._readers = list(readers)
        self.failures: dict[RowReader, Check] = {}
        """What broke, in place of its checks."""

    def add(self, lines: Sequence[ReadRow]) -> None:
        """Show some rows to every check."""
        for reader in self._readers:
            for line in lines:
                if reader in self.failures:
                    break
                try:
                    reader.add(line)
                except (PairwrightError, MemoryError, OSError):
                    raise
                except Exception as error:
                    self.failures[reader] = _not_computed(reader, error, line.row)

    def checks(self) -> Iterator[Check | LimitComparison]:
        """What every check found, after the last row, or that it could not be computed."""
        for reader in self._readers:
            found: list[Check | LimitComparison] = []
            if reader not in self.failures:
                try:
                    found = list(reader.checks())
                except (PairwrightError, MemoryError, OSError):
                    raise
                except Exception as error:
                    self.failures[reader] = _not_computed(reader, error)
            yield from [self.failures[reader]] if reader in self.failures else found


def _not_computed(reader: RowReader, error: Exception, row: Row | None = None) -> Check:
    """The finding names the line of the program, and no text: an error's may quote the row."""
    frames = extract_tb(error.__traceback__)
    frame = next(one for one in reversed(frames) if Path(one.filename).is_relative_to(_CODE))
    detail = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
    return Check(
        family="integrity",
        name="not_computed",
        status="fail",
        detail=f"{detail}; not computed: {', '.join(reader.names)}",
        flags=(Flag(row=row.id, detail=detail),) if row else (),
    )
