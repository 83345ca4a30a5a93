"""Opening a run: its rules, its items, its store and its models, and what a person should know."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from functools import cached_property
from pathlib import Path

from pairwright import sources
from pairwright.build_statement import SourceSummary
from pairwright.construct.corpus import Corpus
from pairwright.construct.folder import RunFolder
from pairwright.construct.natural import natural_items
from pairwright.construct.shards import merge_all
from pairwright.construct.status import cost, source_problems
from pairwright.drafting.rules import BuildRules
from pairwright.errors import InputError, on_disk
from pairwright.lines import line_writer
from pairwright.models.batch import Recorder, Requests
from pairwright.models.client import Meter
from pairwright.models.connect import RunModels, Say, open_clients, say
from pairwright.models.recording import read_recording
from pairwright.models.store import Store
from pairwright.modes import check_modes, need_partners
from pairwright.progress import Note, Progress
from pairwright.records import Item
from pairwright.settings.config import Config
from pairwright.sources import Problems
from pairwright.text import number_of


class Opening:
    """A build that begins: the rules of its config, and the items of its source."""

    def __init__(
        self,
        config: str | Path | Config,
        folder: str | Path | None,
        progress: Progress,
        *,
        sends: bool = True,
    ) -> None:
        """Read the config, whose paths start from `folder` or from where its file is, and report
        what people should know of its models; `sends` is false if no call is sent.

        Raises ConfigError and InputError for what a build cannot have.
        """
        self.rules = BuildRules.load(config, folder)
        self._progress = progress
        check_modes(self.rules.config, self.rules.path)
        self._report_models(sends=sends)

    def _report_models(self, *, sends: bool) -> None:
        """Report where the judge is also a generator, and which replies come from a recording,
        whose models are past choosing."""
        endpoints, roles = self.rules.config.endpoints, self.rules.config.roles
        writers, judges = (
            {one.model for name in names if name and not (one := endpoints[name]).recording}
            for names in (roles.generator, roles.judge)
        )
        if self.rules.config.gated and judges & writers:
            self._progress(
                Note(
                    "Note: the judge is also a generator. Models favour their own answers; another"
                    " model as judge (under roles) is better evidence."
                )
            )
        named = (endpoints[name].recording for name in roles.all if sends)
        for path in dict.fromkeys(filter(None, named)):
            self._progress(Note(read_recording(Path(path)).about))

    @cached_property
    def source_hash(self) -> str:
        """What identifies the content of the source."""
        return sources.source_hash(self.rules.config.source, self.rules.folder)

    @contextmanager
    def corpus(
        self, run: RunFolder, limit: int | None, *, keep: bool = True
    ) -> Iterator[tuple[Corpus, SourceSummary]]:
        """The source's items as a corpus, and what was refused or repaired: every problem is a line
        of `source_problems.jsonl`, of which a reader is told if they `keep` the folder.

        Raises InputError and SourceError for what cannot be built from.
        """
        partial = run.problems.with_suffix(".partial")
        with on_disk(run.problems), partial.open("w", encoding="utf-8") as file:
            problems = Problems(line_writer(file).write)
            corpus = Corpus.write(self._items(problems), run.items, self.rules.config.seed)
        partial.replace(run.problems)
        if lines := source_problems(run):
            lines += (f"{run.problems} names every one.",) if keep else ()
            self._progress(Note("\n  ".join(["Rows and posts of the source:", *lines])))
        with closing(corpus):
            self._report_company(corpus, limit)
            yield (
                corpus,
                SourceSummary(
                    path=Path(self.rules.config.source.path).name,
                    hash=self.source_hash,
                    items=len(corpus),
                    refused=problems.counts("refused"),
                    repaired=problems.counts("repaired"),
                ),
            )

    def _items(self, problems: Problems) -> Iterator[Item]:
        """The source's items; of people's own choices one for each natural twin."""
        config, of = self.rules.config, (self.rules.domains, self.rules.folder, problems)
        if not config.own_choices:
            yield from sources.read(config.source, *of)
            return
        source, choosers = sources.read_choosers(config.source, *of)
        most, least = config.natural.twins_per_user, config.source.min_posts
        items = natural_items(choosers, most, least, config.seed, problems)
        yield from sources.some_items(source, items, problems)

    def _report_company(self, corpus: Corpus, limit: int | None) -> None:
        """Report items that can have no twin, because no other user is of their category.

        Raises InputError where that is every item, and nothing but twins is to be built.
        """
        config, items = self.rules.config, corpus.entries[:limit]
        alone = sum(corpus.users_of(item.category) < 2 for item in items)
        if not alone or not need_partners(config.modes):
            return
        of = f"{alone:,} of {number_of(len(items), 'item')}"
        why = f"no twin can be made of {of}: the user is the only one of the category"
        fix = "A twin needs two users: add users, or give those who ask alike the same category."
        if alone == len(items) and all(need_partners([mode]) for mode in config.modes):
            raise InputError(why, where=config.source.path, fix=fix)
        self._progress(Note(f"Note: {why}. {fix}"))


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
