"""Dumps of Stack Exchange's sites: each user's questions, with what the user wrote before them.

A Posts.xml is read one row at a time, however large it is. A line that declares a document type is
harmless: nothing outside the file is ever read. A declared entity is refused before the parser
goes on. Posts lie by user in a temporary database of SQLite, which removes it by itself: memory
holds one user's. The only file that imports `defusedxml`.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import create_parser

from pairwright.assets import RUBRICS
from pairwright.dataset.address import stack_exchange_host
from pairwright.dataset.lines import LONGEST
from pairwright.errors import SourceError
from pairwright.records import Item
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.dates import time_of
from pairwright.sources.fields import clean_text, html_text
from pairwright.sources.items import SourcePost, place
from pairwright.sources.opening import Source, check_readable
from pairwright.sources.posts import user_items
from pairwright.sources.problems import Problems, Repairs, SourceRefusal, excerpt, refuse
from pairwright.sources.titles import why_unanswerable

POSTS = "Posts.xml"


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


def read(source: Source) -> tuple[str, Iterator[Item]]:
    """The source as messages name it, and the items of each user in time order, users by number.
    Raises SourceError, also while it is read."""
    dump = locate_dump(source.rules, source.folder)
    return str(dump.posts), _items(source, dump)


def locate_dump(rules: SourceRules, folder: Path) -> Dump:
    """The dump that the rules name. Raises SourceError if the file or the site is missing."""
    path = folder / Path(rules.path).expanduser()
    if not path.exists():
        fix = f"`path` is relative to {folder}: correct it."
        raise SourceError("no such file or folder", where=path, fix=fix)
    if path.is_file() and path.suffix.lower() != ".xml":
        fix = f"Unpack the site's archive (7z x {path.name}), and name the folder or its {POSTS}."
        raise SourceError("is neither a folder nor an .xml file", where=path, fix=fix)
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


# The XML


class _Rows(ContentHandler):
    """Keeps the rows that the parser meets, each with its line."""

    def __init__(self, path: Path, parser: Any) -> None:
        super().__init__()
        self.found: list[tuple[int, dict[str, str]]] = []
        self.fed = 0
        """Bytes since the last row began."""
        self._path, self._parser, self._depth = path, parser, 0

    def error(self, what: str, fix: str) -> SourceError:
        return SourceError(what, where=f"{self._path}:{self._parser.getLineNumber()}", fix=fix)

    def startElement(self, name: str, attributes: Any) -> None:
        self._depth += 1
        self.fed = 0
        if self._depth == 1 and name != "posts":
            fix = f"Name the folder that a site's archive was unpacked to, or its {POSTS}."
            raise self.error(f"begins with <{name[:40]}>, not <posts>", fix)
        if self._depth == 2 and name == "row":
            self.found.append((self._parser.getLineNumber(), dict(attributes)))

    def endElement(self, name: str) -> None:  # noqa: ARG002
        self._depth -= 1


def _xml_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row's line and attributes. Raises SourceError for what is not a file of a dump."""
    parser = create_parser(forbid_entities=True, forbid_external=False)
    rows = _Rows(path, parser)
    parser.setContentHandler(rows)
    what = "not XML"
    try:
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                rows.fed += len(chunk)
                parser.feed(chunk)
                yield from rows.found
                rows.found.clear()
                if rows.fed > LONGEST:
                    fix = "Is this a file of a Stack Exchange dump? Download it again."
                    raise rows.error(f"a row of more than {LONGEST:,} bytes", fix)
        what = "the file ends in the middle"
        parser.close()
    except SAXParseException as error:
        where, fix = f"{path}:{error.getLineNumber()}", "Download or unpack it again."
        raise SourceError(f"{what}: {error.getMessage()}", where=where, fix=fix) from None
    except DefusedXmlException:
        fix = "Do not use this file; download the dump from where it is published."
        raise rows.error("declares an entity, which no dump does", fix) from None


# The posts by user

