"""Calls by files, for the OpenAI Batch API and `vllm run-batch`: requests out, replies in.

    RUN/batch/round-1/001.jsonl ...   requests in the form of the Batch API
    {"custom_id": KEY, "response": {"status_code": 200, "body": {...}}, "error": null}

A request is written, perhaps submitted, and then answered, failed or refused: one row of the table
`requests` in the run's store. Every line of replies is stored, known already, or reported.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from pydantic import BaseModel, JsonValue, ValidationError
from typer import Argument

from pairwright.errors import (
    CallFailed,
    EndpointRefused,
    InputError,
    Unanswered,
    first_invalid,
)
from pairwright.files import CALLS, write_whole
from pairwright.models.call import (
    Completion,
    Request,
    Response,
    Secrets,
    Transient,
    error_of,
    read_reply,
)
from pairwright.models.client import Client, Meter
from pairwright.models.store import Store
from pairwright.options import RunPath
from pairwright.settings import read_toml
from pairwright.settings.config import Config, validate
from pairwright.settings.endpoints import Endpoint
from pairwright.text import visible

URL: Final = "/v1/chat/completions"
MOST_LINES, MOST_BYTES = 50_000, 200_000_000
"""Calls of one file of the Batch API, and its bytes."""
_ACCOUNT = (401, 402, 407, 429)
"""Statuses of what is wrong with the account or the way to it, and not with the request."""
_RUN = "Name the folder that `pairwright build` was given as --run."
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
_OF_ROUND = f"""
SELECT endpoint, request, purpose FROM requests WHERE round = ?
ORDER BY endpoint, purpose, substr({_MESSAGES}, max(1, instr({_MESSAGES}, '<history>')), 4096), key
"""


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
        """Begin a round. Raises InputError while batches of the last one are under way."""
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
        """Write the files of the round, each as large as it may be and to one endpoint. Requests
        with one history are together, in an order that depends on the requests alone."""
        part, size, files, last = dict[str, bytes](), 0, 0, ""
        for name, *row in self.store.rows(_OF_ROUND, self._round):
            request = Request.of(*row)
            body = request.body(endpoints[name].token_parameter)
            said = {"custom_id": request.key, "method": "POST", "url": URL, "body": body}
            line = json.dumps(said, separators=(",", ":")).encode() + b"\n"
            full = len(part) == MOST_LINES or size + len(line) > MOST_BYTES
            if part and (full or name != last):
                self._write(files := files + 1, part)
                part, size = {}, 0
            part[request.key], last = line, name
            size += len(line)
        if part:
            self._write(files + 1, part)
        return self.files()

    def _write(self, number: int, lines: Mapping[str, bytes]) -> None:
        file = f"round-{self._round}/{number:03}.jsonl"
        write_whole(self._folder / file, lines.values())
        self.store.write(
            "UPDATE requests SET file = ? WHERE key = ?", [(file, key) for key in lines]
        )

    def files(self) -> tuple[RequestFile, ...]:
        """The files of the last round. Notes first which requests are answered by now, be it over
        the wire."""
        self.store.execute(_ANSWERED)
        found = self.store.rows(_FILES)
        return tuple(RequestFile(self._folder / file, *rest) for file, *rest in found)

    def failed(self, state: str, why: str, *, key: str = "", batch: str = "") -> None:
        """Keep that a request failed or was refused, or all that still waits for a batch."""
        these = "key NOT IN (SELECT key FROM calls) AND (key = ? OR batch = ? AND state = ?)"
        update = f"UPDATE requests SET state = ?, why = ? WHERE {these}"
        self.store.execute(update, state, why, key, batch or None, "submitted")

    def submitted(self, file: RequestFile, upload: str, batch: str = "") -> None:
        """Keep that a file is at a Batch API; without `upload`, that it is not."""
        state = "submitted" if upload else "written"
        update = "UPDATE requests SET upload = ?, batch = ?, state = ? WHERE file = ?"
        update += " AND state IN ('written', 'submitted')"
        self.store.execute(update, upload, batch, state, str(file.path.relative_to(self._folder)))


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


# Replies in


class _Line(BaseModel):
    custom_id: str
    response: dict[str, JsonValue] | None = None
    error: JsonValue = None

    def reply(self) -> Response:
        """The endpoint's response to the request. Without a status it counts as an error of the
        server: a batch that ended before a request's turn is no fault of the request."""
        if not (self.response or self.error):
            raise ValueError("a request, or a line without response and error")
        response = self.response or {}
        status, body = response.get("status_code"), response.get("body")
        if error := self.error or (isinstance(body, dict) and body.get("error")):
            # vLLM says the status in the error alone if there is no response.
            body, codes = {"error": error}, (status, error_of(error).get("code"))
            status = next((one for one in codes if isinstance(one, int) and one >= 400), 500)
        if type(status) is not int or not (200 <= status < 300 or 400 <= status < 600):
            status = 500
        return Response(status, json.dumps(body, separators=(",", ":")).encode())


