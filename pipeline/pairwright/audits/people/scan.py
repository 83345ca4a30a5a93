"""A search of texts for personal data: each text of an audit once, which gives checks and a log of
redactions; and one text by itself, before people see it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from string import digits as DIGITS

from pairwright.audits.catalogue import note_check
from pairwright.audits.people.contacts import HOSTS, MAIL, POSTAL_ADDRESS, TELEPHONE, at_sign
from pairwright.audits.people.identifiers import BLOCK, IDENTIFIERS
from pairwright.audits.people.names import NAMES, DataKind, Finding, mask
from pairwright.audits.people.rights import sensitive_groups
from pairwright.audits.read.source import ReadRow
from pairwright.audits.records import Check, LimitComparison, Redaction, RowReader
from pairwright.audits.row_check import RowCheck
from pairwright.dataset import Row

KINDS: tuple[DataKind, ...] = (*IDENTIFIERS, MAIL, *HOSTS, TELEPHONE, POSTAL_ADDRESS, *NAMES)
"""The kinds of personal data. Of findings that overlap, that of the first kind is kept."""
MOST_FINDINGS = 200
"""The most findings of one kind in one text."""
_DIGIT = re.compile(r"\d")
_MARKS = (*DIGITS, "@", "/", "www.", "(", "[", " dot ", " name", BLOCK.lower())
"""Without one of these, in small letters, an ASCII text holds nothing but names."""
_STATED_NAMES = tuple(kind for kind in KINDS if kind.name == "stated_name")


class PersonalData:
    """One check for each kind: rows that hold such data. Addresses that a licence asks for
    (`source_url`) are not searched."""

    names = (*(kind.name for kind in KINDS), "names")

    def __init__(self) -> None:
        self._clean: set[int] = set()
        """Hashes of texts without a finding."""
        self._redactions: dict[int, list[Redaction]] = {}
        """The redactions of a text, by the text's hash."""
        self._rows: Counter[int] = Counter()
        self._number = 0
        first, *others = KINDS
        limits = {kind.name: 0.0 if kind.fails else None for kind in KINDS}
        self._first = RowCheck(first.name, limit=limits[first.name], others=limits[first.name])
        self._checks = {first.name: self._first}
        for kind in others:
            self._checks[kind.name] = self._first.beside(kind.name, limit=limits[kind.name])

    def add(self, line: ReadRow) -> None:
        """Search one row's texts."""
        row = line.row
        self._number += 1
        name = public_id(row.id, self._number)
        details: dict[str, str] = {}
        counted: set[int] = set()
        for field, post, text in chain(_fields(row), _ids(row)):
            key = hash(text)
            if key in self._clean:
                continue
            if key not in self._redactions:
                findings = find(text)
                if not findings:
                    self._clean.add(key)
                    continue
                self._redactions[key] = [
                    Redaction(
                        row=name, field=field, post=mask_address(post), kind=one.kind,
                        start=one.start, end=one.end, masked=mask(text, one), rows=0,
                    )
                    for one in findings
                ]  # fmt: skip
            if key not in counted:
                counted.add(key)
                self._rows[key] += 1
            for one in self._redactions[key]:
                details.setdefault(one.kind, f"{field}: {one.masked}")
        place = self._first.place(row)
        for kind, detail in details.items():
            self._checks[kind].flag(place._replace(row=name), detail)

    def checks(self) -> Iterator[Check]:
        for kind in KINDS:
            yield from self._checks[kind.name].checks(kind.covers)
        nobody_else = (
            "names of people are found only where somebody states their own: a model that finds"
            " others reliably is not part of this tool"
        )
        yield note_check("names", detail=nobody_else)

    def redactions(self) -> Iterator[Redaction]:
        """All findings, in the order of the source."""
        for key, redactions in self._redactions.items():
            for one in redactions:
                yield one.model_copy(update={"rows": self._rows[key]})


def find(text: str) -> list[Finding]:
    """All personal data in a text, by place. Of what overlaps, the kind that comes first in KINDS
    is kept, and of one kind what its pattern finds first."""
    kinds = KINDS
    if text.isascii() and not any(map(text.lower().__contains__, _MARKS)):
        kinds = _STATED_NAMES
    # Without a mark, a text that is searched for names has no digit.
    digits = kinds is KINDS and _DIGIT.search(text) is not None
    findings: list[Finding] = []
    for kind in kinds:
        if digits or not kind.needs_digits:
            for one in islice(kind.find(text), MOST_FINDINGS):
                if all(one.end <= other.start or other.end <= one.start for other in findings):
                    findings.append(one)
    return sorted(findings, key=lambda one: one.start)


def mask_address(name: str) -> str:
    """An id as a report may show it: masked if it holds an e-mail address."""
    return mask_text(name) if at_sign(name) else name


def mask_text(text: str) -> str:
    """A text as a check may quote it: its personal data are masked."""
    for one in reversed(find(text)):
        text = text[: one.start] + mask(text, one) + text[one.end :]
    return text


def public_id(row: str, number: int) -> str:
    """A row's id as an audit may show it: without personal data, and then with the row's number in
    the source, from 1, because many ids may look the same now."""
    name = mask_address(row)
    return name if name == row else f"row {number:,}: {name}"


class PublicNames:
    """A check that sees rows under names without personal data."""

    def __init__(self, reader: RowReader) -> None:
        self.names = reader.names
        self._reader = reader
        self._rows = 0

    def add(self, line: ReadRow) -> None:
        self._rows += 1
        name = public_id(line.row.id, self._rows)
        if name != line.row.id:
            line = line._replace(row=line.row.model_copy(update={"id": name}))
        self._reader.add(line)

    def checks(self) -> Iterable[Check | LimitComparison]:
        return self._reader.checks()


def _fields(row: Row) -> Iterator[tuple[str, str, str]]:
    """Every text that people read, as field, post and text."""
    yield "question", "", row.question
    if row.narrative:
        yield "narrative", "", row.narrative
    yield "chosen", "", row.chosen
    yield "rejected", "", row.rejected
    for number, post in enumerate(row.profile):
        yield f"profile[{number}].text", post.id, post.text
    for number, aspect in enumerate(row.rubric_aspects):
        for name, text in (
            ("aspect", aspect.aspect), ("reason", aspect.reason), ("evidence", aspect.evidence)
        ):  # fmt: skip
            if text:
                yield f"rubric_aspects[{number}].{name}", "", text


def _ids(row: Row) -> Iterator[tuple[str, str, str]]:
    """Ids and categories that may hold an address: other people's data have such users' names."""
    ids = [("id", row.id), ("item_id", row.item_id), ("category", row.category),
             ("domain", row.domain)]  # fmt: skip
    for number, post in enumerate(row.profile):
        field = f"profile[{number}]"
        ids += [(f"{field}.id", post.id), (f"{field}.category", post.category)]
    for field, text in ids:
        if at_sign(text):
            yield field, "", text


_REACHES = frozenset(kind.name for kind in KINDS if kind.fails)


def screen(text: str) -> Iterator[tuple[str, bool, str]]:
    """What strangers should perhaps not see in a text: its kind; whether by it anybody can reach or
    rob a person, or else it is a subject that can harm people; and what was found, without what it
    gives away, empty for a subject. Public names, which many texts hold, are left out."""
    for finding in find(text):
        if finding.kind in _REACHES:
            yield finding.kind, True, mask(text, finding)
    for group in sorted(sensitive_groups(text)):
        yield group, False, ""
