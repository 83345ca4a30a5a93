"""Whether a row may be passed on: licences, and people who asked to be forgotten."""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from pairwright.audits.catalogue import Found, clip, counted
from pairwright.audits.facts import Facts
from pairwright.audits.records import Check
from pairwright.pairs import ReadRow, Row, RowPost, licence_of
from pairwright.pairs.address import ForgetList, host_of, of_stack_exchange

_ATTRIBUTION = ("CC-BY", "ODC-BY")
"""Licences, by the start of their SPDX id, that ask for attribution, which an address gives."""


class Licences:
    """`licence`: posts, and questions with an address, that state no licence, that lack the
    attribution which their licence asks for, or that state another licence than their address and
    date imply. An address attributes a text; a release or run may attribute all of its texts.

    Only what a text states counts, and if other people's texts state nothing at all, nothing is
    decided.
    """

    def __init__(self, *, has_attribution: bool = False) -> None:
        self._attributed = has_attribution
        self._found, self._licences, self._addressed = Found(), Counter[str](), 0

    def add(self, number: int, line: ReadRow) -> None:
        """Look at the texts of a row."""
        row, details = line.row, list[str]()
        texts: dict[str, RowPost | Row] = {f"post {n}": of for n, of in enumerate(row.profile, 1)}
        if row.source_url:
            texts["question"] = row
        for name, one in texts.items():
            url, licence = one.source_url, one.licence
            self._licences[licence or "none"] += 1
            self._addressed += _is_address(url)
            if fault := _fault(url, one.created, licence, attributed=self._attributed):
                details.append(f"{name} {fault}")
        self._found.add(number, next(iter(details), "") if texts else None)

    def checks(self, facts: Facts) -> Iterator[Check]:
        """The one check."""
        texts = self._licences.total()
        counts = sorted(self._licences.items(), key=lambda item: (-item[1], item[0]))
        listed = ", ".join(f"{name} {n:,}" for name, n in counts)
        have = f"{self._addressed:,} of {texts:,} texts have an address"
        self._found.note = f"{have}; by licence: {listed}"
        check = counted("licence", self._found, facts)
        if texts and not facts.built and not self._addressed and {*self._licences} == {"none"}:
            detail = f"none of {texts:,} texts states a licence or has an address"
            undecided = {"status": "note", "limit": None, "flags": (), "detail": detail}
            check = Check(**dict(check) | undecided)
        yield check


# Posts are repeated, and parsing an address takes time.
@lru_cache(maxsize=100_000)
def _is_address(url: str | None) -> bool:
    """Whether an address has a host: `n/a` and `unknown` do not."""
    host = host_of(url) if url else None
    return host is not None and "." in host and " " not in host


@lru_cache(maxsize=100_000)
def _fault(url: str | None, created: str | None, licence: str | None, *, attributed: bool) -> str:
    """What is wrong with a text's licence. The date of a Stack Exchange text implies it."""
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


class Tombstones:
    """`tombstones`: rows of a user, or with a question or post, that a tombstone names, and the
    other sides of their twins, which leave with them."""

    def __init__(self, forgotten: ForgetList | None) -> None:
        """`forgotten` is None if there is no list."""
        self._forgotten = forgotten
        self._details: dict[int, str] = {}

    def add(self, number: int, line: ReadRow) -> None:
        """Look for what is named in a row."""
        row, forgotten = line.row, self._forgotten
        if forgotten is None:
            return
        if row.user in forgotten.users:
            self._details[number] = "its user must be forgotten"
        elif forgotten.holds(row.source_url, ()):
            self._details[number] = "its question must be forgotten"
        elif forgotten.holds(None, row.profile):
            self._details[number] = "a post must be forgotten"

    def checks(self, facts: Facts) -> Iterator[Check]:
        """The one check, which examines nothing without a list."""
        twins = facts.table["twin"].dropna()
        named = {*twins[twins.index.isin(self._details)]}
        said = "the other side of its twin must be forgotten"
        halves = dict.fromkeys(twins.index[twins.isin(named)], said)
        examined = 0 if self._forgotten is None else len(facts.table)
        yield counted("tombstones", Found(examined, halves | self._details), facts)
