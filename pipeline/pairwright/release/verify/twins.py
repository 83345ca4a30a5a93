"""The halves of twins: two rows, one after the other, that mirror each other."""

from pairwright.dataset import Row
from pairwright.dataset.row import derived_twin_id
from pairwright.records import content_id
from pairwright.release.verify.difference import difference, same

_COMMON = (
    "twin_id", "question", "item_id", "category", "domain", "strategy", "generator", "judge",
    "verified", "simulated", "created", "source_url", "licence",
)  # fmt: skip
"""What both halves say alike."""
_MIRRORED = {"chosen": "rejected", "rejected": "chosen"}
"""A verdict on the same responses as the other half tells it."""


class Halves:
    """Holds every twin of a file together; pairs of mode violate pass by."""

    def __init__(self) -> None:
        self._asked: tuple[Row, str] | None = None

    def add(self, row: Row, where: str) -> None:
        """The next row of the file. Raises Difference."""
        if row.mode != "twin":
            self.end()
            same("twin_id", row.twin_id, None, where)
            same("asked", row.asked, True, where)
            _check_dyad([row], where)
        elif self._asked is None:
            same("asked of a twin's first half", row.asked, True, where)
            self._asked = row, where
        else:
            asked, _ = self._asked
            if row.twin_id != asked.twin_id:
                self.end()
            _check_twin(asked, row, where)
            self._asked = None

    def end(self) -> None:
        """The file ends, or another subject begins."""
        if self._asked:
            row, where = self._asked
            raise difference(f"half a twin: the other half of {row.twin_id} does not follow", where)


def _check_twin(asked: Row, other: Row, where: str) -> None:
    same("asked of a twin's second half", other.asked, False, where)
    same("twin_id", other.twin_id, derived_twin_id(asked, other), where)
    for name in _COMMON:
        same(name, getattr(other, name), getattr(asked, name), where)
    same("chosen", other.chosen, asked.rejected, where)
    same("rejected", other.rejected, asked.chosen, where)
    told = _MIRRORED.get(asked.comparison or "", asked.comparison)
    same("comparison", other.comparison, told, where)
    same("narrative of the half that did not ask", other.narrative, None, where)
    if other.user == asked.user:
        raise difference(f"both halves are of {other.user}", where)
    _check_dyad([asked, other], where)


def _check_dyad(rows: list[Row], where: str) -> None:
    must = content_id("dyad", *sorted(row.user or "" for row in rows))
    for row in rows:
        same("dyad", row.dyad, must, where)
