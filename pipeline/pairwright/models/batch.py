"""Calls by files, for the OpenAI Batch API and `vllm run-batch`: the requests and their states.

    RUN/batch/round-1/001.jsonl ...   requests in the form of the Batch API

A request is written, perhaps submitted, and then answered, failed or refused: one row of the table
`requests` in the run's store.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from pairwright.errors import CallFailed, InputError, Unanswered
from pairwright.files import write_whole
from pairwright.models.client import Client, Meter
from pairwright.models.reply import Completion
from pairwright.models.request import Request
from pairwright.models.store import Store
from pairwright.settings.endpoints import Endpoint

URL: Final = "/v1/chat/completions"
MOST_LINES, MOST_BYTES = 50_000, 200_000_000
"""Calls of one file of the Batch API, and its bytes."""
_TABLE = """
CREATE TABLE IF NOT EXISTS requests (
    key TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,                -- its name in the config
    purpose TEXT NOT NULL,
    request TEXT NOT NULL,                 -- canonical JSON, as hashed; empty once it is answered
    round INTEGER NOT NULL,                -- the last build that cannot go on without it
    file TEXT NOT NULL DEFAULT '',         -- where that build wrote it: round-1/001.jsonl
    upload TEXT NOT NULL DEFAULT '',       -- ids of the file and its batch at a Batch API
    batch TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'written', -- or submitted, answered, failed, refused
    why TEXT NOT NULL DEFAULT ''           -- reason and detail of the last failure
)"""
_ADD = """
INSERT OR REPLACE INTO requests (key, endpoint, purpose, request, round) VALUES (?, ?, ?, ?, ?)"""
_ANSWERED = """
UPDATE requests SET state = 'answered', request = '', why = ''
WHERE state != 'answered' AND key IN (SELECT key FROM calls)"""
_FILES = """
SELECT file, endpoint, count(*), max(upload), max(batch), sum(state = 'submitted'),
    sum(state IN ('failed', 'refused')), max(why) FROM requests
