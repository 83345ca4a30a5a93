"""Building a run, and what it will take before it is begun."""

from contextlib import AsyncExitStack, ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, TypeAlias

from typer import Argument, Option

from pairwright.construct.corpus import Corpus, first_items
from pairwright.construct.estimate import BuildEstimate, estimate_calls
from pairwright.construct.folder import RunFolder, content_hashes, identity, unfinished
from pairwright.construct.session import BuildTask, build_units, conclude, read_corpus
from pairwright.drafting.rules import BuildRules
from pairwright.errors import InputError
from pairwright.models.batch import PendingCalls, Round, check_out, write_round
from pairwright.models.client import Meter, MeterCounts
from pairwright.models.connect import recordings
from pairwright.models.recording import NOT_RECORDED
from pairwright.models.store import UnitRow
from pairwright.modes import check_modes, need_partners
from pairwright.notebook import run_async
from pairwright.settings.config import Config, load
from pairwright.text import number_of
from pairwright.workflows.progress import (
    BuildBegun,
    Note,
    Progress,
    Stop,
    UnitEnded,
    log_notes,
)
from pairwright.workflows.run_models import batch_models, open_models, run_store
from pairwright.workflows.run_status import RunStatus, source_problems, status_of

ConfigPath: TypeAlias = Annotated[
    Path | str | Config, Argument(help="The run's configuration.", metavar="CONFIG.toml")
]


def estimate(
    config: ConfigPath,
    *,
    folder: str | Path | None = None,
    limit: int | None = None,
    progress: Progress = log_notes,
) -> BuildEstimate:
    """Estimate calls, tokens and cost of a build without sending or writing anything.

    The arguments are those of `build`. Raises ConfigError and SourceError.
    """
    config, base = read_config(config, folder)
    rules = BuildRules.load(config, base)
    warn_of_self_judging(config, progress)
    with TemporaryDirectory() as scratch:
        run = RunFolder(Path(scratch))
        corpus, _ = read_corpus(config, rules.domains, base, run, limit)
        note_problems(run, progress, named=False)
        with closing(corpus):
            check_company(config, corpus, limit, progress)
            return estimate_calls(corpus, replace(rules, others=corpus.others), limit)


def read_config(config: str | Path | Config, folder: str | Path | None) -> tuple[Config, Path]:
    """The config, and the folder that its paths start from."""
    if isinstance(config, Config):
        base, found = Path(folder or ".").resolve(), config
    else:
        path = Path(config)
        base, found = Path(folder).resolve() if folder else path.resolve().parent, load(path)
    check_modes(found, "" if isinstance(config, Config) else config)
    return found.beside(base), base


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
    alone = sum(len(corpus.by_category[item.category]) < 2 for item in items)
    if not alone or not need_partners(config.modes):
        return
    of = f"{alone:,} of {number_of(len(items), 'item')}"
    why = f"no twin can be made of {of}: the user is the only one of the category"
    fix = "A twin needs two users: add users, or give those who ask alike the same category."
    if alone == len(items) and all(need_partners([mode]) for mode in config.modes):
        raise InputError(why, where=config.source.path, fix=fix)
    progress(Note(f"Note: {why}. {fix}"))


def warn_of_self_judging(config: Config, progress: Progress) -> None:
    """Report where the judge is also a generator; not of recordings, whose models are past
    choosing."""
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


@dataclass(frozen=True)
class BuildResult:
    """What a build has made."""

    status: RunStatus
    """Its counts by outcome, its checks, and what its store holds."""
    usage: MeterCounts
    """Calls and tokens of this build alone, without those that were stored before."""
    round: Round | None
    """The files that wait for replies, where the build wrote its calls to files."""

    @property
    def whole(self) -> bool:
        """Whether every unit was kept or refused, none failed and none waits, few were refused for
        want of a usable reply, and something is kept."""
        return not (self.status.tally.is_short or self.status.waiting)


