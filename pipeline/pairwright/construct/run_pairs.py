"""What a finished run holds, read again: its results by name; its pairs, and whether they are what
its build wrote; and replies that nothing could be made of, which are set aside and asked for again.

A reply is stored whatever it is, so the same command finds it again. Where a server gave refusals,
tool calls or thinking alone, these are set aside, and their units forgotten: the next build sends
the same requests again. What was paid for stays in the store's sums.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic_core import from_json

from pairwright.construct.outcomes import (
    Outcome,
    OutcomeKind,
)
from pairwright.construct.tally import names_of
from pairwright.dataset import Layout, Row, parts_of, read_lines, read_rows
from pairwright.errors import InputError
from pairwright.models.store import Store
from pairwright.records import Mode, Pair

MOST_NAMED = 5
"""Ids that are named where several begin alike."""


class UnitResult(NamedTuple):
    """One unit of the last run."""

    unit: str
    mode: Mode
    users: tuple[str, ...]
    """The asker, and the partner where there is one."""
    kind: OutcomeKind
    stage: str
    reason: str
    subject: str | None
    """The twin's or pair's id, where it was kept."""


def iterate_results(store: Store) -> Iterator[UnitResult]:
    """Read every unit of a run that has finished, in source order and without its text."""
    return (_result(*outcome) for outcome in _outcomes(store))


def _outcomes(store: Store) -> Iterator[tuple[str, str, dict[str, Any]]]:
    # Drafts and profiles as records would take a hundred times as long to read.
    for unit, kind, record in store.outcomes():
        yield unit, kind, from_json(record, cache_strings="keys")


def _result(unit: str, kind: str, outcome: dict[str, Any]) -> UnitResult:
    result = outcome["result"]
    return UnitResult(
        unit=unit,
        mode=outcome["mode"],
        users=(outcome["user"], outcome["partner"]) if outcome["partner"] else (outcome["user"],),
        kind=cast(OutcomeKind, kind),
        stage=result.get("stage", ""),
        reason=result.get("reason") or result.get("failure", ""),
        subject=result["pair"]["id"] if "pair" in result else result.get("id"),
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


def load_release(path: str | Path) -> list[Pair] | list[Row]:
    """Read the rows of a release, or the pairs of a run folder or of a `pairs.jsonl`, which hold
    more.

    Raises InputError where there are no pairs, or a line is not a pair.

        >>> [row.chosen for row in load_release("releases/1.0.0") if row.mode == "twin"]
        ['Simmer the beans for an hour ...', ...]
    """
    root = Path(path)
    if parts := parts_of(root):
        layout = Layout(root)
        return [row for part in parts for row in read_rows(layout.part(part))]
    return list(iterate_pairs(root))


def iterate_pairs(path: Path) -> Iterator[Pair]:
    """Read the pairs of a run folder or a `pairs.jsonl`, one at a time; raises InputError."""
    file = path / "pairs.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "no such file",
            where=file,
            fix="Name a release, or a run folder whose build has finished.",
        )
    fix = "Build again: pairs.jsonl is derived from the run folder's store."
    yield from read_lines(file, Pair, fix=fix)
