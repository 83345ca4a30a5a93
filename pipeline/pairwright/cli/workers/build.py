"""A build whose units are shared by workers."""

from contextlib import ExitStack
from typing import NamedTuple

from rich.console import Console

from pairwright.cli.progress import BuildPanel
from pairwright.cli.workers.builder import Setup
from pairwright.cli.workers.limits import check_engines, most_workers
from pairwright.cli.workers.pool import Pool
from pairwright.cli.workers.spread import Engine, Heard, spread
from pairwright.cli.workers.stopping import stopping
from pairwright.construct.build_rules import BuildRules
from pairwright.construct.corpus import Corpus
from pairwright.construct.folder import RunFolder
from pairwright.construct.manifest import SourceSummary
from pairwright.construct.resume import unfinished
from pairwright.construct.session import conclude
from pairwright.construct.tally import ModelCheck, Tally, tally
from pairwright.construct.units import size_of, units
from pairwright.models.client import Meter
from pairwright.models.store import Store
from pairwright.workflows.run_models import meter_of


class Work(NamedTuple):
    """What is to be built, and where."""

    corpus: Corpus
    summary: SourceSummary
    rules: BuildRules
    store: Store
    run: RunFolder
    limit: int | None


def build_over_workers(
    work: Work, total: int, console: Console, *, on_ray: bool, address: str | None
) -> tuple[Tally, list[ModelCheck], Meter]:
    """`build.session.build` with several workers; `total` is the number of units."""
    corpus, summary, rules, store, run, limit = work
    config = rules.config
    meter = meter_of(config, store)
    workers = min(most_workers(config), total)
    check_engines(config)
    setup = Setup(rules, corpus, run.calls.absolute(), run.shards.absolute(), several_hosts=on_ray)
    with ExitStack() as stack:
        engine: Engine
        if on_ray:
            from pairwright.cli.ray import cluster

            engine = stack.enter_context(cluster(setup, workers, store, address))
        else:
            engine = stack.enter_context(Pool(setup, workers, meter))
        stack.enter_context(stopping(meter, engine.stop))
        progress = stack.enter_context(BuildPanel(console, total, meter))
        todo = unfinished(
            units(corpus, config.modes, limit), store, lambda outcome: progress.seen(outcome.brief)
        )
        size = size_of(total, workers)
        spread(todo, size, store, setup.shards, engine, Heard(meter, progress.seen))
    counted = tally(store)
    return counted, conclude(store, rules, summary, run, counted), meter
