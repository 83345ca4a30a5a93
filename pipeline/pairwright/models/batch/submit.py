"""Handing the shards of a round to a Batch API, each once, however often this is stopped."""

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

from pairwright.errors import InputError
from pairwright.models.batch.api import BatchApi
from pairwright.models.batch.replies import lines_of
from pairwright.models.batch.rounds import Round, Shard, folder_of
from pairwright.models.batch.submissions import (
    Submission,
    Submissions,
    read_submissions,
    write_submissions,
)


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
