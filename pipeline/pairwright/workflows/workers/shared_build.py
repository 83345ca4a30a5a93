"""A build whose units are shared by workers: chunks go out, shards are merged."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pairwright.construct.corpus import BuildUnit, Chunk, chunks, size_of
from pairwright.construct.folder import unfinished
from pairwright.construct.session import BuildTask
from pairwright.errors import Interrupted
from pairwright.models.client import Meter
from pairwright.models.store import Store, UnitRow
from pairwright.models.store.shards import merge, merge_all, place
from pairwright.workflows.progress import BuildBegun, Progress, Stop, UnitEnded
from pairwright.workflows.run_models import MeterCounts, meter_of
from pairwright.workflows.workers.pool import Pool
from pairwright.workflows.workers.worker import (
    ChunkReport,
    Trouble,
    WorkerSetup,
    check_engines,
    most_workers,
    worst,
)

if TYPE_CHECKING:
    from pairwright.workflows.workers.cluster import RayWorkers


def build_over_workers(
    task: BuildTask, progress: Progress, stop: Stop, *, on_ray: bool, address: str | None
) -> Meter:
    """Work through every unit with several workers; their calls are counted together.

    Workers are processes of this machine, or with `on_ray` actors of the cluster at `address`.
    """
    config, store, run = task.rules.config, task.store, task.run
    meter, total = meter_of(config, store), task.total
    workers = min(most_workers(config), total)
    check_engines(config)
    setup = WorkerSetup(
        task.rules, task.corpus, run.calls.absolute(), run.shards.absolute(), several_hosts=on_ray
    )
    with ExitStack() as stack:
        group: Pool | RayWorkers
        if on_ray:
            from pairwright.workflows.workers.cluster import ray_cluster

            group = stack.enter_context(ray_cluster(setup, workers, store, address))
        else:
            group = stack.enter_context(Pool(setup, workers, meter))
        stack.enter_context(stop.heard_by(group.stop, meter))
        progress(BuildBegun(total, meter))
        counts = _combined(meter, lambda unit: progress(UnitEnded(unit)))
        for units in task.steps():
            # A step may have few units, and they too are for all workers.
            todo = list(unfinished(units, store, lambda unit: progress(UnitEnded(unit))))
            build_rounds(todo, size_of(len(todo), workers), store, setup.shards, group, counts)
    return meter


def build_rounds(
    todo: Iterable[BuildUnit],
    size: int,
    store: Store,
    shards: Path,
    group: "Pool | RayWorkers",
    note: Callable[[ChunkReport], None],
) -> None:
    """Have all units built, in chunks of about `size`; their outcomes are then in the store.

    Raises what a worker met, or Interrupted where chunks were left; what is finished is merged
    then, too.
    """
    round_ = list(chunks(todo, size))
    number = len(round_)
    while round_:
        again, troubles = set[int](), list[Trouble]()
        missing = {chunk.number for chunk in round_}
        try:
            for report in group.build(round_):
                note(report)
                for wait in report.waits:
                    store.note_wait(wait)
                if report.trouble:
                    troubles.append(report.trouble)
                elif report.done and report.chunk is not None:
                    missing.discard(report.chunk)
                    if group.merge_at_once:
                        again |= merge(store, place(shards, report.chunk))
        except Exception:
            merge_all(store, shards)
            raise
        again |= merge_all(store, shards)
        if troubles:
            raise worst(troubles).error
        if missing:
            raise Interrupted("interrupted; every finished call is stored, run again to go on")
        # In one chunk: where one worker asks, no two replies can differ.
        units = tuple(unit for chunk in round_ for unit in chunk.units if unit.position in again)
        round_ = [Chunk(number, units)] if units else []
        number += 1


def _combined(meter: Meter, on_outcome: Callable[[UnitRow], None]) -> Callable[[ChunkReport], None]:
    """What keeps `meter` at the sum of all workers' meters as they report, and calls `on_outcome`
    once with each unit."""
    before, by_worker, units = meter.cost, dict[str, MeterCounts](), set[str]()

    def note(report: ChunkReport) -> None:
        by_worker[report.worker] = report.counts
        for name in MeterCounts._fields:
            setattr(meter, name, sum(getattr(counts, name) for counts in by_worker.values()))
        meter.cost += before
        for brief in report.ended:
            # A chunk that was lost with its worker is built again.
            if brief.unit not in units:
                units.add(brief.unit)
                on_outcome(brief)

    return note
