"""What a worker does with a chunk: the same build functions, and a shard for what comes of it."""

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import NamedTuple

from pairwright.construct.build_rules import BuildRules
from pairwright.construct.corpus import BuildUnit, Chunk, Corpus
from pairwright.construct.outcomes import Brief
from pairwright.construct.session import build_units
from pairwright.errors import Interrupted, PairwrightError
from pairwright.models import Wait
from pairwright.models.client import Client, Meter
from pairwright.models.store import CallStore
from pairwright.models.store.shards import open_shard, place
from pairwright.settings.config import Config
from pairwright.workflows.run_models import MeterCounts, NoteWait, RunModels, open_clients, say


class WorkerSetup(NamedTuple):
    """What every worker is given."""

    rules: BuildRules
    corpus: Corpus
    calls: Path
    """The run's store, to read what is there already."""
    shards: Path
    several_hosts: bool
    """Whether the store is read from hosts between which SQLite has no locks."""


class Builder:
    """Builds chunks, one begun after the other, with one set of connections."""

    def __init__(
        self,
        setup: WorkerSetup,
        config: Config,
        main: CallStore,
        clients: dict[str, Client],
        meter: Meter,
    ) -> None:
        self._setup = setup
        self._config = config
        self._main = main
        self._clients = clients
        self._begun = asyncio.Event()
        self._begun.set()
        self.meter = meter

    async def build(self, chunk: Chunk, ended: Callable[[Brief], None]) -> None:
        """Build a chunk's units into its shard, which is whole and closed afterwards.

        Its units begin when those of the chunk before have all begun, not ended: an endpoint
        stays full. Raises as `build_units` does.
        """
        before, begun = self._begun, asyncio.Event()
        self._begun = begun
        await before.wait()
        folder = place(self._setup.shards, chunk.number)
        try:
            with closing(await open_shard(folder, self._main)) as shard:
                models = RunModels(self._config, shard, self._clients, self.meter)
                # What units share is shared inside a chunk: made of another shard's replies it
                # would not be a function of this one.
                rules = self._setup.rules.with_other_users(self._setup.corpus)
                await build_units(
                    _announced(chunk.units, begun), self._setup.corpus, rules, models, shard, ended
                )
        finally:
            begun.set()

    def stop(self) -> None:
        """Send no new calls: chunks under way end with Interrupted."""
        for client in self._clients.values():
            client.stop()


def _announced(units: tuple[BuildUnit, ...], all_begun: asyncio.Event) -> Iterator[BuildUnit]:
    yield from units
    all_begun.set()


@asynccontextmanager
async def builder_of(
    setup: WorkerSetup, config: Config, meter: Meter, note_wait: NoteWait
) -> AsyncIterator[Builder]:
    """A builder with its own connections; `config` has this worker's part of the limits."""
    with closing(CallStore(setup.calls, writing=False, unchanging=setup.several_hosts)) as main:
        async with open_clients(config, meter, say, note_wait) as clients:
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
    ended: tuple[Brief, ...] = ()
    done: bool = False
    trouble: Trouble | None = None
    waits: tuple[Wait, ...] = ()
    """What endpoints have asked for."""
