"""A build over workers: chunks go out, shards are merged, until every unit has its outcome."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from pairwright.cli.workers.report import Reading, Report, worst
from pairwright.construct.outcomes import Brief
from pairwright.construct.units import BuildUnit, Chunk, chunks
from pairwright.errors import Interrupted
from pairwright.models.client import Meter
from pairwright.models.store import Store
from pairwright.models.store.shards import merge, merge_all, place


class Engine(Protocol):
    """Workers of one kind."""

    merge_at_once: bool
    """Whether shards may be merged as their chunks end, or only when all have."""

    def build(self, chunks: list[Chunk]) -> Iterator[Report]:
        """Have chunks built; reports come until all that were begun have ended."""
        ...

    def stop(self) -> None:
        """Send no new calls."""
        ...


def spread(
    todo: Iterable[BuildUnit],
    size: int,
    store: Store,
    shards: Path,
    engine: Engine,
    heard: Callable[[Report], None],
) -> None:
    """Have all units built, in chunks of about `size`; their outcomes are then in the store.

    Raises what a worker met, or Interrupted where chunks were left; what is finished is merged
    then, too.
    """
    round_ = list(chunks(todo, size))
    number = len(round_)
    while round_:
        try:
            again = _round(round_, store, shards, engine, heard)
        except Exception:
            merge_all(store, shards)
            raise
        # In one chunk: where one worker asks, no two replies can differ.
        units = tuple(unit for chunk in round_ for unit in chunk.units if unit.position in again)
        round_ = [Chunk(number, units)] if units else []
        number += 1


def _round(
    round_: list[Chunk],
    store: Store,
    shards: Path,
    engine: Engine,
    heard: Callable[[Report], None],
) -> set[int]:
    again: set[int] = set()
    troubles = []
    missing = {chunk.number for chunk in round_}
    for report in engine.build(round_):
        heard(report)
        if report.trouble:
            troubles.append(report.trouble)
        elif report.done and report.chunk is not None:
            missing.discard(report.chunk)
            if engine.merge_at_once:
                again |= merge(store, place(shards, report.chunk))
    if troubles:
        raise worst(troubles).error
    if missing:
        raise Interrupted("interrupted; every finished call is stored, run again to go on")
    return again | merge_all(store, shards)


class Heard:
    """Adds up what all workers tell, for the display."""

    def __init__(self, meter: Meter, seen: Callable[[Brief], None]) -> None:
        """`meter` is kept at the sum of all workers' meters; `seen` is told of each unit once."""
        self._meter = meter
        self._seen = seen
        self._before = meter.cost
        self._readings: dict[str, Reading] = {}
        self._units: set[str] = set()

    def __call__(self, report: Report) -> None:
        self._readings[report.worker] = report.reading
        for name, counts in zip(
            Reading._fields, zip(*self._readings.values(), strict=True), strict=True
        ):
            setattr(self._meter, name, sum(counts))
        self._meter.cost += self._before
        for brief in report.ended:
            # A chunk that was lost with its worker is built again.
            if brief.unit not in self._units:
                self._units.add(brief.unit)
                self._seen(brief)
