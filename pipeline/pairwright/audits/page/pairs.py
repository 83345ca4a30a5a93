"""The pairs that the page of an audit holds, in compressed blocks; a sample where the file has no
room for all.

Blocks are JSON, compressed, in base64, so that nothing in them can end the element they are in.
They are of three sorts, so that the page reads no more than it shows: one index of all pairs;
questions and responses, which are searched; and everything else on the same pairs.

Of a sample, the pairs that a failed check names come first, then the others in the order of a hash
of their subject: a sample does not depend on a row's place in the source, and both halves of a twin
stay together.
"""

import base64
import hashlib
import math
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple

from pydantic_core import to_json

from pairwright.audits.catalogue import definition_of
from pairwright.audits.read.source import PairSource
from pairwright.audits.records import Check
from pairwright.dataset import Row, RowPost
from pairwright.records import Record

RowNote = tuple[int, str]
"""The number of a check, and its detail on the row."""


class Flags:
    """The notes of checks on each row, by the row's id."""

    def __init__(self, checks: Iterable[Check]) -> None:
        self._by_row: dict[str, list[RowNote]] = {}
        self._where: dict[str, str] = {}
        self.checks: list[tuple[str, bool]] = []
        """The title of each check that names rows, and whether it failed. One that failed in one
        configuration and not in another is two."""
        numbers: dict[tuple[str, str, bool], int] = {}
        named = (check for check in checks if check.flags)
        for check in sorted(named, key=lambda check: check.status != "fail"):
            failed = check.status == "fail"
            number = numbers.setdefault((check.family, check.name, failed), len(numbers))
            if number == len(self.checks):
                self.checks.append((definition_of(check).title, failed))
            for flag in check.flags:
                self._by_row.setdefault(flag.row, []).append((number, flag.detail))
                self._where[flag.row] = flag.where

    @property
    def rows(self) -> Iterable[str]:
        """The rows that any check names."""
        return self._by_row

    def notes(self, row: str) -> tuple[RowNote, ...]:
        """The notes on one row, failed checks first."""
        return tuple(self._by_row.get(row, ()))

    def where(self, row: str) -> str:
        """The file and line of a row that a check names; empty for others."""
        return self._where.get(row, "")

    def numbers(self, row: str) -> tuple[int, ...]:
        """The checks that name one row, each once."""
        return tuple(dict.fromkeys(number for number, _ in self._by_row.get(row, ())))

    def failed(self, row: str) -> bool:
        """Whether a failed check names the row."""
        return any(self.checks[number][1] for number, _ in self._by_row.get(row, ()))


BLOCK = 400_000
"""Characters of JSON after which a block is closed."""
START = 160
"""Characters of a question in the index."""
VoteCounts = tuple[int, int, int, int]
DecisionWord = Literal[
    "unasked", "verified", "not verified", "simulated", "simulated, not verified"
]
"""What people said of a pair. `simulated`: simulated annotators verified it, in place of people."""


class PairDetail(Record):
    """One pair without what the others hold."""

    row: Row
    """Its question, responses and profile are empty."""
    profile: tuple[int, ...]
    """Places in the block's posts."""
    flags: tuple[RowNote, ...]
    where: str = ""
    """The file and line of a row that a check names."""


class BlockDetails(Record):
    """The rest of the pairs of one block; posts that several share are there once."""

    posts: tuple[RowPost, ...]
    rows: tuple[PairDetail, ...]


class PairIndex(Record):
    """All pairs of the page, one value each, in the order of the source."""

    checks: tuple[tuple[str, bool], ...]
    """As `Flags` has them."""
    configs: tuple[tuple[str, str], ...]
    """Domain and mode; pairs name them by their place."""
    starts: tuple[int, ...]
    """The first pair of each block."""
    ids: tuple[str, ...]
    config: tuple[int, ...]
    questions: tuple[str, ...]
    flags: tuple[tuple[int, ...], ...]
    """Places in `checks`."""
    people: tuple[DecisionWord, ...]
    votes: tuple[VoteCounts | None, ...]
    """Votes for the chosen, for the rejected, for no difference, and for cannot tell."""
    other: tuple[int | None, ...]
    """The place of the twin's other half."""


