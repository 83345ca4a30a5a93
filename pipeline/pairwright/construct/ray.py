"""A build over a Ray cluster, or over Ray on this machine: each actor builds a share of the units
into a store of its own, and the stores are merged. The only file that imports `ray`.
"""

import logging
import os
import pickle
import socket
import traceback
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from threading import Event
from typing import Any

from pairwright.assets import install
from pairwright.construct.corpus import Corpus
from pairwright.construct.folder import RunFolder, merge_all
from pairwright.construct.outcomes import Outcomes, Unit
from pairwright.construct.session import RunModels, Session, meter_of
from pairwright.errors import ConfigError, InputError, Interrupted, PairwrightError
from pairwright.files import CALLS
from pairwright.models.client import Meter
from pairwright.models.connect import api_key, open_clients
from pairwright.models.store import Store
from pairwright.progress import Progress, Step, Stop, UnitEnded
from pairwright.settings.config import Config
from pairwright.settings.endpoints import Endpoint

try:
    import ray
except ImportError:
    fix = f"Run {install('ray')}, and the same on every node of the cluster."
    raise InputError("Ray is not installed", where="[processes] or --address", fix=fix) from None

EVERY_S = 0.5
"""How often the actors are asked for their news."""
# Errors come to us as exceptions; what else Ray writes to a terminal is about its inside.
_ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}


class Actor:
    """Builds one share of the units on some node."""

    def __init__(self, run: Path, given: bytes, number: int, part: dict[str, Endpoint]) -> None:
        """`given` is pickled, and `part` has this actor's part of the limits."""
        self._run, self._given, self._part = run, given, part
        self._shard = run / "shards" / f"{number:03}" / CALLS
        self._meter = Meter()
        self._models: RunModels | None = None
        self._ended: list[UnitEnded] = []

    async def build(self, units: list[Unit]) -> Exception | None:
        """Build the units without an outcome in the shard; what kept it from that, in a form that
        can be sent. Raised here it would end calls that are in flight elsewhere."""
        try:
            await self._build(units)
        except PairwrightError as error:
            kind = Interrupted if isinstance(error, Interrupted) else PairwrightError
            plain = kind(str(error))
            plain.exit_code = error.exit_code
            return plain
        except Exception as error:
            said = "".join(traceback.format_exception(error))
            return RuntimeError(f"a worker met a bug:\n{said}")
        return None

    async def _build(self, units: list[Unit]) -> None:
        if not self._run.exists():
            raise PairwrightError(
                f"{self._run}: the node {ray.util.get_node_ip_address()} does not see this folder\n"
                "  Give a --run folder on a file system that all nodes have at the same path."
            )
        corpus, rules, identity, keys = pickle.loads(self._given)
        os.environ.update(keys)
        self._shard.parent.mkdir(parents=True, exist_ok=True)
        with (
            closing(corpus),
            closing(Store(self._shard, beneath=self._run / CALLS)) as shard,
        ):
            outcomes = Outcomes(shard)
            outcomes.begin(identity)
            left = (u for u in units if outcomes.ended(u.position, u.id) is None)
            async with open_clients(self._part, self._meter, shard) as clients:
                self._models = RunModels(rules.config, clients, self._meter)
                session = Session(corpus, rules, outcomes)
                await session.build(left, self._models, self._ended.append)

    async def news(self, *, stop: bool) -> tuple[list[UnitEnded], Meter]:
        """The units that have ended since this was asked last, and all calls; `stop` sends no new
        ones."""
        if stop and self._models:
            self._models.stop()
        ended, self._ended = self._ended, []
        return ended, self._meter


def build_on_ray(
    session: Session, run: RunFolder, store: Store, identity: str, progress: Progress, stop: Stop
) -> Meter:
    """Build every unit with the actors of the cluster; their calls are counted together."""
    config, meter = session.rules.config, meter_of(session.rules.config, store)
    used = {name: config.endpoints[name] for name in config.roles.all}
    keys = {one.api_key_env: key for name, one in used.items() if (key := api_key(name, one))}
    given = ray.put(pickle.dumps((session.corpus, session.rules, identity, keys)))
    asked, folder = Event(), run.path.absolute()
    make = ray.remote(Actor).options(
        max_restarts=4, max_task_retries=-1, scheduling_strategy="SPREAD"
    )
    with ExitStack() as end, stop.heard_by(asked.set):
        end.callback(ray.shutdown)
        progress(Step("building", 0, session.total, meter))
        for units in session.steps(progress):
            shares = shares_of(list(units), session.corpus, most_workers(config))
            part = {name: part_of(one, len(shares) or 1) for name, one in used.items()}
            # Other hosts read the store, so nothing writes to it before all have ended.
            store.settle()
            actors = [make.remote(folder, given, n, part) for n in range(len(shares))]
            troubles = _work_off(actors, shares, meter, progress, asked)
            for actor in actors:
                ray.kill(actor)
            merge_all(store, run.shards)
            if troubles:
                # A bug before a refusal, and that before being interrupted by it.
                raise min(troubles, key=lambda error: getattr(error, "exit_code", 0))
    return meter


