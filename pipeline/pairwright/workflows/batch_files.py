"""The commands of a run whose calls are answered by files: submit a round to a Batch API, ask how
far it is, take replies in."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

from typer import Argument, Option

from pairwright.errors import CallFailed, ConfigError, InputError
from pairwright.files import CALLS, write_whole
from pairwright.models.batch import URL, PendingCalls, RequestFile, folder_of
from pairwright.models.batch_replies import MEANINGS, Ingest, lines_of
from pairwright.models.connect import api_key
from pairwright.models.refusals import Secrets, Transient, refusal
from pairwright.models.store import Store
from pairwright.options import RunPath
from pairwright.settings.config import validate
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.toml_files import read_toml
from pairwright.text import number_of, visible

if TYPE_CHECKING:
    from openai.types import Batch

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""Statuses of a batch that does not change any more."""
NOTED = 20
"""Problems of which a person is notified; all are in the file."""
POLL_EVERY_S = 30.0
_say = logging.getLogger("pairwright").warning

BatchFolder: TypeAlias = Annotated[
    Path | str, Argument(help="The folder that --batch-out of the build named.", metavar="OUT")
]


class BatchApi:
    """The Batch API of one endpoint, through the OpenAI SDK. Its methods raise CallFailed and
    EndpointRefused."""

    def __init__(self, name: str, endpoint: Endpoint, key: str | None) -> None:
        """Raises ConfigError for what has no Batch API."""
        if endpoint.engine == "vllm" or endpoint.recording is not None:
            raise ConfigError(
                "only a server has a Batch API",
                where=f"[endpoints.{name}]",
                fix="Have the files answered by `vllm run-batch`, and `pairwright batch ingest`"
                " them; or build without --batch-out.",
            )
        # It takes half a second to import, and only these commands need it.
        from openai import OpenAI

        self._where = f"[endpoints.{name}] {endpoint.base_url}"
        self._secrets = Secrets(key)
        self._api = OpenAI(
            # The SDK insists on a key; servers without one ignore it.
            api_key=key or "none", base_url=endpoint.base_url, timeout=endpoint.timeout_s,
        )  # fmt: skip

    def close(self) -> None:
        """Close every connection."""
        self._api.close()

    def submit(self, path: Path) -> "Batch":
        """Upload a file, and make a batch of it."""
        with self._refusals(), path.open("rb") as file:
            uploaded = self._api.files.create(file=(path.name, file), purpose="batch").id
            # Asked once only: a repeated try could make and bill a second batch.
            return self._api.with_options(max_retries=0).batches.create(
                input_file_id=uploaded, endpoint=URL, completion_window="24h"
            )

    def batch(self, batch_id: str) -> "Batch":
        """How far a batch is."""
        with self._refusals():
            return self._api.batches.retrieve(batch_id)

    def download(self, file_id: str, to: Path) -> None:
        """Write a file of replies, whole or not at all."""
        with (
            self._refusals(),
            self._api.files.with_streaming_response.content(file_id) as response,
        ):
            write_whole(to, response.iter_bytes())

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        from openai import APIConnectionError, APIStatusError

        try:
            yield
        except APIStatusError as error:
            message = error.message
            try:
                refusal(error.status_code, error.response.content, self._where, self._secrets)
            except (CallFailed, Transient) as failure:
                message = str(failure)
            raise self._failed(f"http_{error.status_code}", message) from None
        except APIConnectionError as error:
            raise self._failed("connection", str(error.__cause__ or error)) from None

    def _failed(self, reason: str, detail: str) -> CallFailed:
        again = "Run the same command again; look first whether the account has the batch."
        return CallFailed(reason, f"{self._where}: {detail}\n  {again}")


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
    with _open_run(Path(run)) as (requests, _, api_of):
        round_ = requests.last_round()
        folder = folder_of(Path(out), round_.round)
        waiting = [one.file for one in round_.files if not one.batch]
        if not all((folder / name).exists() for name in waiting):
            raise InputError(
                "not the round that this run needs",
                where=folder,
                fix="Build with --batch-out again, or name the folder that it wrote to last.",
            )
        for one in round_.files:
            if one.file in waiting:
                batch = api_of(one.endpoint).submit(folder / one.file)
                requests.batch_is(one.file, batch.id, batch.status)
        new = tuple(one for one in requests.last_round().files if one.file in waiting)
    return Submitted(new, len(round_.files) - len(new))


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
    with _open_run(Path(run)) as (requests, ingest, api_of):
        round_ = requests.last_round()
        folder = folder_of(Path(out), round_.round)
        if not any(one.batch for one in round_.files):
            raise InputError(
                "nothing of this round was submitted",
                where=folder,
                fix=f"`pairwright batch submit RUN {out}` does that.",
            )
        while True:
            done = {one.file: _poll(one, folder, api_of, ingest) for one in round_.files}
            round_ = requests.last_round()
            polled = PolledRound(round_.files, done, ingest)
            if not (wait and polled.under_way):
                return polled
            if (through := sum(done.values())) != told:
                told = through
                _say(f"{told:,} of {number_of(round_.lines, 'request')} answered")
            time.sleep(POLL_EVERY_S)


