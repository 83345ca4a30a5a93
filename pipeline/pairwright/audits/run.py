"""One pass over the pairs through every check of the audit."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from pairwright.audits.balance import Balance, compare
from pairwright.audits.catalogue import decide, note_check
from pairwright.audits.human import Human
from pairwright.audits.integrity import integrity_checks
from pairwright.audits.leakage import leakage_checks
from pairwright.audits.rights import Licences, Tombstones, sensitive_check
from pairwright.audits.scan import PersonalData
from pairwright.audits.records import EXAMPLES, Audit, Check, Flag
from pairwright.audits.row_check import RowReader
from pairwright.audits.shortcuts import MAX_SHORTCUT, Shortcuts
from pairwright.errors import InputError
from pairwright.pairs import (
    TIE,
    AuditSource,
    Layout,
    PairSource,
    ReadRow,
    Row,
    content_digest,
)
from pairwright.pairs.address import ForgetList
from pairwright.pairs.others import REASONS
from pairwright.sources.problems import Problems, SourceProblem
from pairwright.version import __version__
from pairwright_human_eval.released import ReleasedStudy, read_public

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
    forgotten: ForgetList | None = None
    """What tombstones name; None where there is no list of them."""
    public: ReleasedStudy | None = None
    """What people said of a run's pairs. A release has its own."""


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
    of the source as it is read. Raises InputError if a source cannot be read, or holds no pairs.
    """
    released = source.folder if source.kind == "release" else None
    public = options.public or (read_public(Layout(released)) if released else None)
    people, human, balance = PersonalData(), Human(public), Balance()
    places = RowLocations()
    parts: dict[str, list[RowReader]] = {
        "shortcuts": [Shortcuts(options.max_shortcut, options.max_overlap, source.info)],
        "leakage": leakage_checks(),
        "integrity": integrity_checks(),
        "people": [
            people, sensitive_check(),
            Licences(has_attribution=bool(source.info.attribution.strip())),
            Tombstones(options.forgotten),
        ],
        "human": [human],
        "balance": [balance],
    }  # fmt: skip
    readers = [reader for part in parts.values() for reader in part]

    def add(line: ReadRow) -> None:
        look(line)
        places.add(line.row, line.where)
        for reader in readers:
            reader.add(line)

    with threadpool_limits(1):  # Else sums, and with them last digits, follow the machine.
        read, found = _read(source, add, progress)
        for name, part in parts.items():
            progress(name, None)
            found += [check for reader in part for check in reader.checks()]
        checks = decide(found)
        beside = None
        if against is not None:
            shortcuts = Shortcuts(options.max_shortcut)
            beside, _ = _read(against, shortcuts.add, progress)
            checks += compare(checks, decide([*shortcuts.checks()]), against.name)
    return Audit(
        pairwright=__version__,
        source=read,
        max_shortcut=options.max_shortcut,
        against=beside,
        checks=tuple(map(places.located, checks)),
        breakdowns=balance.breakdowns(),
        simulated_decisions=human.simulated,
        redactions=tuple(people.redactions()),
    )


def shortened(whole: Audit) -> Audit:
    """An audit with the first EXAMPLES flags of each check."""
    checks = tuple(c.model_copy(update={"flags": c.flags[:EXAMPLES]}) for c in whole.checks)
    return whole.model_copy(update={"checks": checks})


def _read(
    source: PairSource, add: Callable[[ReadRow], None], progress: AuditProgress
) -> tuple[AuditSource, list[Check]]:
    """One pass: every row goes to `add` and into the digest; and what could not be read."""
    rows, simulated = 0, False
    configs, flags = Counter[str](), dict[str, list[Flag]]()

    def show(one: SourceProblem) -> None:
        if len(flags.setdefault(one.reason, [])) < EXAMPLES:
            said = f"{REASONS[one.reason]}: {one.detail}"
            flags[one.reason].append(Flag(row=one.where, where=one.where, detail=said))

    problems = Problems(show)

    def read_rows() -> Iterator[Row]:
        nonlocal rows, simulated
        for line in problems.sound(source.read()):
            add(line)
            rows += 1
            configs[line.row.config] += 1
            simulated |= line.row.simulated
            if rows % EVERY == 0:
                progress(source.name, rows)
            yield line.row

    digest = content_digest(read_rows())
    if not rows:
        raise InputError("holds no pairs", where=source.name, fix="Audit a source that has some.")
    unread, ties = problems.counts("refused"), problems.counts("noted").get(TIE, 0)
    read = AuditSource(
        name=source.name,
        kind=source.kind,
        version=source.version,
        digest=digest,
        rows=rows,
        configs=dict(sorted(configs.items())),
        simulated=simulated,
        problems=unread,
    )
    lost, most = sum(unread.values()), [one.reason for one in problems.of("refused")]
    checks = [
        Check(
            family="integrity", name="unreadable_rows", status="fail" if lost else "pass",
            count=lost, of=rows + lost, limit=0,
            detail="; ".join(f"{REASONS[why]}: {unread[why]:,}" for why in most),
            flags=tuple(flag for why in most for flag in flags[why]),
        )
    ]  # fmt: skip
    if source.said:
        checks.append(note_check("read_as", of=rows, detail="; ".join(source.said)))
    if ties:
        tied = Check(
            family="integrity", name="ties", status="note", count=ties, of=rows + ties,
            flags=tuple(flags[TIE]),
        )  # fmt: skip
        checks.append(tied)
    return read, checks


MOST_PLACES = 3
"""Places that are listed of one id; a source may repeat one row thousands of times."""


class RowLocations:
    """The places of all rows, collected while an audit reads them."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, row: Row, where: str) -> None:
        """Note the place of one more row: `file:line`, counted from 1."""
        places = self._places.setdefault(row.id, [])
        if len(places) < MOST_PLACES:
            places.append(where)

    def located(self, check: Check) -> Check:
        """The same check, with the place of every row that it names: `pairs.jsonl:3`, or that of
        several that share the id."""
        flags = tuple(
            flag.model_copy(
                update={"where": flag.where or ", ".join(self._places.get(flag.row, ()))}
            )
            for flag in check.flags
        )
        return check.model_copy(update={"flags": flags}) if flags else check
