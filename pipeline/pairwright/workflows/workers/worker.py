"""A worker: its part of the limits that hold for a whole run, what it does with a chunk of units
(the same build functions, and a shard for what comes of it), and the process that is one: chunks
come in through a pipe, reports go out."""

import asyncio
import os
import signal
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from pairwright.construct.build_rules import BuildRules
from pairwright.construct.corpus import BuildUnit, Chunk, Corpus
from pairwright.construct.session import build_units
from pairwright.errors import BudgetSpent, ConfigError, Interrupted, PairwrightError
from pairwright.models import Wait
from pairwright.models.client import Client, Meter
from pairwright.models.store import CallStore, UnitRow
from pairwright.models.store.shards import open_shard, place
from pairwright.settings.config import Config
from pairwright.workflows.garbage_collection import look_seldom
from pairwright.workflows.run_models import (
    MeterCounts,
    NoteWait,
    RunModels,
    call_counts,
    open_clients,
    say,
)


def most_workers(config: Config) -> int:
    """As many as are asked for, if each can have a call in flight at every endpoint."""
    return min([config.processes, *(config.endpoints[n].concurrency for n in config.roles.all)])


def check_engines(config: Config) -> None:
    """Raise ConfigError where each worker would load a model for itself."""
    for name in config.roles.all:
        if config.endpoints[name].engine == "vllm":
            raise ConfigError(
                f"each process or actor would start the engine of {name!r} for itself",
                where="[processes]",
                fix="Leave processes and --engine ray out: an engine serves one process best. To"
                " share it among several, start `vllm serve` and give its base_url.",
            )


def part_of(config: Config, workers: int, rank: int | None) -> Config:
    """The config of one of so many workers; the first ranks get what is left over.

    Without a rank no worker gets it.
    """
    endpoints = {}
    for name, endpoint in config.endpoints.items():
        part, over = divmod(endpoint.concurrency, workers)
        concurrency = part + (rank is not None and rank < over)
        endpoints[name] = endpoint.model_copy(update={"concurrency": concurrency})
    return config.model_copy(update={"endpoints": endpoints})


class Allowance:
    """How many calls may still be sent, and what all have cost; in memory that is shared.

    Calls are taken one by one before they are sent. A process that is killed has taken what it
    had in flight, so a budget is never passed, and may end a few calls early.
    """

    def __init__(self, context: BaseContext, meter: Meter) -> None:
        """`meter` says what the run has used up already, and its budget."""
        most = meter.max_calls
        self.max_calls, self.max_cost = most, meter.max_cost
        self._left = context.Value("q", 0 if most is None else max(0, most - meter.calls))
        self._cost = context.Value("d", meter.cost)

    def take(self) -> bool:
        """Whether one more call may be sent."""
        with self._left.get_lock():
            if self._left.value <= 0:
                return False
            self._left.value -= 1
            return True

    def pay(self, cost: float) -> None:
        with self._cost.get_lock():
            self._cost.value += cost

    @property
    def cost(self) -> float:
        return float(self._cost.value)


@dataclass
class SharedMeter(Meter):
    """The meter of one process, which asks the allowance."""

    allowance: Allowance = field(kw_only=True)
    taken: int = 0

    def admit(self) -> None:
        most, dearest = self.allowance.max_calls, self.allowance.max_cost
        if dearest is not None and self.allowance.cost >= dearest:
            raise BudgetSpent("budget_spent", f"max_cost = {dearest} is reached")
        # A call that failed leaves its place to the next one of this process.
        if most is not None and self.calls + self.in_flight >= self.taken:
            if not self.allowance.take():
                raise BudgetSpent("budget_spent", f"max_calls = {most} is reached")
            self.taken += 1

    def answered(
        self, prompt_tokens: int, completion_tokens: int, cost: float, cached_tokens: int = 0
    ) -> None:
        super().answered(prompt_tokens, completion_tokens, cost, cached_tokens)
        if cost:
            self.allowance.pay(cost)


class WorkerSetup(NamedTuple):
    """What every worker is given."""

    rules: BuildRules
    corpus: Corpus
    calls: Path
    """The run's store, to read what is there already."""
    shards: Path
    several_hosts: bool
    """Whether the store is read from hosts between which SQLite has no locks."""