def build(
    config: ConfigPath,
    run: Annotated[Path | str, Option(help="The run folder.", metavar="DIR")],
    *,
    folder: str | Path | None = None,
    limit: Annotated[int | None, Option(help="Only the first N items.", metavar="N", min=1)] = None,
    accept_changes: Annotated[
        bool, Option("--accept-changes", help="Go on after a change of the config.")
    ] = False,
    address: Annotated[
        str | None, Option(help="Head of a Ray cluster.", metavar="HOST:PORT")
    ] = None,
    batch_out: Annotated[
        Path | str | None, Option(help="Write the calls to files instead.", metavar="OUT")
    ] = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> BuildResult:
    """Build preference pairs from user histories.

    Running the same command again resumes: finished calls are never sent twice.

    Raises ConfigError and InputError for what must be mended first, SourceError for data that
    cannot be read, EndpointRefused where an endpoint refuses, Interrupted after `stop` (every
    finished call is stored), and StoreError where the run folder cannot be written. The paths of a
    Config start from `folder`.

        result = build("study/pairwright.toml", "study/run", limit=20)
        print(result.status.pairs, "pairs;", result.usage.sent, "calls")

    Examples::

        pairwright build pairwright.toml --run runs/first --dry-run
        pairwright build pairwright.toml --run runs/first --limit 20
        pairwright build pairwright.toml --run runs/first
        pairwright build pairwright.toml --run runs/first --batch-out batches
        pairwright build pairwright.toml --run /shared/first --address 10.0.0.1:6379
    """
    stop = stop or Stop()
    batches = None if batch_out is None else Path(batch_out)
    if batches and address is not None:
        raise InputError(
            "calls that are only written down cannot be shared",
            where="--batch-out",
            fix="Leave --address out.",
        )
    config, base = read_config(config, folder)
    # There is no work to share where calls are only written down.
    on_ray = not batches and (address is not None or config.processes > 1)
    if on_ray:
        from pairwright.workflows.workers.cluster import check

        check(config, address)
    rules = BuildRules.load(config, base)
    warn_of_self_judging(config, progress)
    for description in recordings(config) if batches is None else ():
        progress(Note(description))
    folder_of_run = RunFolder(Path(run))
    content = content_hashes(config, rules, base)
    folder_of_run.make()
    with ExitStack() as end:
        store = end.enter_context(run_store(folder_of_run))
        # Where no reply is stored there is nothing that a change could mix up.
        accepted = accept_changes or not store.totals().calls
        if changed := folder_of_run.prepare(config, content, accept_changes=accepted):
            progress(Note(changed))
        store.begin(identity(folder_of_run.saved(), limit))
        requests = None
        if batches:
            requests = PendingCalls(folder_of_run.path / "batch.sqlite", create=True)
            end.callback(requests.close)
            check_out(batches, requests)
            requests.begin()
        corpus, summary = read_corpus(config, rules.domains, base, folder_of_run, limit)
        end.callback(corpus.close)
        note_problems(folder_of_run, progress, named=True)
        check_company(config, corpus, limit, progress)
        task = BuildTask(corpus, summary, rules, store, folder_of_run, limit)
        if on_ray:
            from pairwright.workflows.workers.cluster import build_over_actors

            meter = build_over_actors(task, progress, stop, address)
        else:
            meter = run_async(_build_in_process(task, requests, progress, stop))
        tally = conclude(task)
        if missing := sum(n for (_, why), n in tally.failed.items() if why == NOT_RECORDED):
            progress(
                Note(
                    f"{number_of(missing, 'unit')} failed: a call is not in the recording, which"
                    " has the calls of one config. Undo what was changed since; or name a real"
                    " endpoint as base_url and build again: only missing calls are sent."
                )
            )
        round_ = None
        if batches and requests and tally.waiting:
            endpoints = {name: config.endpoints[name] for name in config.roles.all}
            round_ = write_round(requests, batches, endpoints)
        status = status_of(folder_of_run, store, config, tally)
        return BuildResult(status, meter.counts(), round_)


async def _build_in_process(
    task: BuildTask, requests: PendingCalls | None, progress: Progress, stop: Stop
) -> Meter:
    config, store, corpus = task.rules.config, task.store, task.corpus
    rules = replace(task.rules, others=corpus.others)

    def ended(unit: UnitRow) -> None:
        progress(UnitEnded(unit))

    async with AsyncExitStack() as end:
        models = (
            batch_models(config, store, requests)
            if requests
            else await end.enter_async_context(
                open_models(config, store, lambda text: progress(Note(text)))
            )
        )
        end.enter_context(stop.heard_by(models.stop, models.meter))
        progress(BuildBegun(task.total, models.meter))
        for units in task.steps():
            todo = unfinished(units, store, ended)
            await build_units(todo, corpus, rules, models, store, ended)
        return models.meter
