"""One build of one run folder: read the source, work through the units step by step, write.

To resume is to run again: a unit that has an outcome keeps it, every other one goes through every
stage, and the store answers what was asked before.

A build with twins has three steps: the survey, and beside it the units that need no partner; the
matching; the units of two users. A question with a signal gives a twin, one on which nothing is
known a placebo.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from pairwright import sources
from pairwright.build_statement import SourceSummary
from pairwright.construct.candidates import choose_others
from pairwright.construct.corpus import BuildUnit, Corpus, UnitTask, all_units, first_items
from pairwright.construct.folder import RunFolder
from pairwright.construct.manifest import make_manifest
from pairwright.construct.natural import natural_items
from pairwright.construct.outcomes import Failure, Pending, write_outcomes
from pairwright.construct.partners import (
    Survey,
    SurveyedQuestion,
    assign_partners,
    iterate_surveys,
)
from pairwright.construct.tally import Tally, tally_outcomes
from pairwright.construct.unit_work import ModelSource, work_on
from pairwright.dataset import line_writer
from pairwright.drafting.rules import BuildRules
from pairwright.errors import Interrupted, on_disk
from pairwright.models.store import Store, UnitRow
from pairwright.models.work import work_through
from pairwright.modes import MODES, need_partners
from pairwright.records import Dropped, Item
from pairwright.settings.config import Config
from pairwright.settings.domains import Domains
from pairwright.sources import Problems

Partners = dict[str, str | Dropped | Failure | Pending]
"""By unit: the second user, or why there is none. Units that the survey rules out are not in it."""


class BuildTask(NamedTuple):
    """What is to be built, by which rules, and where its outcomes go."""

    corpus: Corpus
    summary: SourceSummary
    rules: BuildRules
    store: Store
    run: RunFolder
    limit: int | None = None
    """Only so many items, the first of the source."""

    @property
    def items(self) -> range:
        """The items to build from."""
        return first_items(self.corpus, self.limit)

    @property
    def modes(self) -> tuple[str, ...]:
        return self.rules.config.modes

    @property
    def total(self) -> int:
        """The number of units, surveys included."""
        return len(self.items) * (len(self.modes) + need_partners(self.modes))

    def steps(self) -> Iterator[Iterable[BuildUnit]]:
        """The units of each step, in the order in which they are best worked on. Those of one
        must have ended, with their outcomes in the store, before the next step is asked for."""
        if not need_partners(self.modes):
            yield self.units(self.modes)
        else:
            yield self.first_units()
            yield self.coupled_units(match_surveyed(self))

    def units(self, tasks: tuple[UnitTask, ...]) -> Iterator[BuildUnit]:
        return all_units(self.corpus, self.modes, tasks, self.items)

    def first_units(self) -> Iterator[BuildUnit]:
        """The surveys, and what needs no partner, which does not wait until all are surveyed: the
        units of one item ask for the same rubric."""
        alone = (mode for mode in self.modes if not MODES[mode].needs_partner)
        return self.units(("survey", *alone))

    @property
    def coupled_modes(self) -> tuple[str, ...]:
        """The modes whose units have a second user, twins first. Every item has a unit of the first
        of them, so that what is dropped has its reason, and of the others where the survey allows
        one."""
        return tuple(mode for mode in MODES if mode in self.modes and MODES[mode].needs_partner)

    def coupled_units(self, partners: Partners) -> Iterator[BuildUnit]:
        """The units that need a second user, each with that user or why there is none."""
        first, *_ = self.coupled_modes
        for unit in self.units(self.coupled_modes):
            if unit.mode == first or unit.id in partners:
                yield unit._replace(partner=partners.get(unit.id))


def match_surveyed(task: BuildTask) -> Partners:
    """The second user of each unit that needs one, by the survey of the items; while a survey waits
    for a batch, so do all of them."""
    partners: Partners = {}
    questions = list[SurveyedQuestion]()
    modes = task.coupled_modes

    def taking(signal: bool) -> list[str]:
        """The modes that take a question by whether its asker's posts show a signal."""
        return [mode for mode in modes if ("signal" in MODES[mode].stages) == signal]

    config = task.rules.config
    names = {task.corpus.entries[item].id for item in task.items}
    users: dict[str, str] = {}
    """Each name once: many questions have one user among their candidates."""
    for surveyed in iterate_surveys(task.store):
        result = surveyed.result
        if surveyed.item_id not in names:
            continue
        if not isinstance(result, Survey):
            partners[f"{modes[0]}:{surveyed.item_id}"] = result
            continue
        if taking(result.signal):
            possible = tuple(
                one._replace(user=users.setdefault(one.user, one.user)) for one in result.possible
            )
            questions.append(
                SurveyedQuestion(surveyed.item_id, surveyed.user, possible, result.signal)
            )
    if any(isinstance(result, Pending) for result in partners.values()):
        waiting = Pending(waits_for="partners")
        assigned: Partners = {question.item: waiting for question in questions}
    else:
        assigned = dict(assign_partners(questions, config.twin.questions_per_couple, config.seed))
    for question in questions:
        for mode in taking(question.signal):
            partners[f"{mode}:{question.item}"] = assigned[question.item]
    return partners


def read_corpus(
    config: Config, domains: Domains, folder: Path, run: RunFolder, limit: int | None
) -> tuple[Corpus, SourceSummary]:
    """The source's items as a corpus, and what was refused or repaired.

    With `limit`, only the first items are tried on other users. Every problem is a line of
    `source_problems.jsonl`.
    """
    partial = run.problems.with_suffix(".partial")
    with on_disk(run.problems), partial.open("w", encoding="utf-8") as file:
        problems = Problems(line_writer(file).write)
        items = _read(config, domains, folder, problems)
        corpus = Corpus.write(items, run.items, config)
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
        refused=problems.counts("refused"),
        repaired=problems.counts("repaired"),
    )
    return corpus, summary


def _read(config: Config, domains: Domains, folder: Path, problems: Problems) -> Iterator[Item]:
    """The source's items; of people's own choices one for each natural twin."""
    if not config.own_choices:
        yield from sources.read(config.source, domains, folder, problems)
        return
    source, choosers = sources.read_choosers(config.source, domains, folder, problems)
    most, least = config.natural.twins_per_user, config.source.min_posts
    items = natural_items(choosers, most, least, config.seed, problems)
    yield from sources.some_items(source, items, problems)


async def build_units(
    todo: Iterator[BuildUnit],
    corpus: Corpus,
    rules: BuildRules,
    models: ModelSource,
    store: Store,
    ended: Callable[[UnitRow], None],
) -> None:
    """Work through some units; each outcome is put into the store, and `ended` is called with it.

    Raises Interrupted (all finished calls are stored), EndpointRefused and StoreError.
    """
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
        row = outcome.row(unit.position)
        store.add_outcome(row)
        ended(row._replace(record=""))

    ahead = takewhile(lambda _: not interrupted, todo)
    await work_through(ahead, work, workers=models.workers, stop=models.stop)
    if interrupted:
        raise Interrupted("interrupted; every finished call is stored, run again to go on")


def conclude(task: BuildTask) -> Tally:
    """Count the units of a run, which have all ended, and write the outcome files unless one
    waits."""
    store, rules = task.store, task.rules
    counted = tally_outcomes(store)
    if counted.waiting:
        # Files that are there are whole ones; the store and its outcomes say how far it is.
        return counted
    manifest = make_manifest(store, rules.config, rules.prompts, task.summary, counted)
    write_outcomes(store, task.run.path, manifest)
    store.finish()
    return counted
