"""Which files a dump consists of, and which site it is of."""

from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from pairwright.dataset.licence import stack_exchange_host
from pairwright.errors import SourceError
from pairwright.settings.rules import SourceRules
from pairwright.sources.stackexchange.rows import RowParser, TakeRow

POSTS = "Posts.xml"
COMMENTS = "Comments.xml"
_CHUNK = 1 << 20


class Dump(NamedTuple):
    """One site's dump."""

    path: Path
    """As the rules name it: a folder, a Posts.xml, or an archive."""
    posts: Path
    comments: Path | None
    """None where comments are not wanted."""
    site: str
    """Its host, such as `cooking.stackexchange.com`."""

    @property
    def category(self) -> str:
        """What the site is called in lists of categories: `cooking`, `stackoverflow`."""
        name = self.site.removesuffix(".stackexchange.com")
        return name if name != self.site else self.site.rpartition(".")[0]

    def address(self, kind: str, id: int) -> str:
        """Where a post stands on its site."""
        paths = {"question": "q", "answer": "a", "comment": "posts/comments"}
        return f"https://{self.site}/{paths[kind]}/{id}"

    def user(self, number: int) -> str:
        """A user's id, which is the same in no other site."""
        return f"{self.site}/users/{number}"

    def post_id(self, kind: str, id: int) -> str:
        """A post's id, which is the same for no other post of the site: `q12`, `a34`, `c56`."""
        return f"{kind[0]}{id}"

    def read_posts(self, take: TakeRow) -> None:
        """Give each row of Posts.xml to `take`. Raises SourceError."""
        _parse(self.posts, "posts", take)

    def read_comments(self, take: TakeRow) -> None:
        """The same of Comments.xml, where comments are wanted."""
        if self.comments:
            _parse(self.comments, "comments", take)


def locate_dump(rules: SourceRules, folder: Path) -> Dump:
    """The dump that the rules name. Raises SourceError where a file or the site is missing."""
    path = folder / Path(rules.path).expanduser()
    if path.is_dir():
        posts = path / POSTS
    elif path.name.lower().endswith(".xml"):
        posts = path
    elif path.exists():
        raise SourceError(
            "is neither a folder nor an .xml file",
            where=path,
            fix=f"Name the folder that a site's archive was unpacked to, or its {POSTS}.",
        )
    else:
        raise SourceError(
            "no such file or folder",
            where=path,
            fix=f"`path` is relative to {folder}: correct it.",
        )
    comments = posts.with_name(COMMENTS) if rules.comments else None
    _check(posts, f"Name the folder that holds the dump's {POSTS}.")
    if comments:
        _check(comments, f"Unpack {COMMENTS} beside {POSTS}, or set comments = false.")
    return Dump(path, posts, comments, _site(rules, path))


def dump_hash(dump: Dump) -> str:
    """`b2:` and a hash of the bytes that are read."""
    digest = blake2b(digest_size=16)
    for path in filter(None, (dump.posts, dump.comments)):
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    return f"b2:{digest.hexdigest()}"


def _site(rules: SourceRules, path: Path) -> str:
    """The host that the rules state, or that the folder or archive is named after."""
    if rules.site:
        return rules.site
    names = [path.name, path.resolve().name]
    if path.is_file():
        names += [path.parent.name, path.resolve().parent.name]
    for name in names:
        host = name.lower().removesuffix(".7z").removesuffix("-posts")
        if stack_exchange_host(host) and host != "stackexchange.com":
            return host
    raise SourceError(
        "which site this is cannot be seen from the names of file and folder",
        where=path,
        fix='Set `site` to the host that a browser shows, such as "cooking.stackexchange.com":'
        " the address of each post, and with it its licence, follow from it.",
    )


def _check(path: Path, fix: str) -> None:
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except FileNotFoundError:
        raise SourceError("no such file", where=path, fix=fix) from None
    except OSError as error:
        raise SourceError(
            f"cannot be read: {error.strerror}", where=path, fix="Check its permissions."
        ) from None
    if empty:
        raise SourceError("the file is empty", where=path, fix="Download or unpack it again.")


def _parse(path: Path, root: str, take: TakeRow) -> None:
    parser = RowParser(str(path), root, take)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            parser.feed(chunk)
    parser.close()
