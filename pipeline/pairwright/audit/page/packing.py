"""Pairs as blocks of JSON, compressed, in base64: nothing in them can end the element they are in.

Three sorts, so that the page reads no more than it shows: one index of all pairs; blocks of
questions and responses, which are searched; and blocks of everything else on the same pairs.
"""

import base64
import zlib
from collections.abc import Mapping
from typing import Literal, NamedTuple

from pairwright.audit.page.flags import FlagCheck, Flags, RowNote
from pairwright.dataset import Row, RowPost
from pairwright.records import Record

BLOCK = 400_000
"""Characters of JSON after which a block is closed."""
START = 160
"""Characters of a question in the index."""
Votes = tuple[int, int, int, int]
State = Literal["unasked", "verified", "not verified", "simulated", "simulated, not verified"]
"""What people said of a pair. `simulated`: simulated annotators verified it, in place of people."""


class BlockTexts(Record):
    """What is searched, of the pairs of one block."""

    question: tuple[str, ...]
    chosen: tuple[str, ...]
    rejected: tuple[str, ...]


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

    checks: tuple[FlagCheck, ...]
    configs: tuple[tuple[str, str], ...]
    """Domain and mode; pairs name them by their place."""
    starts: tuple[int, ...]
    """The first pair of each block."""
    ids: tuple[str, ...]
    config: tuple[int, ...]
    questions: tuple[str, ...]
    flags: tuple[tuple[int, ...], ...]
    """Places in `checks`."""
    people: tuple[State, ...]
    votes: tuple[Votes | None, ...]
    """Votes for the chosen, for the rejected, for about equal, and for cannot tell."""
    other: tuple[int | None, ...]
    """The place of the twin's other half."""


class PackedPairs(NamedTuple):
    """Base64 of raw deflate (RFC 1951) of UTF-8 JSON."""

    listing: str
    """The index."""
    texts: tuple[str, ...]
    details: tuple[str, ...]
    pairs: int

    @property
    def size(self) -> int:
        """Characters."""
        return len(self.listing) + sum(map(len, self.texts)) + sum(map(len, self.details))


class _Entry(NamedTuple):
    """What the index will hold of a pair."""

    id: str
    config: int
    question: str
    people: State
    votes: Votes | None


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
        self._entries: list[_Entry] = []
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
            self._twins.setdefault(row.twin_id, []).append(len(self._entries))
        config = self._configs.setdefault((row.domain, row.mode or ""), len(self._configs))
        own = row.votes
        votes = (own.chosen, own.rejected, own.equal, own.cannot_tell) if own else None
        start = " ".join(row.question[: 2 * START].split())[:START]
        self._entries.append(_Entry(row.id, config, start, self._people(row), votes))
        if block.size >= BLOCK:
            self._close()

    def _close(self) -> None:
        block = self._open
        question, chosen, rejected = zip(*block.texts, strict=True)
        texts = BlockTexts(question=question, chosen=chosen, rejected=rejected)
        details = BlockDetails.model_construct(posts=tuple(block.posts), rows=tuple(block.details))
        self._texts.append(_compress(texts))
        self._details.append(_compress(details))
        self.raw += block.size
        self.size += len(self._texts[-1]) + len(self._details[-1])
        self._starts.append(len(self._entries))
        self._open = _OpenBlock()

    def packed(self) -> PackedPairs:
        """Give all that was added; call it after the last row."""
        if self._open.texts:
            self._close()
        entries = self._entries
        index = PairIndex(
            checks=tuple(self._flags.checks),
            configs=tuple(self._configs),
            starts=tuple(self._starts[:-1]),
            ids=tuple(entry.id for entry in entries),
            config=tuple(entry.config for entry in entries),
            questions=tuple(entry.question for entry in entries),
            flags=tuple(self._flags.numbers(entry.id) for entry in entries),
            people=tuple(entry.people for entry in entries),
            votes=tuple(entry.votes for entry in entries),
            other=tuple(self._others()),
        )
        return PackedPairs(_compress(index), tuple(self._texts), tuple(self._details), len(entries))

    def _people(self, row: Row) -> State:
        if row.verified:
            return "verified"
        if row.subject in self._simulated:
            return "simulated" if self._simulated[row.subject] else "simulated, not verified"
        return "not verified" if row.votes else "unasked"

    def _others(self) -> list[int | None]:
        others: list[int | None] = [None] * len(self._entries)
        for halves in self._twins.values():
            if len(halves) > 1:
                for here, there in zip(halves, [*halves[1:], halves[0]], strict=True):
                    others[here] = there
        return others


def length(row: Row) -> int:
    """Characters of a row's texts, about."""
    aspects = sum(
        len(one.aspect) + len(one.reason) + len(one.evidence) for one in row.rubric_aspects
    )
    posts = sum(len(post.text) + 100 for post in row.profile)
    responses = len(row.question) + len(row.chosen) + len(row.rejected)
    return responses + aspects + posts + len(row.narrative or "") + len(row.id) + 500


def _compress(record: Record) -> str:
    compressor = zlib.compressobj(wbits=-15)
    raw = record.model_dump_json(exclude_defaults=True).encode()
    return base64.b64encode(compressor.compress(raw) + compressor.flush()).decode()
