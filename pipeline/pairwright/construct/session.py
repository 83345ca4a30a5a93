"""One build of one run folder: read the source, work through the units step by step, write.

To resume is to run again: a unit that has an outcome keeps it, every other one goes through every
stage, and the store answers what was asked before.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from pairwright import sources
from pairwright.construct.build_rules import BuildRules
from pairwright.construct.candidates import choose_others
from pairwright.construct.corpus import Corpus
from pairwright.construct.folder import RunFolder
from pairwright.construct.manifest import SourceSummary, make_manifest, reached_target
from pairwright.construct.natural import natural_items
from pairwright.construct.neighbours import add_neighbours
from pairwright.construct.outcomes import Brief, Outcome, write_outcomes
from pairwright.construct.resume import unfinished
from pairwright.construct.steps import BuildPlan, build_steps
from pairwright.construct.tally import ReplyCheck, Tally, model_checks, tally_outcomes
from pairwright.construct.unit_tally import entry_of
from pairwright.construct.unit_work import ModelSource, work_on
from pairwright.construct.units import BuildUnit, first_items
from pairwright.dataset import line_writer
from pairwright.errors import Interrupted, on_disk
from pairwright.models.run import work_through
from pairwright.models.store import Store
from pairwright.modes import need_partners
from pairwright.records import Item
from pairwright.settings.config import Config
from pairwright.settings.domains import Domains
from pairwright.sources import SourceProblem


class BuildTask(NamedTuple):
    """What is to be built, by which rules, and where its outcomes go."""

    corpus: Corpus
    summary: SourceSummary
    rules: BuildRules
    store: Store
    run: RunFolder
    limit: int | None = None
    """Only so many items, the first of the source."""
    target: int | None = None
    """No further unit is begun once so many twins are kept, or pairs where no twins are built."""

    @property
    def items(self) -> range:
        """The items to build from."""
        return first_items(self.corpus, self.limit)

    @property
    def total(self) -> int:
        """The number of units, surveys included; with a target, as many as it may take."""
        modes = self.rules.config.modes
        return len(self.items) * (len(modes) + need_partners(modes))

    def steps(self) -> Iterator[Iterable[BuildUnit]]:
        """The units of each step, in the order in which they are best worked on. Those of one
        must have ended before the next step is asked for."""
        plan = BuildPlan(self.corpus, self.rules.config, self.store, self.items)
        return build_steps(plan, self.target)


def read_corpus(
    config: Config, domains: Domains, folder: Path, run: RunFolder, limit: int | None
) -> tuple[Corpus, SourceSummary]:
    """The source's items as a corpus, and what was refused or repaired.

    With `limit`, only the first items are tried on other users. Every problem is a line of
    `source_problems.jsonl`.
    """
    counted: dict[str, Counter[str]] = {
        "refused": Counter(),
        "repaired": Counter(),
        "noted": Counter(),
    }
    partial = run.problems.with_suffix(".partial")
    with on_disk(run.problems), partial.open("w", encoding="utf-8") as file:
        problems = line_writer(file)

        def items() -> Iterator[Item]:
            for row in _read(config, domains, folder):
                if isinstance(row, Item):
                    yield row
                else:
                    counted[row.action][row.reason] += 1
                    problems.write(row)

        corpus = Corpus.write(items(), run.items, config)
    partial.replace(run.problems)
    if config.aspects == "planner" and not config.own_choices:
        corpus.choose_tried = lambda of: choose_others(
            of,
            config.twin,
            config.planner.others,
            limit,
            language=domains.item_language,
        )
    summary = SourceSummary(
        path=Path(config.source.path).name,
        hash=sources.source_hash(config.source, folder),
        items=len(corpus),
        refused=dict(sorted(counted["refused"].items())),
        repaired=dict(sorted(counted["repaired"].items())),
    )
    return corpus, summary


def _read(config: Config, domains: Domains, folder: Path) -> Iterator[Item | SourceProblem]:
    """The source's items; of people's own choices one for each pair or natural twin."""
    if "natural" not in config.modes:
        read = sources.read_accepted if config.own_choices else sources.read
        yield from read(config.source, domains, folder)
        return
    source, choosers = sources.read_choosers(config.source, domains, folder)
    most, least = config.natural.twins_per_user, config.source.min_posts
    names = sources.conversation_names(config.source, folder)
    items = add_neighbours(
        choosers, lambda rest: natural_items(rest, most, least, config.seed, names)
    )
    yield from sources.with_items(source, items)


async def build_here(
    task: BuildTask, models: ModelSource, on_outcome: Callable[[Brief], None]
) -> tuple[Tally, list[ReplyCheck]]:
    """Work through every unit, and write the outcome files unless a unit waits for a batch.

    `on_outcome` is called with each outcome. Raises Interrupted (nothing is written, all finished
    calls are stored), EndpointRefused and StoreError.
    """
    corpus, rules = task.corpus, task.rules.with_other_users(task.corpus)
    for units in task.steps():
        todo = unfinished(units, task.store, on_outcome)
        await build_units(todo, corpus, rules, models, task.store, on_outcome)
    return conclude(task)


async def build_units(
    todo: Iterator[BuildUnit],
    corpus: Corpus,
    rules: BuildRules,
    models: ModelSource,
    store: Store,
    ended: Callable[[Brief], None],
) -> None:
    """Work through some units; each outcome is put into the store. Raises as
    `build_here` does."""
    interrupted = False

    async def work(unit: BuildUnit) -> None:
        nonlocal interrupted
        try:
            outcome = await work_on(unit, corpus, rules, models)
        except Interrupted:
            interrupted = True
            return
        except Exception as error:
            error.add_note(f"in unit {unit.id}")
            raise
        entry = entry_of(outcome, store) if isinstance(outcome, Outcome) else None
        store.add_outcome(unit.position, unit.id, outcome.kind, outcome.model_dump_json(), entry)
        ended(outcome.brief)

    ahead = takewhile(lambda _: not interrupted, todo)
    await work_through(ahead, work, workers=models.workers, stop=models.stop)
    if interrupted:
        raise Interrupted("interrupted; every finished call is stored, run again to go on")


def conclude(task: BuildTask) -> tuple[Tally, list[ReplyCheck]]:
    """Count the units of a run, which have all ended, and write the outcome files unless one
    waits."""
    store, rules = task.store, task.rules
    counted = tally_outcomes(store)
    checked = model_checks(counted)
    if counted.waiting:
        # Files that are there are whole ones; the store and its outcomes say how far it is.
        return counted, checked
    target = None
    if task.target is not None:
        target = reached_target(task.target, rules.config.modes, len(task.items), counted)
    manifest = make_manifest(
        store, rules.config, rules.prompts, task.summary, counted, checked, target
    )
    write_outcomes(store, task.run.path, manifest)
    store.finish()
    return counted, checked