def _poll(
    file: RequestFile, folder: Path, api_of: Callable[[str], BatchApi], ingest: Ingest
) -> int:
    """Look at the batch of a file once, and ingest its replies where it has ended; the number of
    requests that the API is through with."""
    if file.collected or not file.batch:
        return file.lines if file.collected else 0
    api = api_of(file.endpoint)
    batch = api.batch(file.batch)
    ended = batch.status in ENDED
    trouble = _collect(folder, file, batch, api, ingest) if ended else ""
    ingest.pending.batch_is(file.file, batch.id, batch.status, trouble, collected=ended)
    counts = batch.request_counts
    return counts.completed + counts.failed if counts else 0


def _collect(folder: Path, file: RequestFile, batch: "Batch", api: BatchApi, ingest: Ingest) -> str:
    """Fetch and ingest the files of a batch that has ended; what went wrong with it."""
    name, lines, before = file.file.removesuffix(".jsonl"), 0, len(ingest.problems)
    for kind, file_id in (("output", batch.output_file_id), ("errors", batch.error_file_id)):
        if file_id:
            path = folder / f"{name}.{kind}.jsonl"
            api.download(file_id, path)
            lines += ingest.file(path)
    troubles = []
    if batch.status != "completed":
        listed = (batch.errors.data or []) if batch.errors else []
        why = "; ".join(f"{error.code}: {error.message}" for error in listed[:3])
        troubles.append(f"the batch {batch.status}" + (f" ({why[:500]})" if why else ""))
    if lines < file.lines:
        troubles.append(f"{file.lines - lines:,} requests have no reply")
    for fault, n in ingest.faults(before).items():
        first = next(one.detail for one in ingest.problems[before:] if one.kind == fault)
        said = f"{number_of(n, 'line')} {MEANINGS[fault]} (first: {visible(first)[:200]})"
        troubles.append(said)
    return "; ".join(troubles)


def ingest_replies(
    run: RunPath,
    files: Annotated[Sequence[Path | str], Argument(help="Files of replies.", metavar="FILE")],
) -> Ingest:
    """Put the replies of a batch into the run's store.

    A line that cannot be used is named with its file and line number, in full in the run's
    batch_problems.jsonl, and the exit code is 1; the next round asks again for what has no reply.
    The same file twice changes nothing.

    Examples::

        pairwright batch ingest runs/first batches/round-1/001.replies.jsonl
        pairwright batch ingest runs/first batches/round-1/*.replies.jsonl
    """
    paths = [Path(file) for file in files]
    with _open_run(Path(run)) as (_, ingest, _):
        for path in paths:
            next(lines_of(path), None)  # Raises where it cannot be read.
        for path in paths:
            ingest.file(path)
    return ingest


class _BatchRun(NamedTuple):
    """A run that was built with `batch_out`."""

    requests: PendingCalls
    ingest: Ingest
    api_of: Callable[[str], BatchApi]
    """The Batch API of an endpoint, by its name in the config."""


@contextmanager
def _open_run(run: Path) -> Iterator[_BatchRun]:
    """Open a run, and report the problems with its replies at the end: the first ones are noted,
    all are in `batch_problems.jsonl`.

    Raises ConfigError and InputError where none was built with `batch_out`.
    """
    with ExitStack() as end:
        requests = end.enter_context(closing(PendingCalls(run / "batch.sqlite")))
        store = end.enter_context(closing(Store(run / CALLS)))
        path = run / "config.toml"
        saved = read_toml(path, "Restore it from a copy, or build into another run folder.")
        config = validate({key: one for key, one in saved.items() if key != "content"}, path)

        @cache
        def api_of(name: str) -> BatchApi:
            endpoint = config.endpoints[name]
            return end.enter_context(closing(BatchApi(name, endpoint, api_key(name, endpoint))))

        names = [endpoint.api_key_env for endpoint in config.endpoints.values()]
        secrets = Secrets(*(os.environ.get(name) for name in names if name))
        ingest = Ingest(requests, store, secrets)
        # Also where a file could not be read: what was found before it counts.
        end.callback(_report, run / "batch_problems.jsonl", ingest)
        yield _BatchRun(requests, ingest, api_of)


def _report(path: Path, ingest: Ingest) -> None:
    if not ingest.lines:
        return
    write_whole(path, (f"{problem.model_dump_json()}\n" for problem in ingest.problems))
    for problem in ingest.problems[:NOTED]:
        custom_id = f" {problem.custom_id!r}" if problem.custom_id else ""
        _say(f"{problem.where}:{custom_id} {MEANINGS[problem.kind]}: {problem.detail}")
    if more := len(ingest.problems[NOTED:]):
        _say(f"... and {more:,} more in {path}")
