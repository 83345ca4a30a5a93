"""A guard around each check: where one fails on a row, that is a finding, and the audit goes on."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from traceback import extract_tb
from typing import ClassVar, Generic, Protocol, TypeVar

from pairwright.audit.records import (
    Check,
    CheckDefinition,
    Definitions,
    Flag,
)
from pairwright.dataset import Row
from pairwright.errors import PairwrightError

NOT_COMPUTED = CheckDefinition(
    family="integrity",
    name="not_computed",
    title="Checks that could not be computed",
    why="A program error ended them, so nothing is known of what they look for.",
    todo="Report the error with the row named; without this row the checks can be computed.",
)


_CODE = Path(__file__).parents[1]
Found = TypeVar("Found", covariant=True)


class _Reader(Protocol[Found]):
    """A `RowReader` that may take more of a row."""

    definitions: ClassVar[Definitions]

    @property
    def add(self) -> Callable[..., None]: ...

    def checks(self) -> Iterable[Found]: ...


class ReaderGuard(Generic[Found]):
    """A check, or several that share their work, whose error becomes a failed `not_computed`.

    After an error it looks at no further row, and gives no figure: what it counted by then is not
    whole. Errors that the auditor must mend, and those of memory and disk, end the audit.
    """

    def __init__(self, reader: _Reader[Found]) -> None:
        self.reader = reader
        self.failure: Check | None = None

    def add(self, row: Row, *more: object) -> None:
        """Show one row to the check, with what else it takes of a row."""
        if self.failure is None:
            try:
                self.reader.add(row, *more)
            except (PairwrightError, MemoryError, OSError):
                raise
            except Exception as error:
                self.failure = self._not_computed(error, row)

    def checks(self) -> Iterator[Found | Check]:
        """What the check found, or that it could not be computed."""
        found: list[Found] = []
        if self.failure is None:
            try:
                found = list(self.reader.checks())
            except (PairwrightError, MemoryError, OSError):
                raise
            except Exception as error:
                self.failure = self._not_computed(error)
        yield from [self.failure] if self.failure else found

    def _not_computed(self, error: Exception, row: Row | None = None) -> Check:
        """The finding names the line of the program, and no text: an error's may quote the row."""
        frames = extract_tb(error.__traceback__)
        frame = next(one for one in reversed(frames) if Path(one.filename).is_relative_to(_CODE))
        names = ", ".join(definition.name for definition in self.reader.definitions)
        detail = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
        return Check(
            family=NOT_COMPUTED.family,
            name=NOT_COMPUTED.name,
            status="fail",
            detail=f"{detail}; not computed: {names}",
            flags=(Flag(row=row.id, detail=detail),) if row else (),
        )
