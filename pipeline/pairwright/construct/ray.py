"""A build over a Ray cluster, or over Ray on this machine: each actor builds a share of the items
into a store of its own, and the stores are merged.

This is the only file that imports `ray`; it is imported where a build uses Ray.
"""

import logging
import os
import pickle
import re
import socket
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

from pydantic import SecretStr

from pairwright.construct.corpus import Corpus
from pairwright.construct.folder import RunFolder
from pairwright.construct.opening import meter_of
from pairwright.construct.outcomes import Outcomes, Unit
from pairwright.construct.session import Session
from pairwright.construct.shards import merge_all
from pairwright.construct.shares import most_workers, part_of, shares_of
from pairwright.construct.units import Builder
from pairwright.drafting.rules import BuildRules
from pairwright.errors import ConfigError, InputError, Interrupted, PairwrightError
from pairwright.extras import install
from pairwright.files import CALLS
from pairwright.models.client import Meter
from pairwright.models.connect import RunModels, api_key, open_clients
from pairwright.models.store import Store
from pairwright.progress import BuildBegun, Progress, Stop, UnitEnded
from pairwright.settings.config import Config

try:
    import ray
except ImportError:
    raise InputError(
        "Ray is not installed",
        where="[processes] or --address",
        fix=f"Run {install('ray')}, and the same on every node of the cluster.",
    ) from None

MOST_DEATHS = 4
"""How often an actor may die and be started again."""
EVERY_S = 0.5
"""How often the actors are asked for their news."""


class Setup(NamedTuple):
    """What every actor is given."""

    corpus: Corpus
    rules: BuildRules
    identity: str
    keys: dict[str, SecretStr]
    """API keys by environment variable."""


class News(NamedTuple):
    """What an actor did since it was asked last."""

    ended: list[UnitEnded]
    meter: Meter


class Actor:
    """Builds one share of the units on some node."""

    def __init__(self, run: Path, setup: bytes, number: int, config: Config) -> None:
        """`setup` is a pickled Setup, and `config` has this actor's part of the limits."""
        self._run, self._setup, self._config = run, setup, config
        self._shard = run / "shards" / f"{number:03}" / CALLS
        self._meter = Meter()
        self._models: RunModels | None = None
        self._ended: list[UnitEnded] = []

    async def build(self, units: list[Unit]) -> "Trouble | None":
        """Build the units that the shard has no outcome of."""
        try:
            await self._build(units)
        except Exception as error:
            # Raised here it would end calls that are in flight elsewhere.
            return Trouble.of(error)
        return None

    async def _build(self, units: list[Unit]) -> None:
        if not self._run.exists():
            raise InputError(
                f"the node {ray.util.get_node_ip_address()} does not see this folder",
                where=self._run,
                fix="Give a --run folder that all nodes have at the same path, on a file system"
                " that they share.",
            )
        setup: Setup = pickle.loads(self._setup)
        os.environ.update({name: key.get_secret_value() for name, key in setup.keys.items()})
        self._shard.parent.mkdir(parents=True, exist_ok=True)
        names = self._config.roles.all
        with (
            closing(setup.corpus),
            # Between hosts SQLite has no locks.
            closing(Store(self._run / CALLS, writing=False, unchanging=True)) as main,
            closing(Store(self._shard, beneath=main)) as shard,
        ):
            outcomes = Outcomes(shard)
            outcomes.begin(setup.identity)
            left = (u for u in units if outcomes.ended(u.position, u.id) is None)
            async with open_clients(self._config.endpoints, names, self._meter, shard) as clients:
                self._models = RunModels(self._config, clients, self._meter)
                builder = Builder.of(setup.corpus, setup.rules)
                await builder.build(left, self._models, outcomes, self._ended.append)

    async def news(self) -> News:
        """What was done since this was asked last."""
        ended, self._ended = self._ended, []
        return News(ended, self._meter)

    async def stop(self) -> None:
        """Send no new calls."""
        if self._models:
            self._models.stop()


class Trouble(NamedTuple):
    """Why an actor gave up, in a form that can be sent."""

    message: str
    exit_code: int | None
    """None for a bug: the message is its traceback."""

    @classmethod
    def of(cls, error: Exception) -> "Trouble":
        if isinstance(error, PairwrightError):
            return cls(str(error), error.exit_code)
        return cls("".join(traceback.format_exception(error)), None)

    @property
    def rank(self) -> int:
        """A bug before a refusal, and that before being interrupted by it."""
        return 0 if self.exit_code is None else 1 + (self.exit_code == Interrupted.exit_code)

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


