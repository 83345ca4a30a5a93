"""A search of texts for personal data: each text of an audit once, which gives checks and a log of
redactions; and one text by itself, before people see it."""

from collections import Counter
from collections.abc import Iterable, Iterator

from pairwright.audits.personal_data import FAILS, KINDS, find, mask
from pairwright.audits.records import Check, Redaction
from pairwright.audits.row_check import RowCheck
from pairwright.pairs import ReadRow, Row


class PersonalData:
    """One check for each kind: rows that hold such data. Addresses that a licence asks for
    (`source_url`) are not searched."""

    def __init__(self) -> None:
        self._clean: set[int] = set()
        """Hashes of texts without a finding."""
        self._redactions: dict[int, list[Redaction]] = {}
        """The redactions of a text, by the text's hash."""
        self._rows: Counter[int] = Counter()
        limits = {kind: 0.0 if kind in FAILS else None for kind in KINDS}
        self._checks = {
            kind: RowCheck(kind, limit=limit, others=limit) for kind, limit in limits.items()
        }

    def add(self, line: ReadRow) -> None:
        """Search one row's texts."""
        row = line.row
        details: dict[str, str] = {}
        counted: set[int] = set()
        for field, post, text in _fields(row):
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
                        row=row.id, where=line.where, field=field, post=post, kind=one.kind,
                        start=one.start, end=one.end, masked=mask(text, one), rows=0,
                    )
                    for one in findings
                ]  # fmt: skip
            if key not in counted:
                counted.add(key)
                self._rows[key] += 1
            for one in self._redactions[key]:
                details.setdefault(one.kind, f"{field}: {one.masked}")
        for kind, check in self._checks.items():
            check.count(line, details.get(kind, ""))

    def checks(self) -> Iterable[Check]:
        return [check.check() for check in self._checks.values()]

    def redactions(self) -> Iterator[Redaction]:
        """All findings, in the order of the source."""
        for key, redactions in self._redactions.items():
            for one in redactions:
                yield Redaction(**dict(one) | {"rows": self._rows[key]})


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
