"""Building the pairs of a run folder: in one process, in several, on Ray, or by batch files."""

from contextlib import AsyncExitStack, ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from pairwright.construct.build_rules import BuildRules
from pairwright.construct.estimate import BuildEstimate, estimate_calls
from pairwright.construct.folder import RunFolder
from pairwright.construct.resume import content_hashes, identity
from pairwright.construct.session import BuildTask, build_here, read_corpus
from pairwright.construct.tally import ReplyCheck, Tally
from pairwright.errors import InputError
from pairwright.models.batch import PendingCalls, Round, check_out, write_round
from pairwright.models.batch.rounds import MOST_LINES
from pairwright.models.client import Meter
from pairwright.models.store import Store
from pairwright.models.store.shards import merge_all
from pairwright.notebook import run_async
from pairwright.settings.config import Config, load
from pairwright.settings.endpoints import SIMULATED_URL
from pairwright.workflows.progress import (
    BuildBegun,
    Note,
    Progress,
    Stop,
    UnitEnded,
    log_notes,
)
from pairwright.workflows.run_models import MeterCounts, batch_models, call_counts, open_models
from pairwright.workflows.run_status import RunStatus, source_problems, status_of
from pairwright.workflows.workers.limits import most_workers
from pairwright.workflows.workers.shared_build import build_over_workers

BuildEngine = Literal["local", "ray"]
"""What shares the work of a build: processes of this machine, or actors of a Ray cluster."""


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
        """Whether every unit was kept or refused: none failed, and none waits."""
        return not (self.status.failed or self.status.waiting)


def build(
    config: str | Path | Config,
    run: str | Path,
    *,
    folder: str | Path | None = None,
    limit: int | None = None,
    accept_changes: bool = False,
    engine: BuildEngine = "local",
    address: str | None = None,
    batch_out: str | Path | None = None,
    batch_lines: int = MOST_LINES,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> BuildResult:
    """Build preference pairs from user histories into the run folder `run`.

    The same call again resumes: no finished call is sent twice. `config` is a TOML file, or a
    Config whose paths start from `folder`. `limit` builds the first items of the source only.
    `engine` and `address` choose what the config's `processes` are. With `batch_out` nothing is
    sent: the calls are written to files below it, of at most `batch_lines` calls each.

    With several processes, a script calls this below `if __name__ == "__main__":`, because
    multiprocessing imports the script again.

    Raises ConfigError and InputError for what must be mended first, SourceError for data that
    cannot be read, EndpointRefused where an endpoint refuses, Interrupted after `stop` (every
    finished call is stored), and StoreError where the run folder cannot be written.

        result = build("study/pairwright.toml", "study/run", limit=20)
        print(result.status.pairs, "pairs;", result.usage.sent, "calls")
    """
    on_ray, stop = engine == "ray", stop or Stop()
    batches = None if batch_out is None else Path(batch_out)
    _check_engine(address, batches, on_ray=on_ray)
    config, base = _config(config, folder)
    if on_ray:
        from pairwright.workflows.workers.cluster import check

        check(config, address)
    rules = BuildRules.load(config, base)
    _warn_of_self_judging(config, progress)
    folder_of_run = RunFolder(Path(run))
    content = content_hashes(config, rules, base)
    folder_of_run.make()
    with ExitStack() as end:
        store = end.enter_context(closing(Store(folder_of_run.calls)))
        merge_all(store, folder_of_run.shards)
        # Where nothing is stored yet there is nothing that a change could mix up.
        accepted = accept_changes or not store.totals().calls
        folder_of_run.prepare(config, content, accept_changes=accepted)
        store.begin(identity(folder_of_run.saved(), limit))
        requests = _begin_round(batches, folder_of_run, end) if batches else None
        corpus, summary = read_corpus(config, rules.domains, base, folder_of_run, limit)
        end.callback(corpus.close)
        _note_problems(folder_of_run, progress, named=True)
        task = BuildTask(corpus, summary, rules, store, folder_of_run, limit)
        # There is no work to share where calls are only written down.
        if on_ray or (most_workers(config) > 1 and not requests):
            tally, checks, meter = build_over_workers(
                task, progress, stop, on_ray=on_ray, address=address
            )
        else:
            tally, checks, meter = run_async(_build_in_process(task, requests, progress, stop))
        round_ = None
        if batches and requests and tally.waiting:
            endpoints = {name: config.endpoints[name] for name in config.roles.all}
            round_ = write_round(requests, batches, endpoints, batch_lines)
        status = status_of(folder_of_run, store, config, tally, checks)
        return BuildResult(status, call_counts(meter), round_)


def estimate(
    config: str | Path | Config,
    *,
    folder: str | Path | None = None,
    limit: int | None = None,
    progress: Progress = log_notes,
) -> BuildEstimate:
    """Estimate calls, tokens and cost of a build without sending or writing anything.

    The arguments are those of `build`. Raises ConfigError and SourceError.
    """
    config, base = _config(config, folder)
    rules = BuildRules.load(config, base)
    _warn_of_self_judging(config, progress)
    with TemporaryDirectory() as scratch:
        run = RunFolder(Path(scratch))
        corpus, _ = read_corpus(config, rules.domains, base, run, limit)
        _note_problems(run, progress, named=False)
        with closing(corpus):
            return estimate_calls(corpus, rules.with_other_users(corpus), limit)


async def _build_in_process(
    task: BuildTask, requests: PendingCalls | None, progress: Progress, stop: Stop
) -> tuple[Tally, list[ReplyCheck], Meter]:
    config, store = task.rules.config, task.store
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
        tally, checks = await build_here(task, models, lambda unit: progress(UnitEnded(unit)))
        return tally, checks, models.meter


def _config(config: str | Path | Config, folder: str | Path | None) -> tuple[Config, Path]:
    """The config, and the folder that its paths start from."""
    if isinstance(config, Config):
        return config, Path(folder or ".").resolve()
    path = Path(config)
    return load(path), Path(folder).resolve() if folder else path.resolve().parent


def _check_engine(address: str | None, batch_out: Path | None, *, on_ray: bool) -> None:
    if address is not None and not on_ray:
        raise InputError("only Ray has an address", where="--address", fix="Add --engine ray.")
    if batch_out is not None and on_ray:
        raise InputError(
            "calls that are only written down are no work to share",
            where="--batch-out",
            fix="Leave --engine ray out.",
        )


def _begin_round(out: Path, run: RunFolder, end: ExitStack) -> PendingCalls:
    """Begin a round of batch files. Raises InputError where `out` cannot take it."""
    requests = end.enter_context(closing(PendingCalls(run.path / "batch.sqlite", create=True)))
    check_out(out, requests)
    requests.begin()
    return requests


def _note_problems(run: RunFolder, progress: Progress, *, named: bool) -> None:
    lines = source_problems(run)
    if not lines:
        return
    if named:
        lines += (f"{run.problems} names every one.",)
    progress(Note("\n  ".join(["Rows and posts of the source:", *lines])))


def _warn_of_self_judging(config: Config, progress: Progress) -> None:
    if all(SIMULATED_URL in config.endpoints[name].base_urls for name in config.roles.all):
        return
    models = {config.endpoints[name].model for name in config.roles.generator}
    if config.gated and config.endpoints[config.roles.judge].model in models:
        progress(
            Note(
                "Note: the judge is also a generator. Models favour their own answers; another"
                " model as judge (under roles) is better evidence."
            )
        )
