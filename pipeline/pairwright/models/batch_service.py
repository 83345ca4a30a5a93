"""The commands of a run whose calls are answered by files: submit a round to a Batch API, ask how
far it is, take replies in. Every line of replies is stored, known already, or reported.

{"custom_id": KEY, "response": {"status_code": 200, "body": {...}}, "error": null}
"""

import json
import logging
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, Field, JsonValue, ValidationError
from typer import Argument, Option

from pairwright.errors import CallFailed, ConfigError, EndpointRefused, InputError, first_invalid
from pairwright.files import CALLS, write_whole
from pairwright.models.batch import URL, PendingCalls, RequestFile, folder_of
from pairwright.models.connect import api_key
from pairwright.models.model import Answer, Request
from pairwright.models.refusals import BROKEN_OFF, Secrets, Transient, error_of, refusal
from pairwright.models.reply import completion_of, is_same_model
from pairwright.models.store import Store
from pairwright.options import RunPath
from pairwright.settings import read_toml
from pairwright.settings.config import Config, validate
from pairwright.text import number_of, visible

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import Batch

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""Statuses of a batch that does not change any more."""
NOTED = 20
"""Problems of which a person is notified."""
POLL_EVERY_S = 30.0
_TOGETHER = 200
_say = logging.getLogger("pairwright").warning

BatchFolder: TypeAlias = Annotated[
    Path | str, Argument(help="The folder that --batch-out of the build named.", metavar="OUT")
]
LineFault = Literal["unreadable", "unknown", "failed", "refused"]
MEANINGS: dict[LineFault, str] = {
    "failed": "failed, to be asked again",
    "refused": "refused for good, not asked again",
    "unknown": "to nothing that this run asked",
    "unreadable": "no usable reply",
}
_NOT_RUN = ("batch_expired", "batch_cancelled")
_ACCOUNT = (401, 402, 407, 429)
"""Statuses of what is wrong with the account or the way to it, and not with the request."""


class _Response(BaseModel, extra="ignore"):
    status_code: int = Field(ge=100, le=599, strict=True)
    body: JsonValue = None


class _Line(BaseModel, extra="ignore"):
    custom_id: str
    response: _Response | None = None
    error: JsonValue = None


class LineProblem(NamedTuple):
    """A line that gave no reply."""

    kind: LineFault
    where: str
    """`file:line`, and the request."""
    detail: str


class _Fault(Exception):
    """Why a line gives no reply; with a `reason` it counts as a failed attempt of the request."""

    def __init__(self, kind: LineFault, detail: str, reason: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if reason else detail)
        self.kind = kind
        self.failure = (reason, detail, kind == "refused") if reason else None


def _answer(line: _Line, request: Request, where: str) -> Answer:
    """A usable reply, or what is stored in place of a prompt that is too long or that a content
    filter refused. Raises _Fault, and ValueError for a body that does not answer this request."""
    status, said = (line.response.status_code, line.response.body) if line.response else (0, None)
    if not (line.response or line.error):
        raise ValueError("a request, or a line without response and error")
    if line.error or (isinstance(said, dict) and said.get("error")) or status >= 400:
        body = _refused(error_of(line.error or said), status, where)
        return Answer(body, completion_of(request.key, body))
    if status >= 300:
        raise _Fault("failed", "a response without a reply", f"http_{status}")
    body = json.dumps(said, separators=(",", ":")).encode()
    completion = completion_of(request.key, body)
    if completion.finish in BROKEN_OFF:
        raise _Fault("failed", f"the engine ended with {completion.finish!r}", "broken_off")
    if completion.served and not is_same_model(completion.served, request.model):
        named = completion.served[:80]
        raise ValueError(f"a reply of the model {named!r}, not of {request.model!r}")
    return Answer(body, completion)


def _refused(error: dict[str, Any], status: int, where: str) -> bytes:
    """What is stored in place of a refusal that answers. Raises _Fault."""
    code, message = error.get("code"), str(error.get("message") or error)[:500]
    if not status and code in _NOT_RUN:
        # The batch ended before the request's turn: that says nothing about the request.
        raise _Fault("failed", f"{code}: {message}")
    if status < 400:
        # vLLM says the status in the error alone where there is no response.
        status = code if isinstance(code, int) and 400 <= code <= 599 else 0
    if not status:
        raise _Fault("failed", message, "batch_error")
    try:
        # A line does not say whether its room is what its role begins with, and no run hangs on one
        # line. The batch was run, so the key is known.
        return refusal(status, error, where, Secrets(), enlarged=True, known_key=True)
    except Transient as transient:
        raise _Fault("failed", transient.detail, transient.reason) from None
    except (CallFailed, EndpointRefused) as refused:
        if status in _ACCOUNT:
            raise _Fault("failed", str(refused)) from None
        raise _Fault("refused", str(refused), f"http_{status}") from None


@dataclass
class Ingest:
    """Takes files of replies into one run, and what became of their lines."""

    pending: PendingCalls
    store: Store
    secrets: Secrets
    """They are stored nowhere."""
    stored: int = 0
    known: int = 0
    problems: list[LineProblem] = field(default_factory=list)
    _fresh: dict[str, tuple[Request, Answer]] = field(default_factory=dict)
    _failed: list[tuple[str, str, str, bool]] = field(default_factory=list)

    @property
    def lines(self) -> int:
        """How many lines were read; each is stored, known, or a problem."""
        return self.stored + self.known + len(self.problems)

    def faults(self, since: int = 0) -> Counter[LineFault]:
        """The problems from that number on, by kind."""
        return Counter(problem.kind for problem in self.problems[since:])

    def file(self, path: Path) -> int:
        """Read one file to its end: the number of its lines. Everything good in it is stored when
        this returns. Raises InputError for a file that cannot be read, and StoreError."""
        before = self.lines
        try:
            with path.open("rb") as file:
                for number, raw in enumerate(file, start=1):
                    if text := raw.removeprefix(b"\xef\xbb\xbf").strip():
                        self._line(self.secrets.without(text), f"{path}:{number}")
                    if len(self._fresh) + len(self._failed) >= _TOGETHER:
                        self._commit()
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror}",
                where=path,
                fix="Name files of replies: the outputs of a Batch API or of vllm run-batch.",
            ) from None
        finally:
            self._commit()
        if self.lines == before:
            self._problem("unreadable", str(path), "", "the file holds no reply")
        return self.lines - before

    def _line(self, text: bytes, where: str) -> None:
        key = ""
        try:
            line = _Line.model_validate_json(text)
            key = line.custom_id
            self._take(line)
        except _Fault as fault:
            if fault.failure:
                self._failed.append((key, *fault.failure))
            self._problem(fault.kind, where, key, str(fault))
        except ValidationError as error:
            self._problem("unreadable", where, key, ": ".join(filter(None, first_invalid(error))))
        except (ValueError, RecursionError) as error:
            self._problem("unreadable", where, key, str(error))

    def _take(self, line: _Line) -> None:
        key = line.custom_id.encode("ascii", "replace").decode()
        # Whatever became of another try, the first answer stays.
        if key in self._fresh or self.store.get(key):
            self.known += 1
            return
        call = self.pending.call(key)
        if call is None:
            raise _Fault("unknown", "no request with this custom_id was written")
        endpoint, request = call
        self._fresh[key] = request, _answer(line, request, f"[endpoints.{endpoint}]")
        self.stored += 1

    def _problem(self, kind: LineFault, where: str, key: str, detail: str) -> None:
        named = f"{where}: {key[:100]!r}" if key else where
        self.problems.append(LineProblem(kind, named, visible(detail)[:1000]))

    def _commit(self) -> None:
        fresh, self._fresh = self._fresh, {}
        failed, self._failed = self._failed, []
        # First the store: a stop in between asks for nothing twice.
        self.store.put_all(fresh.values())
        self.pending.came(fresh, failed)


@contextmanager
def _batch_api(config: Config, name: str) -> "Iterator[OpenAI]":
    """The Batch API of an endpoint. Raises ConfigError for what has none, and in the block what it
    refuses: CallFailed, EndpointRefused."""
    endpoint = config.endpoints[name]
    if endpoint.base_url is None or endpoint.recording is not None:
        raise ConfigError(
            "only a server has a Batch API",
            where=f"[endpoints.{name}]",
            fix="Have the files answered by `vllm run-batch`, and `pairwright batch ingest` them.",
        )
    # It takes half a second to import, and only these commands need it.
    from openai import APIConnectionError, APIStatusError, OpenAI

    key, where = api_key(name, endpoint), f"[endpoints.{name}] {endpoint.base_url}"
    again = "Run the same command again; look first whether the account has the batch."
    try:
        with OpenAI(
            # The SDK insists on a key; servers without one ignore it.
            api_key=key or "none", base_url=endpoint.base_url, timeout=endpoint.timeout_s,
        ) as api:  # fmt: skip
            yield api
    except APIStatusError as error:
        try:
            refusal(error.status_code, error.response.content, where, Secrets(key))
        except (CallFailed, Transient) as failure:
            reason = f"http_{error.status_code}"
            raise CallFailed(reason, f"{where}: {failure}\n  {again}") from None
    except APIConnectionError as error:
        said = f"{where}: {error.__cause__ or error}\n  {again}"
        raise CallFailed("connection", said) from None


@contextmanager
def _open_run(folder: Path) -> Iterator[tuple[Config, Ingest]]:
    """Open a run, and note the first problems with its replies at the end. Raises ConfigError and
    InputError where none was built with `batch_out`."""
    with ExitStack() as end:
        pending = end.enter_context(closing(PendingCalls(folder / "batch.sqlite")))
        store = end.enter_context(closing(Store(folder / CALLS)))
        path = folder / "config.toml"
        saved = read_toml(path, "Restore it from a copy, or build into another run folder.")
        config = validate({key: one for key, one in saved.items() if key != "content"}, path)
        names = [endpoint.api_key_env for endpoint in config.endpoints.values()]
        ingest = Ingest(pending, store, Secrets(*(os.environ.get(name) for name in names if name)))
        # Also where a file could not be read: what was found before it counts.
        end.callback(_report, ingest.problems)
        yield config, ingest


def _report(problems: Sequence[LineProblem]) -> None:
    for problem in problems[:NOTED]:
        _say(f"{problem.where} {MEANINGS[problem.kind]}: {problem.detail}")
    if more := len(problems[NOTED:]):
        _say(f"... and {more:,} more")


def ingest_replies(
    run: RunPath,
    files: Annotated[Sequence[Path | str], Argument(help="Files of replies.", metavar="FILE")],
) -> Ingest:
    """Put the replies of a batch into the run's store.

    A line that cannot be used is named with its file and line number, and the exit code is 1; the
    next round asks again for what has no reply.
    The same file twice changes nothing.

    Examples::

        pairwright batch ingest runs/first batches/round-1/001.replies.jsonl
        pairwright batch ingest runs/first batches/round-1/*.replies.jsonl
    """
    with _open_run(Path(run)) as (_, ingest):
        for file in files:
            ingest.file(Path(file))
    return ingest


class Submitted(NamedTuple):
    """What was handed to a Batch API."""

    new: tuple[RequestFile, ...]
    before: int
    """Files that were submitted before."""


def submit_batches(run: RunPath, out: BatchFolder) -> Submitted:
    """Hand the files of the latest round to the OpenAI Batch API.

    Safe to repeat and to interrupt: no file is submitted twice. Each file goes to the endpoint it
    was written for, with the key that its api_key_env names.

    Raises ConfigError and InputError where `run` was not built with `batch_out`, or `out` does not
    hold the round that it needs, CallFailed, EndpointRefused.

    Examples::

        pairwright batch submit runs/first batches
    """
    with _open_run(Path(run)) as (config, ingest):
        last = ingest.pending.last_round()
        folder = folder_of(Path(out), last.round)
        waiting = [one for one in last.files if not one.batch]
        if not all((folder / one.file).exists() for one in waiting):
            raise InputError(
                "not the round that this run needs",
                where=folder,
                fix="Build with --batch-out again, or name the folder that it wrote to last.",
            )
        new = list[RequestFile]()
        for one in waiting:
            with (
                _batch_api(config, one.endpoint) as api,
                (folder / one.file).open("rb") as content,
            ):
                uploaded = api.files.create(file=(one.file, content), purpose="batch").id
                # Asked once only: a repeated try could make and bill a second batch.
                batch = api.with_options(max_retries=0).batches.create(
                    input_file_id=uploaded, endpoint=URL, completion_window="24h"
                )
            new.append(RequestFile(*one[:5], batch.id, batch.status))
            ingest.pending.changed(new[-1])
    return Submitted(tuple(new), len(last.files) - len(new))


class PolledRound(NamedTuple):
    """How far the batches of a round are, and what was taken in."""

    files: tuple[RequestFile, ...]
    done: dict[str, int]
    """Requests of each file that the API is through with."""
    ingested: Ingest

    @property
    def under_way(self) -> bool:
        """Whether a batch has not ended."""
        return any(one.batch and not one.collected for one in self.files)

    @property
    def troubles(self) -> tuple[str, ...]:
        """What went wrong with whole batches."""
        return tuple(
            f"{one.file}: {one.trouble or 'not submitted: `pairwright batch submit` again'}"
            for one in self.files
            if one.trouble or not one.batch
        )


def poll_batches(
    run: RunPath,
    out: BatchFolder,
    *,
    wait: Annotated[bool, Option(help="Go on asking until every batch has ended.")] = False,
) -> PolledRound:
    """Ask how far the submitted batches are, and ingest the replies that have come.

    Exits with 3 while a batch is under way, and with 1 where one has ended without all of its
    replies: what is missing is asked again in the next round.

    Raises as `submit_batches` does.

    Examples::

        pairwright batch poll runs/first batches
        pairwright batch poll runs/first batches --wait
    """
    told = -1
    with _open_run(Path(run)) as (config, ingest):
        last = ingest.pending.last_round()
        folder = folder_of(Path(out), last.round)
        if not any(one.batch for one in last.files):
            raise InputError(
                "nothing of this round was submitted",
                where=folder,
                fix=f"`pairwright batch submit RUN {out}` does that.",
            )
        while True:
            done = {one.file: _poll(config, one, folder, ingest) for one in last.files}
            last = ingest.pending.last_round()
            polled = PolledRound(last.files, done, ingest)
            if not (wait and polled.under_way):
                return polled
            if (through := sum(done.values())) != told:
                told = through
                _say(f"{told:,} of {number_of(last.lines, 'request')} answered")
            time.sleep(POLL_EVERY_S)


def _poll(config: Config, file: RequestFile, folder: Path, ingest: Ingest) -> int:
    """Look at the batch of a file once, and ingest its replies where it has ended; the number of
    requests that the API is through with."""
    if file.collected or not file.batch:
        return file.lines if file.collected else 0
    with _batch_api(config, file.endpoint) as api:
        batch = api.batches.retrieve(file.batch)
        ended = batch.status in ENDED
        trouble = _collect(api, batch, file, folder, ingest) if ended else ""
    ingest.pending.changed(RequestFile(*file[:5], batch.id, batch.status, trouble, ended))
    counts = batch.request_counts
    return counts.completed + counts.failed if counts else 0


def _collect(api: "OpenAI", batch: "Batch", file: RequestFile, folder: Path, ingest: Ingest) -> str:
    """Fetch and ingest the files of a batch that has ended; what went wrong with it."""
    lines, before, troubles = 0, len(ingest.problems), list[str]()
    for kind, file_id in (("output", batch.output_file_id), ("errors", batch.error_file_id)):
        if file_id:
            path = folder / f"{file.file.removesuffix('.jsonl')}.{kind}.jsonl"
            with api.files.with_streaming_response.content(file_id) as response:
                write_whole(path, response.iter_bytes())
            lines += ingest.file(path)
    if batch.status != "completed":
        listed = (batch.errors.data or []) if batch.errors else []
        why = "; ".join(f"{error.code}: {error.message}" for error in listed[:3])
        troubles.append(f"the batch {batch.status}" + (f" ({why[:500]})" if why else ""))
    if lines < file.lines:
        troubles.append(f"{file.lines - lines:,} requests have no reply")
    for fault, n in ingest.faults(before).items():
        first = next(one.detail for one in ingest.problems[before:] if one.kind == fault)
        said = f"{number_of(n, 'line')} {MEANINGS[fault]} (first: {first[:200]})"
        troubles.append(said)
    return "; ".join(troubles)
