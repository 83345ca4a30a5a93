"""The files of one round: requests as batch lines, each file for one model and within limits, and
what of it was handed to a Batch API.

The limits are the OpenAI Batch API's: one model, 50,000 lines and 200 MB a file. What was handed
in is in `submitted.json`.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import Field

from pairwright.dataset import read_one, write_one
from pairwright.errors import InputError, on_disk
from pairwright.files import whole_file
from pairwright.models import Request
from pairwright.models.batch.pending import PendingCalls
from pairwright.models.server import body_of
from pairwright.records import Record
from pairwright.settings.endpoints import Endpoint

STATE = "submitted.json"
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""Statuses of a batch that does not change any more."""


class Submission(Record):
    """The batch of one shard."""

    batch_id: str
    status: str
    trouble: str = ""
    """What went wrong with it, once its replies are in."""
    collected: bool = False


class _State(Record):
    """The file of what was handed in."""

    shards: dict[str, Submission] = Field(default={})


def read_submissions(folder: Path) -> dict[str, Submission]:
    """How far each shard of a round is, by its file; none where nothing was handed in. Raises
    InputError for a damaged file."""
    path = folder / STATE
    fix = (
        "What was submitted is not known: look at the batches of the account, and remove this file"
        " if none is of this round."
    )
    return read_one(path, _State, fix=fix).shards if path.exists() else {}


def write_submissions(folder: Path, shards: dict[str, Submission]) -> None:
    write_one(folder / STATE, _State(shards=shards))


URL: Final = "/v1/chat/completions"
MOST_LINES = 50_000
"""Calls of one file of the Batch API, and its bytes."""
MOST_BYTES = 200_000_000
INDEX = "index.json"


class Shard(Record):
    """One file of requests."""

    file: str = Field(pattern=r"^\d{3,}\.jsonl$")
    endpoint: str
    """The name in the config."""
    model: str
    lines: int


class Round(Record):
    """What one build needs before it can go on."""

    round: int
    digest: str
    """Identifies the set of requests."""
    shards: tuple[Shard, ...]

    @property
    def lines(self) -> int:
        return sum(shard.lines for shard in self.shards)


def folder_of(out: Path, number: int) -> Path:
    return out / f"round-{number}"


def check_out(out: Path, pending: PendingCalls) -> None:
    """Raise InputError where `out` cannot take another round of this run."""
    if out.exists() and not out.is_dir():
        raise InputError("not a folder", where=out, fix="Give a folder as --batch-out.")
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    if not pending.round:
        return
    last = folder_of(out, pending.round)
    _check_own(last, pending.round_digest)
    if any(not shard.collected for shard in read_submissions(last).values()):
        raise InputError(
            "batches of this round are under way, and would be asked and paid for again",
            where=last,
            fix=f"`pairwright batch poll RUN {out} --wait` first; or give another folder.",
        )


def write_round(pending: PendingCalls, out: Path, endpoints: Mapping[str, Endpoint]) -> Round:
    """Write what the last build needs below `out`, the index last.

    The round is a new one unless it asks for the same as the last, of which no reply came and
    nothing was submitted. Raises InputError where the files of another run are in its place.
    """
    digest = pending.digest()
    again = (
        digest == pending.round_digest
        and not pending.failed_in_round()
        and not read_submissions(folder_of(out, pending.round))
    )
    number = pending.round + (0 if again else 1)
    folder = folder_of(out, number)
    _check_own(folder, digest)
    shards = list[Shard]()
    for name, endpoint in endpoints.items():
        lines = (_line(r, endpoint.token_parameter) for r in pending.needed_of(name))
        line = next(lines, None)
        while line is not None:
            file = folder / f"{len(shards) + 1:03}.jsonl"
            n, line = _write_lines(file, line, lines)
            shards.append(Shard(file=file.name, endpoint=name, model=endpoint.model, lines=n))
    round_ = Round(round=number, digest=digest, shards=tuple(shards))
    write_one(folder / INDEX, round_)
    pending.written(number, digest)
    return round_


def read_round(folder: Path) -> Round:
    """The index of a round; raises InputError where it is missing or none."""
    return read_one(
        folder / INDEX, Round, fix="Name the folder that --batch-out of the build named."
    )


def latest_round(out: Path) -> Round:
    """The round with the highest number below `out`; raises InputError where there is none."""
    numbers = [int(path.name[6:]) for path in out.glob("round-*") if path.name[6:].isdecimal()]
    return read_round(folder_of(out, max(numbers, default=1)))


def _check_own(folder: Path, digest: str) -> None:
    if (folder / INDEX).exists() and read_round(folder).digest != digest:
        raise InputError(
            "holds other requests than this run's round of that number",
            where=folder,
            fix="Give another folder as --batch-out.",
        )


def _line(request: Request, token_parameter: str) -> bytes:
    body = body_of(request, token_parameter)
    line = {"custom_id": request.key, "method": "POST", "url": URL, "body": body}
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def _write_lines(
    path: Path, line: bytes | None, others: Iterator[bytes]
) -> tuple[int, bytes | None]:
    """Write as many lines as a file may hold: their number, and the first line of the next file."""
    n, size = 0, 0
    with whole_file(path) as file:
        while line and (n == 0 or (n < MOST_LINES and size + len(line) <= MOST_BYTES)):
            n += 1
            size += len(line)
            file.write(line)
            line = next(others, None)
    return n, line