WHERE file != '' AND round = (SELECT max(round) FROM requests WHERE file != '')
GROUP BY file ORDER BY file"""
# Prompts of one kind that share a history begin alike, so in this order they follow one another.
# The head of a history identifies it, and sorting whole prompts would take as much disk again.
_MESSAGES = "json_extract(request, '$.messages')"
_ORDER = f"purpose, substr({_MESSAGES}, max(1, instr({_MESSAGES}, '<history>')), 4096), key"


class RequestFile(NamedTuple):
    """One file of requests, and how far it is."""

    path: Path
    endpoint: str
    lines: int
    upload: str
    """Its id at a Batch API, from the moment that a batch may exist; else empty."""
    batch: str
    waiting: int
    """Requests whose batch has not ended."""
    failed: int
    why: str
    """Of one that failed."""


class Requests:
    """The requests of a run that were written to files. Its store must be open for writing."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._folder = store.path.parent / "batch"
        store.execute(_TABLE)
        self._round, self._needed = 0, set[str]()

    def begin(self) -> None:
        """Begin a round, in which nothing is needed yet. Raises InputError while batches of the
        last one are under way."""
        if any(file.waiting for file in self.files()):
            raise InputError(
                "batches of the last round are under way, and would be paid for again",
                where=self._folder,
                fix=f"Run `pairwright batch submit {self._folder.parent} --wait` first.",
            )
        (last,) = self.store.execute("SELECT max(round) FROM requests").fetchone()
        self._round, self._needed = (last or 0) + 1, set()

    def need(self, endpoint: str, request: Request, meter: Meter) -> None:
        """Put a request into the round. Raises CallFailed for a refused one, and BudgetSpent."""
        if request.key in self._needed:
            return
        query = "SELECT why FROM requests WHERE key = ? AND state = 'refused'"
        if refused := self.store.execute(query, request.key).fetchone():
            reason, _, detail = refused[0].partition(": ")
            raise CallFailed(reason, f"{detail} (refused for good)")
        meter.admit()
        named = request.key, endpoint, request.purpose
        self.store.execute(_ADD, *named, request.canonical, self._round)
        self._needed.add(request.key)
        meter.calls += 1

    def write(self, endpoints: Mapping[str, Endpoint]) -> tuple[RequestFile, ...]:
        """Write the files of the round."""
        number = 0
        for name, endpoint in endpoints.items():
            for part in _parts(self._lines(name, endpoint)):
                number += 1
                file = f"round-{self._round}/{number:03}.jsonl"
                write_whole(self._folder / file, part.values())
                place = "UPDATE requests SET file = ? WHERE key = ?"
                self.store.write(place, [(file, key) for key in part])
        return self.files()

    def files(self) -> tuple[RequestFile, ...]:
        """The files of the last round."""
        found = self.store.rows(_FILES)
        return tuple(RequestFile(self._folder / file, *rest) for file, *rest in found)

    def call(self, key: str) -> tuple[str, Request] | None:
        """The endpoint of a request without a reply, and the request."""
        query = "SELECT endpoint, request, purpose FROM requests WHERE key = ? AND request != ''"
        row = self.store.execute(query, key).fetchone()
        return row and (row[0], Request.of(row[1], row[2]))

    def settle(self) -> None:
        """Note which requests have their reply in the store."""
        self.store.execute(_ANSWERED)

    def failed(self, state: str, why: str, *, key: str = "", batch: str = "") -> None:
        """Keep that a request failed or was refused, or all that still waits for a batch."""
        these = "(key = ? AND state != 'answered') OR (batch = ? AND state = 'submitted')"
        update = f"UPDATE requests SET state = ?, why = ? WHERE {these}"
        self.store.execute(update, state, why, key, batch or None)

    def submitted(self, file: RequestFile, upload: str, batch: str = "") -> None:
        """Keep that a file is at a Batch API; without `upload`, that it is not."""
        state = "submitted" if upload else "written"
        update = "UPDATE requests SET upload = ?, batch = ?, state = ? WHERE file = ?"
        open_ = "state IN ('written', 'submitted')"
        name = str(file.path.relative_to(self._folder))
        self.store.execute(f"{update} AND {open_}", upload, batch, state, name)

    def _lines(self, name: str, endpoint: Endpoint) -> Iterator[tuple[str, bytes]]:
        """The key and the line of each request to an endpoint, those with one history together, in
        an order that depends on the requests alone."""
        query = "SELECT request, purpose FROM requests WHERE round = ? AND endpoint = ?"
        for row in self.store.rows(f"{query} ORDER BY {_ORDER}", self._round, name):
            request = Request.of(*row)
            body = request.body(endpoint.token_parameter)
            line = {"custom_id": request.key, "method": "POST", "url": URL, "body": body}
            yield request.key, json.dumps(line, separators=(",", ":")).encode() + b"\n"


def _parts(lines: Iterator[tuple[str, bytes]]) -> Iterator[dict[str, bytes]]:
    """Parts of the lines, by key, each as large as a file may be."""
    part, size = dict[str, bytes](), 0
    for key, line in lines:
        if part and (len(part) == MOST_LINES or size + len(line) > MOST_BYTES):
            yield part
            part, size = {}, 0
        part[key] = line
        size += len(line)
    if part:
        yield part


class Recorder(Client):
    """A client of one endpoint that notes what is asked, and answers out of the store alone."""

    def __init__(self, name: str, requests: Requests, meter: Meter) -> None:
        super().__init__(meter, requests.store)
        self._name, self._requests = name, requests

    async def fetch(self, request: Request) -> Completion:
        """Raises Unanswered; or what `need` raises, and Interrupted, and then nothing is noted."""
        self.go_on()
        self._requests.need(self._name, request, self.meter)
        raise Unanswered(request.purpose)
