"""Texts are looked through before people read them: for personal data and sensitive subjects."""

from collections.abc import Iterable, Iterator
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


def screen_subjects(subjects: Iterable[Subject]) -> tuple[ScreenedSubject, ...]:
    """What is found in questions, posts and responses of every subject."""
    return tuple(
        ScreenedSubject(
            subject=subject.id, field=field, kind=kind, personal=personal, masked=masked
        )
        for subject in subjects
        for field, text in _texts(subject)
        for kind, personal, masked in screen(text)
    )


def _texts(subject: Subject) -> Iterator[tuple[str, str]]:
    yield "question", subject.asked.question
    yield "narrative", subject.asked.narrative or ""
    yield "first response", subject.first
    yield "second response", subject.second
    for pair in subject.pairs:
        for post in pair.profile:
            yield f"post {post.id}", post.text
