"""The rows of one XML file of a dump, one at a time, however large the file is.

The parser is the standard library's expat. A dump declares no document type, so one that does is
refused before expat reads on: without it there are no entities to multiply and no outside files.
"""

from collections.abc import Callable
from xml.parsers import expat

from pairwright.errors import SourceError
from pairwright.sources.source_table import LONGEST

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
