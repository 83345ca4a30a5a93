"""A build whose units are shared by workers."""

from contextlib import ExitStack
from typing import NamedTuple

from rich.console import Console

from pairwright.build.again import unfinished
from pairwright.build.checks import Check
from pairwright.build.chunks import size_of
from pairwright.build.corpus import Corpus
from pairwright.build.folder import RunFolder
from pairwright.build.manifest import SourceSummary
from pairwright.build.policy import Policy
from pairwright.build.session import conclude
from pairwright.build.tally import Tally, tally
from pairwright.build.units import units
from pairwright.cli.crew import meter_of
from pairwright.cli.progress import Progress
from pairwright.cli.workers.builder import Setup
from pairwright.cli.workers.limits import check_engines, most_workers
from pairwright.cli.workers.pool import Pool
from pairwright.cli.workers.spread import Engine, Heard, spread
from pairwright.cli.workers.stopping import stopping
from pairwright.client import Meter
from pairwright.store import Store


class Work(NamedTuple):
    """What is to be built, and where."""

    corpus: Corpus
    summary: SourceSummary
    policy: Policy
    store: Store
    run: RunFolder
    limit: int | None


def build_over_workers(
    work: Work, total: int, console: Console, *, on_ray: bool, address: str | None
) -> tuple[Tally, list[Check], Meter]:
    """`build.session.build` with several workers; `total` is the number of units."""
    corpus, summary, policy, store, run, limit = work
    config = policy.config
    meter = meter_of(config, store)
    workers = min(most_workers(config), total)
    check_engines(config)
    setup = Setup(policy, corpus, run.calls.absolute(), run.shards.absolute(), several_hosts=on_ray)
    with ExitStack() as stack:
        engine: Engine
        if on_ray:
            from pairwright.cli.ray import cluster

            engine = stack.enter_context(cluster(setup, workers, store, address))
        else:
            engine = stack.enter_context(Pool(setup, workers, meter))
        stack.enter_context(stopping(meter, engine.stop))
        progress = stack.enter_context(Progress(console, total, meter))
        todo = unfinished(
            units(corpus, config.modes, limit), store, lambda outcome: progress.seen(outcome.brief)
        )
        size = size_of(total, workers)
        spread(todo, size, store, setup.shards, engine, Heard(meter, progress.seen))
    counted = tally(store)
    return counted, conclude(store, policy, summary, run, counted), meter
