"""A run whose calls are answered by files: submit them, ask how far they are, take replies in."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

from typer import Argument, Option

from pairwright.construct.folder import RunFolder
from pairwright.dataset import line_writer
from pairwright.errors import InputError, on_disk
from pairwright.models.batch.ingest import MEANINGS, Ingest, Ingested, LineProblem, lines_of
from pairwright.models.batch.pending import PendingCalls
from pairwright.models.batch.rounds import (
    Shard,
    Submission,
    folder_of,
    latest_round,
    read_round,
)
from pairwright.models.batch.service import BatchApi, Polled, poll, submit
from pairwright.models.connect import api_key
from pairwright.models.store import Store
from pairwright.options import RunPath
from pairwright.settings.config import Config
from pairwright.workflows.progress import Note, Progress, Step, log_notes
from pairwright.workflows.run_models import run_store

NOTED = 20
"""Problems of which a person is notified; all are in the file."""
POLL_EVERY_S = 30.0

BatchFolder: TypeAlias = Annotated[
    Path | str, Argument(help="The folder that --batch-out of the build named.", metavar="OUT")
]


@dataclass(frozen=True)
class PolledRound:
    """How far the batches of a round are, and what was taken in."""

    shards: tuple[Polled, ...]
    troubles: tuple[str, ...]
    """What went wrong with whole batches."""
    ingested: Ingested

    @property
    def under_way(self) -> bool:
        """Whether a batch has not ended."""
        return any(shard.under_way for shard in self.shards)


def submit_batches(
    run: RunPath, out: BatchFolder, *, progress: Progress = log_notes
) -> tuple[list[tuple[Shard, str]], int]:
    """Hand the files of the latest round to the OpenAI Batch API.

    Safe to repeat and to interrupt: no file is submitted twice. Each file goes to the endpoint it
    was written for, with the key that its api_key_env names.

    Raises ConfigError and InputError where `run` was not built with `batch_out`, or `out` does not
    hold the round that it needs, CallFailed, EndpointRefused. Returns each file that was submitted
    now, with the id of its batch, and how many were submitted before.

    Examples::

        pairwright batch submit runs/first batches
    """
    new = list[tuple[Shard, str]]()
    with _open_batch_run(Path(run)) as batch_run, batch_run.apis() as api_of:
        folder = folder_of(Path(out), batch_run.requests.round)
        round_ = read_round(folder)
        if round_.digest != batch_run.requests.round_digest:
            raise InputError(
                "not the round that this run needs",
                where=folder,
                fix="Build with --batch-out again, or name the folder that it wrote to last.",
            )

        def note(shard: Shard, submission: Submission) -> None:
            new.append((shard, submission.batch_id))
            progress(Step("submitting", len(new)))

        submit(Path(out), round_, api_of, note)
    return new, len(round_.shards) - len(new)


def poll_batches(
    run: RunPath,
    out: BatchFolder,
    *,
    wait: Annotated[bool, Option("--wait", help="Ask until every batch has ended.")] = False,
    progress: Progress = log_notes,
) -> PolledRound:
    """Ask how far the submitted batches are, and ingest the replies that have come.

    Exits with 3 while a batch is under way, and with 1 where one has ended without all of its
    replies: what is missing is asked again in the next round.

    Raises as `submit_batches` does.

    Examples::

        pairwright batch poll runs/first batches
        pairwright batch poll runs/first batches --wait
    """
    out = Path(out)
    with _open_batch_run(Path(run)) as batch_run, batch_run.apis() as api_of:
        round_, troubles = latest_round(out), list[str]()
        with batch_run.ingesting(progress) as ingest:
            while True:
                polled = poll(out, round_, api_of, ingest)
                troubles += [f"{one.shard.file}: {one.trouble}" for one in polled if one.trouble]
                done = sum(one.done for one in polled)
                progress(Step("requests answered", done, round_.lines))
                if not (wait and any(one.under_way for one in polled)):
                    break
                time.sleep(POLL_EVERY_S)
    return PolledRound(tuple(polled), tuple(dict.fromkeys(troubles)), ingest.result)


def ingest_replies(
    run: RunPath,
    files: Annotated[Sequence[Path | str], Argument(help="Files of replies.", metavar="FILE")],
    *,
    progress: Progress = log_notes,
) -> Ingested:
    """Put the replies of a batch into the run's store.

    A line that cannot be used is named with its file and line number, in full in the run's
    batch_problems.jsonl, and the exit code is 1; the next round asks again for what has no reply.
    The same file twice changes nothing.

    Examples::

        pairwright batch ingest runs/first batches/round-1/001.replies.jsonl
        pairwright batch ingest runs/first batches/round-1/*.replies.jsonl
    """
    paths = [Path(file) for file in files]
    with _open_batch_run(Path(run)) as batch_run:
        for path in paths:
            next(lines_of(path), None)  # Raises where it cannot be read.
        total, read = sum(path.stat().st_size for path in paths), 0

        def advance(size: int) -> None:
            nonlocal read
            read += size
            progress(Step("reading replies", read, total))

        with batch_run.ingesting(progress, advance) as ingest:
            for path in paths:
                ingest.file(path)
    return ingest.result


class _BatchRun(NamedTuple):
    """A run that was built with `batch_out`."""

    run: RunFolder
    config: Config
    requests: PendingCalls
    store: Store

    @contextmanager
    def apis(self) -> Iterator[Callable[[str], BatchApi]]:
        """The Batch API of each endpoint, by its name in the config."""
        with ExitStack() as end:

            @cache
            def api_of(name: str) -> BatchApi:
                endpoint = self.config.endpoints[name]
                return end.enter_context(closing(BatchApi(name, endpoint, api_key(name, endpoint))))

            yield api_of

    @contextmanager
    def ingesting(
        self, progress: Progress, advance: Callable[[int], None] = lambda _: None
    ) -> Iterator[Ingest]:
        """Take in replies, note the first problems, and list all in `batch_problems.jsonl`."""
        count, problems = 0, self.run.path / "batch_problems.jsonl"
        partial = problems.with_suffix(".partial")
        with on_disk(problems), ExitStack() as end, partial.open("w", encoding="utf-8") as file:
            # Also where a file could not be read: what was found before it counts.
            end.callback(partial.replace, problems)
            lines = line_writer(file)

            def note(problem: LineProblem) -> None:
                nonlocal count
                count += 1
                lines.write(problem)
                if count <= NOTED:
                    custom_id = f" {problem.custom_id!r}" if problem.custom_id else ""
                    what = f"{MEANINGS[problem.kind]}: {problem.detail}"
                    progress(Note(f"{problem.where}:{custom_id} {what}"))

            names = (endpoint.api_key_env for endpoint in self.config.endpoints.values())
            secrets = tuple(os.environ.get(name, "") for name in names if name)
            yield Ingest(self.requests, self.store, secrets, note, advance)
        if count > NOTED:
            progress(Note(f"... and {count - NOTED:,} more in {problems}"))


@contextmanager
def _open_batch_run(run: Path) -> Iterator[_BatchRun]:
    """Open a run; raises ConfigError and InputError where none was built with `batch_out`."""
    folder = RunFolder(run)
    config = folder.settings()
    with (
        run_store(folder) as store,
        closing(PendingCalls(run / "batch.sqlite")) as requests,
    ):
        yield _BatchRun(folder, config, requests, store)
