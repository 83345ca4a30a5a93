"""`pairwright build`."""

import asyncio
import contextlib
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console

from pairwright import sources
from pairwright.cli.batch.writing import BatchBuild
from pairwright.cli.progress import BuildPanel
from pairwright.cli.shell import program
from pairwright.cli.signals import stop_on_signals
from pairwright.cli.source_problems import tell_of_problems
from pairwright.cli.tables import estimate_tables, result_table
from pairwright.cli.workers.build import Work, build_over_workers
from pairwright.cli.workers.limits import most_workers
from pairwright.construct.build_rules import BuildRules
from pairwright.construct.estimate import estimate
from pairwright.construct.folder import RunFolder
from pairwright.construct.resume import identity
from pairwright.construct.run_pairs import iterate_pairs
from pairwright.construct.session import build, read_corpus
from pairwright.construct.tally import ModelCheck, Tally
from pairwright.errors import InputError
from pairwright.models.batch.rounds import MOST_LINES
from pairwright.models.client import Meter
from pairwright.models.store import Store
from pairwright.models.store.shards import merge_all
from pairwright.settings.config import SIMULATED_URL, Config, load
from pairwright.text import number_of
from pairwright.workflows import collector
from pairwright.workflows.run_models import open_models

ConfigPath = Annotated[Path, typer.Argument(metavar="CONFIG.toml", help="The run's configuration.")]


class Engine(StrEnum):
    """What shares the work of a build."""

    LOCAL = "local"
    RAY = "ray"


def build_command(
    config_path: ConfigPath,
    run: Annotated[Path, typer.Option("--run", metavar="DIR", help="The run folder.")],
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N items.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print calls, tokens and cost; send nothing.")
    ] = False,
    accept_changes: Annotated[
        bool,
        typer.Option(
            "--accept-changes", help="Go on in a folder that was built with another config."
        ),
    ] = False,
    batch_out: Annotated[
        Path | None,
        typer.Option(
            "--batch-out", metavar="OUT", help="Send nothing: write the calls to files below OUT."
        ),
    ] = None,
    batch_lines: Annotated[
        int, typer.Option(min=1, max=MOST_LINES, metavar="N", help="Most calls of one such file.")
    ] = MOST_LINES,
    engine: Annotated[
        Engine, typer.Option(help="What `processes` of the config are: of this machine, or actors.")
    ] = Engine.LOCAL,
    address: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Head of the Ray cluster.")
    ] = None,
) -> None:
    """Build preference pairs from user histories.

    Running the same command again resumes: finished calls are never sent twice.

    Examples:

      pairwright build pairwright.toml --run runs/first --dry-run

      pairwright build pairwright.toml --run runs/first --limit 20

      pairwright build pairwright.toml --run runs/first

      pairwright build pairwright.toml --run runs/first --batch-out batches

      pairwright build pairwright.toml --run /shared/first --engine ray --address 10.0.0.1:6379
    """
    if address is not None and engine is not Engine.RAY:
        raise InputError("only Ray has an address", where="--address", fix="Add --engine ray.")
    if batch_out is not None and engine is Engine.RAY:
        raise InputError(
            "calls that are only written down are no work to share",
            where="--batch-out",
            fix="Leave --engine ray out.",
        )
    config = load(config_path)
    if engine is Engine.RAY:
        from pairwright.cli.ray import check

        check(config, address)
    folder = config_path.resolve().parent
    rules = BuildRules.load(config, folder)
    console = Console(stderr=True)
    _warn_of_self_judging(config, console)
    if dry_run:
        _estimate(config, rules, folder, limit)
        return
    run_folder = RunFolder(run)
    content = _content(config, rules, folder)
    run_folder.make()
    store = Store(run_folder.calls)
    collector.ease()
    batch = None
    try:
        merge_all(store, run_folder.shards)
        # Where nothing is stored yet there is nothing that a change could mix up.
        accepted = accept_changes or not store.totals().calls
        run_folder.prepare(config, content, accept_changes=accepted)
        store.begin(identity(run_folder.saved(), limit))
        batch = BatchBuild.begin(batch_out, batch_lines, run_folder, config) if batch_out else None
        counted, checked, meter = _build(
            config,
            rules,
            folder,
            run_folder,
            store,
            limit,
            console,
            batch=batch,
            on_ray=engine is Engine.RAY,
            address=address,
        )
        out = Console()
        result_table(out, store, config, counted, checked, run_folder, meter)
        if batch and counted.waiting:
            batch.write(out, config_path)
        else:
            _next_steps(out, run_folder)
    finally:
        if batch:
            batch.close()
        store.close()
    if any(reason == "budget_spent" for _, reason in counted.failed):
        console.print("The budget is spent: raise [budget] to go on.", style="yellow")
    if counted.waiting:
        raise typer.Exit(3)
    if counted.failed:
        units = number_of(counted.failed.total(), "unit")
        console.print(
            f"{units} failed ({run_folder.path / 'failed.jsonl'} says why);"
            " run the same command again to ask for them only.",
            style="yellow",
        )
        raise typer.Exit(1)


