"""Runs of words shared with texts that the auditor gives, such as a training corpus.

Thirteen words in a row, as in GPT-3's study of contamination (Brown and others 2020, appendix C),
and whole texts or lines that are the same words.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from pairwright import text
from pairwright.audit.leakage.sketch import (
    CHOSEN,
    POST,
    QUESTION,
    REJECTED,
    DistinctTexts,
    Hashes,
    hash_words,
    place_name,
    runs,
)
from pairwright.audit.read.source import ReadRow
from pairwright.audit.records import Check
from pairwright.audit.row_check import OTHERS, TEXT, RowCheck, RowPlace

RUN = 13
LEAST_WORDS = 5
"""The least words of a text that counts as copied whole: shorter ones may be equal by chance."""
LONG, EVERY = 52, 4
"""Of a text of more runs one in four is kept: a copy has more than one of them."""


class CorpusOverlap:
    """`corpus_overlap`: rows whose question, sides or posts hold such a run or are such a text.
    Nothing is kept without a corpus."""

    names = ("corpus_overlap",)

    def __init__(self, corpora: Iterable[str] | None) -> None:
        self._corpora = corpora
        self._texts, self._names = DistinctTexts(), list[str]()
        self._runs: list[Hashes] = []
        self._whole: dict[int, list[int]] = {}
        self._check = RowCheck(
            "corpus_overlap", limit=OTHERS, others=OTHERS,
            nothing="no corpus was given to compare the texts with",
        )  # fmt: skip

    def add(self, line: ReadRow) -> None:
        if self._corpora is None:
            return
        row = line.row
        number = len(self._names)
        self._names.append(row.id)
        self._check.add(row, None)
        sides = ((QUESTION, row.question), (CHOSEN, row.chosen), (REJECTED, row.rejected))
        for place, passage in (*sides, *((n, p.text) for n, p in enumerate(row.profile, POST))):
            if self._texts.add(number, place, passage):
                self._keep(passage[:TEXT])

    def checks(self) -> Iterator[Check]:
        detail = ""
        if self._corpora is not None:
            copied, read = self._overlap(self._corpora)
            counts = self._flag(copied)
            detail = f"compared with {read:,} texts; rows by place: {counts}"
        yield from self._check.checks(detail)

    def _keep(self, passage: str) -> None:
        words = text.words(passage)
        own = np.unique(runs(hash_words(words), RUN))
        if len(own) > LONG:
            own = own[own % np.uint64(EVERY) == 0]
        if len(words) >= text.run_length(passage, LEAST_WORDS):
            self._whole.setdefault(_whole(words), []).append(len(self._runs))
        self._runs.append(own)

    def _overlap(self, corpora: Iterable[str]) -> tuple[set[int], int]:
        """The texts that overlap, and with how many texts they were compared."""
        hashes: Hashes = np.concatenate([np.zeros(0, np.uint64), *self._runs])
        owner = np.repeat(np.arange(len(self._runs)), [len(own) for own in self._runs])
        order = np.argsort(hashes, kind="stable")
        hashes, owner = hashes[order], owner[order]
        hit = np.zeros(len(hashes), bool)
        copied: set[int] = set()
        read = 0
        for document in corpora:
            read += 1
            for passage in dict.fromkeys((document, *document.splitlines())):
                # Past the cache: nothing of a corpus comes twice.
                words = text.words.__wrapped__(passage)
                if len(words) >= LEAST_WORDS:
                    copied.update(self._whole.get(_whole(words), ()))
                if passage is document and len(words) >= RUN:
                    own = np.unique(runs(hash_words(words), RUN))
                    first, end = np.searchsorted(hashes, own), np.searchsorted(hashes, own, "right")
                    for one in np.flatnonzero(first < end):
                        hit[first[one] : end[one]] = True
        return copied | set(owner[hit].tolist()), read

    def _flag(self, copied: set[int]) -> str:
        lines = self._texts.text_places()
        lines = lines[lines.text.isin(copied)]
        places: dict[int, list[str]] = {}
        for row, place in lines[["row", "place"]].to_numpy(np.int64).tolist():
            places.setdefault(row, []).append(place_name(place))
        for row, named in places.items():
            overlap = f"overlap in {', '.join(named)}"
            self._check.flag(RowPlace(row, "", self._names[row]), overlap)
        kinds = lines.assign(place=lines.place.clip(upper=POST)).drop_duplicates(["row", "place"])
        counts = kinds.place.value_counts()
        names = ("question", "chosen", "rejected", "posts")
        return ", ".join(f"{name} {counts.get(n, 0):,}" for n, name in enumerate(names))


def _whole(words: tuple[str, ...]) -> int:
    return int(runs(hash_words(words), len(words))[0])
