"""What came of every unit, without its text."""

from collections.abc import Iterator
from typing import NamedTuple, cast

from pydantic import BaseModel

from pairwright.construct.outcomes import Kind
from pairwright.models.store import Store
from pairwright.records import Mode


class Ended(NamedTuple):
    """One unit of the last run."""

    unit: str
    mode: Mode
    users: tuple[str, ...]
    """The asker, and the partner where there is one."""
    kind: Kind
    stage: str
    reason: str
    subject: str | None
    """The twin's or pair's id, where it was kept."""


class _Named(BaseModel):
    id: str


class _Result(BaseModel):
    """What a twin, a contrast, a refusal and a failure have."""

    id: str | None = None
    pair: _Named | None = None
    stage: str = ""
    reason: str = ""
    failure: str = ""


class _Line(BaseModel):
    """An outcome without its drafts and profiles, which take a hundred times as long to read."""

    mode: Mode
    user: str
    partner: str | None
    result: _Result


def ended(store: Store) -> Iterator[Ended]:
    """Every unit in source order, of a run that has finished: nothing waits."""
    for unit, kind, record in store.outcomes():
        line = _Line.model_validate_json(record)
        result = line.result
        yield Ended(
            unit=unit,
            mode=line.mode,
            users=(line.user, line.partner) if line.partner else (line.user,),
            kind=cast(Kind, kind),
            stage=result.stage,
            reason=result.reason or result.failure,
            subject=result.pair.id if result.pair else result.id,
        )
