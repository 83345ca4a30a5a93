"""Opening a run: its configuration, its store and its models, and what a person should know."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

from pairwright.construct.corpus import Corpus
from pairwright.construct.folder import RunFolder
from pairwright.construct.session import first_items
from pairwright.construct.shards import merge_all
from pairwright.construct.status import cost, source_problems
from pairwright.errors import InputError
from pairwright.models.batch import Recorder, Requests
from pairwright.models.client import Meter
from pairwright.models.connect import RunModels, Say, open_clients, say
from pairwright.models.recording import read_recording
from pairwright.models.store import Store
from pairwright.modes import check_modes, need_partners
from pairwright.progress import Note, Progress
from pairwright.settings.config import Config, load
from pairwright.text import number_of


def read_config(config: str | Path | Config, folder: str | Path | None) -> tuple[Config, Path]:
    """The config, and the folder that its paths start from."""
    if isinstance(config, Config):
        base, found = Path(folder or ".").resolve(), config
    else:
        path = Path(config)
        base, found = Path(folder).resolve() if folder else path.resolve().parent, load(path)
    check_modes(found, "" if isinstance(config, Config) else config)
    return found.beside(base), base


def check_all(
    config: Config, progress: Progress, *, address: str | None, on_ray: bool, sends: bool
) -> None:
    """Check what keeps a build from its cluster or its recordings, before anything is written;
    report what people should know of its models.

    Raises ConfigError and InputError. `sends` is false if calls are only written down.
    """
    if on_ray:
        from pairwright.construct.ray import connect

        connect(config, address)
    warn_of_self_judging(config, progress)
    named = (config.endpoints[name].recording for name in config.roles.all if sends)
    for path in dict.fromkeys(filter(None, named)):
        progress(Note(read_recording(Path(path)).about))


def note_problems(run: RunFolder, progress: Progress, *, named: bool) -> None:
    """Report the rows and posts of the source that were refused or repaired."""
    lines = source_problems(run)
    if not lines:
        return
    if named:
        lines += (f"{run.problems} names every one.",)
    progress(Note("\n  ".join(["Rows and posts of the source:", *lines])))


def check_company(config: Config, corpus: Corpus, limit: int | None, progress: Progress) -> None:
    """Report items that can have no twin, because no other user is of their category.

    Raises InputError where that is every item, and nothing but twins is to be built.
    """
    items = [corpus.entries[position] for position in first_items(corpus, limit)]
    alone = sum(corpus.users_of(item.category) < 2 for item in items)
    if not alone or not need_partners(config.modes):
        return
    of = f"{alone:,} of {number_of(len(items), 'item')}"
    why = f"no twin can be made of {of}: the user is the only one of the category"
    fix = "A twin needs two users: add users, or give those who ask alike the same category."
    if alone == len(items) and all(need_partners([mode]) for mode in config.modes):
        raise InputError(why, where=config.source.path, fix=fix)
    progress(Note(f"Note: {why}. {fix}"))


def warn_of_self_judging(config: Config, progress: Progress) -> None:
    """Report where the judge is also a generator, but for recordings."""
    if not config.roles.all:
        return
    writers, judges = (
        {one.model for name in names if not (one := config.endpoints[name]).recording}
        for names in (config.roles.generator, config.roles.judge)
    )
    if config.gated and judges & writers:
        progress(
            Note(
                "Note: the judge is also a generator. Models favour their own answers; another"
                " model as judge (under roles) is better evidence."
            )
        )


@asynccontextmanager
async def open_models(config: Config, store: Store, say: Say = say) -> AsyncIterator[RunModels]:
    """Connect the models of a build in this process."""
    meter = meter_of(config, store)
    async with open_clients(config.endpoints, config.roles.all, meter, store, say) as clients:
        yield RunModels(config, clients, meter)


def batch_models(config: Config, store: Store, requests: Requests) -> RunModels:
    """Models that write down the calls that are not stored yet.

    No endpoint is connected, and no key is read.
    """
    meter = meter_of(config, store)
    recorders = {name: Recorder(name, requests, meter) for name in config.roles.all}
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
