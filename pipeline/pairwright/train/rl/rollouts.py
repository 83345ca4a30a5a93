"""What a trainer wrote down of its outputs, for `pairwright downstream judge-outputs`.

    verl   STEP.jsonl of `trainer.rollout_data_dir` and `trainer.validation_data_dir`
    TRL    completions/completions_STEP.parquet, with `log_completions=True` and our reward function

Both name the pair: verl as its ground truth, TRL in the column that the reward function logs.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ConfigDict, Field, ValidationError

from pairwright.dataset import read_lines
from pairwright.errors import InputError
from pairwright.records import Record

_FIX = (
    "Give a folder or file that verl or TRL wrote in a training with pairwright's reward function."
)


class Rollout(NamedTuple):
    """One output of a policy in training."""

    id: str
    step: int
    output: str


class OutputLine(Record):
    """A line of a file of outputs."""

    id: str
    model: str
    """The policy and the step, as `NAME@STEP`: every step is a model of its own."""
    output: str


class Outputs(NamedTuple):
    """The outputs of a dump."""

    lines: list[OutputLine]
    further: int
    """Outputs that are left out, for their step has one to the same prompt."""


class _Verl(Record):
    model_config = ConfigDict(extra="ignore")

    gts: str
    output: str
    step: int


class _Message(Record):
    model_config = ConfigDict(extra="ignore")

    content: str


class _Trl(Record):
    model_config = ConfigDict(extra="ignore")

    id: str
    completion: str | Annotated[tuple[_Message, ...], Field(min_length=1)]
    step: int


def outputs_of(dump: Path, model: str) -> Outputs:
    """The first output to each prompt in each step. Raises InputError, naming file and line."""
    lines: dict[tuple[str, int], OutputLine] = {}
    further = 0
    for rollout in _rollouts(dump):
        key = (rollout.id, rollout.step)
        if key in lines:
            further += 1
        else:
            name = f"{model}@{rollout.step}"
            lines[key] = OutputLine(id=rollout.id, model=name, output=rollout.output)
    if not lines:
        raise InputError("holds no outputs", where=dump, fix=_FIX)
    return Outputs(list(lines.values()), further)


def _rollouts(dump: Path) -> Iterator[Rollout]:
    for path in _files(dump):
        yield from _of_verl(path) if path.suffix == ".jsonl" else _of_trl(path)


def _files(dump: Path) -> list[Path]:
    if dump.is_file():
        return [dump]
    paths = [*dump.glob("*.jsonl"), *dump.glob("*.parquet"), *dump.glob("completions/*.parquet")]
    if not paths:
        raise InputError("holds no .jsonl and no .parquet", where=dump, fix=_FIX)
    # By number: verl names them 1.jsonl, 10.jsonl, 2.jsonl.
    return sorted(paths, key=lambda path: (len(path.name), path.name))


def _of_verl(path: Path) -> Iterator[Rollout]:
    for line in read_lines(path, _Verl, fix=_FIX):
        yield Rollout(line.gts, line.step, line.output)


def _of_trl(path: Path) -> Iterator[Rollout]:
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"cannot be read: {error}", where=path, fix=_FIX) from None
    for number, values in enumerate(table.to_pylist(), start=1):
        try:
            row = _Trl.model_validate(values)
        except ValidationError as error:
            raise _wrong(f"{path}:{number}", error) from None
        text = row.completion if isinstance(row.completion, str) else row.completion[-1].content
        yield Rollout(row.id, row.step, text)


def _wrong(where: str, error: ValidationError) -> InputError:
    first = error.errors(include_url=False, include_input=False)[0]
    at = ".".join(map(str, first["loc"]))
    return InputError(first["msg"], where=f"{where} [{at}]" if at else where, fix=_FIX)
