"""Whether a row may be passed on: licences, and people who asked to be forgotten."""

from collections import Counter
from collections.abc import Iterator

from pairwright.audits.catalogue import Found, clip, counted
from pairwright.audits.facts import Facts
from pairwright.audits.records import Check
from pairwright.pairs import ReadRow, licence_of
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
        self._has_attribution = has_attribution
        self._found = Found()
        self._faults: dict[int, str] = {}
        self._addressed: dict[int, bool] = {}
        # Both by a hash of address, time and licence: posts are repeated, and parsing takes time.
        self._licences: Counter[str] = Counter()
        self._with_address = 0

    def add(self, number: int, line: ReadRow) -> None:
        """Look at the texts of a row."""
        row = line.row
        texts = [
            (f"post {n}", post.source_url, post.created, post.licence)
            for n, post in enumerate(row.profile, 1)
        ]
        if row.source_url:
            texts.append(("question", row.source_url, row.created, row.licence))
        details = []
        for name, url, created, licence in texts:
            key = hash((url, created, licence))
            if key not in self._faults:
                # `n/a` and `unknown` do not have the form of a host.
                host = host_of(url) if url else None
                addressed = host is not None and "." in host and " " not in host
                self._addressed[key] = addressed
                self._faults[key] = self._fault(url, created, licence, addressed=addressed)
            self._licences[licence or "none"] += 1
            self._with_address += self._addressed[key]
            if self._faults[key]:
                details.append(f"{name} {self._faults[key]}")
        self._found.add(number, next(iter(details), "") if texts else None)

    def checks(self, facts: Facts) -> Iterator[Check]:
        """The one check."""
        texts = self._licences.total()
        if texts and not facts.built and not self._with_address and {*self._licences} == {"none"}:
            self._found.note = f"none of {texts:,} texts states a licence or has an address"
            check = counted("licence", self._found, facts)
            yield Check(**dict(check) | {"status": "note", "limit": None, "flags": ()})
            return
        counts = sorted(self._licences.items(), key=lambda item: (-item[1], item[0]))
        listed = ", ".join(f"{name} {n:,}" for name, n in counts)
        have = f"{self._with_address:,} of {texts:,} texts have an address"
        self._found.note = f"{have}; by licence: {listed}"
        yield counted("licence", self._found, facts)

    def _fault(
        self, url: str | None, created: str | None, licence: str | None, *, addressed: bool
    ) -> str:
        """What is wrong with a text's licence. The date of a Stack Exchange text implies it."""
        if url and not addressed:
            return f"gives {clip(url)} as its address"
        if not licence:
            return "states no licence"
        if not url:
            if licence.upper().startswith(_ATTRIBUTION) and not self._has_attribution:
                return f"states {licence}, which asks for attribution, and has no address"
            return ""
        due = licence_of(url, created) if of_stack_exchange(url) else None
        return f"states {licence}, its date gives {due}" if due and licence != due else ""


class Tombstones:
    """`tombstones`: rows of a user, or with a question or post, that a tombstone names, and the
    other halves of their twins, which leave with them."""

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
        said = "the other half of its twin must be forgotten"
        halves = dict.fromkeys(twins.index[twins.isin(named)], said)
        examined = 0 if self._forgotten is None else len(facts.table)
        yield counted("tombstones", Found(examined, halves | self._details), facts)
