"""A round at the Batch API of an endpoint, through its SDK: handing its files in, and collecting
the replies."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pairwright.errors import CallFailed, ConfigError, EndpointRefused, InputError
from pairwright.files import write_whole
from pairwright.models.batch.ingest import MEANINGS, Ingest
from pairwright.models.batch.rounds import (
    ENDED,
    URL,
    Round,
    Shard,
    Submission,
    folder_of,
    read_submissions,
    write_submissions,
)
from pairwright.models.refusals import Secrets, Transient, refusal
from pairwright.settings.endpoints import Endpoint
from pairwright.text import number_of, visible

if TYPE_CHECKING:
    from openai.types import Batch


class BatchApi:
    """Uploads shards, makes batches of them and fetches what came."""

    def __init__(self, name: str, endpoint: Endpoint, api_key: str | None) -> None:
        """Raises ConfigError for what has no Batch API."""
        if endpoint.engine == "vllm":
            raise ConfigError(
                "an engine in process has no Batch API",
                where=f"[endpoints.{name}.engine]",
                fix="Have the files answered by `vllm run-batch`, and `pairwright batch ingest`"
                " them.",
            )
        if endpoint.recording is not None:
            raise ConfigError(
                "a recording has no Batch API",
                where=f"[endpoints.{name}.base_url]",
                fix="Name a server that has one; or build without --batch-out, and the recording"
                " answers at once.",
            )
        url = endpoint.base_url
        self._where = f"[endpoints.{name}] {url}"
        self._secrets = Secrets(api_key)
        # The SDK insists on a key; servers without one ignore it.
        # The SDK takes half a second to import, and only these commands need it.
        from openai import OpenAI

        self._api = OpenAI(api_key=api_key or "none", base_url=url, timeout=endpoint.timeout_s)

    def close(self) -> None:
        self._api.close()

    def upload(self, path: Path) -> str:
        """The id of the uploaded file. Raises CallFailed and EndpointRefused, as all below."""
        with self._refusals(), path.open("rb") as file:
            return self._api.files.create(file=(path.name, file), purpose="batch").id

    def create(self, file_id: str) -> "Batch":
        """A new batch of an uploaded file."""
        # Asked once only: a repeated try could make and bill a second batch.
        with self._refusals():
            return self._api.with_options(max_retries=0).batches.create(
                input_file_id=file_id, endpoint=URL, completion_window="24h"
            )

    def batch(self, batch_id: str) -> "Batch":
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
            message, body = error.message, error.body or error.response.text
            try:
                refusal(error.status_code, body, self._where, self._secrets)
            except EndpointRefused as refused:
                raise refused from None
            except (CallFailed, Transient) as failure:
                message = str(failure)
            raise self._failed(f"http_{error.status_code}", message) from None
        except APIConnectionError as error:
            raise self._failed("connection", str(error.__cause__ or error)) from None

    def _failed(self, reason: str, detail: str) -> CallFailed:
        return CallFailed(
            reason,
            f"{self._where}: {detail}\n  Run the same command again; after a lost connection look"
            " first whether the account has the batch.",
        )


def submit(
    out: Path,
    round_: Round,
    api_of: Callable[[str], BatchApi],
    report: Callable[[Shard, Submission], None],
) -> int:
    """Submit what is not submitted yet; the number of batches that are new.

    Raises CallFailed and EndpointRefused.
    """
    folder, new = folder_of(out, round_.round), 0
    shards = read_submissions(folder)
    for shard in round_.shards:
        if shard.file in shards:
            continue
        api = api_of(shard.endpoint)
        batch = api.create(api.upload(folder / shard.file))
        submission = Submission(batch_id=batch.id, status=batch.status)
        shards[shard.file] = submission
        write_submissions(folder, shards)
        new += 1
        report(shard, submission)
    return new


class Polled(NamedTuple):
    """The state of one shard."""

    shard: Shard
    status: str
    done: int
    """Requests that the API is through with."""
    trouble: str
    """What went wrong with the batch as a whole, for people."""
    under_way: bool


def poll(
    out: Path, round_: Round, api_of: Callable[[str], BatchApi], ingest: Ingest
) -> list[Polled]:
    """Look at every batch of a round once, and ingest the replies of those that have ended.

    Raises InputError where nothing was submitted, CallFailed and EndpointRefused.
    """
    folder = folder_of(out, round_.round)
    shards = read_submissions(folder)
    if not shards:
        raise InputError(
            "nothing of this round was submitted",
            where=folder,
            fix=f"`pairwright batch submit RUN {out}` does that.",
        )
    polled = []
    for shard in round_.shards:
        known = shards.get(shard.file)
        if known is None:
            trouble = "not submitted: `pairwright batch submit` again"
            polled.append(Polled(shard, "not submitted", 0, trouble, under_way=False))
            continue
        done = shard.lines
        if not known.collected:
            api = api_of(shard.endpoint)
            batch = api.batch(known.batch_id)
            ended = batch.status in ENDED
            trouble = _collect(folder, shard, batch, api, ingest) if ended else ""
            known = Submission(
                batch_id=batch.id, status=batch.status, trouble=trouble, collected=ended
            )
            shards[shard.file] = known
            write_submissions(folder, shards)
            counts = batch.request_counts
            done = counts.completed + counts.failed if counts else 0
        polled.append(
            Polled(shard, known.status, done, known.trouble, under_way=not known.collected)
        )
    return polled


def _collect(folder: Path, shard: Shard, batch: "Batch", api: BatchApi, ingest: Ingest) -> str:
    """Fetch and ingest the files of a batch that has ended; what went wrong with it."""
    name, lines = shard.file.removesuffix(".jsonl"), 0
    before = ingest.result.problems.copy()
    ingest.examples.clear()
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
    if lines < shard.lines:
        troubles.append(f"{shard.lines - lines:,} requests have no reply")
    for fault, n in (ingest.result.problems - before).items():
        first = visible(ingest.examples.get(fault, ""))[:200]
        troubles.append(f"{number_of(n, 'line')} {MEANINGS[fault]} (first: {first})")
    return "; ".join(troubles)
