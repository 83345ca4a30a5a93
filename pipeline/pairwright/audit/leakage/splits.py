"""People in two splits."""

from collections.abc import Iterator

from pairwright.audit.found import Found
from pairwright.audit.records import Check
from pairwright.dataset import Row


class PeopleAcrossSplits:
    """`people_across_splits`: a user, or a twin's two, of whom rows stand in two splits."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._found = Found(
            "leakage", "people_across_splits", limit=0.0, others=0.0,
            nothing="the rows come without splits, or name no users",
        )  # fmt: skip

    def add(self, row: Row, split: str) -> None:
        who = [name for name in (row.user, row.dyad, row.twin_id) if name]
        if not split or not who:
            return
        elsewhere = {self._first.setdefault(name, split) for name in who} - {split}
        self._found.add(row, f"in {split}, and in {min(elsewhere)}" if elsewhere else None)

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks()
