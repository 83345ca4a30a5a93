"""What came of each unit of a run: all in brief, or one with all its calls."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast

from pydantic import BaseModel

from pairwright.construct.outcomes import Kind, Outcome
from pairwright.construct.unit_tally import names_of
from pairwright.errors import InputError
from pairwright.models.store import Store
from pairwright.records import Mode

MOST_NAMED = 5
"""Ids that are named where several begin alike."""


class UnitResult(NamedTuple):
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


def iterate_results(store: Store) -> Iterator[UnitResult]:
    """Read every unit of a run that has finished, in source order and without its text."""
    for unit, kind, record in store.outcomes():
        line = _Line.model_validate_json(record)
        result = line.result
        yield UnitResult(
            unit=unit,
            mode=line.mode,
            users=(line.user, line.partner) if line.partner else (line.user,),
            kind=cast(Kind, kind),
            stage=result.stage,
            reason=result.reason or result.failure,
            subject=result.pair.id if result.pair else result.id,
        )


def find_outcome(store: Store, wanted: str, run: Path) -> Outcome:
    """Find the outcome that a pair id, twin id, unit id or item id belongs to, or the beginning of
    one id alone.

    An item id finds the first of its units. Raises InputError where nothing has the id.
    """
    if (found := _with_id(store, wanted)) is not None:
        return found
    index = store.index
    near = index.names(wanted, MOST_NAMED) if index and wanted else []
    near = [name for name in near if name != wanted]
    if len(near) == 1 and (found := _with_id(store, near[0])) is not None:
        return found
    more = ", ..." if len(near) == MOST_NAMED else ""
    raise InputError(
        f"several ids begin with {wanted!r}: {', '.join(near)}{more}"
        if near
        else f"nothing here has the id {wanted!r}",
        where=run,
        fix="`pairwright show RUN` without an id lists the ids of all units.",
    )


def _with_id(store: Store, wanted: str) -> Outcome | None:
    index = store.index
    # What the index names is looked at: a name may be that of an earlier outcome.
    places = store.positions() if index is None else {*index.positions(wanted), *index.stale()}
    for position in sorted(places):
        if (record := store.record(position)) is None:
            continue
        outcome = Outcome.model_validate_json(record)
        if wanted in names_of(outcome):
            return outcome
    return None