@dataclass
class Builder:
    """Builds chunks, one begun after the other, with one set of connections."""

    setup: WorkerSetup
    config: Config
    main: CallStore
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
                models = RunModels(self.config, shard, self.clients, self.meter)
                # What units share is shared inside a chunk: made of another shard's replies it
                # would not be a function of this one.
                rules = self.setup.rules.with_other_users(self.setup.corpus)
                await build_units(announced(), self.setup.corpus, rules, models, shard, ended)
        finally:
            begun.set()

    def stop(self) -> None:
        """Send no new calls: chunks under way end with Interrupted."""
        for client in self.clients.values():
            client.stop()


@asynccontextmanager
async def builder_of(
    setup: WorkerSetup, config: Config, meter: Meter, note_wait: NoteWait
) -> AsyncIterator[Builder]:
    """A builder with its own connections; `config` has this worker's part of the limits."""
    with closing(CallStore(setup.calls, writing=False, unchanging=setup.several_hosts)) as main:
        endpoints, names = config.endpoints, config.roles.all
        async with open_clients(endpoints, names, meter, say, note_wait) as clients:
            yield Builder(setup, config, main, clients, meter)


class Trouble(NamedTuple):
    """Why a worker gave up, in a form that can be sent."""

    message: str
    exit_code: int | None
    """None for a bug: the message is its traceback."""

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


def trouble_of(error: Exception) -> Trouble:
    if isinstance(error, PairwrightError):
        return Trouble(str(error), error.exit_code)
    return Trouble("".join(traceback.format_exception(error)), None)


def worst(troubles: list[Trouble]) -> Trouble:
    """A bug before a refusal, and that before being interrupted by it."""
    return min(
        troubles,
        key=lambda one: (one.exit_code is not None, one.exit_code == Interrupted.exit_code),
    )


class ChunkReport(NamedTuple):
    """Units of a chunk that have ended, or the chunk itself, or waits alone."""

    worker: str
    counts: MeterCounts
    chunk: int | None = None
    """None where it is about the worker, which could not begin."""
    ended: tuple[UnitRow, ...] = ()
    done: bool = False
    trouble: Trouble | None = None
    waits: tuple[Wait, ...] = ()
    """What endpoints have asked for."""


Order = Chunk | Literal["stop"]
Pipe: TypeAlias = "Connection[ChunkReport, Order]"


def work(setup: WorkerSetup, workers: int, rank: int, allowance: Allowance, pipe: Pipe) -> None:
    """Build what comes through the pipe until its other end is gone."""
    # A Ctrl-C reaches every process of a terminal; the parent says what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    look_seldom()
    try:
        asyncio.run(_work(setup, workers, rank, allowance, pipe))
    except Exception as error:
        _send(pipe, ChunkReport(str(os.getpid()), MeterCounts(), trouble=trouble_of(error)))


async def _work(
    setup: WorkerSetup, workers: int, rank: int, allowance: Allowance, pipe: Pipe
) -> None:
    orders: asyncio.Queue[Order | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            orders.put_nowait(pipe.recv())
        except (EOFError, OSError):
            loop.remove_reader(pipe.fileno())
            orders.put_nowait(None)

    loop.add_reader(pipe.fileno(), read)
    config = part_of(setup.rules.config, workers, rank)
    meter = SharedMeter(allowance=allowance)

    def note_wait(wait: Wait) -> None:
        _send(pipe, ChunkReport(str(os.getpid()), call_counts(meter), waits=(wait,)))

    async with builder_of(setup, config, meter, note_wait) as builder:
        under_way = set()
        # Without a parent what is under way is left: what is stored is stored.
        while order := await orders.get():
            if order == "stop":
                builder.stop()
                continue
            task = asyncio.create_task(_build(builder, order, pipe))
            under_way.add(task)
            task.add_done_callback(under_way.discard)
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def _build(builder: Builder, chunk: Chunk, pipe: Pipe) -> None:
    def report(*ended: UnitRow, done: bool = False, trouble: Trouble | None = None) -> None:
        name, counts = str(os.getpid()), call_counts(builder.meter)
        _send(pipe, ChunkReport(name, counts, chunk.number, ended, done, trouble))

    try:
        await builder.build(chunk, report)
    except Exception as error:
        report(done=True, trouble=trouble_of(error))
    else:
        report(done=True)


def _send(pipe: Pipe, report: ChunkReport) -> None:
    # A parent that is gone is noticed where orders are read.
    with suppress(OSError):
        pipe.send(report)
