"""People and addresses that were to be forgotten."""

from collections.abc import Iterator

from pairwright.audit.found import Found, Place
from pairwright.audit.records import Check
from pairwright.dataset import Row
from pairwright.dataset.tombstones import ForgetList

_HALF = "the other half of its twin was to be forgotten"


class Tombstones:
    """`tombstones`: rows of a user, or with a question or post, that a tombstone names, and the
    other halves of their twins, which leave with them."""

    def __init__(self, forgotten: ForgetList | None) -> None:
        self._forgotten = forgotten
        self._halves: dict[str, tuple[Place, bool]] = {}
        """Of twins of which one half was seen, and whether it is concerned."""
        self._found = Found(
            "people", "tombstones", limit=0.0, others=0.0, nothing="no list of tombstones was given"
        )

    def add(self, row: Row) -> None:
        if self._forgotten is None:
            return
        said = _said(row, self._forgotten)
        if row.twin_id is None:
            self._found.add(row, said)
            return
        if row.twin_id not in self._halves:
            self._halves[row.twin_id] = self._found.add(row, said), said is not None
            return
        first, concerned = self._halves.pop(row.twin_id)
        self._found.add(row, said or (_HALF if concerned else None))
        if said and not concerned:
            self._found.flag(first, _HALF)

    def checks(self) -> Iterator[Check]:
        if self._forgotten is None:
            return self._found.checks()
        users, urls = len(self._forgotten.users), len(self._forgotten.urls)
        return self._found.checks(f"{users:,} users and {urls:,} addresses are to be forgotten")


def _said(row: Row, forgotten: ForgetList) -> str | None:
    if row.user in forgotten.users:
        return "its user was to be forgotten"
    if forgotten.holds(row.source_url, ()):
        return "its question was to be forgotten"
    return "a post was to be forgotten" if forgotten.holds(None, row.profile) else None
