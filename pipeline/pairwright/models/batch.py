"""Calls by files, for the OpenAI Batch API, `vllm run-batch`, and machines without network:
requests out, and what waits for replies.

    RUN/batch.sqlite            what the run asked and has no reply to, what failed, and what became
                                of each file
    OUT/round-N/001.jsonl ...   the requests of a round, as batch lines
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pairwright.errors import CallFailed, InputError, Interrupted, Unanswered, on_disk
from pairwright.files import write_whole
from pairwright.models.client import Client, Meter
from pairwright.models.model import Answer, Request
from pairwright.models.store import Database, Store
from pairwright.settings.endpoints import Endpoint

URL: Final = "/v1/chat/completions"
MOST_LINES = 50_000
"""Calls of one file of the Batch API, and its bytes."""
MOST_BYTES = 200_000_000
SCHEMA = """
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
CREATE TABLE files (           -- of the round that was written last
    round INTEGER NOT NULL,
    file TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    lines INTEGER NOT NULL,
    batch TEXT NOT NULL,       -- the id of its batch at a Batch API; empty where none was made
    status TEXT NOT NULL,      -- `new` until a reply came or a batch was made
    trouble TEXT NOT NULL,     -- what went wrong with the batch
    collected INTEGER NOT NULL -- 1 once its replies are in
);
"""
# Prompts of one kind that share a history begin alike, so in this order they follow one another.
# The head of a history identifies it, and sorting whole prompts would take as much disk again.
_MESSAGES = "json_extract(request, '$.messages')"
_ORDER = f"purpose, substr({_MESSAGES}, max(1, instr({_MESSAGES}, '<history>')), 4096), key"


class RequestFile(NamedTuple):
    """One file of requests, and the batch that was made of it."""

    round: int
    file: str
    endpoint: str
    """The name in the config."""
    model: str
    lines: int
    batch: str = ""
    status: str = "new"
    trouble: str = ""
    collected: bool = False


class Round(NamedTuple):
    """What one build needs before it can go on."""

    round: int
    files: tuple[RequestFile, ...]

    @property
    def lines(self) -> int:
        """How many requests there are."""
        return sum(file.lines for file in self.files)


class PendingCalls(Database):
    """The file `batch.sqlite` of a run folder: requests without a reply.

    The run's store must be open for writing meanwhile: that holds the lock of the folder.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Raises StoreError for a file that is not ours or is damaged, and InputError where
        there is none and none is to be made."""
        if not create and not path.exists():
            raise InputError(
                "no requests of this run were written to files",
                where=path,
                fix="`pairwright build CONFIG --run DIR --batch-out OUT` writes them.",
            )
        super().__init__(path, SCHEMA)

    def begin(self) -> None:
        """A build begins: nothing is needed yet. What it asks for is kept once it is `written`."""
        if self.connection.in_transaction:
            self.execute("ROLLBACK")
        self.execute("BEGIN")
        self.execute("UPDATE asked SET needed = 0 WHERE needed")

    def needs(self, key: str) -> bool:
        """Whether the build at hand has asked for this call before."""
        return bool(self.execute("SELECT 1 FROM asked WHERE key = ? AND needed", key).fetchone())

    def need(self, endpoint: str, request: Request) -> None:
        """The build at hand cannot go on without this call."""
        self.execute(
            "INSERT OR REPLACE INTO asked VALUES (?, ?, ?, 1, ?)",
            request.key, endpoint, request.purpose, request.canonical,
        )  # fmt: skip

    def needed_of(self, endpoint: str) -> Iterator[Request]:
        """The requests that the last build needs of an endpoint, those with one history together,
        in an order that depends on the requests alone."""
        query = "SELECT request, purpose FROM asked WHERE needed AND endpoint = ?"
        return (Request.of(*row) for row in self.rows(f"{query} ORDER BY {_ORDER}", endpoint))

    def call(self, key: str) -> tuple[str, Request] | None:
        """The endpoint of a request without a reply, and the request; None where it is not open."""
        query = "SELECT endpoint, request, purpose FROM asked WHERE key = ?"
        row = self.execute(query, key).fetchone()
        return None if row is None else (row[0], Request.of(row[1], row[2]))

    def came(
        self, answered: Iterable[str], failed: Iterable[tuple[str, str, str, bool]] = ()
    ) -> None:
        """These calls are in the store now, and of those others (key, reason, detail, final) a
        reply was none, which counts once for each round."""
        number = self.last_round().round
        self.write(
            ("DELETE FROM asked WHERE key = ?", [(key,) for key in answered]),
            ("INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?)",
             [(key, number, *failure) for key, *failure in failed]),
            ("UPDATE files SET status = 'begun' WHERE status = 'new'", [()]),
        )  # fmt: skip

    def given_up(self, key: str, attempts: int) -> CallFailed | None:
        """Why a request is not asked again: the endpoint refuses it for good, or it failed in so
        many rounds."""
        query = "SELECT reason, detail, final FROM failures WHERE key = ? ORDER BY round"
        failures = self.execute(query, key).fetchall()
        if not failures or not (failures[-1][2] or len(failures) >= attempts):
            return None
        reason, detail, final = failures[-1]
        why = "refused for good" if final else f"in {len(failures)} rounds"
        return CallFailed(reason, f"{detail} ({why})")

    def last_round(self) -> Round:
        """The round that was written last; its number is 0 where none was."""
        files = tuple(RequestFile(*row) for row in self.rows("SELECT * FROM files ORDER BY file"))
        return Round(files[0].round if files else 0, files)

    def written(self, files: Sequence[RequestFile]) -> None:
        """The files of a round are there."""
        self.execute("DELETE FROM files")
        for file in files:
            self.changed(file)
        self.execute("COMMIT")

    def changed(self, file: RequestFile) -> None:
        """Keep how far a file is."""
        self.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *file)


class Recorder(Client):
    """A client of one endpoint that notes what is asked, and answers out of the store alone."""

    def __init__(
        self, name: str, attempts: int, pending: PendingCalls, meter: Meter,
        store: Store | None = None,
    ) -> None:  # fmt: skip
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


def folder_of(out: Path, number: int) -> Path:
    """The folder of a round."""
    return out / f"round-{number}"


def check_out(out: Path, pending: PendingCalls) -> None:
    """Raise InputError where batches of this run are under way, StoreError where `out` is no
    folder."""
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    last = pending.last_round()
    if any(one.batch and not one.collected for one in last.files):
        raise InputError(
            "batches of this round are under way, and would be asked and paid for again",
            where=folder_of(out, last.round),
            fix=f"`pairwright batch poll RUN {out} --wait` first.",
        )


def write_round(pending: PendingCalls, out: Path, endpoints: Mapping[str, Endpoint]) -> Round:
    """Write what the last build needs below `out`.

    Until a reply came or a batch was made, the last round is written again. Raises InputError where
    the files of another run are in its place.
    """
    last = pending.last_round()
    number = last.round + (not last.files or any(one.status != "new" for one in last.files))
    folder = folder_of(out, number)
    _check_own(folder, pending)
    files = list[RequestFile]()
    for name, endpoint in endpoints.items():
        lines = (_line(request, endpoint.token_parameter) for request in pending.needed_of(name))
        for part in _parts(lines):
            file = f"{len(files) + 1:03}.jsonl"
            write_whole(folder / file, part)
            files.append(RequestFile(number, file, name, endpoint.model, len(part)))
    # For whoever has the files answered: which endpoint each one is for.
    shards = [{"file": one.file, "endpoint": one.endpoint, "lines": one.lines} for one in files]
    write_whole(folder / "index.json", json.dumps({"shards": shards}, indent=2).encode())
    pending.written(files)
    return Round(number, tuple(files))


def _check_own(folder: Path, pending: PendingCalls) -> None:
    first = folder / "001.jsonl"
    if not first.exists():
        return
    with first.open("rb") as file:
        key = json.loads(file.readline())["custom_id"]
    if pending.call(key) is None:
        raise InputError(
            "holds other requests than this run's round of that number",
            where=folder,
            fix="Give another folder as --batch-out.",
        )


def _line(request: Request, token_parameter: str) -> bytes:
    body = request.body(token_parameter)
    line = {"custom_id": request.key, "method": "POST", "url": URL, "body": body}
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def _parts(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """As many lines at a time as a file may hold."""
    part, size = list[bytes](), 0
    for line in lines:
        if part and (len(part) == MOST_LINES or size + len(line) > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield part
