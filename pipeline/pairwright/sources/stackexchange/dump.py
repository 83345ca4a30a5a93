"""The Posts.xml of a site's dump: where it lies, which site it is of, and its rows, read one at a
time however large it is. The only file that imports `defusedxml`.

A line that declares a document type is harmless: nothing outside the file is ever read. A declared
entity is refused before the parser goes on.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import create_parser

from pairwright.dataset.address import stack_exchange_host
from pairwright.dataset.lines import LONGEST
from pairwright.errors import SourceError
from pairwright.settings.rules import SourceRules
from pairwright.sources.source_table import check_readable

POSTS = "Posts.xml"
_CHUNK = 1 << 20


class Dump(NamedTuple):
    """One site's dump."""

    posts: Path
    """Its Posts.xml."""
    site: str
    """Its host, such as `cooking.stackexchange.com`."""

    @property
    def category(self) -> str:
        """The site's name in lists of categories: `cooking`, `stackoverflow`."""
        name = self.site.removesuffix(".stackexchange.com")
        return name if name != self.site else self.site.rpartition(".")[0]

    def address(self, kind: str, id: int) -> str:
        """The address of a question or an answer on its site."""
        return f"https://{self.site}/{kind[0]}/{id}"

    def user(self, number: int) -> str:
        """A user's id, which is the same in no other site."""
        return f"{self.site}/users/{number}"


def locate_dump(rules: SourceRules, folder: Path) -> Dump:
    """The dump that the rules name. Raises SourceError where the file or the site is missing."""
    path = folder / Path(rules.path).expanduser()
    if not path.exists():
        raise SourceError(
            "no such file or folder",
            where=path,
            fix=f"`path` is relative to {folder}: correct it.",
        )
    if path.is_file() and path.suffix.lower() != ".xml":
        raise SourceError(
            "is neither a folder nor an .xml file",
            where=path,
            fix=f"Unpack the site's archive (7z x {path.name}), and name the folder or its"
            f" {POSTS}.",
        )
    posts = path / POSTS if path.is_dir() else path
    check_readable(posts, f"Name the folder that holds the dump's {POSTS}.")
    return Dump(posts, _site(rules, path))


def _site(rules: SourceRules, path: Path) -> str:
    """The host that the rules state, or that the folder is named after."""
    if rules.site:
        if not stack_exchange_host(rules.site):
            raise SourceError(
                f"{rules.site!r} is not the host of a Stack Exchange site",
                where="[source] site",
                fix='Write it as a browser shows it, such as "cooking.stackexchange.com".',
            )
        return rules.site
    for one in (path, path.resolve()):
        host = (one if path.is_dir() else one.parent).name.lower()
        if stack_exchange_host(host) and host != "stackexchange.com":
            return host
    raise SourceError(
        "which site this is cannot be seen from the names of file and folder",
        where=path,
        fix='Set `site` to the host that a browser shows, such as "cooking.stackexchange.com":'
        " the address of each post, and with it its licence, follow from it.",
    )


class _Rows(ContentHandler):
    """Keeps the rows that the parser meets, each with its line."""

    def __init__(self, path: Path, parser: Any) -> None:
        super().__init__()
        self.found: list[tuple[int, dict[str, str]]] = []
        self.fed = 0
        """Bytes since the last row began."""
        self._path, self._parser, self._depth = path, parser, 0

    def where(self) -> str:
        return f"{self._path}:{self._parser.getLineNumber()}"

    def startElement(self, name: str, attributes: Any) -> None:
        self._depth += 1
        self.fed = 0
        if self._depth == 1 and name != "posts":
            raise SourceError(
                f"begins with <{name[:40]}>, not <posts>",
                where=self.where(),
                fix=f"Name the folder that a site's archive was unpacked to, or its {POSTS}.",
            )
        if self._depth == 2 and name == "row":
            self.found.append((self._parser.getLineNumber(), dict(attributes)))

    def endElement(self, name: str) -> None:  # noqa: ARG002
        self._depth -= 1


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row's line and attributes. Raises SourceError for what is not a file of a dump."""
    parser = create_parser(forbid_entities=True, forbid_external=False)
    rows = _Rows(path, parser)
    parser.setContentHandler(rows)
    ended = False
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                rows.fed += len(chunk)
                parser.feed(chunk)
                yield from rows.found
                rows.found.clear()
                if rows.fed > LONGEST:
                    raise SourceError(
                        f"a row of more than {LONGEST:,} bytes",
                        where=rows.where(),
                        fix="Is this a file of a Stack Exchange dump? Download it again.",
                    )
        ended = True
        parser.close()
    except SAXParseException as error:
        cut = "the file ends in the middle" if ended else "not XML"
        raise SourceError(
            f"{cut}: {error.getMessage()}",
            where=f"{path}:{error.getLineNumber()}",
            fix="Download or unpack it again.",
        ) from None
    except DefusedXmlException:
        raise SourceError(
            "declares an entity, which no dump does",
            where=rows.where(),
            fix="Do not use this file; download the dump from where it is published.",
        ) from None