def _work_off(
    actors: list[Any], shares: list[list[Unit]], meter: Meter, progress: Progress, asked: Event
) -> list[Exception]:
    """Have each share built by an actor; what kept some from it. `meter` is kept at the sum of
    theirs."""
    before = {name: getattr(meter, name) for name in ("in_flight", "sent", "cost")}
    meters = dict[int, Meter]()
    pending = [actor.build.remote(units) for actor, units in zip(actors, shares, strict=True)]
    troubles = list[Exception]()
    try:
        while pending:
            done, pending = ray.wait(pending, timeout=EVERY_S)
            troubles += filter(None, ray.get(done))
            stop = bool(troubles) or asked.is_set()
            for number, actor in enumerate(actors):
                # An actor that has died is started again.
                with suppress(ray.exceptions.RayError):
                    news = actor.news.options(max_task_retries=0).remote(stop=stop)
                    ended, meters[number] = ray.get(news)
                    for unit in ended:
                        progress(unit)
            for name, n in before.items():
                setattr(meter, name, n + sum(getattr(one, name) for one in meters.values()))
    except ray.exceptions.RayError as error:
        raise PairwrightError(
            f"the Ray cluster gave up: {str(error).strip().splitlines()[-1]}\n  Too little memory"
            " is the usual reason. Every finished call is stored; run again to go on."
        ) from None
    return troubles


def connect(config: Config, address: str | None) -> None:
    """Connect to the cluster at `address`, at $RAY_ADDRESS, or start one of this machine alone.

    Raises ConfigError for what actors cannot share, and InputError for no cluster.
    """
    engines = [name for name in config.roles.all if config.endpoints[name].engine == "vllm"]
    if engines or config.budget.max_calls is not None or config.budget.max_cost is not None:
        raise ConfigError(
            "actors of a cluster cannot share an engine in this process, nor a budget",
            where=f"[endpoints.{engines[0]}]" if engines else "[budget]",
            fix="Leave processes and --address out; or name the base_url of a `vllm serve`, and"
            " limit the account.",
        )
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    address = address or os.environ.get("RAY_ADDRESS")
    how: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if not address:
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # On loopback.
        how |= {"num_cpus": most_workers(config), "include_dashboard": False}
    try:
        if address and address != "auto":
            # Before Ray does, which would try for minutes.
            host, _, port = address.rpartition(":")
            socket.create_connection((host, int(port)), timeout=5).close()
        ray.init(address or "local", ignore_reinit_error=True, **how)
    except (OSError, RuntimeError, ValueError, OverflowError) as error:
        raise InputError(
            f"no Ray cluster can be reached: {str(error).strip().splitlines()[0]}",
            where=f"--address {address or 'local'}",
            fix="Give HOST:PORT of a cluster's head, as `ray start --head` prints it.",
        ) from None


def most_workers(config: Config) -> int:
    """The number of workers asked for, if each can have a call in flight at every endpoint."""
    return min([config.processes, *(config.endpoints[n].concurrency for n in config.roles.all)])


def part_of(endpoint: Endpoint, workers: int) -> Endpoint:
    """An endpoint with one worker's share of the limits; a remainder is not used."""
    return Endpoint(**{**endpoint.model_dump(), "concurrency": endpoint.concurrency // workers})


def shares_of(units: list[Unit], corpus: Corpus, workers: int) -> list[list[Unit]]:
    """A share of the units for each worker, in their order. Units that ask the same question are in
    one share: they ask for the same calls, and no two replies can then differ."""
    shares: list[list[Unit]] = [[] for _ in range(workers)]
    owners: dict[str, int] = {}
    for n, unit in enumerate(units):
        question = corpus.item(unit.item).question
        shares[owners.setdefault(question, n * workers // len(units))].append(unit)
    return [share for share in shares if share]