_KINDS = {"1": "question", "2": "answer"}
_OTHERS = {"3": "wiki", "4": "tag's excerpt", "5": "tag's page", "6": "nomination", "7": "notice"}
_NUMBER = re.compile(r"\d{1,18}")
_COMMUNITY = "-1"
# What some dumps write behind the title of a closed question.
_CLOSED = re.compile(r"\s*\[(?:closed|duplicate|on hold|migrated)\]$", re.IGNORECASE)
_TAG = re.compile(r"[^<>|]+")
_TABLES = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -32000;
    CREATE TABLE post (
        id INTEGER PRIMARY KEY, kind TEXT, place TEXT, user INTEGER, created TEXT, parent INTEGER,
        title TEXT, body TEXT, tags TEXT, closed INTEGER, edited TEXT
    );
"""
_INDEX = "CREATE INDEX by_user ON post (user, created, id) WHERE user IS NOT NULL"
_BY_USER = """
    SELECT own.kind, own.id, own.place, own.user, own.created,
        coalesce(own.title, parent.title, ''), own.body, own.tags, own.closed, own.edited
    FROM post AS own INDEXED BY by_user LEFT JOIN post AS parent ON parent.id = own.parent
    WHERE own.user IS NOT NULL ORDER BY own.user, own.created, own.id
"""


class DumpPost(NamedTuple):
    """One post of a user as the dump has it."""

    kind: str
    id: int
    where: str
    user: int
    created: str
    title: str
    """The question's own, or that of the question that an answer is to; empty if the dump does not
    have it."""
    body: str
    """HTML."""
    tags: str
    closed: bool
    edited: str
    """When its user edited it last; empty if nobody, or somebody else, did."""

    @property
    def name(self) -> str:
        """An id that no other post of the site has: `q12`, `a34`."""
        return f"{self.kind[0]}{self.id}"


def _store(database: sqlite3.Connection, dump: Dump, problems: Problems) -> Counter[str]:
    """Store all posts; how many questions have each tag. Raises SourceError."""
    tags = Counter[str]()
    try:
        database.executescript(_TABLES)
        for line, row in _xml_rows(dump.posts):
            where = f"{POSTS}:{line}"
            with problems.row(where) as read:
                read.id = row.get("Id")
                _store_post(database, where, row, tags)
        database.execute(_INDEX)
    except sqlite3.OperationalError as error:
        raise SourceError(
            f"its posts cannot be sorted on disk: {error}",
            where=dump.posts,
            fix="Set SQLITE_TMPDIR to a folder with as much room as the dump has bytes.",
        ) from None
    return tags


def _store_post(
    database: sqlite3.Connection, where: str, row: dict[str, str], tags: Counter[str]
) -> None:
    """Store a post, and count its tags; one that is nobody's is stored, too, for its title. Raises
    SourceRefusal."""
    kind = _KINDS.get(row.get("PostTypeId", ""))
    if kind is None:
        refuse("not_a_post", f"a {_OTHERS.get(row.get('PostTypeId', ''), 'row of another type')}")
    id = _number(row.get("Id"))
    if id is None:
        refuse("missing_id", f"Id is {excerpt(row.get('Id', ''))}")
    created = time_of(row.get("CreationDate"), "CreationDate")
    created = created or refuse("bad_time", "it has no CreationDate")
    owner = "" if "CommunityOwnedDate" in row else row.get("OwnerUserId")
    own_edit = row.get("LastEditorUserId") == owner
    edited = time_of(row.get("LastEditDate"), "LastEditDate") if own_edit else None
    title, marks = _CLOSED.subn("", row.get("Title", ""))
    own_tags = _TAG.findall(row.get("Tags", ""))
    tags.update(own_tags)
    values = (
        id, kind, where, _number(owner), created, _number(row.get("ParentId")),
        title if kind == "question" else None, row.get("Body", ""), " ".join(own_tags),
        "ClosedDate" in row or marks > 0, edited or "",
    )  # fmt: skip
    try:
        database.execute(f"INSERT INTO post VALUES ({','.join('?' * 11)})", values)
    except sqlite3.IntegrityError:
        refuse("duplicate_id", "a post before it has its Id")
    if owner in ("", _COMMUNITY):
        refuse("community_owned", f"the {kind} belongs to the community")
    if _number(owner) is None:
        refuse("deleted_user", f"the {kind} names no account")


def _number(value: str | None) -> int | None:
    """A plain number that SQLite can hold; None for what is not one."""
    return int(value) if value is not None and _NUMBER.fullmatch(value) else None


# The items


def _items(source: Source, dump: Dump) -> Iterator[Item]:
    rules, problems = source.rules, source.problems
    named = (dump.category, rules.default_category or "")
    category = next((one for one in named if source.domains.of(one)), None)
    if category is None:
        raise _no_domain(dump, source.domains)
    domain = place(source, category)[1]
    with closing(sqlite3.connect("")) as database:
        tags = _store(database, dump, problems)

        def about(_: str, asked: SourcePost) -> tuple[str, str, str]:
            own = category
            if rules.category_by == "tag" and asked.tags:
                # The one that most questions of the site have.
                own += "/" + max(asked.tags, key=lambda tag: (tags[tag], tag))
            return f"{dump.category}_{asked.id[1:]}", own, domain

        stored = (DumpPost(*row) for row in database.execute(_BY_USER))
        for number, own in groupby(stored, key=lambda post: post.user):
            user = f"{dump.site}/users/{number}"
            read = _user_posts(source, dump, category, user, list(own))
            if read:
                yield from user_items(source, user, read, about)


def _user_posts(
    source: Source, dump: Dump, category: str, user: str, posts: list[DumpPost]
) -> list[SourcePost]:
    """Those of a user's posts that can be read; of a user without a question only the first."""
    questions = [post for post in posts if post.kind == "question"]
    least = source.rules.min_posts
    if questions and len(posts) <= least:
        detail = f"{len(posts) - 1} other posts, not {least}"
        source.problems.refuse("too_few_posts", questions[-1].where, user, detail)
        return []
    read = list[SourcePost]()
    for post in posts if questions else posts[:1]:
        with source.problems.row(post.where) as row:
            row.id = post.name
            read.append(_source_post(post, dump, category, source.rules.max_post_chars))
    return read


