"""Requests without a reply: the file `batch.sqlite` of a run folder, and the sender that fills it.

The run's store must be open for writing meanwhile: that holds the lock of the folder.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

from pairwright.errors import CallFailed, InputError, Interrupted, Unanswered
from pairwright.models import Answer, Request
from pairwright.models.client import Client, Meter
from pairwright.models.store import Database, Store, unusable

APPLICATION_ID = 0x50575242  # "PWRB"
FORMAT = 1
SCHEMA = f"""
BEGIN;
CREATE TABLE asked (
    key TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,    -- the name in the config
    purpose TEXT NOT NULL,
    needed INTEGER NOT NULL,   -- 1 where the last build could not go on without it
    request TEXT NOT NULL      -- canonical JSON, as hashed
);
CREATE TABLE failures (        -- replies that were no answers
    key TEXT NOT NULL,
    round INTEGER NOT NULL,    -- in which the request stood
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    final INTEGER NOT NULL,    -- 1 where the endpoint refuses it for good
    PRIMARY KEY (key, round)
);
CREATE TABLE round (number INTEGER NOT NULL, digest TEXT NOT NULL);
INSERT INTO round VALUES (0, '');
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
COMMIT;
"""
# Prompts of one kind that share a history begin alike, so in this order they follow one another.
# The head of a history identifies it, and sorting whole prompts would take as much disk again.
_MESSAGES = "json_extract(request, '$.messages')"
_ORDER = f"purpose, substr({_MESSAGES}, max(1, instr({_MESSAGES}, '<history>')), 4096), key"
_SPOOLED = 500


class PendingCalls:
    """What a run asked by batch files."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Raises StoreError for a file that is not ours or is damaged, and InputError where
        there is none and none is to be made."""
        self.path = path
        self._unsaved = 0
        if not create and not path.exists():
            raise InputError(
                "no requests of this run were written to files",
                where=path,
                fix="`pairwright build CONFIG --run DIR --batch-out OUT` writes them.",
            )
        try:
            with closing(sqlite3.connect(path)) as connection:
                (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
                if tables == 0:
                    connection.executescript(SCHEMA)
            self._db = Database(path, path, APPLICATION_ID, FORMAT)
        except sqlite3.DatabaseError as error:
            raise unusable(path, error) from None

    def close(self) -> None:
        self._save()
        self._db.close()

    def begin(self) -> None:
        """A build begins: nothing is needed yet."""
        self._db.execute("UPDATE asked SET needed = 0 WHERE needed")

    def needs(self, key: str) -> bool:
        """Whether the build at hand has asked for this call before."""
        row = self._db.execute("SELECT needed FROM asked WHERE key = ?", key).fetchone()
        return row is not None and bool(row[0])

    def need(self, endpoint: str, request: Request) -> None:
        """The build at hand cannot go on without this call."""
        if self._unsaved == 0:
            self._db.execute("BEGIN")
        self._db.execute(
            "INSERT OR REPLACE INTO asked VALUES (?, ?, ?, 1, ?)",
            request.key, endpoint, request.purpose, request.canonical,
        )  # fmt: skip
        self._unsaved += 1
        if self._unsaved == _SPOOLED:
            self._save()

    def needed_of(self, endpoint: str) -> Iterator[Request]:
        """The requests that the last build needs of an endpoint, those with one history together,
        in an order that depends on the requests alone."""
        self._save()
        keys = self._db.execute(
            f"SELECT key FROM asked WHERE needed AND endpoint = ? ORDER BY {_ORDER}", endpoint
        )
        for (key,) in keys:
            yield self.call(key)[1]

    def digest(self) -> str:
        """Identifies the set of requests that the last build needs."""
        self._save()
        digest = blake2b(digest_size=16)
        for (key,) in self._db.execute("SELECT key FROM asked WHERE needed ORDER BY key"):
            digest.update(key.encode())
        return f"b2:{digest.hexdigest()}"

    def call(self, key: str) -> tuple[str, Request]:
        """The endpoint of a request without a reply, and the request. Raises KeyError where no such
        request is open."""
        row = self._db.execute(
            "SELECT endpoint, purpose, request FROM asked WHERE key = ?", key
        ).fetchone()
        if row is None:
            raise KeyError(key)
        endpoint, purpose, request = row
        return endpoint, Request.of(request, purpose)

    def answered(self, keys: Iterable[str]) -> None:
        """These calls are in the store now."""
        self._db.write(("DELETE FROM asked WHERE key = ?", [(key,) for key in keys]))

    def failed(self, failures: Iterable[tuple[str, str, str, bool]]) -> None:
        """Note (key, reason, detail, final) of replies that were none; once for each round."""
        number = self.round
        rows = [(key, number, *failure) for key, *failure in failures]
        self._db.write(("INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?)", rows))

    def given_up(self, key: str, attempts: int) -> CallFailed | None:
        """Why a request is not asked again: the endpoint refuses it for good, or it failed in so
        many rounds."""
        query = "SELECT reason, detail, final FROM failures WHERE key = ? ORDER BY round"
        failures = self._db.execute(query, key).fetchall()
        if not failures:
            return None
        reason, detail, final = failures[-1]
        if final:
            return CallFailed(reason, f"{detail} (refused for good)")
        if len(failures) >= attempts:
            return CallFailed(reason, f"{detail} (in {len(failures)} rounds)")
        return None

    @property
    def round(self) -> int:
        """The number of the round that was written last; 0 where none was."""
        return int(self._db.execute("SELECT number FROM round").fetchone()[0])

    @property
    def round_digest(self) -> str:
        """What `digest` was for that round."""
        return str(self._db.execute("SELECT digest FROM round").fetchone()[0])

    def failed_in_round(self) -> bool:
        """Whether a reply of the last round was none."""
        rows = self._db.execute("SELECT 1 FROM failures WHERE round = ? LIMIT 1", self.round)
        return rows.fetchone() is not None

    def written(self, number: int, digest: str) -> None:
        """The files of a round are there."""
        self._db.execute("UPDATE round SET number = ?, digest = ?", number, digest)

    def _save(self) -> None:
        if self._unsaved:
            self._db.execute("COMMIT")
            self._unsaved = 0


class Recorder(Client):
    """A client of one endpoint that notes what is asked, and answers out of the store alone."""

    def __init__(
        self,
        name: str,
        attempts: int,
        pending: PendingCalls,
        meter: Meter,
        store: Store | None = None,
    ) -> None:
        """A request that failed in `attempts` rounds is not asked again."""
        super().__init__(meter, store)
        self._name = name
        self._attempts = attempts
        self._pending = pending

    async def fetch(self, request: Request) -> Answer:
        """Raises Unanswered; or CallFailed for a request that is given up, BudgetSpent and
        Interrupted, and then nothing is noted."""
        if self.stopped:
            raise Interrupted("stopping: no new calls are written")
        if not self._pending.needs(request.key):
            if given_up := self._pending.given_up(request.key, self._attempts):
                raise given_up
            self.meter.admit()
            self._pending.need(self._name, request)
            self.meter.written += 1
        raise Unanswered(request.purpose)