class HeldPairs(NamedTuple):
    """The pairs that a page holds: base64 of raw deflate (RFC 1951) of UTF-8 JSON."""

    listing: str
    """The index."""
    texts: tuple[str, ...]
    details: tuple[str, ...]
    pairs: int
    failed_held: int
    """Pairs here that a failed check names."""
    total: int = 0
    """Rows of the source."""
    failed: int = 0
    """Rows of the source that a failed check names."""

    @property
    def size(self) -> int:
        """Characters."""
        return len(self.listing) + sum(map(len, self.texts)) + sum(map(len, self.details))


class _OpenBlock:
    """The block being filled."""

    def __init__(self) -> None:
        self.texts: list[tuple[str, str, str]] = []
        self.posts: dict[RowPost, int] = {}
        self.details: list[PairDetail] = []
        self.size = 0


class PairPacker:
    """Rows in, blocks out. Memory holds one open block and the compressed ones."""

    def __init__(self, flags: Flags, simulated: Mapping[str, bool]) -> None:
        self._flags = flags
        self._simulated = simulated
        self._open = _OpenBlock()
        self._texts: list[str] = []
        self._details: list[str] = []
        self._configs: dict[tuple[str, str], int] = {}
        self._starts = [0]
        self._ids: list[str] = []
        self._entries: list[tuple[int, str, DecisionWord, VoteCounts | None]] = []
        """Of each pair its configuration, the start of its question, its people and votes."""
        self._twins: dict[str, list[int]] = {}
        self.raw = 0
        """Characters of the rows in closed blocks."""
        self.size = 0
        """Characters of the closed blocks, compressed."""

    def add(self, row: Row) -> None:
        """One more pair, after those before."""
        block = self._open
        block.texts.append((row.question, row.chosen, row.rejected))
        places = [block.posts.setdefault(post, len(block.posts)) for post in row.profile]
        rest = row.model_copy(update={"question": "", "chosen": "", "rejected": "", "profile": ()})
        detail = PairDetail.model_construct(
            row=rest,
            profile=tuple(places),
            flags=self._flags.notes(row.id),
            where=self._flags.where(row.id),
        )
        block.details.append(detail)
        block.size += length(row)
        if row.twin_id is not None:
            self._twins.setdefault(row.twin_id, []).append(len(self._ids))
        config = self._configs.setdefault((row.domain, row.mode or ""), len(self._configs))
        own = row.votes
        votes = (own.chosen, own.rejected, own.equal, own.cannot_tell) if own else None
        start = " ".join(row.question[: 2 * START].split())[:START]
        self._ids.append(row.id)
        self._entries.append((config, start, self._people(row), votes))
        if block.size >= BLOCK:
            self._close()

    def _close(self) -> None:
        block = self._open
        question, chosen, rejected = zip(*block.texts, strict=True)
        texts = to_json({"question": question, "chosen": chosen, "rejected": rejected})
        details = BlockDetails.model_construct(posts=tuple(block.posts), rows=tuple(block.details))
        self._texts.append(_compress(texts))
        self._details.append(_compress(_as_json(details)))
        self.raw += block.size
        self.size += len(self._texts[-1]) + len(self._details[-1])
        self._starts.append(len(self._ids))
        self._open = _OpenBlock()

    def packed(self) -> HeldPairs:
        """Give all that was added; call it after the last row."""
        if self._open.texts:
            self._close()
        ids, entries = self._ids, self._entries
        others: list[int | None] = [None] * len(ids)
        for halves in self._twins.values():
            if len(halves) > 1:
                for here, there in zip(halves, [*halves[1:], halves[0]], strict=True):
                    others[here] = there
        index = PairIndex(
            checks=tuple(self._flags.checks),
            configs=tuple(self._configs),
            starts=tuple(self._starts[:-1]),
            ids=tuple(ids),
            config=tuple(config for config, _, _, _ in entries),
            questions=tuple(start for _, start, _, _ in entries),
            flags=tuple(map(self._flags.numbers, ids)),
            people=tuple(people for _, _, people, _ in entries),
            votes=tuple(votes for _, _, _, votes in entries),
            other=tuple(others),
        )
        return HeldPairs(
            _compress(_as_json(index)), tuple(self._texts), tuple(self._details), len(ids),
            failed_held=sum(map(self._flags.failed, ids)),
        )  # fmt: skip

    def _people(self, row: Row) -> DecisionWord:
        if row.verified:
            return "verified"
        if row.subject in self._simulated:
            return "simulated" if self._simulated[row.subject] else "simulated, not verified"
        return "not verified" if row.votes else "unasked"


