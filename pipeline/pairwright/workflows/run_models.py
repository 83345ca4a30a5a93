"""The models of a run: endpoints with their keys, the store above them, and what each role asks."""

import logging
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from typing import NamedTuple, TypeAlias

from pairwright.construct.folder import RunFolder
from pairwright.construct.manifest import cost
from pairwright.errors import ConfigError
from pairwright.models import Model, Models
from pairwright.models.batch.pending import PendingCalls, Recorder
from pairwright.models.client import Client, Meter
from pairwright.models.durable import Durable
from pairwright.models.shards import merge_all
from pairwright.models.store import Store
from pairwright.settings.config import Config
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.workflows.recording import recording_of

Say: TypeAlias = Callable[[str], None]
say: Say = logging.getLogger("pairwright").warning
"""What people should know about an endpoint at once, where no progress is reported."""


class RunModels:
    """The models of a run on its endpoints (a `ModelSource`)."""

    def __init__(
        self,
        config: Config,
        store: Store,
        clients: Mapping[str, Client] | Mapping[str, Recorder],
        meter: Meter,
    ) -> None:
        self._config = config
        self._clients = clients
        self._durable = {name: Durable(store, client) for name, client in clients.items()}
        self.meter = meter
        self.workers = units_at_once(config)

    def models(self, generator: str) -> Models:
        roles, sampling = self._config.roles, self._config.sampling
        return Models(
            planner=self._model(roles.planner, sampling.planner),
            generator=self._model(generator, sampling.generator),
            judges=tuple(self._model(name, sampling.judge) for name in roles.judge),
        )

    def _model(self, name: str, sampling: Sampling) -> Model:
        return Model(self._durable[name], self._config.endpoints[name], sampling)

    def stop(self) -> None:
        for client in self._clients.values():
            client.stop()


def units_at_once(config: Config) -> int:
    """One unit for each call in flight: a unit has several calls at once for most of its time,
    so an endpoint stays full, and few units alive keep memory and caches small."""
    return max(1, sum(config.endpoints[name].concurrency for name in config.roles.all))


@asynccontextmanager
async def open_models(config: Config, store: Store, say: Say = say) -> AsyncIterator[RunModels]:
    """Connect the models of a build in this process."""
    meter = meter_of(config, store)
    endpoints, names = config.endpoints, config.roles.all
    async with open_clients(endpoints, names, meter, say) as clients:
        yield RunModels(config, store, clients, meter)


def meter_of(config: Config, store: Store) -> Meter:
    """A meter that begins with what is stored, by which budgets go."""
    return Meter(
        max_calls=config.budget.max_calls,
        max_cost=config.budget.max_cost,
        calls=store.totals().calls,
        cost=cost(store, config) or 0.0,
    )


@contextmanager
def run_store(run: RunFolder) -> Iterator[Store]:
    """The store of a run, open for writing, with what workers left merged into it."""
    with closing(Store(run.calls)) as store:
        merge_all(store, run.shards)
        yield store


class MeterCounts(NamedTuple):
    """What a meter counted since its run or its worker began."""

    in_flight: int = 0
    sent: int = 0
    retried: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0.0


def call_counts(meter: Meter) -> MeterCounts:
    """The counts of a meter as they are now."""
    return MeterCounts(*(getattr(meter, name) for name in MeterCounts._fields))


@asynccontextmanager
async def open_clients(
    endpoints: Mapping[str, Endpoint],
    names: Iterable[str],
    meter: Meter,
    say: Say = say,
) -> AsyncIterator[dict[str, Client]]:
    """Connect the endpoints of these names."""
    async with AsyncExitStack() as stack:
        yield {
            name: await stack.enter_async_context(client_of(name, endpoints[name], meter, say))
            for name in dict.fromkeys(names)
        }


def client_of(
    name: str,
    endpoint: Endpoint,
    meter: Meter,
    say: Say = say,
) -> Client:
    """A client of one endpoint, or of its recording; it closes at the end of its block."""
    if endpoint.recording is not None:
        return Client(name, endpoint, None, meter, recording_of(endpoint))
    return Client(name, endpoint, api_key(name, endpoint), meter, say=say)


def batch_models(config: Config, store: Store, pending: PendingCalls) -> RunModels:
    """Models that write down the calls that are not stored yet.

    No endpoint is connected, and no key is read.
    """
    meter = meter_of(config, store)
    recorders = {
        name: Recorder(name, config.endpoints[name].attempts, pending, meter)
        for name in config.roles.all
    }
    models = RunModels(config, store, recorders, meter)
    # Nothing is waited for, so more workers would only hold more units.
    models.workers = 1
    return models


def api_key(name: str, endpoint: Endpoint) -> str | None:
    """The key from the environment variable that the endpoint names."""
    if endpoint.api_key_env is None:
        return None
    key = os.environ.get(endpoint.api_key_env)
    if not key:
        raise ConfigError(
            f"the environment variable {endpoint.api_key_env} is not set",
            where=f"[endpoints.{name}.api_key_env]",
            fix=f"export {endpoint.api_key_env}=..., or name another variable.",
        )
    if not key.isascii() or not key.isprintable():
        raise ConfigError(
            f"the environment variable {endpoint.api_key_env} holds no key: it has a line end or"
            " a character that no header can carry",
            where=f"[endpoints.{name}.api_key_env]",
            fix="Set it to the key alone.",
        )
    return key
