"""A dump's posts by user, on disk: memory holds one user's, however large the dump is.

SQLite keeps them in a temporary database that it removes by itself. Rows that are nobody's post
are kept there as refusals, in the order of the files.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, Self

from pairwright.errors import SourceError
from pairwright.sources.fields import time_of
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt
from pairwright.sources.stackexchange.files import COMMENTS, POSTS, Dump

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
        comment INTEGER, id INTEGER, kind TEXT, place TEXT, user INTEGER, created TEXT,
        parent INTEGER, title TEXT, body TEXT, tags TEXT,
        closed INTEGER, edited TEXT, UNIQUE (comment, id)
    );
    CREATE TABLE refusal (place TEXT, id TEXT, reason TEXT, detail TEXT);
"""
_INDEXES = """
    CREATE INDEX by_user ON post (user, created, comment, id) WHERE user IS NOT NULL;
"""
# The title is a question's own, or that of the question that an answer or a comment is about.
_BY_USER = """
    SELECT own.kind, own.id, own.place, own.user, own.created,
        coalesce(own.title, parent.title, above.title, ''), own.body, own.tags,
        own.closed, own.edited
    FROM post AS own INDEXED BY by_user
    LEFT JOIN post AS parent ON parent.comment = 0 AND parent.id = own.parent
    LEFT JOIN post AS above ON above.comment = 0 AND above.id = parent.parent
    WHERE own.user IS NOT NULL ORDER BY own.user, own.created, own.comment, own.id
"""


class DumpPost(NamedTuple):
    """One post of a user as the dump has it."""

    kind: str
    id: int
    where: str
    user: int
    created: str
    title: str
    """Of the question itself or the question it is about; empty where the dump does not have it."""
    body: str
    """HTML; of a comment, plain text."""
    tags: str
    closed: bool
    edited: str
    """When its user edited it last; empty where nobody, or somebody else, did."""


class DumpStore:
    """The posts of a dump. A context manager; reads the whole dump as it is entered."""

    def __init__(self, dump: Dump) -> None:
        self._dump = dump
        self.tags: Counter[str] = Counter()
        """How many questions have each tag."""

    def __enter__(self) -> Self:
        """Raises SourceError where a file cannot be read, or the disk is full."""
        self._database = sqlite3.connect("")
        try:
            self._database.executescript(_TABLES)
            self._dump.read(self._take_post, self._take_comment)
            self._database.executescript(_INDEXES)
        except sqlite3.OperationalError as error:
            self._database.close()
            raise SourceError(
                f"its posts cannot be sorted on disk: {error}",
                where=self._dump.path,
                fix="Set SQLITE_TMPDIR to a folder with as much room as the dump has bytes.",
            ) from None
        except SourceError:
            self._database.close()
            raise
        return self

    def __exit__(self, *_raised: object) -> None:
        self._database.close()

    def refusals(self) -> Iterator[SourceProblem]:
        """The rows that are not posts of a user, in the order of the files."""
        for place, id, reason, detail in self._database.execute("SELECT * FROM refusal"):
            yield SourceProblem(action="refused", reason=reason, where=place, id=id, detail=detail)

    def users(self) -> Iterator[list[DumpPost]]:
        """The posts of each user who has any, oldest first; users by number."""
        posts = (DumpPost(*row) for row in self._database.execute(_BY_USER))
        for _, own in groupby(posts, key=attrgetter("user")):
            yield list(own)

    def _take_post(self, line: int, row: dict[str, str]) -> None:
        place, kind = f"{POSTS}:{line}", _KINDS.get(row.get("PostTypeId", ""))
        if kind is None:
            other = _OTHERS.get(row.get("PostTypeId", ""), "row of another type")
            self._refuse(place, row, "not_a_post", f"a {other}")
            return
        title, marks = _CLOSED.subn("", row.get("Title", ""))
        tags = _TAG.findall(row.get("Tags", ""))
        self.tags.update(tags)
        self._add(
            place, row, kind,
            owner="" if "CommunityOwnedDate" in row else row.get("OwnerUserId"),
            parent=row.get("ParentId"), title=title if kind == "question" else None,
            body=row.get("Body", ""), tags=" ".join(tags),
            closed="ClosedDate" in row or marks > 0,
        )  # fmt: skip

    def _take_comment(self, line: int, row: dict[str, str]) -> None:
        place = f"{COMMENTS}:{line}"
        self._add(
            place, row, "comment", owner=row.get("UserId"), parent=row.get("PostId"), title=None,
            body=row.get("Text", ""), tags="", closed=False,
        )  # fmt: skip

    def _add(
        self, place: str, row: dict[str, str], kind: str, *, owner: str | None, parent: str | None,
        title: str | None, body: str, tags: str, closed: bool,
    ) -> None:  # fmt: skip
        """Store a post. One that is nobody's is stored, too, for its title."""
        try:
            id = _number(row.get("Id"))
            if id is None:
                raise SourceRefusal("missing_id", f"Id is {excerpt(row.get('Id', ''))}")
            created = time_of(row.get("CreationDate"), "CreationDate")
            if created is None:
                raise SourceRefusal("bad_time", "it has no CreationDate")
            own_edit = row.get("LastEditorUserId") == owner
            edited = time_of(row.get("LastEditDate"), "LastEditDate") if own_edit else None
        except SourceRefusal as refusal:
            self._refuse(place, row, refusal.reason, refusal.detail)
            return
        values: tuple[Any, ...] = (
            kind == "comment", id, kind, place, _number(owner), created, _number(parent), title,
            body, tags, closed, edited or "",
        )  # fmt: skip
        try:
            self._database.execute(
                f"INSERT INTO post VALUES ({','.join('?' * len(values))})", values
            )
        except sqlite3.IntegrityError:
            self._refuse(place, row, "duplicate_id", f"a {kind} before it has its Id")
            return
        if owner in ("", _COMMUNITY):
            self._refuse(place, row, "community_owned", f"the {kind} belongs to the community")
        elif _number(owner) is None:
            self._refuse(place, row, "deleted_user", f"the {kind} names no account")

    def _refuse(self, place: str, row: dict[str, str], reason: str, detail: str) -> None:
        values = (place, row.get("Id"), reason, detail)
        self._database.execute("INSERT INTO refusal VALUES (?, ?, ?, ?)", values)


def _number(value: str | None) -> int | None:
    """A plain number that SQLite can hold; None for what is not one."""
    return int(value) if value is not None and _NUMBER.fullmatch(value) else None
