"""Ids: unique, and derived from the content they name."""

from collections.abc import Iterator

from pairwright.audit.found import Found
from pairwright.audit.records import Check
from pairwright.dataset import Row


class UniqueIds:
    """`duplicate_id`: rows whose id an earlier row has."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._found = Found("integrity", "duplicate_id", limit=0.0, others=0.0)

    def add(self, row: Row) -> None:
        id = hash(row.id)
        self._found.add(row, "an earlier row has this id" if id in self._seen else None)
        self._seen.add(id)

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks()


class DerivedIds:
    """`derived_id`: rows of a release or run whose id is not the one that their content gives."""

    def __init__(self) -> None:
        self._found = Found(
            "integrity", "derived_id", limit=0.0, others=0.0,
            nothing="only rows of a release or run have ids that are derived",
        )  # fmt: skip

    def add(self, row: Row) -> None:
        if row.mode is None:
            return
        derived = row.derived_id()
        self._found.add(row, None if derived == row.id else f"its content gives {derived}")

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks()
