"""`build`: from a config and a source to the files of a run."""

from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, TypeAlias

from typer import Argument, Option

from pairwright import sources
from pairwright.build_statement import SourceSummary
from pairwright.construct.corpus import Corpus
from pairwright.construct.folder import RunFolder, content_hashes, identity
from pairwright.construct.natural import natural_items
from pairwright.construct.outcomes import Outcomes, write_files
from pairwright.construct.session import Session, batch_models, open_models
from pairwright.construct.status import RunStatus, make_manifest, source_problems, status_of
from pairwright.errors import InputError, on_disk
from pairwright.models.batch import RequestFile, Requests
from pairwright.models.client import Meter
from pairwright.models.recording import NOT_RECORDED, read_recording
from pairwright.models.store import Store
from pairwright.modes import check_modes, need_partners
from pairwright.modes.rules import BuildRules
from pairwright.options import ColumnMap
from pairwright.progress import Note, Progress, Step, Stop, log_notes, run_async
from pairwright.records import Item
from pairwright.settings.config import Config
from pairwright.sources import Problems
from pairwright.text import number_of

ConfigPath: TypeAlias = Annotated[
    Path | str | Config, Argument(help="The run's configuration.", metavar="CONFIG.toml")
]


@dataclass(frozen=True)
class BuildResult:
    """The result of a build."""

    status: RunStatus
    """Its counts by outcome, its checks, and what its store holds."""
    usage: Meter
    """The calls that this build sent and had answered."""
    requests: tuple[RequestFile, ...]
    """The files that wait for replies, if the build wrote its calls to files."""

    @property
    def whole(self) -> bool:
        """Whether every unit was kept or dropped, none failed and none waits, few were dropped for
        want of a usable reply, and something is kept."""
        return not (self.status.is_short or self.status.count("waiting"))


