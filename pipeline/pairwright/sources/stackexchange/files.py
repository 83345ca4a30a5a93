"""The files of a dump, and the site that it is of."""

from pathlib import Path, PurePath
from typing import NamedTuple

from pairwright.dataset.address import stack_exchange_host
from pairwright.errors import SourceError
from pairwright.settings.rules import SourceRules
from pairwright.sources.source_table import check_readable, content_hash
from pairwright.sources.stackexchange.rows import RowParser, TakeRow, parse_archive

POSTS = "Posts.xml"
COMMENTS = "Comments.xml"
ARCHIVE = ".7z"
_CHUNK = 1 << 20


class Dump(NamedTuple):
    """One site's dump."""

    path: Path
    """As the rules name it: a folder, a Posts.xml, or an archive."""
    comments: bool
    """Whether comments are wanted."""
    site: str
    """Its host, such as `cooking.stackexchange.com`."""

    @property
    def category(self) -> str:
        """What the site is called in lists of categories: `cooking`, `stackoverflow`."""
        name = self.site.removesuffix(".stackexchange.com")
        return name if name != self.site else self.site.rpartition(".")[0]

    def address(self, kind: str, id: int) -> str:
        """The address of a post on its site."""
        paths = {"question": "q", "answer": "a", "comment": "posts/comments"}
        return f"https://{self.site}/{paths[kind]}/{id}"

    def user(self, number: int) -> str:
        """A user's id, which is the same in no other site."""
        return f"{self.site}/users/{number}"

    def post_id(self, kind: str, id: int) -> str:
        """A post's id, which is the same for no other post of the site: `q12`, `a34`, `c56`."""
        return f"{kind[0]}{id}"

    @property
    def is_archive(self) -> bool:
        return self.path.suffix.lower() == ARCHIVE

    @property
    def files(self) -> dict[str, Path]:
        """The files that are read, by their names in the dump; all are one archive if it is one."""
        names = [POSTS, *([COMMENTS] if self.comments else [])]
        if self.is_archive:
            return dict.fromkeys(names, self.path)
        posts = self.path / POSTS if self.path.is_dir() else self.path
        return {POSTS: posts, **{name: posts.with_name(name) for name in names[1:]}}

    def place(self, name: str) -> str:
        """One of the files as messages name it."""
        return f"{self.path}/{name}" if self.is_archive else str(self.files[name])

    def read(self, take_post: TakeRow, take_comment: TakeRow) -> None:
        """Give every row to one of the two. Raises SourceError."""
        takes = {POSTS: take_post, COMMENTS: take_comment}
        parsers = {
            name: RowParser(self.place(name), PurePath(name).stem.lower(), takes[name])
            for name in self.files
        }
        if self.is_archive:
            parse_archive(self.path, parsers)
        else:
            for name, parser in parsers.items():
                with self.files[name].open("rb") as file:
                    while chunk := file.read(_CHUNK):
                        parser.feed(chunk)
        for parser in parsers.values():
            parser.close()


def locate_dump(rules: SourceRules, folder: Path) -> Dump:
    """The dump that the rules name. Raises SourceError where a file or the site is missing."""
    path = folder / Path(rules.path).expanduser()
    if not path.exists():
        raise SourceError(
            "no such file or folder",
            where=path,
            fix=f"`path` is relative to {folder}: correct it.",
        )
    if path.is_file() and path.suffix.lower() not in (".xml", ARCHIVE):
        raise SourceError(
            "is neither a folder nor a .7z archive nor an .xml file",
            where=path,
            fix=f"Name the archive of a site, the folder that it was unpacked to, or its {POSTS}.",
        )
    dump = Dump(path, rules.comments, "")
    fixes = {
        POSTS: f"Name the folder that holds the dump's {POSTS}.",
        COMMENTS: f"Unpack {COMMENTS} beside {POSTS}, or set comments = false.",
    }
    for name, file in dump.files.items():
        check_readable(file, fixes[name])
    return dump._replace(site=_site(rules, path))


def dump_hash(dump: Dump) -> str:
    """`b2:` and a hash of the bytes that are read."""
    return content_hash(dict.fromkeys(dump.files.values()))


def _site(rules: SourceRules, path: Path) -> str:
    """The host that the rules state, or that the folder or archive is named after."""
    if rules.site:
        if not stack_exchange_host(rules.site):
            raise SourceError(
                f"{rules.site!r} is not the host of a Stack Exchange site",
                where="[source] site",
                fix='Write it as a browser shows it, such as "cooking.stackexchange.com".',
            )
        return rules.site
    names = [path.name, path.resolve().name]
    if path.is_file():
        names += [path.parent.name, path.resolve().parent.name]
    for name in names:
        host = name.lower().removesuffix(ARCHIVE).removesuffix("-posts")
        if stack_exchange_host(host) and host != "stackexchange.com":
            return host
    raise SourceError(
        "which site this is cannot be seen from the names of file and folder",
        where=path,
        fix='Set `site` to the host that a browser shows, such as "cooking.stackexchange.com":'
        " the address of each post, and with it its licence, follow from it.",
    )
