"""The store of a run, and the models that its endpoints answer for."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager

from pairwright.construct.folder import RunFolder
from pairwright.construct.manifest import cost
from pairwright.models.batch import PendingCalls, Recorder
from pairwright.models.client import Meter
from pairwright.models.connect import RunModels, Say, open_clients, say
from pairwright.models.store import Store
from pairwright.settings.config import Config
from pairwright.workflows.workers.shards import merge_all


@asynccontextmanager
async def open_models(config: Config, store: Store, say: Say = say) -> AsyncIterator[RunModels]:
    """Connect the models of a build in this process."""
    meter = meter_of(config, store)
    async with open_clients(config.endpoints, config.roles.all, meter, store, say) as clients:
        yield RunModels(config, clients, meter)


def batch_models(config: Config, store: Store, pending: PendingCalls) -> RunModels:
    """Models that write down the calls that are not stored yet.

    No endpoint is connected, and no key is read.
    """
    meter = meter_of(config, store)
    recorders = {
        name: Recorder(name, config.endpoints[name].attempts, pending, meter, store)
        for name in config.roles.all
    }
    models = RunModels(config, recorders, meter)
    # Nothing is waited for, so more workers would only hold more units.
    models.workers = 1
    return models


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
