"""People in two splits."""

from collections.abc import Iterator

from pairwright.audit.found import Found
from pairwright.audit.records import Check
from pairwright.dataset import Row


class PeopleAcrossSplits:
    """`people_across_splits`: a user, or a twin's two, of whom rows stand in two splits."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._splits = set[str]()
        self._found = Found(
            "leakage", "people_across_splits", limit=0.0, others=0.0,
            nothing="the rows come without splits, or name no users",
        )  # fmt: skip

    def add(self, row: Row, split: str) -> None:
        who = [name for name in (row.user, row.dyad, row.twin_id) if name]
        if not split or not who:
            return
        self._splits.add(split)
        elsewhere = {self._first.setdefault(name, split) for name in who} - {split}
        self._found.add(row, f"in {split}, and in {min(elsewhere)}" if elsewhere else None)

    def checks(self) -> Iterator[Check]:
        if len(self._splits) == 1:
            yield one_split("people_across_splits")
        else:
            yield from self._found.checks()


def one_split(check: str) -> Check:
    """What a check of two splits says where there is one."""
    return Check(
        family="leakage", name=check, status="note", count=0, detail="all rows are in one split"
    )
