"""The commands of a run whose calls are answered by files: requests to a Batch API, replies in.
Every line of replies is stored, known already, or reported.

{"custom_id": KEY, "response": {"status_code": 200, "body": {...}}, "error": null}
"""

import json
import logging
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, JsonValue, ValidationError
from typer import Argument, Option

from pairwright.errors import CallFailed, ConfigError, EndpointRefused, InputError, first_invalid
from pairwright.files import CALLS, write_whole
from pairwright.models.batch import URL, RequestFile, Requests
from pairwright.models.connect import api_key
from pairwright.models.reply import (
    Completion,
    Response,
    Secrets,
    Transient,
    error_of,
    is_same_model,
    printable,
    read_reply,
)
from pairwright.models.request import Request
from pairwright.models.store import Store
from pairwright.options import RunPath
from pairwright.settings import read_toml
from pairwright.settings.config import Config, validate
from pairwright.text import visible

if TYPE_CHECKING:
    from openai import OpenAI

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""Statuses of a batch that does not change any more."""
POLL_EVERY_S = 30.0
_ACCOUNT = (401, 402, 407, 429)
"""Statuses of what is wrong with the account or the way to it, and not with the request."""


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
            self.requests.settle()
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror}",
                where=path,
                fix="Name files of replies: the outputs of a Batch API or of vllm run-batch.",
            ) from None

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
        ValueError for a reply to nothing and for one of another model.
        """
        # Whatever became of another try, the first answer stays.
        if self.requests.store.get(key):
            self.known += 1
            return
        call = self.requests.call(key)
        if call is None:
            raise ValueError("this run asked for nothing with that custom_id")
        said = Response(reply.status, self.secrets.without(reply.body))
        self.requests.store.keep(call[1], _completion(*call, said))
        self.stored += 1


def _completion(endpoint: str, request: Request, reply: Response) -> Completion:
    try:
        # The batch was run, so the API key is known.
        found = read_reply(request.key, reply, f"[endpoints.{endpoint}]", known_key=True)
    except Transient as error:
        raise CallFailed(error.reason, error.detail) from None
    except (CallFailed, EndpointRefused) as error:
        failed = CallFailed(f"http_{reply.status}", str(getattr(error, "detail", error)))
        raise failed if reply.status in _ACCOUNT else EndpointRefused(str(failed)) from None
    if found.served and not is_same_model(found.served, request.model):
        raise ValueError(f"a reply of the model {found.served[:80]!r}, not of {request.model!r}")
    return found


@contextmanager
def _open_run(folder: Path) -> Iterator[tuple[Config, Ingest]]:
    """Open a run that was built with `batch`. Raises ConfigError, and InputError for another."""
    path = folder / "config.toml"
    saved = read_toml(path, "Name the folder that `pairwright build` was given as --run.")
    config = validate({key: one for key, one in saved.items() if key != "content"}, path)
    names = [endpoint.api_key_env for endpoint in config.endpoints.values()]
    with closing(Store(folder / CALLS)) as store:
        requests = Requests(store)
        requests.settle()  # Some may have been answered over the wire since.
        if not requests.files():
            raise InputError(
                "no requests of this run were written to files",
                where=folder,
                fix="`pairwright build CONFIG --run DIR --batch` writes them.",
            )
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
    with _open_run(Path(run)) as (_, ingest):
        for file in files:
            ingest.file(Path(file))
    return ingest


def submit_batches(
    run: RunPath,
    *,
    wait: Annotated[bool, Option("--wait", help="Go on until every batch has ended.")] = False,
) -> Ingest:
    """Hand the latest requests to the OpenAI Batch API, and ingest the replies that have come.

    Safe to repeat and to interrupt: no file is submitted twice. Each goes to the endpoint it was
    written for, with the key that its api_key_env names. Exits with 3 while a batch is under way,
    and with 1 if one has ended without all of its replies. The next round asks for those.

    Raises ConfigError, EndpointRefused, and InputError if the run was not built with `batch`.

    Examples::

        pairwright batch submit runs/first
        pairwright batch submit runs/first --wait
    """
    with _open_run(Path(run)) as (config, ingest):
        while True:
            for file in ingest.requests.files():
                if not file.batch or file.waiting:
                    with _batch_api(config, file.endpoint) as api:
                        (_collect if file.batch else _submit)(api, file, ingest)
            if not (wait and any(file.waiting for file in ingest.requests.files())):
                return ingest
            time.sleep(POLL_EVERY_S)


@contextmanager
def _batch_api(config: Config, name: str) -> "Iterator[OpenAI]":
    """The Batch API of an endpoint. Raises ConfigError for what has none, and EndpointRefused for
    all that it refuses in the block."""
    endpoint, where = config.endpoints[name], f"[endpoints.{name}]"
    if endpoint.base_url is None or endpoint.recording is not None:
        raise ConfigError(
            "only a server has a Batch API",
            where=where,
            fix="Have the files answered by `vllm run-batch`, and `pairwright batch ingest` them.",
        )
    # It takes half a second to import, and only this command needs it.
    from openai import APIError, OpenAI

    key, url = api_key(name, endpoint), endpoint.base_url
    try:
        # The SDK insists on a key; servers without one ignore it.
        with OpenAI(api_key=key or "none", base_url=url, timeout=endpoint.timeout_s) as api:
            yield api
    except APIError as error:
        said = Secrets(key).without(str(error.__cause__ or error).encode("utf-8", "replace"))
        raise EndpointRefused(
            f"{where} {url}: {printable(said.decode())}\n"
            "  Check `base_url`, and the key in the variable that `api_key_env` names; then run the"
            " same command again: nothing is submitted twice."
        ) from None


def _submit(api: "OpenAI", file: RequestFile, ingest: Ingest) -> None:
    """Make a batch of one file, or find the one that an interrupted try made."""
    from openai import APIStatusError

    batch, requests = None, ingest.requests
    if upload := file.upload:
        batch = next((one for one in api.batches.list() if one.input_file_id == upload), None)
    else:
        upload = api.files.create(file=file.path, purpose="batch").id
        requests.submitted(file, upload)
    if batch is None:
        try:
            # Asked once only: a repeated try could make and bill a second batch.
            batch = api.with_options(max_retries=0).batches.create(
                input_file_id=upload, endpoint=URL, completion_window="24h"
            )
        except APIStatusError as error:
            if error.status_code < 500:
                requests.submitted(file, "")
            raise
    requests.submitted(file, upload, batch.id)


def _collect(api: "OpenAI", file: RequestFile, ingest: Ingest) -> None:
    """Look at the batch of a file once, and ingest its replies if it has ended."""
    batch = api.batches.retrieve(file.batch)
    if batch.status not in ENDED:
        done = batch.request_counts.completed if batch.request_counts else 0
        said = f"{file.path.name}: {batch.status}, {done:,} of {file.lines:,} answered"
        logging.getLogger("pairwright").warning(said)
        return
    for kind, file_id in (("output", batch.output_file_id), ("errors", batch.error_file_id)):
        if file_id:
            path = file.path.with_suffix(f".{kind}.jsonl")
            with api.files.with_streaming_response.content(file_id) as response:
                write_whole(path, response.iter_bytes())
            ingest.file(path)
    errors = (batch.errors and batch.errors.data) or []
    why = "; ".join([batch.status, *(f"{one.code}: {one.message}" for one in errors[:3])])
    ingest.requests.failed("failed", f"no_reply: the batch {why[:500]}", batch=batch.id)
