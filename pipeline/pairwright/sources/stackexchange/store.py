"""A dump's posts by user, on disk: memory holds one user's, however large the dump is.

SQLite keeps them in a temporary database that it removes by itself. Rows that are nobody's post
are kept there as refusals, in the order of the file.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, Self

from pairwright.errors import SourceError
from pairwright.sources.fields import time_of
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt, refuse
from pairwright.sources.stackexchange.dump import POSTS, Dump, read_rows

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
    CREATE TABLE refusal (place TEXT, id TEXT, reason TEXT, detail TEXT);
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
    """The question's own, or that of the question that an answer is to; empty where the dump does
    not have it."""
    body: str
    """HTML."""
    tags: str
    closed: bool
    edited: str
    """When its user edited it last; empty where nobody, or somebody else, did."""

    @property
    def name(self) -> str:
        """An id that no other post of the site has: `q12`, `a34`."""
        return f"{self.kind[0]}{self.id}"


class DumpStore:
    """The posts of a dump. A context manager; reads the whole dump as it is entered."""

    def __init__(self, dump: Dump) -> None:
        self._dump = dump
        self.tags: Counter[str] = Counter()
        """How many questions have each tag."""

    def __enter__(self) -> Self:
        """Raises SourceError where the file cannot be read, or the disk is full."""
        self._database = sqlite3.connect("")
        try:
            self._database.executescript(_TABLES)
            for line, row in read_rows(self._dump.posts):
                place = f"{POSTS}:{line}"
                try:
                    self._take(place, row)
                except SourceRefusal as refusal:
                    values = (place, row.get("Id"), refusal.reason, refusal.detail)
                    self._database.execute("INSERT INTO refusal VALUES (?, ?, ?, ?)", values)
            self._database.execute(_INDEX)
        except sqlite3.OperationalError as error:
            self._database.close()
            raise SourceError(
                f"its posts cannot be sorted on disk: {error}",
                where=self._dump.posts,
                fix="Set SQLITE_TMPDIR to a folder with as much room as the dump has bytes.",
            ) from None
        except SourceError:
            self._database.close()
            raise
        return self

    def __exit__(self, *_raised: object) -> None:
        self._database.close()

    def refusals(self) -> Iterator[SourceProblem]:
        """The rows that are not posts of a user, in the order of the file."""
        for place, id, reason, detail in self._database.execute("SELECT * FROM refusal"):
            yield SourceProblem(action="refused", reason=reason, where=place, id=id, detail=detail)

    def users(self) -> Iterator[list[DumpPost]]:
        """The posts of each user who has any, oldest first; users by number."""
        posts = (DumpPost(*row) for row in self._database.execute(_BY_USER))
        for _, own in groupby(posts, key=attrgetter("user")):
            yield list(own)

    def _take(self, place: str, row: dict[str, str]) -> None:
        """Store a post; one that is nobody's, too, for its title. Raises SourceRefusal."""
        kind = _KINDS.get(row.get("PostTypeId", ""))
        if kind is None:
            other = _OTHERS.get(row.get("PostTypeId", ""), "row of another type")
            raise SourceRefusal("not_a_post", f"a {other}")
        id = _number(row.get("Id"))
        if id is None:
            raise SourceRefusal("missing_id", f"Id is {excerpt(row.get('Id', ''))}")
        created = time_of(row.get("CreationDate"), "CreationDate")
        created = created or refuse("bad_time", "it has no CreationDate")
        owner = "" if "CommunityOwnedDate" in row else row.get("OwnerUserId")
        own_edit = row.get("LastEditorUserId") == owner
        edited = time_of(row.get("LastEditDate"), "LastEditDate") if own_edit else None
        title, marks = _CLOSED.subn("", row.get("Title", ""))
        tags = _TAG.findall(row.get("Tags", ""))
        self.tags.update(tags)
        values = (
            id, kind, place, _number(owner), created, _number(row.get("ParentId")),
            title if kind == "question" else None, row.get("Body", ""), " ".join(tags),
            "ClosedDate" in row or marks > 0, edited or "",
        )  # fmt: skip
        try:
            self._database.execute(f"INSERT INTO post VALUES ({','.join('?' * 11)})", values)
        except sqlite3.IntegrityError:
            raise SourceRefusal("duplicate_id", "a post before it has its Id") from None
        if owner in ("", _COMMUNITY):
            raise SourceRefusal("community_owned", f"the {kind} belongs to the community")
        if _number(owner) is None:
            raise SourceRefusal("deleted_user", f"the {kind} names no account")


def _number(value: str | None) -> int | None:
    """A plain number that SQLite can hold; None for what is not one."""
    return int(value) if value is not None and _NUMBER.fullmatch(value) else None
