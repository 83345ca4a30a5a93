"""A guard around each check: where one fails on a row, that is a finding, and the audit goes on."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from traceback import extract_tb

from pairwright.audit.read.source import ReadRow
from pairwright.audit.records import Check, Flag, LimitComparison, RowReader
from pairwright.dataset import Row
from pairwright.errors import PairwrightError

_CODE = Path(__file__).parents[1]


class ReaderGuard:
    """A check, or several that share their work, whose error becomes a failed `not_computed`.

    After an error it looks at no further row, and gives no figure: what it counted by then is not
    whole. Errors that the auditor must mend, and those of memory and disk, end the audit.
    """

    def __init__(self, reader: RowReader) -> None:
        self._reader = reader
        self.failure: Check | None = None

    def add(self, line: ReadRow) -> None:
        """Show one row to the check."""
        if self.failure is None:
            try:
                self._reader.add(line)
            except (PairwrightError, MemoryError, OSError):
                raise
            except Exception as error:
                self.failure = self._not_computed(error, line.row)

    def checks(self) -> Iterator[Check | LimitComparison]:
        """What the check found, or that it could not be computed."""
        found: list[Check | LimitComparison] = []
        if self.failure is None:
            try:
                found = list(self._reader.checks())
            except (PairwrightError, MemoryError, OSError):
                raise
            except Exception as error:
                self.failure = self._not_computed(error)
        yield from [self.failure] if self.failure else found

    def _not_computed(self, error: Exception, row: Row | None = None) -> Check:
        """The finding names the line of the program, and no text: an error's may quote the row."""
        frames = extract_tb(error.__traceback__)
        frame = next(one for one in reversed(frames) if Path(one.filename).is_relative_to(_CODE))
        detail = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
        return Check(
            family="integrity",
            name="not_computed",
            status="fail",
            detail=f"{detail}; not computed: {', '.join(self._reader.names)}",
            flags=(Flag(row=row.id, detail=detail),) if row else (),
        )


class AuditPart:
    """Checks that a report has together, each guarded by itself."""

    def __init__(self, readers: Iterable[RowReader]) -> None:
        self._guards = [ReaderGuard(reader) for reader in readers]

    def add(self, line: ReadRow) -> None:
        """Show one row to every check."""
        for guard in self._guards:
            guard.add(line)

    def checks(self) -> Iterator[Check | LimitComparison]:
        """What every check found, after the last row."""
        for guard in self._guards:
            yield from guard.checks()

    @property
    def failed(self) -> bool:
        """Whether a check could not be computed."""
        return any(guard.failure for guard in self._guards)
