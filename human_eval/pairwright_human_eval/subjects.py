"""What is verified as one: a twin with both its halves, or one pair of mode violate."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pairwright.errors import InputError
from pairwright.records import Pair, content_id, dyad_id


@dataclass(frozen=True)
class Subject:
    """Two responses to one question, and the pairs that are made of them."""

    id: str
    """The twin's id, or the pair's."""
    pairs: tuple[Pair, ...]
    """Both halves of a twin, the asked one first; or one pair."""

    @property
    def asked(self) -> Pair:
        return self.pairs[0]

    @property
    def domain(self) -> str:
        return self.asked.domain

    @property
    def first(self) -> str:
        """The response that is chosen for the user who asked."""
        return self.asked.chosen

    @property
    def second(self) -> str:
        return self.asked.rejected

    @property
    def dyad(self) -> str:
        """The users it is about: the cluster of every interval."""
        return dyad_id(pair.user for pair in self.pairs)

    @property
    def mode(self) -> str:
        return self.asked.mode


def subjects_of(pairs: Iterable[Pair], file: Path) -> list[Subject]:
    """The subjects in the order of the file. Raises InputError for half a twin."""
    together: dict[str, list[Pair]] = {}
    for pair in pairs:
        together.setdefault(pair.twin_id or pair.id, []).append(pair)
    subjects = []
    for name, parts in together.items():
        expected = 1 if parts[0].twin_id is None else 2
        if len(parts) != expected or sum(pair.asked for pair in parts) != 1:
            raise InputError(
                f"lines of {name}: {len(parts)}, where it must have {expected}, one of them asked",
                where=file,
                fix="Build again: pairs.jsonl is derived from the run folder's store.",
            )
        subject = Subject(name, tuple(sorted(parts, key=lambda pair: not pair.asked)))
        if not _mirrored(subject):
            raise InputError(
                f"the halves of {name} are not of one question with chosen and rejected changed"
                " about",
                where=file,
                fix="Build again: pairs.jsonl is derived from the run folder's store.",
            )
        subjects.append(subject)
    return subjects


def _mirrored(subject: Subject) -> bool:
    first, last = subject.pairs[0], subject.pairs[-1]
    if first is last:
        return True
    turned = (last.question, last.rejected, last.chosen)
    return (first.question, first.chosen, first.rejected) == turned and first.user != last.user


def sample(subjects: list[Subject], n: int | None, seed: int) -> list[Subject]:
    """`n` subjects drawn by their ids, in the order given; all where `n` is None."""
    if n is None or n >= len(subjects):
        return subjects
    order = sorted(subjects, key=lambda s: content_id("sample", str(seed), s.id))
    drawn = {subject.id for subject in order[:n]}
    return [subject for subject in subjects if subject.id in drawn]


def file_hash(path: Path) -> str:
    """`sha256:` of a file's bytes."""
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
