"""A build over a Ray cluster, or over Ray on this machine: its chunks are a Ray Data dataset, its
workers are actors.

This is the only file that imports `ray`; it is imported where a build uses Ray.
"""

import asyncio
import logging
import os
import pickle
import re
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import SecretStr

from pairwright.construct.corpus import Chunk, size_of
from pairwright.construct.folder import unfinished
from pairwright.construct.session import BuildTask
from pairwright.errors import ConfigError, InputError, Interrupted, PairwrightError
from pairwright.extras import install
from pairwright.files import write_whole
from pairwright.models.client import Meter, MeterCounts
from pairwright.models.connect import api_key, units_at_once
from pairwright.models.store import Store, UnitRow
from pairwright.settings.config import Config
from pairwright.workflows.progress import BuildBegun, Progress, Stop, UnitEnded
from pairwright.workflows.run_models import meter_of
from pairwright.workflows.workers.worker import (
    Builder,
    ChunkReport,
    Trouble,
    WorkerSetup,
    build_rounds,
    builder_of,
    check_engines,
    combined,
    most_workers,
    part_of,
)

try:
    import ray
    import ray.data
except ImportError:
    raise InputError(
        "Ray is not installed",
        where="[processes] or --address",
        fix=f"Run {install('ray')}, and the same on every node of the cluster.",
    ) from None

MOST_DEATHS = 4
"""How often an actor may die and be started again."""
LOOK_S = 0.5
"""How often an actor looks whether its run still wants it."""
VISIBLE_S = 15.0
"""How long a new file may take to be visible on another node."""
MOST_CALLS = 32


class Actor:
    """Builds chunks on some node, several of them at a time."""

    def __init__(self, token: Path, workers: int, keys: dict[str, SecretStr]) -> None:
        """`token` holds the WorkerSetup, and is there as long as the run wants its actors to work;
        `keys` are API keys by environment variable."""
        self._token = token
        self._workers = workers
        self._keys = keys
        self._name = uuid4().hex
        self._begin = asyncio.Lock()
        self._builder: Builder | None = None
        self._resources = AsyncExitStack()
        self._watch: asyncio.Task[None] | None = None
        self._error: PairwrightError | None = None

    async def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """A batch of one chunk; gives one report."""
        chunk: Chunk = pickle.loads(batch["chunk"][0])
        outcomes: list[UnitRow] = []
        trouble = None
        try:
            async with self._begin:
                builder = self._builder = self._builder or await self._ready()
            if not self._token.exists():
                raise Interrupted("the run was asked to stop")
            await builder.build(chunk, outcomes.append)
        except Exception as error:
            # Raised here it would end the whole job, and calls that are in flight with it.
            trouble = Trouble.of(error)
        counts = self._builder.meter.counts() if self._builder else MeterCounts()
        report = ChunkReport(self._name, counts, chunk.number, tuple(outcomes), trouble)
        return {"report": [pickle.dumps(report)]}

    async def _ready(self) -> Builder:
        setup: WorkerSetup = pickle.loads(await self._token_content())
        self._resources.callback(setup.corpus.close)
        os.environ.update({name: key.get_secret_value() for name, key in self._keys.items()})
        config = part_of(setup.rules.config, self._workers)
        builder = await self._resources.enter_async_context(builder_of(setup, config, Meter()))

        async def stop_with_run() -> None:
            # The file is another host's, so there is nothing to wait for.
            while self._token.exists():  # noqa: ASYNC110
                await asyncio.sleep(LOOK_S)
            builder.stop()

        self._watch = asyncio.create_task(stop_with_run())
        return builder

    async def _token_content(self) -> bytes:
        """Read the token. A node may take a while to see a new file of another one."""
        if self._error:
            raise self._error
        for _ in range(int(VISIBLE_S / LOOK_S)):
            with suppress(OSError):
                return self._token.read_bytes()
            await asyncio.sleep(LOOK_S)
        if self._token.parent.exists():
            self._error = Interrupted("the run was asked to stop")
            raise self._error
        self._error = InputError(
            f"the node {ray.util.get_node_ip_address()} does not see this folder",
            where=self._token.parent.parent,
            fix="Give a --run folder that all nodes have at the same path, on a file system that"
            " they share.",
        )
        raise self._error


