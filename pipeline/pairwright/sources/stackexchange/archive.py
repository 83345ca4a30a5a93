"""Files out of a .7z archive, as they are unpacked. The only file that imports `py7zr`."""

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from pairwright.errors import SourceError
from pairwright.extras import install
from pairwright.sources.stackexchange.rows import RowParser


def parse_archive(path: Path, parsers: Mapping[str, RowParser]) -> None:
    """Give each file of these names to its parser, a few megabytes at a time.

    Raises SourceError where one is not there, or the archive cannot be read.
    """
    py7zr = _py7zr(path)
    try:
        # Given an open file, py7zr unpacks in this thread: the rows go into one database.
        with path.open("rb") as file, py7zr.SevenZipFile(file) as archive:
            members = _members(archive.getnames(), path, parsers)
            archive.extract(targets=members, factory=_writers(py7zr, parsers))
    except SourceError:
        raise
    except Exception as error:  # whatever py7zr and the compressions under it raise
        raise SourceError(
            f"is not a whole .7z archive: {type(error).__name__}: {error}".rstrip(": "),
            where=path,
            fix="Download it again; or unpack it with another program, and name the folder.",
        ) from error


def _members(names: list[str], path: Path, wanted: Iterable[str]) -> list[str]:
    """What the files are called inside: they may lie in a folder there."""
    found = []
    for file in wanted:
        name = next((name for name in names if PurePosixPath(name).name == file), None)
        if name is None:
            raise SourceError(
                f"holds no {file}",
                where=path,
                fix="Name the archive that Stack Exchange publishes of the site"
                " (without Comments.xml, set comments = false).",
            )
        found.append(name)
    return found


def _writers(py7zr: Any, parsers: Mapping[str, RowParser]) -> Any:
    """What py7zr asks for something to write each file to."""

    class Writer(py7zr.Py7zIO):  # type: ignore[misc]
        def __init__(self, parser: RowParser) -> None:
            self._parser = parser
            self._size = 0

        def write(self, data: bytes | bytearray) -> int:
            self._parser.feed(bytes(data))
            self._size += len(data)
            return len(data)

        def read(self, _size: int | None = None) -> bytes:
            return b""

        def seek(self, _offset: int, _whence: int = 0) -> int:
            return self._size

        def flush(self) -> None:
            pass

        def size(self) -> int:
            return self._size

    class Writers(py7zr.WriterFactory):  # type: ignore[misc]
        def create(self, filename: str) -> Writer:
            # py7zr makes a whole path of the name.
            return Writer(parsers[PurePosixPath(filename).name])

    return Writers()


def _py7zr(path: Path) -> Any:
    try:
        import py7zr
    except ImportError:
        raise SourceError(
            "to read a .7z archive, `py7zr` is missing",
            where=path,
            fix=f"Run {install('stackexchange')}; or unpack the archive, and name the folder.",
        ) from None
    return py7zr
