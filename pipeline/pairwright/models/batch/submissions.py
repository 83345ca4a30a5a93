"""What of a round was handed to a Batch API: `submitted.json` beside its files.

Written whole before and after every step that costs something, so that a shard is never handed
in twice, whenever the command is stopped.
"""

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright.models.batch.api import BatchApi
from pairwright.models.batch.replies import lines_of
from pairwright.models.batch.rounds import Round, Shard, folder_of
from pairwright.records import Record

STATE = "submitted.json"
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""Statuses of a batch that does not change any more."""

Step = Literal["uploaded", "creating", "created", "collected"]


class Submission(Record):
    """How far one shard is. `creating` is the intent: whether a batch was made is not known."""

    step: Step
    file_id: str
    batch_id: str | None = None
    status: str = ""

    @property
    def under_way(self) -> bool:
        return self.step in ("creating", "created")


class Submissions(Record):
    """By the shard's file."""

    shards: dict[str, Submission] = Field(default={})


def read_submissions(folder: Path) -> Submissions:
    """Those of a round; none where nothing was handed in. Raises InputError for a damaged file."""
    path = folder / STATE
    try:
        return Submissions.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Submissions()
    except (OSError, ValidationError):
        raise InputError(
            "cannot be read, so what was submitted is not known",
            where=path,
            fix="Look at the batches of the account; remove this file if none is of this round.",
        ) from None


def write_submissions(folder: Path, state: Submissions) -> None:
    write_whole(folder / STATE, state.model_dump_json(indent=2) + "\n")


def submit(
    out: Path,
    made: Round,
    api_of: Callable[[str], BatchApi],
    told: Callable[[Shard, Submission], None],
) -> int:
    """Submit what is not submitted yet; the number of batches that are new.

    Raises InputError for a shard that is not as it was written, CallFailed and EndpointRefused.
    """
    folder, new = folder_of(out, made.round), 0
    shards = read_submissions(folder).shards

    def note(shard: Shard, submission: Submission) -> None:
        shards[shard.file] = submission
        write_submissions(folder, Submissions(shards=shards))

    for shard in made.shards:
        before = shards.get(shard.file)
        if before and before.batch_id:
            continue
        api = api_of(shard.endpoint)
        if before is None:
            _check(folder / shard.file, shard)
            before = Submission(step="uploaded", file_id=api.upload(folder / shard.file))
            note(shard, before)
        tag = f"{made.digest} round {made.round} {shard.file}"
        # After an interruption the batch may be there, though its answer did not come.
        found = api.find(tag) if before.step == "creating" else None
        note(shard, before.model_copy(update={"step": "creating"}))
        batch = found or api.create(before.file_id, tag)
        new += 1
        submission = Submission(
            step="created", file_id=before.file_id, batch_id=batch.id, status=batch.status
        )
        note(shard, submission)
        told(shard, submission)
    return new


def _check(path: Path, shard: Shard) -> None:
    """Raise InputError for a file that is not the shard as it was written."""
    digest, n = blake2b(digest_size=16), 0
    for line in lines_of(path):
        digest.update(line.text + b"\n")
        n += 1
    if (n, f"b2:{digest.hexdigest()}") != (shard.lines, shard.hash):
        raise InputError(
            "not the file that the build wrote",
            where=path,
            fix="Build with --batch-out again: it writes the same requests.",
        )