def build_on_ray(
    session: Session, run: RunFolder, store: Store, identity: str, progress: Progress, stop: Stop,
    address: str | None,
) -> Meter:  # fmt: skip
    """Build every unit with the actors of the cluster at `address`; their calls are counted
    together."""
    config, meter = session.rules.config, meter_of(session.rules.config, store)
    workers = min(most_workers(config), max(1, session.total))
    keys = {
        endpoint.api_key_env: SecretStr(key)
        for name in config.roles.all
        if (endpoint := config.endpoints[name]).api_key_env and (key := api_key(name, endpoint))
    }
    setup = pickle.dumps(Setup(session.corpus, session.rules, identity, keys))
    asked = Event()
    with cluster(workers, address), stop.heard_by(asked.set, meter):
        progress(BuildBegun(session.total, meter))
        for units in session.steps(progress):
            todo = list(units)
            shares = shares_of(todo, session.corpus, workers)
            # Other hosts read the store, so nothing writes to it before all have ended.
            store.settle()
            try:
                note = combined(meter, progress)
                _build_shares(run.path.absolute(), setup, config, shares, note, asked)
            finally:
                merge_all(store, run.shards)
    return meter


def _build_shares(
    run: Path,
    setup: bytes,
    config: Config,
    shares: list[list[Unit]],
    note: Callable[[int, News], None],
    asked: Event,
) -> None:
    """Have each share built by an actor of its own; raise what one of them met."""
    make = ray.remote(Actor).options(
        max_restarts=MOST_DEATHS, max_task_retries=-1, scheduling_strategy="SPREAD"
    )
    given, part = ray.put(setup), part_of(config, max(1, len(shares)))
    actors = [make.remote(run, given, number, part) for number in range(len(shares))]
    pending = [actor.build.remote(units) for actor, units in zip(actors, shares, strict=True)]
    troubles = list[Trouble]()
    try:
        while pending:
            done, pending = ray.wait(pending, timeout=EVERY_S)
            troubles += filter(None, ray.get(done))
            if troubles or asked.is_set():
                for actor in actors:
                    actor.stop.remote()
            for number, actor in enumerate(actors):
                # An actor that has died is started again.
                with suppress(ray.exceptions.RayError):
                    note(number, ray.get(actor.news.options(max_task_retries=0).remote()))
    except ray.exceptions.RayError as error:
        raise PairwrightError(
            f"the Ray cluster gave up: {str(error).strip().splitlines()[-1]}\n"
            "  Too little memory is the usual reason. Every finished call is stored; run again"
            " to go on."
        ) from None
    finally:
        for actor in actors:
            ray.kill(actor)
    if troubles:
        raise min(troubles, key=lambda one: one.rank).error


def combined(meter: Meter, progress: Progress) -> Callable[[int, News], None]:
    """What keeps `meter` at the sum of all actors' meters, and reports each unit once."""
    before = {name: getattr(meter, name) for name in ("in_flight", "sent", "retried", "cost")}
    by_actor, units = dict[int, Meter](), set[str]()

    def note(number: int, news: News) -> None:
        by_actor[number] = news.meter
        for name, n in before.items():
            setattr(meter, name, n + sum(getattr(one, name) for one in by_actor.values()))
        for unit in news.ended:
            # A unit that was lost with its actor is built again.
            if unit.unit not in units:
                units.add(unit.unit)
                progress(unit)

    return note


@contextmanager
def cluster(workers: int, address: str | None) -> Iterator[None]:
    """Connect to the cluster at `address`, at $RAY_ADDRESS, or to one of this machine alone."""
    address = address or os.environ.get("RAY_ADDRESS")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Its errors come to us as exceptions; what else it writes to a terminal is about its inside.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    if address is None:
        # Of this machine alone: on loopback.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    here: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False}
    try:
        ray.init(
            address or "local",
            **({} if address else here),
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise _unreachable(address or "local", str(error)) from None
    try:
        yield
    finally:
        ray.shutdown()


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
    for name in config.roles.all:
        if config.endpoints[name].engine == "vllm":
            raise ConfigError(
                f"each actor would start the engine of {name!r} for itself",
                where="[processes]",
                fix="Leave processes and --address out: an engine serves one process best. To"
                " share it among several, start `vllm serve` and give its base_url.",
            )


def _unreachable(address: str, reason: str) -> InputError:
    return InputError(
        f"no Ray cluster can be reached: {reason.strip().splitlines()[0]}",
        where=f"--address {address}",
        fix="Start one (`ray start --head`), and give the address that it prints.",
    )