def length(row: Row) -> int:
    """Characters of a row's texts, about."""
    aspects = sum(
        len(one.aspect) + len(one.reason) + len(one.evidence) for one in row.rubric_aspects
    )
    posts = sum(len(post.text) + 100 for post in row.profile)
    responses = len(row.question) + len(row.chosen) + len(row.rejected)
    return responses + aspects + posts + len(row.narrative or "") + len(row.id) + 500


LEVEL = 4
"""Of zlib: a third of the time of its default, for pages that are 5 % larger."""


def _as_json(record: Record) -> bytes:
    return record.model_dump_json(exclude_defaults=True).encode()


def _compress(raw: bytes) -> str:
    compressor = zlib.compressobj(LEVEL, wbits=-15)
    return base64.b64encode(compressor.compress(raw) + compressor.flush()).decode()


class PairSizes:
    """The characters of text of every pair or twin, collected while an audit reads them, so that
    the choice of pairs needs no further reading."""

    def __init__(self) -> None:
        self.rows = 0
        self._lengths: dict[str, int] = {}
        self._places: dict[str, list[int]] = {}
        """The places of each subject's rows among all, from 0."""
        self._subjects: dict[str, list[str]] = {}
        """The subjects of the rows with one id; pairs of others may repeat an id."""

    def add(self, row: Row) -> None:
        """Count one row."""
        self._places.setdefault(row.subject, []).append(self.rows)
        self.rows += 1
        self._lengths[row.subject] = self._lengths.get(row.subject, 0) + length(row)
        self._subjects.setdefault(row.id, []).append(row.subject)

    def subjects(self, ids: Iterable[str]) -> list[str]:
        """One for every row that has one of these ids."""
        return [subject for row in ids for subject in self._subjects.get(row, ())]

    def first(self, room: float, failed: Iterable[str]) -> list[int]:
        """The places of the subjects that come first, as many as fit into `room` characters of
        text; `failed` come before others."""
        before, taken = set(failed), list[int]()
        for name in sorted(self._lengths, key=lambda name: (name not in before, _hash(name))):
            if self._lengths[name] <= room:
                room -= self._lengths[name]
                taken += self._places[name]
        return sorted(taken)


def select_pairs(
    source: PairSource,
    sizes: PairSizes,
    flags: Flags,
    most: int,
    *,
    simulated: Mapping[str, bool],
    progress: Callable[[str, int | None], None] | None = None,
) -> HeldPairs:
    """Pack all rows of a source, or as many as fit into `most` characters of base64. Where they are
    too many, some of them are read again for every try. `sizes` are those of all rows, `simulated`
    the decisions of simulated annotators, as an `Audit` has them."""
    failed = sizes.subjects(filter(flags.failed, flags.rows))
    wanted: list[int] | None = None
    room = math.inf
    while True:
        packing = PairPacker(flags, simulated)
        rows = source if wanted is None else source.rows_at(wanted)
        for number, row in enumerate(rows, start=1):
            if progress and number % 1000 == 0:
                progress("packing pairs", number)
            packing.add(row)
            # Blocks differ, so what the rest will need is not known better than within a half.
            expected = packing.size * sizes.rows / number / 2 if wanted is None else 0
            if max(packing.size, expected) > most:
                break
        else:
            held = packing.packed()
            if held.size <= most or not held.pairs:
                return held._replace(total=sizes.rows, failed=len(failed))
        # What was packed shows how well these pairs compress; others may do so less well.
        room = 0.93 * min(room, most * packing.raw / packing.size)
        wanted = sizes.first(room, failed)


def _hash(subject: str) -> bytes:
    return hashlib.blake2b(subject.encode(errors="replace"), digest_size=8).digest()
