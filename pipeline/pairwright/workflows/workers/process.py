"""A worker process: chunks come in through a pipe, reports go out."""

import asyncio
import os
import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Literal, TypeAlias

from pairwright.construct.corpus import Chunk
from pairwright.construct.outcomes import Brief
from pairwright.models import Wait
from pairwright.workflows import collector
from pairwright.workflows.run_models import MeterCounts, call_counts
from pairwright.workflows.workers.chunk_builder import (
    Builder,
    ChunkReport,
    WorkerSetup,
    builder_of,
    trouble_of,
)
from pairwright.workflows.workers.limits import Allowance, SharedMeter, part_of

Order = Chunk | Literal["stop"]
Pipe: TypeAlias = "Connection[ChunkReport, Order]"


def work(setup: WorkerSetup, workers: int, rank: int, allowance: Allowance, pipe: Pipe) -> None:
    """Build what comes through the pipe until its other end is gone."""
    # A Ctrl-C reaches every process of a terminal; the parent says what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collector.ease()
    try:
        asyncio.run(_work(setup, workers, rank, allowance, pipe))
    except Exception as error:
        _send(pipe, ChunkReport(_name(), MeterCounts(), trouble=trouble_of(error)))


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
        _send(pipe, ChunkReport(_name(), call_counts(meter), waits=(wait,)))

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
    def report(ended: tuple[Brief, ...] = (), *, error: Exception | None = None) -> None:
        trouble = trouble_of(error) if error else None
        counts = call_counts(builder.meter)
        _send(pipe, ChunkReport(_name(), counts, chunk.number, ended, not ended, trouble))

    try:
        await builder.build(chunk, lambda brief: report((brief,)))
    except Exception as error:
        report(error=error)
    else:
        report()


def _name() -> str:
    return str(os.getpid())


def _send(pipe: Pipe, report: ChunkReport) -> None:
    # A parent that is gone is noticed where orders are read.
    with suppress(OSError):
        pipe.send(report)
