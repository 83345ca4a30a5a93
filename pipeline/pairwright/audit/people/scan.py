"""Every text scanned once for personal data, and the log of what to redact."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from string import digits as DIGITS
from typing import get_args

from pairwright.audit.found import Found
from pairwright.audit.people.address import addresses
from pairwright.audit.people.finding import Finding, Kind, masked
from pairwright.audit.people.mail import at_sign, emails
from pairwright.audit.people.money import cards, ibans
from pairwright.audit.people.names import NAME_MARKS, handles, stated_names
from pairwright.audit.people.national import national_ids
from pairwright.audit.people.net import ips, profile_urls
from pairwright.audit.people.secret_keys import BLOCK, secrets
from pairwright.audit.people.telephone import phones
from pairwright.audit.records import Check, Redaction
from pairwright.dataset import Row

KINDS: tuple[Kind, ...] = get_args(Kind)
"""Of what overlaps in a text, the first of these is kept."""
FAILS = frozenset({"secret", "email", "phone", "address", "card", "iban", "national_id"})
"""Kinds by which anybody can reach or rob a person, or be taken for one. The others are public
names, often of somebody famous: they are told and logged."""
MOST = 200
"""Findings of a kind that one text is searched for."""
_FINDERS = {
    "secret": secrets, "iban": ibans, "card": cards, "national_id": national_ids, "email": emails,
    "profile_url": profile_urls, "ip": ips, "phone": phones, "address": addresses,
    "handle": handles, "stated_name": stated_names,
}  # fmt: skip
_NEED_DIGITS = frozenset({"iban", "card", "national_id", "phone", "ip", "address"})
"""An address of the sixth version without a digit is none that anybody has."""
_DIGIT = re.compile(r"\d")
_MARKS = (*DIGITS, "@", "/", "www.", "(", "[", " dot ", " name", BLOCK.lower())
"""Without one of these, in small letters, no finder but that of names finds anything in ASCII."""


class PersonalData:
    """A check for each kind, named for it: rows that hold one. Addresses that a licence asks for
    (`source_url`) are not looked into."""

    def __init__(self) -> None:
        self._clean: set[int] = set()
        self._found: dict[int, list[Redaction]] = {}
        self._rows: Counter[int] = Counter()
        self._checks = {
            kind: Found(
                "people", kind,
                limit=0.0 if kind in FAILS else None, others=0.0 if kind in FAILS else None,
            )
            for kind in KINDS
        }  # fmt: skip

    def add(self, row: Row, name: str) -> None:
        """`name` is the row's id without what is found in it."""
        said: dict[str, str] = {}
        seen: set[int] = set()
        for field, post, text in chain(_fields(row), _ids(row)):
            key = hash(text)
            if key in self._clean:
                continue
            if key not in self._found:
                found = find(text)
                if not found:
                    self._clean.add(key)
                    continue
                self._found[key] = [_logged(name, field, post, text, one) for one in found]
            if key not in seen:
                seen.add(key)
                self._rows[key] += 1
            for one in self._found[key]:
                said.setdefault(one.kind, f"{field}: {one.masked}")
        named = row if name == row.id else row.model_copy(update={"id": name})
        for kind, check in self._checks.items():
            check.add(named, said.get(kind))

    def checks(self) -> Iterator[Check]:
        for check in self._checks.values():
            yield from check.checks()
        yield Check(
            family="people", name="names", status="note",
            detail="names of people are not looked for, but where somebody states their own: a "
            "model that finds them reliably is not part of this tool",
        )  # fmt: skip

    def redactions(self) -> Iterator[Redaction]:
        for key, found in self._found.items():
            for one in found:
                yield one.model_copy(update={"rows": self._rows[key]})


def find(text: str) -> list[Finding]:
    """Everything in a text, by place; of what overlaps, the kind that comes first in KINDS, and of
    one kind what its finder tells first."""
    kinds = KINDS
    if text.isascii():
        small = text.lower()
        if not any(map(small.__contains__, _MARKS)):
            if not any(map(small.__contains__, NAME_MARKS)):
                return []
            kinds = ("stated_name",)
    digits = _DIGIT.search(text) is not None
    taken: list[Finding] = []
    for kind in kinds:
        if digits or kind not in _NEED_DIGITS:
            for one in islice(_FINDERS[kind](text), MOST):
                if not any(_overlap(one, other) for other in taken):
                    taken.append(one)
    return sorted(taken, key=lambda one: one.start)


def without_data(name: str) -> str:
    """An id as it may be shown: masked where it holds an address."""
    return shown(name) if at_sign(name) else name


def shown(text: str) -> str:
    """A text as a check may quote it: whatever is found in it masked."""
    for one in reversed(find(text)):
        text = text[: one.start] + masked(text, one) + text[one.end :]
    return text


def shown_id(row: str, number: int) -> str:
    """A row's id as an audit may show it: without personal data, and then with the row's number in
    the source, from 1, because many ids may look the same now."""
    name = without_data(row)
    return name if name == row else f"row {number:,}: {name}"


def _overlap(one: Finding, other: Finding) -> bool:
    return one.start < other.end and other.start < one.end


def _logged(row: str, field: str, post: str, text: str, one: Finding) -> Redaction:
    return Redaction(
        row=row, field=field, post=without_data(post), kind=one.kind, start=one.start, end=one.end,
        masked=masked(text, one), rows=0,
    )  # fmt: skip


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
    given = [("id", row.id), ("item_id", row.item_id), ("category", row.category),
             ("domain", row.domain)]  # fmt: skip
    for number, post in enumerate(row.profile):
        field = f"profile[{number}]"
        given += [(f"{field}.id", post.id), (f"{field}.category", post.category)]
    for field, text in given:
        if at_sign(text):
            yield field, "", text
