"""Comparing a release with what it must be, and saying where it differs."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pairwright.dataset import Layout
from pairwright.errors import Difference, InputError
from pairwright.release.records import Provenance
from pairwright.version import code_digest

VerifyProgress = Callable[[str, int, int | None], None]
"""Called with what is being checked, how much of it is done, and of how much, where it is known."""
RELEASE_AGAIN = (
    "Take the release again from where it was published; if it is the same there, tell its"
    " maintainers."
)
_LONGEST = 100


def difference(what: str, where: str) -> Difference:
    """The error to raise; names of files are shown so that a terminal stays whole."""
    return Difference(what, where=where if where.isprintable() else ascii(where), fix=RELEASE_AGAIN)


def same(name: str, there: object, must: object, where: str) -> None:
    """Raise Difference unless what is there is what must be."""
    if there != must:
        raise difference(f"{name} is {shown(there)}, and must be {shown(must)}", where)


def shown(value: object) -> str:
    """A value for a message: escaped, and cut to about a hundred characters."""
    text = ascii(value) if not isinstance(value, str) or not value.isprintable() else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


@contextmanager
def by_another(provenance: Provenance) -> Iterator[None]:
    """Say of a difference in what is derived that other code wrote it, where it did: pages are
    worded, and figures estimated, by the code that wrote them."""
    try:
        yield
    except Difference as found:
        if provenance.code == code_digest():
            raise
        writer = f"Pairwright {provenance.pairwright}, code {provenance.code},"
        fix = f"{writer} wrote this release, and this is another: verify it with that one."
        raise Difference(found.what, where=found.where, fix=fix) from None


@contextmanager
def reading(root: Path) -> Iterator[None]:
    """Turn what cannot be read inside the block into a Difference that names the place."""
    try:
        yield
    except InputError as error:
        raise difference(error.what, error.where.replace(f"{root}/", "", 1)) from None
    except RecursionError:
        # Of all that is read the audit alone has no schema that stops at a depth.
        name = Layout(root).inside(Layout(root).audit)
        raise difference("is nested too deep to be read", name) from None


_SHOWN = 100
_BEFORE = 40


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
    """The beginning of the rest of the line, for a message."""
    while b"\n" not in must and len(must) < _SHOWN and (piece := next(rest, "")):
        must += piece.encode()
    return must


def _at(path: str, line: int, begun: bytes, there: bytes, must: bytes) -> Exception:
    begun = begun[-_BEFORE:]
    actual, wanted = (_text(begun, text) for text in (there, must))
    return difference(f"is {actual}, and must be {wanted}", f"{path}:{line}")


def _text(begun: bytes, text: bytes) -> str:
    """To the end of the line, which is shown, since lines may differ in it alone."""
    if not text:
        return "at its end" if not begun else f"{_ascii(begun)} and then its end"
    head, end, _ = text.partition(b"\n")
    return _ascii((begun + head + end)[:_SHOWN])


def _ascii(text: bytes) -> str:
    return ascii(text.decode(errors="backslashreplace"))
