"""Posts with their licence and address, as the licence asks for both."""

from collections import Counter
from collections.abc import Iterator

from pairwright.audit.found import OTHERS, Found
from pairwright.audit.records import Check
from pairwright.dataset import Row, licence_of
from pairwright.dataset.licence import of_stack_exchange

_ATTRIBUTION = ("CC-BY", "ODC-BY")
"""Licences, by the start of their SPDX id, that ask where a text stands."""


class Licences:
    """`licence`: posts, and questions with an address, that state no licence, whose licence asks
    for an address that they do not have, or that state another licence than their address and date
    give.

    One rule for all three: rows of a release or run have none, and of other people's rows at most
    OTHERS may. What a text states is what counts; nothing is put in its place.
    """

    def __init__(self) -> None:
        self._found = Found(
            "people", "licence", limit=0.0, others=OTHERS,
            nothing="no row has posts, or says where its question stands",
        )  # fmt: skip
        self._known: dict[int, str | None] = {}
        self._stated: Counter[str] = Counter()
        self._texts = self._addressed = 0

    def add(self, row: Row) -> None:
        texts = [
            (f"post {number}", post.source_url, post.created, post.licence)
            for number, post in enumerate(row.profile, 1)
        ]
        if row.source_url:
            texts.append(("question", row.source_url, row.created, row.licence))
        if not texts:
            return
        said = None
        for name, url, created, licence in texts:
            self._texts += 1
            self._addressed += bool(url)
            self._stated[licence or "none"] += 1
            fault = self._fault(url, created, licence)
            said = said or (fault and f"{name} {fault}")
        self._found.add(row, said)

    def checks(self) -> Iterator[Check]:
        by = sorted(self._stated.items(), key=lambda of: (-of[1], of[0]))
        detail = (
            f"{self._addressed:,} of {self._texts:,} texts have an address; by licence: "
            + ", ".join(f"{name} {n:,}" for name, n in by)
        )
        yield from self._found.checks(detail if self._texts else "")

    def _fault(self, url: str | None, created: str | None, licence: str | None) -> str | None:
        # Posts come again, and taking an address to pieces costs time.
        key = hash((url, created, licence))
        if key not in self._known:
            self._known[key] = _fault(url, created, licence)
        return self._known[key]


def _fault(url: str | None, created: str | None, licence: str | None) -> str | None:
    """What its licence does not allow. That of a text of Stack Exchange its date gives."""
    if not licence:
        return "states no licence"
    if not url:
        if licence.upper().startswith(_ATTRIBUTION):
            return f"states {licence}, which asks for attribution, and has no address"
        return None
    due = licence_of(url, created) if of_stack_exchange(url) else None
    return f"states {licence}, its date gives {due}" if due and licence != due else None
