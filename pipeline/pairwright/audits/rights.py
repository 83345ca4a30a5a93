"""Whether a row may be passed on: licences, and people who asked to be forgotten."""

from collections import Counter
from collections.abc import Iterator

from pairwright.audits.records import Check
from pairwright.audits.row_check import OTHERS, RowCheck, RowPlace, clip
from pairwright.pairs import ReadRow, Row, licence_of
from pairwright.pairs.address import ForgetList, host_of, of_stack_exchange

_ATTRIBUTION = ("CC-BY", "ODC-BY")
"""Licences, by the start of their SPDX id, that ask for attribution, which an address gives."""


class Licences:
    """`licence`: posts, and questions with an address, that state no licence, that lack the
    attribution which their licence asks for, or that state another licence than their address and
    date imply. An address attributes a text; a release or run may attribute all of its texts.

    One rule holds for all three: no row of a release or run may have such a text, and at most the
    share OTHERS of other people's rows. Only what a text states counts, and where other people's
    texts state nothing at all, nothing is decided.
    """

    def __init__(self, *, has_attribution: bool = False) -> None:
        self._has_attribution, self._has_mode = has_attribution, False
        self._check = RowCheck(
            "licence",
            others=OTHERS,
            nothing="no row has posts, or gives the address of its question",
        )
        self._has_address: dict[int, bool] = {}
        """Of each text, by a hash of its address, time and licence: posts are repeated, and parsing
        an address takes time."""
        self._faults: dict[int, str] = {}
        self._licences: Counter[str] = Counter()
        self._texts = self._addressed = 0

    def add(self, line: ReadRow) -> None:
        row = line.row
        texts = [
            (f"post {number}", post.source_url, post.created, post.licence)
            for number, post in enumerate(row.profile, 1)
        ]
        if row.source_url:
            texts.append(("question", row.source_url, row.created, row.licence))
        if not texts:
            return
        self._has_mode |= row.mode is not None
        detail = None
        for name, url, created, licence in texts:
            self._texts += 1
            self._licences[licence or "none"] += 1
            key = hash((url, created, licence))
            if key not in self._has_address:
                # `n/a` and `unknown` have not the form of a host.
                host = host_of(url) if url else None
                self._has_address[key] = host is not None and "." in host and " " not in host
                if fault := self._fault(url, created, licence, self._has_address[key]):
                    self._faults[key] = fault
            self._addressed += self._has_address[key]
            if detail is None and key in self._faults:
                detail = f"{name} {self._faults[key]}"
        self._check.count(line, detail or "")

    def checks(self) -> Iterator[Check]:
        counts = sorted(self._licences.items(), key=lambda item: (-item[1], item[0]))
        detail = (
            f"{self._addressed:,} of {self._texts:,} texts have an address; by licence: "
            + ", ".join(f"{name} {n:,}" for name, n in counts)
        )
        check = self._check.check(detail if self._texts else "")
        if not self._has_mode and not self._addressed and set(self._licences) == {"none"}:
            # Other people's texts that state nothing: nothing can be decided.
            nothing = f"none of {self._texts:,} texts states a licence or has an address"
            undecided = {"status": "note", "limit": None, "flags": (), "detail": nothing}
            check = Check(**dict(check) | undecided)
        yield check

    def _fault(
        self, url: str | None, created: str | None, licence: str | None, has_address: bool
    ) -> str | None:
        """What is wrong with a text's licence. The date of a Stack Exchange text implies it."""
        if url and not has_address:
            return f"gives {clip(url)} as its address"
        if not licence:
            return "states no licence"
        if not url:
            if licence.upper().startswith(_ATTRIBUTION) and not self._has_attribution:
                return f"states {licence}, which asks for attribution, and has no address"
            return None
        due = licence_of(url, created) if of_stack_exchange(url) else None
        return f"states {licence}, its date gives {due}" if due and licence != due else None


_HALF = "the other half of its twin must be forgotten"


class Tombstones:
    """`tombstones`: rows of a user, or with a question or post, that a tombstone names, and the
    other halves of their twins, which leave with them."""

    def __init__(self, forgotten: ForgetList | None) -> None:
        self._forgotten = forgotten
        self._halves: dict[str, tuple[RowPlace, bool]] = {}
        """Twins of which one half was read, and whether a tombstone concerns it."""
        self._check = RowCheck("tombstones", nothing="no list of tombstones was given")

    def add(self, line: ReadRow) -> None:
        if self._forgotten is None:
            return
        row = line.row
        detail = _forgotten_part(row, self._forgotten)
        if row.twin_id is None:
            self._check.count(line, detail or "")
            return
        if row.twin_id not in self._halves:
            first = self._check.place(line)
            self._halves[row.twin_id] = first, detail is not None
            if detail:
                self._check.flag(first, detail)
            return
        first, concerned = self._halves.pop(row.twin_id)
        self._check.count(line, detail or (_HALF if concerned else ""))
        if detail and not concerned:
            self._check.flag(first, _HALF)

    def checks(self) -> Iterator[Check]:
        yield self._check.check()


def _forgotten_part(row: Row, forgotten: ForgetList) -> str | None:
    if row.user in forgotten.users:
        return "its user must be forgotten"
    if forgotten.holds(row.source_url, ()):
        return "its question must be forgotten"
    return "a post must be forgotten" if forgotten.holds(None, row.profile) else None
