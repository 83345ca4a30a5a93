"""The rows of the XML files of a dump, one at a time, however large the files are, also of a .7z
archive. The only file that imports `py7zr`.

The parser is the standard library's expat. A dump declares no document type, so one that does is
refused before expat reads on: without it there are no entities to multiply and no outside files.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from xml.parsers import expat

from pairwright.dataset.lines import LONGEST
from pairwright.errors import SourceError
from pairwright.extras import install

TakeRow = Callable[[int, dict[str, str]], None]
"""Called with each row's line and attributes."""


class RowParser:
    """Bytes in, rows out. Raises SourceError for what is not a file of a dump."""

    def __init__(self, path: str, root: str, take: TakeRow) -> None:
        self._path = path
        self._root = root
        self._take = take
        self._depth = 0
        self._fed = 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_document_type
        self._parser.EntityDeclHandler = self._refuse_document_type

    def feed(self, data: bytes) -> None:
        """The next bytes of the file."""
        self._fed += len(data)
        self._parse(data, last=False)
        # Expat holds a row until its end: a file without any would fill the memory.
        if self._fed - self._parser.CurrentByteIndex > LONGEST:
            raise SourceError(
                f"a row of more than {LONGEST:,} bytes",
                where=self._where,
                fix="Is this a file of a Stack Exchange dump? Download it again.",
            )

    def close(self) -> None:
        """To be called at the file's end. Raises SourceError where that comes too early."""
        self._parse(b"", last=True)

    @property
    def _where(self) -> str:
        return f"{self._path}:{self._parser.CurrentLineNumber}"

    def _parse(self, data: bytes, *, last: bool) -> None:
        try:
            self._parser.Parse(data, last)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            cut = f"the file ends in the middle ({reason})" if last else f"not XML: {reason}"
            raise SourceError(
                cut, where=f"{self._path}:{error.lineno}", fix="Download or unpack it again."
            ) from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 1 and name != self._root:
            raise SourceError(
                f"begins with <{name[:40]}>, not <{self._root}>",
                where=self._where,
                fix="Name the folder that a site's archive was unpacked to, or its Posts.xml.",
            )
        if self._depth == 2 and name == "row":
            self._take(self._parser.CurrentLineNumber, attributes)

    def _end(self, _name: str) -> None:
        self._depth -= 1

    def _refuse_document_type(self, *_declared: object) -> None:
        raise SourceError(
            "declares a document type or an entity, which no dump does",
            where=self._where,
            fix="Do not use this file; download the dump from where it is published.",
        )


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
