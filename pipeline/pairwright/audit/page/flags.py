"""The checks that name each row."""

from collections.abc import Iterable
from typing import NamedTuple

from pairwright.audit.catalogue import definition_of
from pairwright.audit.records import Check

RowNote = tuple[int, str]
"""The number of a check, and its detail on the row."""


class FlagCheck(NamedTuple):
    """A check that names rows. One that failed in one configuration and not in another is two."""

    title: str
    failed: bool


class Flags:
    """The notes of checks on each row, by the row's id."""

    def __init__(self, checks: Iterable[Check]) -> None:
        self._numbers: dict[tuple[str, str, bool], int] = {}
        self._by_row: dict[str, list[RowNote]] = {}
        self._where: dict[str, str] = {}
        self.checks: list[FlagCheck] = []
        for check in sorted(checks, key=lambda check: check.status != "fail"):
            if check.flags:
                self._add(check)

    def _add(self, check: Check) -> None:
        failed = check.status == "fail"
        key = (check.family, check.name, failed)
        if key not in self._numbers:
            self._numbers[key] = len(self.checks)
            self.checks.append(FlagCheck(definition_of(check).title, failed))
        number = self._numbers[key]
        for flag in check.flags:
            self._by_row.setdefault(flag.row, []).append((number, flag.detail))
            self._where[flag.row] = flag.where

    def notes(self, row: str) -> tuple[RowNote, ...]:
        """The notes on one row, failed checks first."""
        return tuple(self._by_row.get(row, ()))

    def where(self, row: str) -> str:
        """The file and line of a row that a check names; empty for others."""
        return self._where.get(row, "")

    def numbers(self, row: str) -> tuple[int, ...]:
        """The checks that name one row, each once."""
        return tuple(dict.fromkeys(number for number, _ in self._by_row.get(row, ())))

    def failed(self, row: str) -> bool:
        """Whether a failed check names the row."""
        return any(self.checks[number].failed for number, _ in self._by_row.get(row, ()))

    @property
    def failed_rows(self) -> list[str]:
        """The rows that failed checks name."""
        return [row for row in self._by_row if self.failed(row)]
