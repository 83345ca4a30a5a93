"""A build whose units are shared by worker processes of this machine."""

from typing import NamedTuple

from rich.console import Console

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
from pairwright.cli.workers.limits import most_workers
from pairwright.cli.workers.pool import Pool
from pairwright.cli.workers.spread import Heard, spread
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
    work: Work, total: int, console: Console
) -> tuple[Tally, list[Check], Meter]:
    """`build.session.build` with several processes; `total` is the number of units."""
    corpus, summary, policy, store, run, limit = work
    config = policy.config
    workers = min(most_workers(config), total)
    meter = meter_of(config, store)
    setup = Setup(policy, corpus, run.calls, run.shards, several_hosts=False)
    with (
        stopping(console, meter) as asked,
        Progress(console, total, meter) as progress,
        Pool(setup, workers, meter, asked) as pool,
    ):
        spread(
            units(corpus, config.modes, limit), size_of(total, workers), store, run.shards,
            pool.build, Heard(meter, progress.seen), merge_at_once=True,
        )  # fmt: skip
    counted = tally(store)
    return counted, conclude(store, policy, summary, run, counted), meter
