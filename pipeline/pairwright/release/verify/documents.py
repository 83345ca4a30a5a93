"""Files that are compared with what they must be, as it is written again."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pairwright.dataset import Layout
from pairwright.records import Record
from pairwright.release.primary import Primary
from pairwright.release.verify.difference import difference

_SHOWN = 100
_BEFORE = 40
Document = tuple[str, Iterable[str]]
"""A path inside the release, and its text in pieces."""


def primary_documents(layout: Layout, primary: Primary) -> Iterator[Document]:
    """The primary files but rows and audit: what was read from them, written again. A file that
    says the same in other words, such as with its lines ended otherwise, differs."""
    yield _one(layout, layout.stated, primary.stated)
    yield _lines(layout, layout.history, primary.history)
    yield _lines(layout, layout.errata, primary.errata)
    yield _lines(layout, layout.units, primary.units)
    if primary.public:
        yield _one(layout, layout.study, primary.public.study)
        yield _lines(layout, layout.subjects, primary.public.outlines)
        yield _lines(layout, layout.verdicts, primary.public.verdicts)


def _one(layout: Layout, path: Path, record: Record) -> Document:
    return path.relative_to(layout.root).as_posix(), [record.model_dump_json(indent=2) + "\n"]


def _lines(layout: Layout, path: Path, records: Iterable[Record]) -> Document:
    written = (record.model_dump_json() + "\n" for record in records)
    return path.relative_to(layout.root).as_posix(), written


def compare(root: Path, path: str, pieces: Iterable[str]) -> None:
    """Hold a file to its text, byte by byte.

    Raises Difference naming the first line that differs, with both texts around the place.
    """
    if not (root / path).is_file():
        raise difference("is missing: a release of this kind has it", path)
    rest = iter(pieces)
    lines, start, at = 0, 0, 0  # Line ends so far, where the last line begins, bytes compared.
    with (root / path).open("rb") as file:
        for piece in rest:
            must = piece.encode()
            there = file.read(len(must))
            if there != must:
                same = _shared(there, must)
                last = must.rfind(b"\n", 0, same)
                lines += must.count(b"\n", 0, same)
                start = at + last + 1 if last >= 0 else start
                file.seek(start)
                begun = file.read(at + same - start)
                raise _at(path, lines + 1, begun, file.read(_SHOWN), _line(must[same:], rest))
            lines += must.count(b"\n")
            last = must.rfind(b"\n")
            start = at + last + 1 if last >= 0 else start
            at += len(must)
        if more := file.read(_SHOWN):
            file.seek(start)
            raise _at(path, lines + 1, file.read(at - start), more, b"")


def _shared(there: bytes, must: bytes) -> int:
    """How many bytes at the start are the same."""
    pairs = enumerate(zip(there, must, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(there), len(must)))


def _line(must: bytes, rest: Iterator[str]) -> bytes:
    """The rest of the line, as far as it is shown."""
    while b"\n" not in must and len(must) < _SHOWN and (piece := next(rest, "")):
        must += piece.encode()
    return must


def _at(path: str, line: int, begun: bytes, there: bytes, must: bytes) -> Exception:
    begun = begun[-_BEFORE:]
    found, wanted = (_text(begun, text) for text in (there, must))
    return difference(f"is {found}, and must be {wanted}", f"{path}:{line}")


def _text(begun: bytes, text: bytes) -> str:
    """To the end of the line, which is shown, since lines may differ in it alone."""
    if not text:
        return "at its end" if not begun else f"{_ascii(begun)} and then its end"
    head, end, _ = text.partition(b"\n")
    return _ascii((begun + head + end)[:_SHOWN])


def _ascii(text: bytes) -> str:
    return ascii(text.decode(errors="backslashreplace"))
