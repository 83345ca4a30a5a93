"""What is verified and released as one: a twin with both its halves, or a single pair.

Which response is shown as A is a pure function of the study's seed, a salt and the subject's id.
The salt, one a domain and kept in the key, is the first that makes the two orders about equally
frequent in that domain, and in each of its modes. Both halves of a twin share
their subject, and so their order.

An outline is a subject without any text: names, hashes and the judge's scores. Decisions and every
number of a report are functions of outlines and verdicts, so that they can be derived again from a
release, which has no refused pairs.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Literal

from pairwright.errors import InputError
from pairwright.modes import MODES
from pairwright.records import Pair, Record, Side, draw_id, dyad_id
from pairwright_human_eval.records import aspect_id, response_id

Label = Literal["chosen", "equal"]


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

    @property
    def has_aspects(self) -> bool:
        """Whether there is a rubric to ask people about."""
        return any(pair.rubric.aspects for pair in self.pairs)


def subjects_of(pairs: Iterable[Pair], file: Path) -> list[Subject]:
    """The subjects in the order of the file. Raises InputError for half a twin."""
    together: dict[str, list[Pair]] = {}
    for pair in pairs:
        together.setdefault(pair.twin_id or pair.id, []).append(pair)
    subjects = []
    for name, parts in together.items():
        expected = 1 if parts[0].twin_id is None else 2
        subject = Subject(name, tuple(sorted(parts, key=lambda pair: not pair.asked)))
        first, last = subject.pairs[0], subject.pairs[-1]
        wrong = ""
        if len(parts) != expected or sum(pair.asked for pair in parts) != 1:
            wrong = (
                f"lines of {name}: {len(parts)}, where it must have {expected}, one of them asked"
            )
        elif first is not last and (
            first.user == last.user
            or (first.question, first.chosen, first.rejected)
            != (last.question, last.rejected, last.chosen)
        ):
            wrong = (
                f"the halves of {name} are not of one question with chosen and rejected changed"
                " about"
            )
        if wrong:
            raise InputError(
                wrong,
                where=file,
                fix="Build again: pairs.jsonl is derived from the run folder's store.",
            )
        subjects.append(subject)
    return subjects


def mode_of_twin(subject: str) -> str | None:
    """The mode of a unit of two halves, which its id begins with; None of a single pair, whose id
    does not say it."""
    mode = subject.partition("-")[0]
    return mode if mode in MODES else None


def sample(subjects: list[Subject], n: int | None, seed: int) -> list[Subject]:
    """`n` subjects drawn by their ids, in the order given; all where `n` is None."""
    if n is None or n >= len(subjects):
        return subjects
    order = sorted(subjects, key=lambda s: draw_id("sample", str(seed), s.id))
    drawn = {subject.id for subject in order[:n]}
    return [subject for subject in subjects if subject.id in drawn]


def file_hash(path: Path) -> str:
    """`sha256:` of a file's bytes."""
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def swapped(seed: int, salt: int, subject: str) -> bool:
    """Whether the subject's second response is shown as A."""
    text = f"side {seed} {salt} {subject}".encode()
    return bool(blake2b(text, digest_size=1).digest()[0] & 1)


def salts(subjects: Iterable[Subject], seed: int) -> dict[str, int]:
    """By domain, the first salt under which the numbers of both orders differ by at most
    1 + n/200: in all, and in each mode."""
    by_domain: dict[str, list[Subject]] = {}
    for subject in subjects:
        by_domain.setdefault(subject.domain, []).append(subject)
    found = {}
    for domain, own in sorted(by_domain.items()):
        groups = [[subject.id for subject in own]]
        for mode in {subject.mode for subject in own}:
            groups.append([subject.id for subject in own if subject.mode == mode])
        found[domain] = next(
            salt for salt in count() if all(_balanced(group, seed, salt) for group in groups)
        )
    return found


def _balanced(ids: list[str], seed: int, salt: int) -> bool:
    second = sum(swapped(seed, salt, name) for name in ids)
    return abs(2 * second - len(ids)) <= 1 + len(ids) // 200


class OutlinePair(Record):
    """One pair: its responses and aspects by neutral name."""

    id: str
    asked: bool
    chosen: str
    rejected: str
    aspects: tuple[str, ...]
    adherence: dict[Side, tuple[int, ...]]
    """The judge's scores, in the order of the aspects; empty where nothing was judged."""

    def side(self, name: str) -> str:
        """`chosen` or `rejected` for a response; other answers as they are."""
        return {self.chosen: "chosen", self.rejected: "rejected"}.get(name, name)


class Outline(Record):
    """One subject: a twin with both halves, or a pair."""

    id: str
    mode: str
    domain: str
    dyad: str
    """The users it is about: the cluster of every interval."""
    first: str
    """The response that is chosen for the user who asked."""
    second: str
    pairs: tuple[OutlinePair, ...]
    """The asked one first."""
    quality: dict[str, dict[str, int]]
    """By response and scale: the judge's scores, where it gave them."""

    @property
    def label(self) -> Label:
        """The answer that verifies its pairs: they prefer the chosen response, or find both
        equal."""
        return "equal" if MODES[self.mode].label == "equal" else "chosen"


def outline_of(subject: Subject) -> Outline:
    first_pair = subject.asked
    judged = {getattr(first_pair, side): scores for side, scores in first_pair.quality.items()}
    return Outline(
        id=subject.id,
        mode=first_pair.mode,
        domain=first_pair.domain,
        dyad=dyad_id(pair.user for pair in subject.pairs),
        first=response_id(subject.first),
        second=response_id(subject.second),
        pairs=tuple(
            OutlinePair(
                id=pair.id,
                asked=pair.asked,
                chosen=response_id(pair.chosen),
                rejected=response_id(pair.rejected),
                aspects=tuple(aspect_id(aspect.aspect) for aspect in pair.rubric.aspects),
                adherence={
                    side: tuple(score.score for score in given.scores)
                    for side, given in pair.adherence.items()
                },
            )
            for pair in subject.pairs
        ),
        quality={response_id(text): scores.scores for text, scores in judged.items()},
    )