def _source_post(post: DumpPost, dump: Dump, category: str, limit: int) -> SourcePost:
    """A post that can be read alone. Raises SourceRefusal."""
    repairs: Repairs = {}
    title = " ".join(clean_text(post.title, "title", repairs, limit).split())
    body = clean_text(html_text(post.body), "body", repairs, limit)
    is_answer = post.kind == "answer"
    if not body and (is_answer or not title):
        refuse("empty_text", f"the {post.kind} has no text")
    if is_answer and not title:
        repairs["missing_question"] = "the question it is about is not in the dump"
    words = f'Answer to "{title}":\n{body}' if is_answer and title else f"{title}\n{body}"
    return SourcePost(
        where=post.where,
        id=post.name,
        text=words.strip(),
        created=post.created,
        category=category,
        url=f"https://{dump.site}/{post.kind[0]}/{post.id}",
        kind=post.kind,
        repairs=repairs,
        question=title,
        narrative=body,
        refusal=None if is_answer else _question_refusal(post),
        edited=post.edited,
        tags=tuple(post.tags.split()),
    )


def _question_refusal(question: DumpPost) -> SourceRefusal | None:
    """Why a question is not asked again. It stays in the history."""
    if question.closed:
        return SourceRefusal("closed_question", f"{excerpt(question.title)} was closed")
    if why := why_unanswerable(question.title):
        return SourceRefusal("unanswerable_title", f"{excerpt(question.title)}: {why}")
    return None


def _no_domain(dump: Dump, domains: Domains) -> SourceError:
    """Said before anything is read, because every item of a dump has its site's domain."""
    files = ", ".join(f"{key}.toml" for key in domains.by_key)
    own = "" if domains.folder != RUBRICS else (
        "These files came with the installation: `pairwright init` writes copies to edit; name"
        " their folder as `rubrics`. "
    )  # fmt: skip
    return SourceError(
        f"its category {dump.category!r} is in no domain, so no item of it could be used",
        where=dump.posts,
        fix=f'Add also = ["{dump.category}"] to the file of the domain that it belongs to'
        f" ({files} in {domains.folder}), add a domain file there, or set `default_category` to a"
        f" category that a domain has. {own}".rstrip(),
    )