@dataclass
class Ingest:
    """Takes files of replies into a run, and the outcome of each line."""

    requests: Requests
    secrets: Secrets
    """They are stored nowhere."""
    stored: int = 0
    known: int = 0
    problems: list[str] = field(default_factory=list)
    """Each line that gave no reply: `file:line`, its request, and why."""
    files: tuple[RequestFile, ...] = ()
    """The progress of the files of requests afterwards."""

    @property
    def lines(self) -> int:
        """The number of lines read; each is stored, known, or a problem."""
        return self.stored + self.known + len(self.problems)

    def file(self, path: Path) -> None:
        """Read one file to its end. What is good is stored line by line, whatever comes after it.
        Raises InputError for a file that cannot be read, and StoreError."""
        try:
            with path.open("rb") as file:
                for number, raw in enumerate(file, start=1):
                    if text := raw.removeprefix(b"\xef\xbb\xbf").strip():
                        self._line(text, f"{path}:{number}")
        except OSError as error:
            fix = "Name files of replies: the outputs of a Batch API or of vllm run-batch."
            raise InputError(f"cannot be read: {error.strerror}", where=path, fix=fix) from None

    def _line(self, text: bytes, where: str) -> None:
        try:
            line = _Line.model_validate_json(text)
            where = f"{where}: {line.custom_id[:100]!r}"
            self._take(line.custom_id, line.reply())
        except CallFailed as failed:
            self.requests.failed("failed", str(failed), key=line.custom_id)
            why = f"failed, to be asked again: {failed}"
        except EndpointRefused as refused:
            self.requests.failed("refused", str(refused), key=line.custom_id)
            why = f"refused for good, not asked again: {refused}"
        except (ValueError, RecursionError) as error:
            invalid = isinstance(error, ValidationError) and first_invalid(error)
            why = f"no usable reply: {': '.join(filter(None, invalid or [str(error)]))}"
        else:
            return
        self.problems.append(visible(f"{where} {why}")[:1000])

    def _take(self, key: str, reply: Response) -> None:
        """Store a usable reply, or what says that a prompt is too long or filtered.

        Raises CallFailed for what is worth asking again, EndpointRefused for what is not, and
        ValueError for a reply to nothing.
        """
        store = self.requests.store
        # Whatever became of another try, the first answer stays.
        if store.get(key):
            self.known += 1
            return
        query = "SELECT endpoint, request, purpose FROM requests WHERE key = ? AND request != ''"
        if (row := store.execute(query, key).fetchone()) is None:
            raise ValueError("this run asked for nothing with that custom_id")
        endpoint, request = row[0], Request.of(row[1], row[2])
        said = Response(reply.status, self.secrets.without(reply.body))
        try:
            # The batch was run, so the API key is known.
            found = read_reply(key, said, f"[endpoints.{endpoint}]", known_key=True)
        except Transient as error:
            raise CallFailed(error.reason, error.detail) from None
        except (CallFailed, EndpointRefused) as error:
            failed = CallFailed(f"http_{reply.status}", str(getattr(error, "detail", error)))
            raise failed if reply.status in _ACCOUNT else EndpointRefused(str(failed)) from None
        store.keep(request, found)
        self.stored += 1


@contextmanager
def open_run(folder: Path) -> Iterator[tuple[Config, Ingest]]:
    """Open a run that was built with `batch`. Raises ConfigError, and InputError for another."""
    path = folder / "config.toml"
    saved = read_toml(path, _RUN)
    config = validate({key: one for key, one in saved.items() if key != "content"}, path)
    names = [endpoint.api_key_env for endpoint in config.endpoints.values()]
    with closing(Store(folder / CALLS)) as store:
        requests = Requests(store)
        if not requests.files():
            fix = "`pairwright build CONFIG --run DIR --batch` writes them."
            raise InputError("no requests were written to files", where=folder, fix=fix)
        ingest = Ingest(requests, Secrets(*(os.environ.get(name) for name in names if name)))
        yield config, ingest
        ingest.files = requests.files()


def ingest_replies(
    run: RunPath,
    files: Annotated[Sequence[Path | str], Argument(help="Files of replies.", metavar="FILE")],
) -> Ingest:
    """Put the replies of a batch into the run's store.

    A line that cannot be used is named with its file and line number, and the exit code is 1. The
    next round asks again for what has no reply. The same file twice changes nothing.

    Examples::

        pairwright batch ingest runs/first runs/first/batch/round-1/*.replies.jsonl
    """
    with open_run(Path(run)) as (_, ingest):
        for file in files:
            ingest.file(Path(file))
    return ingest
