"""What of a round was handed to a Batch API: `submitted.json` beside its files.

Written whole before and after every step that costs something, so that a shard is never handed
in twice, whenever the command is stopped.
"""

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from pairwright.errors import InputError
from pairwright.files import write_whole
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
    """How far each shard of a round is, by the shard's file."""

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