class RayWorkers:
    """Actors of a cluster."""

    def __init__(self, setup: WorkerSetup, workers: int, store: Store) -> None:
        self._setup = setup
        self._workers = workers
        self._store = store
        self._token = setup.shards / f"run-{uuid4().hex}"

    def stop(self) -> None:
        """Send no new calls: the actors finish what they have begun."""
        self._token.unlink(missing_ok=True)

    def build(self, chunks: list[Chunk]) -> Iterator[ChunkReport]:
        """A report of each chunk, in the order in which they end."""
        self._store.settle()
        write_whole(self._token, pickle.dumps(self._setup))
        try:
            for batch in self._dataset(chunks).iter_batches(batch_size=None):
                for row in batch["report"]:
                    report: ChunkReport = pickle.loads(row)
                    yield report
                    if report.trouble:
                        self.stop()
        except ray.exceptions.RayError as error:
            raise PairwrightError(
                f"the Ray cluster gave up: {str(error).strip().splitlines()[-1]}\n"
                "  Too little memory is the usual reason. Every finished call is stored; run again"
                " to go on."
            ) from None
        finally:
            self.stop()

    def _dataset(self, chunks: list[Chunk]) -> Any:
        config = self._setup.rules.config
        endpoints = {name: config.endpoints[name] for name in config.roles.all}
        # By the variable that holds each here.
        keys = {
            endpoint.api_key_env: SecretStr(key)
            for name, endpoint in endpoints.items()
            if endpoint.api_key_env and (key := api_key(name, endpoint))
        }
        # Enough chunks at a time that an actor keeps its share of every endpoint full.
        enough = units_at_once(part_of(config, self._workers))
        calls = min(MOST_CALLS, 1 + -(-enough // max(len(chunk.units) for chunk in chunks)))
        rows = [{"chunk": pickle.dumps(chunk)} for chunk in chunks]
        return ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
            Actor,
            fn_constructor_args=(self._token, self._workers, keys),
            batch_size=1,
            num_cpus=1,
            max_restarts=MOST_DEATHS,
            # Calls fail at once while a node's death is not yet noticed: its actors' deaths count.
            max_task_retries=-1,
            compute=ray.data.ActorPoolStrategy(
                size=self._workers,
                max_concurrent_calls_per_actor=calls,
                max_tasks_in_flight_per_actor=calls,
            ),
        )


@contextmanager
def ray_cluster(
    setup: WorkerSetup, workers: int, store: Store, address: str | None
) -> Iterator[RayWorkers]:
    """Connect to the cluster at `address`, at $RAY_ADDRESS, or to one of this machine alone."""
    address = address or os.environ.get("RAY_ADDRESS")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Its errors come to us as exceptions; what else it writes to a terminal is about its inside.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    if address is None:
        # Of this machine alone: on loopback.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        ray.init(
            address or "local",
            **({} if address else {"num_cpus": workers, "include_dashboard": False}),
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise _unreachable(address or "local", str(error)) from None
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield RayWorkers(setup, workers, store)
    finally:
        ray.shutdown()


def build_over_actors(
    task: BuildTask, progress: Progress, stop: Stop, address: str | None
) -> Meter:
    """Work through every unit with the actors of the cluster at `address`; their calls are counted
    together."""
    config, store, total = task.rules.config, task.store, task.total
    meter, workers = meter_of(config, store), min(most_workers(config), total)
    check_engines(config)
    setup = WorkerSetup(
        task.rules, task.corpus, task.run.calls.absolute(), task.run.shards.absolute()
    )
    with (
        ray_cluster(setup, workers, store, address) as actors,
        stop.heard_by(actors.stop, meter),
    ):
        progress(BuildBegun(total, meter))
        note = combined(meter, lambda unit: progress(UnitEnded(unit)))
        for units in task.steps():
            # A step may have few units, and they too are for all actors.
            todo = list(unfinished(units, store, lambda unit: progress(UnitEnded(unit))))
            # Other hosts read the store, so nothing writes to it before all have ended.
            build_rounds(todo, size_of(len(todo), workers), store, setup.shards, actors.build, note)
    return meter


def check(config: Config, address: str | None) -> None:
    """Raise InputError for what keeps a build from a cluster, before any work is done."""
    address = address or os.environ.get("RAY_ADDRESS")
    if address and address != "auto":
        # Before Ray does, which would try for minutes.
        match = re.fullmatch(r"([\w.-]+):(\d{1,5})", address)
        if not match or int(match[2]) >= 1 << 16:
            raise InputError(
                "not HOST:PORT of a cluster's head", where=f"--address {address}",
                fix="`ray start --head` prints it, such as 10.0.0.1:6379.",
            )  # fmt: skip
        try:
            socket.create_connection((match[1], int(match[2])), timeout=5).close()
        except OSError as error:
            raise _unreachable(address, str(error)) from None
    if config.budget.max_calls is not None or config.budget.max_cost is not None:
        raise ConfigError(
            "actors of a cluster do not count their calls together, so no budget can be held",
            where="[budget]",
            fix="Leave processes and --address out, or take the budget out and limit the account.",
        )


def _unreachable(address: str, reason: str) -> InputError:
    return InputError(
        f"no Ray cluster can be reached: {reason.strip().splitlines()[0]}",
        where=f"--address {address}",
        fix="Start one (`ray start --head`), and give the address that it prints.",
    )
