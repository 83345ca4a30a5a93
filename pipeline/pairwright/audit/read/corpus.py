"""Texts that the auditor gives, with which pairs are compared: one in memory at a time."""

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from pathlib import Path

from pairwright.errors import InputError
from pairwright.sources.opening import OPENERS
from pairwright.sources.problems import SourceProblem
from pairwright.sources.source_table import check_text, text_lines

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
    return _rows(path) if path.suffix.lower() in _TABLES else _paragraphs(path)


def _rows(path: Path) -> Iterator[str]:
    for row in _TABLES[path.suffix.lower()](path).rows:
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
