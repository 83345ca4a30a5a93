"""Texts are looked through before people read them: for personal data and sensitive subjects."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pairwright.audits.people.scan import screen
from pairwright.records import Record
from pairwright_human_eval.subjects import Subject

Screened = Literal["personal", "sensitive"]
"""Data by which anybody can reach or rob a person; subjects that can harm people."""


class ScreenedSubject(Record):
    """A line of private/screened.jsonl: something found in a twin or pair, masked."""

    subject: str
    field: str
    kind: str
    personal: bool
    masked: str


@dataclass(frozen=True, slots=True)
class TextScreening:
    """What was found in all subjects of a run."""

    findings: tuple[ScreenedSubject, ...]

    def subjects(self, what: Screened) -> frozenset[str]:
        """The twins and pairs that hold such data, or are on such subjects."""
        return frozenset(
            one.subject for one in self.findings if one.personal == (what == "personal")
        )

    @property
    def counts(self) -> Mapping[str, int]:
        """Twins and pairs by kind of personal data and group of subjects."""
        return Counter(kind for _, kind in {(one.subject, one.kind) for one in self.findings})


def screen_subjects(subjects: Iterable[Subject]) -> TextScreening:
    """Look through questions, posts and responses of every subject."""
    return TextScreening(
        tuple(
            ScreenedSubject(
                subject=subject.id,
                field=field,
                kind=found.kind,
                personal=found.personal,
                masked=found.masked,
            )
            for subject in subjects
            for field, text in _texts(subject)
            for found in screen(text)
        )
    )


def _texts(subject: Subject) -> Iterator[tuple[str, str]]:
    yield "question", subject.asked.question
    yield "narrative", subject.asked.narrative or ""
    yield "first response", subject.first
    yield "second response", subject.second
    for pair in subject.pairs:
        for post in pair.profile:
            yield f"post {post.id}", post.text