def _next_steps(console: Console, run: RunFolder) -> None:
    """What to look at now, with ids that exist."""
    pair = next(iterate_pairs(run.path), None)
    look = ["status {} --verify"] if pair is None else ["show {} " + pair.id, "status {} --verify"]
    console.print("Look further:")
    for command in look:
        line = f"  {program()} {command.format(run.path)}"
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    files = "pairs.jsonl, rejected.jsonl, failed.jsonl, manifest.json"
    console.print(f"  {run.path}/: {files}", markup=False)


def _build(
    config: Config,
    rules: BuildRules,
    folder: Path,
    run: RunFolder,
    store: Store,
    limit: int | None,
    console: Console,
    *,
    batch: BatchBuild | None,
    on_ray: bool,
    address: str | None,
) -> tuple[Tally, list[ModelCheck], Meter]:
    corpus, summary = read_corpus(config, rules.domains, folder, run)
    tell_of_problems(console, run)
    wanted = len(corpus) if limit is None else min(limit, len(corpus))
    work = Work(corpus, summary, rules, store, run, limit)
    with contextlib.closing(corpus):
        # What is only written down is no work to share.
        if on_ray or (most_workers(config) > 1 and not batch):
            total = wanted * len(config.modes)
            return build_over_workers(work, total, console, on_ray=on_ray, address=address)
        return asyncio.run(_build_here(work, wanted * len(config.modes), console, batch))


async def _build_here(
    work: Work, total: int, console: Console, batch: BatchBuild | None
) -> tuple[Tally, list[ModelCheck], Meter]:
    corpus, summary, rules, store, run, limit = work
    async with batch.crew(store) if batch else open_models(rules.config, store) as crew:
        stop_on_signals(crew.stop, crew.meter, console)
        with BuildPanel(console, total, crew.meter) as progress:
            counted, checked = await build(
                corpus, summary, rules.with_other_users(corpus), crew, store, run,
                limit=limit, seen=progress.seen,
            )  # fmt: skip
        return counted, checked, crew.meter


def _estimate(config: Config, rules: BuildRules, folder: Path, limit: int | None) -> None:
    with TemporaryDirectory() as scratch:
        corpus, _ = read_corpus(config, rules.domains, folder, RunFolder(Path(scratch)))
        tell_of_problems(Console(stderr=True), RunFolder(Path(scratch)), kept=False)
        with contextlib.closing(corpus):
            estimate_tables(Console(), estimate(corpus, rules.with_other_users(corpus), limit))


def _content(config: Config, rules: BuildRules, folder: Path) -> dict[str, Any]:
    """Hashes of what the config names: another prompt or source is another run. The scales are
    kept whole: people will be asked in the words that the judges read."""
    rubrics = (sorted(rules.domains.by_key.items()), rules.scales)
    return {
        "source": sources.source_hash(config.source, folder),
        "rubrics": _digest(rubrics),
        "scales": [scale.model_dump(mode="json") for scale in rules.scales],
        "domains": {key: _digest(domain) for key, domain in rules.domains.by_key.items()},
        **{f"prompt_{name}": digest for name, digest in sorted(rules.prompts.hashes.items())},
    }


def _digest(value: object) -> str:
    return f"b2:{blake2b(repr(value).encode(), digest_size=16).hexdigest()}"


def _warn_of_self_judging(config: Config, console: Console) -> None:
    if all(SIMULATED_URL in config.endpoints[name].base_urls for name in config.roles.all):
        return
    models = {config.endpoints[name].model for name in config.roles.generator}
    if config.gated and config.endpoints[config.roles.judge].model in models:
        console.print(
            "Note: the judge is also a generator. Models favour their own answers;"
            " another model as judge (under roles) is better evidence.",
            style="yellow",
        )
