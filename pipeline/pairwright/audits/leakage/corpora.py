"""Runs of words shared with texts that the auditor gives, such as a training corpus.

Thirteen words in a row, as in GPT-3's study of contamination (Brown and others 2020, appendix C),
and whole texts or lines that are the same words.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from pathlib import Path

import numpy as np

from pairwright import text
from pairwright.audits.leakage.sketch import (
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
from pairwright.audits.read.source import ReadRow
from pairwright.audits.records import Check
from pairwright.audits.row_check import OTHERS, TEXT, RowCheck, RowPlace
from pairwright.errors import InputError
from pairwright.sources.opening import OPENERS
from pairwright.sources.problems import SourceProblem
from pairwright.sources.source_table import check_text, text_lines

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
        if self._corpora is None:
            return self._check.checks()
        copied, read = self._overlap(self._corpora)
        counts = self._flag(copied)
        return self._check.checks(f"compared with {read:,} texts; rows by place: {counts}")

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


LINES = 1000
_TABLES = {suffix: OPENERS[suffix] for suffix in (".json", ".jsonl", ".parquet")}


def corpus_texts(paths: Iterable[Path]) -> Iterator[str]:
    """Every text in every row of JSON, JSONL and Parquet, whatever its column; of any other file
    the paragraphs, which blank lines part, LINES lines of one at a time.

    Raises InputError at once where there is no such file, and later for a row or line that cannot
    be read.
    """
    files = tuple(paths)
    for path in files:
        if not path.is_file():
            raise InputError("no such file", where=path, fix="Correct the path after --corpus.")
    return chain.from_iterable(map(_texts_of, files))


def _texts_of(path: Path) -> Iterator[str]:
    table = _TABLES.get(path.suffix.lower())
    if table is None:
        yield from _paragraphs(path)
        return
    for row in table(path).rows:
        if isinstance(row, SourceProblem):
            raise InputError(
                f"{row.reason}: {row.detail}",
                where=path.with_name(row.where),
                fix="Mend this row: what is not read cannot be compared.",
            )
        yield from _texts_in(row.fields)


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(inner)


def _paragraphs(path: Path) -> Iterator[str]:
    check_text(path)
    for written, lines in groupby(_decode_lines(path), key=lambda line: bool(line.strip())):
        while written and (some := "".join(islice(lines, LINES))):
            yield some


def _decode_lines(path: Path) -> Iterator[str]:
    for number, line in enumerate(text_lines(path), start=1):
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            raise InputError(
                f"not UTF-8: {error.reason}",
                where=f"{path}:{number}",
                fix="Save the file as UTF-8; unpack a packed one first.",
            ) from None
