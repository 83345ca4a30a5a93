"""Worker processes of this machine, and the chunks they get as they become free."""

import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess

from pairwright.construct.corpus import Chunk
from pairwright.errors import PairwrightError
from pairwright.models.client import Meter
from pairwright.workflows.run_models import MeterCounts, units_at_once
from pairwright.workflows.workers.worker import (
    Allowance,
    ChunkReport,
    Order,
    Trouble,
    WorkerSetup,
    part_of,
    work,
)

DEATHS = 3
"""A chunk whose workers die so often is not given to another."""
END_S = 5.0
"""How long workers may take to end once their pipe is closed."""
LOOK_S = 0.2
"""How often a wish to stop is looked for."""


@dataclass
class _Worker:
    rank: int
    process: BaseProcess
    pipe: "Connection[Order, ChunkReport]"
    chunks: dict[int, Chunk] = field(default_factory=dict)
    open_units: dict[int, set[str]] = field(default_factory=dict)
    """By chunk: the units that have not ended."""
    counts: MeterCounts = field(default_factory=MeterCounts)

    @property
    def name(self) -> str:
        return str(self.process.pid)

    @property
    def load(self) -> int:
        return sum(map(len, self.open_units.values()))

    def forget(self) -> None:
        self.chunks.clear()
        self.open_units.clear()

    def send(self, order: Order) -> None:
        if isinstance(order, Chunk):
            self.chunks[order.number] = order
            self.open_units[order.number] = {unit.id for unit in order.units}
        # One that has died shows when its reports are read.
        with suppress(OSError):
            self.pipe.send(order)


class Pool:
    """A number of worker processes. Use as a context manager: they end with the block."""

    merge_at_once = True
    """Whether shards may be merged as their chunks end, or only when all have."""

    def __init__(self, setup: WorkerSetup, workers: int, used: Meter) -> None:
        """Take the budget, and what is used of it, from `used`."""
        # Neither threads nor an event loop are copied, and imports are paid for once.
        self._context: ForkServerContext = get_context("forkserver")
        self._context.set_forkserver_preload(["pairwright.workflows.workers.worker"])
        self._setup = setup
        self._stop_requested = False
        self._allowance = Allowance(self._context, used)
        self._size = workers
        # A worker with so many units keeps its share of every endpoint full.
        self._enough = units_at_once(part_of(setup.rules.config, workers, None))
        self._deaths: Counter[int] = Counter()
        self._workers: list[_Worker] = []

    def __enter__(self) -> "Pool":
        self._workers = [self._start(rank) for rank in range(self._size)]
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.pipe.close()
        until = time.monotonic() + END_S
        for worker in self._workers:
            worker.process.join(max(0.0, until - time.monotonic()))
            worker.process.kill()
            worker.process.join()

    def stop(self) -> None:
        """Send no new calls; may be called by a signal, at any point of `build`."""
        self._stop_requested = True

    def build(self, chunks: list[Chunk]) -> Iterator[ChunkReport]:
        """Reports as they come, until every chunk is done; after a trouble or a wish to stop,
        until every chunk that was given out has ended."""
        todo, stopped = deque(chunks), False
        while True:
            if not stopped and self._stop_requested:
                stopped = True
                self._stop(todo)
            self._hand_out(todo)
            busy = {worker.pipe: worker for worker in self._workers if worker.chunks}
            if not busy:
                return
            for pipe in wait(list(busy), LOOK_S):
                report = self._received(busy[pipe], todo, stopped=stopped)  # type: ignore[index]
                yield report
                if report.trouble and not stopped:
                    stopped = True
                    self._stop(todo)

    def _start(self, rank: int) -> _Worker:
        pipe, other_end = self._context.Pipe()
        arguments = (self._setup, self._size, rank, self._allowance, other_end)
        process = self._context.Process(target=work, args=arguments, daemon=True)
        process.start()
        other_end.close()
        return _Worker(rank, process, pipe)

    def _stop(self, todo: deque[Chunk]) -> None:
        todo.clear()
        for worker in self._workers:
            worker.send("stop")

    def _hand_out(self, todo: deque[Chunk]) -> None:
        """Give chunks to the worker with the fewest units left, until all have enough to begin."""
        while todo:
            worker = min(self._workers, key=lambda one: one.load)
            if worker.load and worker.load >= self._enough:
                return
            worker.send(todo.popleft())

    def _received(self, worker: _Worker, todo: deque[Chunk], *, stopped: bool) -> ChunkReport:
        try:
            report = worker.pipe.recv()
        except (EOFError, OSError):
            return self._died(worker, todo, stopped=stopped)
        worker.counts = report.counts
        if report.chunk is None:
            if not report.waits:
                worker.forget()
        elif report.done:
            worker.open_units.pop(report.chunk)
            worker.chunks.pop(report.chunk)
        else:
            worker.open_units[report.chunk].difference_update(one.unit for one in report.ended)
        return report

    def _died(self, worker: _Worker, todo: deque[Chunk], *, stopped: bool) -> ChunkReport:
        """Give its chunks to another worker, which goes on with their shards."""
        worker.process.join()
        report = ChunkReport(worker.name, worker.counts._replace(in_flight=0))
        lost = list(worker.chunks.values())
        self._deaths.update(chunk.number for chunk in lost)
        fatal = [chunk for chunk in lost if self._deaths[chunk.number] >= DEATHS]
        if fatal:
            names = sorted(worker.open_units[fatal[0].number])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            trouble = Trouble(
                f"a worker process has ended {DEATHS} times (last with {worker.process.exitcode})"
                f" while it built {', '.join(names[:3])}{more}\n"
                "  Too little memory is the usual reason: fewer processes or a lower concurrency"
                " need less. Every finished call is stored; run again to go on.",
                PairwrightError.exit_code,
            )
            report = report._replace(trouble=trouble)
        worker.forget()
        worker.pipe.close()
        if not stopped and not fatal:
            todo.extendleft(reversed(lost))
            self._workers[self._workers.index(worker)] = self._start(worker.rank)
        return report