def build(
    config: ConfigPath,
    run: Annotated[Path | str, Option(help="The run folder.", metavar="DIR")],
    *,
    folder: str | Path | None = None,
    limit: Annotated[int | None, Option(help="Only the first N items.", metavar="N", min=1)] = None,
    columns: ColumnMap = (),
    accept_changes: Annotated[
        bool, Option("--accept-changes", help="Accept a changed configuration.")
    ] = False,
    address: Annotated[
        str | None, Option(help="Head of a Ray cluster.", metavar="HOST:PORT")
    ] = None,
    batch: Annotated[bool, Option("--batch", help="Write the calls to files instead.")] = False,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> BuildResult:
    """Build preference pairs from user histories.

    Running the same command again resumes: finished calls are never sent twice. WHAT is a column
    of the source, such as user, COLUMN its name in the file.

    Raises ConfigError and InputError for what must be corrected first, SourceError for data that
    cannot be read, EndpointRefused where an endpoint refuses, Interrupted after `stop` (every
    finished call is stored), and StoreError where the run folder cannot be written. The paths of a
    Config start from `folder`.

        result = build("study/pairwright.toml", "study/run", limit=20)
        print(result.status.pairs, "pairs;", result.usage.sent, "calls")

    Examples::

        pairwright build pairwright.toml --run runs/first --limit 20
        pairwright build pairwright.toml --run runs/first
        pairwright build pairwright.toml --run runs/first --batch
        pairwright build pairwright.toml --run /shared/first --address 10.0.0.1:6379
    """
    stop = stop or Stop()
    if batch and address is not None:
        raise InputError(
            "calls that are only written down cannot be shared",
            where="--batch",
            fix="Leave --address out.",
        )
    rules = BuildRules.load(config, folder, columns)
    check_modes(rules.config, rules.path)
    endpoints, roles = rules.config.endpoints, rules.config.roles
    # The models of a recording are past choosing.
    writers, judges = (
        {one.model for name in names if name and not (one := endpoints[name]).recording}
        for names in (roles.generator, roles.judge)
    )
    if rules.config.gated and judges & writers:
        progress(
            Note(
                "Note: the judge is also a generator. Models favour their own answers; another"
                " model as judge (under roles) is better evidence."
            )
        )
    recordings = (endpoints[name].recording for name in roles.all if not batch)
    for path in dict.fromkeys(filter(None, recordings)):
        progress(Note(read_recording(Path(path))[0]))
    # There is no work to share if calls are only written down.
    on_ray = not batch and (address is not None or rules.config.processes > 1)
    if on_ray:
        from pairwright.construct.ray import connect

        connect(rules.config, address)
    run_folder = RunFolder(Path(run))
    source_hash = sources.source_hash(rules.config.source, rules.folder)
    run_folder.make()
    with ExitStack() as end:
        store = end.enter_context(run_folder.store())
        # As long as no reply is stored there is nothing that a change could mix up.
        accepted = accept_changes or not store.totals().calls
        content = content_hashes(rules, source_hash)
        if changed := run_folder.prepare(rules.config, content, accept_changes=accepted):
            progress(Note(changed))
        outcomes, follows = Outcomes(store), identity(run_folder.saved(), limit)
        outcomes.begin(follows)
        requests = Requests(store) if batch else None
        if requests:
            requests.begin()
        corpus, problems = end.enter_context(_read_source(rules, run_folder, limit, progress))
        session = Session(corpus, rules, outcomes, limit)
        if on_ray:
            from pairwright.construct.ray import build_on_ray

            meter = build_on_ray(session, run_folder, store, follows, progress, stop)
        else:
            meter = run_async(_build_here(session, store, requests, progress, stop))
        found = status_of(run_folder, store, rules.config)
        if missing := found.reasons("failed")[NOT_RECORDED]:
            progress(Note(f"{number_of(missing, 'unit')} failed: {_NOT_RECORDED}"))
        if not found.count("waiting"):
            # As long as a unit waits, files that are there are of a whole run.
            source = SourceSummary(
                path=Path(rules.config.source.path).name,
                hash=source_hash,
                items=len(corpus),
                refused=problems.counts("refused"),
                repaired=problems.counts("repaired"),
            )
            write_files(
                store, run_folder.path, make_manifest(found, store, rules.prompts.hashes, source)
            )
            outcomes.finish()
            return BuildResult(replace(found, finished=True), meter, ())
        asked = {name: endpoints[name] for name in roles.all}
        return BuildResult(found, meter, requests.write(asked) if requests else ())


_NOT_RECORDED = (
    "a call is not in the recording, which has the calls of one config. Undo what was changed"
    " since; or name a real endpoint as base_url and build again: only missing calls are sent."
)


@contextmanager
def _read_source(
    rules: BuildRules, run: RunFolder, limit: int | None, progress: Progress
) -> Iterator[tuple[Corpus, Problems]]:
    """The source's items as a corpus, and what was refused or repaired: every problem is a line of
    `source_problems.jsonl`.

    Raises InputError and SourceError for what cannot be built from, as when no item can have a twin
    and nothing else is to be built.
    """
    config, partial = rules.config, run.problems.with_suffix(".partial")
    with on_disk(run.problems), partial.open("w", encoding="utf-8") as file:
        problems = Problems(lambda one: file.write(f"{one.model_dump_json()}\n"))
        corpus = Corpus.write(_items(rules, problems), run.items, config.seed)
    partial.replace(run.problems)
    with closing(corpus):
        if lines := source_problems(run):
            listed = "\n  ".join(["Rows and posts of the source:", *lines])
            progress(Note(f"{listed}\n  {run.problems} names every one."))
        if need_partners(config.modes):
            items = corpus.entries[:limit]
            alone = sum(len(corpus.blocks[item.category, item.user]) < 2 for item in items)
            of = f"{alone:,} of {number_of(len(items), 'item')}"
            why = f"no twin can be made of {of}: the user is the only one of the category"
            fix = (
                "A twin needs two users: add users, or give those who ask alike the same category."
            )
            if alone == len(items) and all(need_partners([mode]) for mode in config.modes):
                raise InputError(why, where=config.source.path, fix=fix)
            if alone:
                progress(Note(f"Note: {why}. {fix}"))
        yield corpus, problems


def _items(rules: BuildRules, problems: Problems) -> Iterator[Item]:
    """The source's items; of people's own choices one for each natural twin."""
    config, of = rules.config, (rules.domains, rules.folder, problems)
    if not config.own_choices:
        yield from sources.read(config.source, *of)
        return
    choosers = sources.read_choosers(config.source, *of)
    most, least, item = config.natural.twins_per_user, config.source.min_posts, None
    for item in natural_items(choosers, most, least, config.seed, problems):
        yield item
    if item is None:
        raise sources.nothing_usable(config.source, rules.folder, problems)


async def _build_here(
    session: Session, store: Store, requests: Requests | None, progress: Progress, stop: Stop
) -> Meter:
    """Build every unit in this process."""
    config = session.rules.config
    async with AsyncExitStack() as end:
        models = (
            batch_models(config, store, requests)
            if requests
            else await end.enter_async_context(
                open_models(config, store, lambda text: progress(Note(text)))
            )
        )
        end.enter_context(stop.heard_by(models.stop))
        progress(Step("building", 0, session.total, models.meter))
        for units in session.steps(progress):
            await session.build(units, models, progress)
        return models.meter
