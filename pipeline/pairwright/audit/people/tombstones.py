"""People and addresses that were to be forgotten."""

from collections.abc import Iterator

from pairwright.audit.found import Found
from pairwright.audit.records import Check
from pairwright.dataset import Row
from pairwright.dataset.tombstones import Forgotten


class Tombstones:
    """`tombstones`: rows of a user, or with a question or post, that a tombstone names."""

    def __init__(self, forgotten: Forgotten | None) -> None:
        self._forgotten = forgotten
        self._found = Found(
            "people", "tombstones", limit=0.0, others=0.0, nothing="no list of tombstones was given"
        )

    def add(self, row: Row) -> None:
        if self._forgotten is not None:
            self._found.add(row, _said(row, self._forgotten))

    def checks(self) -> Iterator[Check]:
        if self._forgotten is None:
            return self._found.checks()
        users, urls = len(self._forgotten.users), len(self._forgotten.urls)
        return self._found.checks(f"{users:,} users and {urls:,} addresses are to be forgotten")


def _said(row: Row, forgotten: Forgotten) -> str | None:
    if row.user in forgotten.users:
        return "its user was to be forgotten"
    if forgotten.holds(row.source_url, ()):
        return "its question was to be forgotten"
    return "a post was to be forgotten" if forgotten.holds(None, row.profile) else None
