"""Whether the texts of a row may be passed on: licences, and the attribution that they ask for."""

from collections.abc import Iterator
from functools import lru_cache

from pairwright.audits.checks import Found, clip, counted
from pairwright.audits.facts import Facts
from pairwright.audits.records import Check
from pairwright.pairs import ReadRow, Row, RowPost, licence_of
from pairwright.pairs.address import host_of, of_stack_exchange

_ATTRIBUTION = ("CC-BY", "ODC-BY")
"""Licences, by the start of their SPDX id, that ask for attribution, which an address gives."""


class Licences:
    """`licence`: posts, and questions with an address, that state no licence, lack an attribution
    that their licence requires, or contradict their address and date. An address attributes a text;
    a release or run may attribute all of its texts.

    Other people's rows are not examined if no text of all states a licence or has an address.
    """

    def __init__(self, *, attributed: bool) -> None:
        self._attributed, self._found, self._stated = attributed, Found(), False

    def add(self, number: int, line: ReadRow) -> None:
        """Examine the texts of a row."""
        row = line.row
        texts: list[RowPost | Row] = [*row.profile, *([row] if row.source_url else [])]
        fault = None if not texts else ""
        for n, one in enumerate(texts, start=1):
            wrong = _fault(one.source_url, one.created, one.licence, self._attributed)
            fault = fault or (wrong and f"{'question' if one is row else f'post {n}'} {wrong}")
            self._stated |= bool(one.licence) or _is_address(one.source_url)
        self._found.add(number, fault)

    def checks(self, facts: Facts) -> Iterator[Check]:
        """The one check."""
        found = self._found if facts.built or self._stated else Found()
        yield counted("licence", found, facts)


# Posts are repeated, and parsing an address takes time.
@lru_cache(maxsize=100_000)
def _is_address(url: str | None) -> bool:
    """Whether an address has a host: `n/a` and `unknown` do not."""
    host = host_of(url) if url else None
    return host is not None and "." in host and " " not in host


@lru_cache(maxsize=100_000)
def _fault(url: str | None, created: str | None, licence: str | None, attributed: bool) -> str:
    """The fault of a text's licence. The date of a Stack Exchange text implies its licence."""
    if url and not _is_address(url):
        return f"gives {clip(url)} as its address"
    if not licence:
        return "states no licence"
    if not url:
        if licence.upper().startswith(_ATTRIBUTION) and not attributed:
            return f"states {licence}, which asks for attribution, and has no address"
        return ""
    due = licence_of(url, created) if of_stack_exchange(url) else None
    return f"states {licence}, its date gives {due}" if due and licence != due else ""
