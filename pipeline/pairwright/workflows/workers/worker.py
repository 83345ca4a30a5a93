"""A worker: its part of the limits that hold for a whole run, what it does with a chunk of units
(the same build functions, and a shard for what comes of it), and how chunks become outcomes."""

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from pairwright.construct.corpus import BuildUnit, Chunk, Corpus, chunks
from pairwright.construct.session import build_units
from pairwright.drafting.rules import BuildRules
from pairwright.errors import ConfigError, Interrupted, PairwrightError
from pairwright.models.client import Client, Meter, MeterCounts
from pairwright.models.connect import RunModels, open_clients
from pairwright.models.store import Store, UnitRow
from pairwright.settings.config import Config
from pairwright.workflows.workers.shards import merge_all, open_shard, place


def most_workers(config: Config) -> int:
    """As many as are asked for, if each can have a call in flight at every endpoint."""
    return min([config.processes, *(config.endpoints[n].concurrency for n in config.roles.all)])


def check_engines(config: Config) -> None:
    """Raise ConfigError where each worker would load a model for itself."""
    for name in config.roles.all:
        if config.endpoints[name].engine == "vllm":
            raise ConfigError(
                f"each actor would start the engine of {name!r} for itself",
                where="[processes]",
                fix="Leave processes and --address out: an engine serves one process best. To"
                " share it among several, start `vllm serve` and give its base_url.",
            )


def part_of(config: Config, workers: int) -> Config:
    """The config of one of so many workers; nobody gets what is left over."""
    endpoints = {
        name: endpoint.model_copy(update={"concurrency": endpoint.concurrency // workers})
        for name, endpoint in config.endpoints.items()
    }
    return config.model_copy(update={"endpoints": endpoints})


class WorkerSetup(NamedTuple):
    """What every worker is given."""

    rules: BuildRules
    corpus: Corpus
    calls: Path
    """The run's store, to read what is there already."""
    shards: Path


@dataclass
class Builder:
    """Builds chunks, one begun after the other, with one set of connections."""

    setup: WorkerSetup
    config: Config
    main: Store
    clients: dict[str, Client]
    meter: Meter
    _begun: asyncio.Event | None = None
    """Set when the units of the chunk that was given last have all begun."""

    async def build(self, chunk: Chunk, ended: Callable[[UnitRow], None]) -> None:
        """Build a chunk's units into its shard, which is whole and closed afterwards.

        Its units begin when those of the chunk before have all begun, not ended: an endpoint
        stays full. Raises as `build_units` does.
        """
        before, begun = self._begun, asyncio.Event()
        self._begun = begun
        if before:
            await before.wait()
        folder = place(self.setup.shards, chunk.number)

        def announced() -> Iterator[BuildUnit]:
            yield from chunk.units
            begun.set()

        try:
            with closing(await open_shard(folder, self.main)) as shard:
                clients = {name: one.above(shard) for name, one in self.clients.items()}
                models = RunModels(self.config, clients, self.meter)
                # What units share is shared inside a chunk: made of another shard's replies it
                # would not be a function of this one.
                rules = replace(self.setup.rules, others=self.setup.corpus.others)
                await build_units(announced(), self.setup.corpus, rules, models, shard, ended)
        finally:
            begun.set()

    def stop(self) -> None:
        """Send no new calls: chunks under way end with Interrupted."""
        for client in self.clients.values():
            client.stop()


@asynccontextmanager
async def builder_of(setup: WorkerSetup, config: Config, meter: Meter) -> AsyncIterator[Builder]:
    """A builder with its own connections; `config` has this worker's part of the limits."""
    # The store is read from hosts between which SQLite has no locks.
    with closing(Store(setup.calls, writing=False, unchanging=True)) as main:
        endpoints, names = config.endpoints, config.roles.all
        async with open_clients(endpoints, names, meter) as clients:
            yield Builder(setup, config, main, clients, meter)


class Trouble(NamedTuple):
    """Why a worker gave up, in a form that can be sent."""

    message: str
    exit_code: int | None
    """None for a bug: the message is its traceback."""

    @classmethod
    def of(cls, error: Exception) -> "Trouble":
        if isinstance(error, PairwrightError):
            return cls(str(error), error.exit_code)
        return cls("".join(traceback.format_exception(error)), None)

    @property
    def error(self) -> Exception:
        """The same to be raised."""
        if self.exit_code is None:
            return RuntimeError(f"a worker met a bug:\n{self.message}")
        if self.exit_code == Interrupted.exit_code:
            return Interrupted(self.message)
        error = PairwrightError(self.message)
        error.exit_code = self.exit_code
        return error


class ChunkReport(NamedTuple):
    """A chunk that a worker is done with."""

    worker: str
    counts: MeterCounts
    chunk: int
    ended: tuple[UnitRow, ...] = ()
    trouble: Trouble | None = None


def build_rounds(
    todo: Iterable[BuildUnit],
    size: int,
    store: Store,
    shards: Path,
    build: Callable[[list[Chunk]], Iterator[ChunkReport]],
    note: Callable[[ChunkReport], None],
) -> None:
    """Have all units built, in chunks of about `size`; their outcomes are then in the store.

    Raises what a worker met, or Interrupted where chunks were left; what is finished is merged
    then, too.
    """
    round_ = list(chunks(todo, size))
    number = len(round_)
    while round_:
        troubles, missing = list[Trouble](), {chunk.number for chunk in round_}
        try:
            for report in build(round_):
                note(report)
                if report.trouble:
                    troubles.append(report.trouble)
                else:
                    missing.discard(report.chunk)
        finally:
            again = merge_all(store, shards)
        if troubles:
            # A bug before a refusal, and that before being interrupted by it.
            codes = [one.exit_code for one in troubles]
            ranks = [(code is not None, code == Interrupted.exit_code) for code in codes]
            raise troubles[ranks.index(min(ranks))].error
        if missing:
            raise Interrupted("interrupted; every finished call is stored, run again to go on")
        # In one chunk: where one worker asks, no two replies can differ.
        units = tuple(unit for chunk in round_ for unit in chunk.units if unit.position in again)
        round_ = [Chunk(number, units)] if units else []
        number += 1


def combined(meter: Meter, on_outcome: Callable[[UnitRow], None]) -> Callable[[ChunkReport], None]:
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
