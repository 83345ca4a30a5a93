"""One pass over the pairs through every part of the audit."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from pairwright.audit.balance import Balance
from pairwright.audit.family import decided
from pairwright.audit.human import Human
from pairwright.audit.integrity import Integrity
from pairwright.audit.leakage import Leakage
from pairwright.audit.people import People
from pairwright.audit.places import RowPlaces
from pairwright.audit.read import Found, PairSource, Unread
from pairwright.audit.read.corpus import corpus_texts
from pairwright.audit.records import EXAMPLES, Audit, Check, Comparison, Part, Source
from pairwright.audit.shortcuts import MAX_SHORTCUT, Shortcuts
from pairwright.audit.shortcuts.trials import BLIND
from pairwright.audit.tally import EXPLAINED, Tally
from pairwright.audit.target import Measured, compare
from pairwright.dataset import Layout, Row, content_digest
from pairwright.dataset.tombstones import ForgetList
from pairwright.errors import InputError
from pairwright.version import __version__
from pairwright_human_eval.public import Public, read_public

__all__ = ["EXPLAINED", "Options", "Progress", "audit", "shortened"]
Progress = Callable[[str, int | None], None]
"""Called with what is being done, and how many rows were read where rows are."""
EVERY = 100
"""Rows between two such calls."""


class Options(NamedTuple):
    """What an auditor may choose."""

    max_shortcut: float = MAX_SHORTCUT
    """The bound on blind accuracies, 0.5 to 1."""
    corpora: tuple[Path, ...] = ()
    """Files of texts that the pairs are held against."""
    forgotten: ForgetList | None = None
    """What tombstones name; None where there is no list of them."""
    public: Public | None = None
    """What people said of a run's pairs. A release has its own."""


DEFAULT = Options()


def audit(
    source: PairSource,
    options: Options = DEFAULT,
    *,
    against: PairSource | None = None,
    progress: Progress = lambda _what, _rows: None,
) -> Audit:
    """Everything that is found, with every flag; `shortened` is what a file keeps of it.

    `against` is measured by the same blind checks, and its figures stand beside. Raises InputError
    where a source or a corpus cannot be read, or a source holds no pair.
    """
    # The last digits of a sum depend on how many threads share it.
    with threadpool_limits(1):
        parts = _Parts(source, options)
        places = RowPlaces()

        def add(found: Found) -> None:
            places.add(found.row, found.where)
            parts.add(found)

        own = _read(source, add, progress)
        checks = decided([*own.checks, *parts.checks(progress)])
        beside = None
        if against is not None:
            measured = Measured(source.name, parts.balance, _blind(checks))
            beside, compared = _compared(measured, against, options, progress)
            checks += compared
    return Audit(
        pairwright=__version__,
        source=own.source,
        max_shortcut=options.max_shortcut,
        against=beside,
        checks=tuple(places.checks(checks)),
        breakdowns=parts.balance.breakdowns(),
        simulated_decisions=parts.human.simulated,
        redactions=places.redactions(parts.people.redactions()),
    )


def shortened(found: Audit) -> Audit:
    """With the first EXAMPLES flags of each check."""
    checks = tuple(c.model_copy(update={"flags": c.flags[:EXAMPLES]}) for c in found.checks)
    return found.model_copy(update={"checks": checks})


class _Parts:
    """All that is looked for, in the order of the report."""

    def __init__(self, source: PairSource, options: Options) -> None:
        released = source.folder if source.kind == "release" else None
        self.balance, self.people = Balance(), People(options.forgotten)
        self.human = Human(options.public or (read_public(Layout(released)) if released else None))
        self._leakage = Leakage(corpus_texts(options.corpora) if options.corpora else None)
        self._parts: dict[str, Part] = {
            "shortcuts": Shortcuts(max_shortcut=options.max_shortcut),
            "leakage": self._leakage,
            "integrity": Integrity(),
            "people": self.people,
            "human": self.human,
            "balance": self.balance,
        }

    def add(self, found: Found) -> None:
        for part in self._parts.values():
            if part is self._leakage:
                self._leakage.add(found.row, found.split)
            else:
                part.add(found.row)

    def checks(self, progress: Progress) -> Iterator[Check | Comparison]:
        for name, part in self._parts.items():
            progress(name, None)
            yield from part.checks()


class _Own(NamedTuple):
    """A source after it was read."""

    source: Source
    checks: tuple[Check, ...]


def _compared(
    own: Measured, against: PairSource, options: Options, progress: Progress
) -> tuple[Source, list[Check]]:
    balance, shortcuts = Balance(), Shortcuts(max_shortcut=options.max_shortcut)

    def add(found: Found) -> None:
        balance.add(found.row)
        shortcuts.add(found.row)

    read = _read(against, add, progress)
    progress("target", None)
    measured = Measured(against.name, balance, _blind(decided(shortcuts.checks())))
    return read.source, list(compare(own, measured))


def _blind(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Those that are accuracies; shares and ratios stand in the same family."""
    return tuple(check for check in checks if check.name in BLIND)


def _read(source: PairSource, add: Callable[[Found], None], progress: Progress) -> _Own:
    """One pass: every row goes to `add` and into the digest."""
    tally = Tally()

    def rows() -> Iterator[Row]:
        for found in source.read():
            if isinstance(found, Unread):
                tally.unread(found)
                continue
            add(found)
            tally.row(found.row)
            if tally.rows % EVERY == 0:
                progress(source.name, tally.rows)
            yield found.row

    digest = content_digest(rows())
    if not tally.rows:
        raise InputError("holds no pairs", where=source.name, fix="Audit a source that has some.")
    return _Own(tally.source(source, digest), tuple(tally.checks()))
