"""One build of one run folder: read the source, match partners, work through the units, write.

To resume is to run again: a unit that has an outcome keeps it, every other one goes through every
stage, and the store answers what was asked before.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple, Protocol, assert_never

from pairwright import sources
from pairwright.construct.build_rules import BuildRules
from pairwright.construct.contrast import build_contrast
from pairwright.construct.corpus import Corpus
from pairwright.construct.folder import RunFolder
from pairwright.construct.manifest import SourceSummary, make_manifest
from pairwright.construct.outcomes import Brief, Failure, Outcome, Pending, write_outcomes
from pairwright.construct.partners import match_partners, suits
from pairwright.construct.resume import unfinished
from pairwright.construct.tally import ReplyCheck, Tally, model_checks
from pairwright.construct.twin import build_twin
from pairwright.construct.units import BuildUnit, all_units
from pairwright.dataset import line_writer
from pairwright.errors import CallFailed, Interrupted, Unanswered, on_disk
from pairwright.models import Models
from pairwright.models.run import traced, work_through
from pairwright.models.store import Store
from pairwright.modes import MODES
from pairwright.records import Contrast, Item, Rejected, Twin, content_id
from pairwright.settings.config import Config
from pairwright.settings.domains import Domains


class ModelSource(Protocol):
    """The models of a unit, how many units keep them busy, and how to stop them."""

    workers: int

    def models(self, generator: str) -> Models:
        """The models of one piece of work, with one of the run's generators."""
        ...

    def stop(self) -> None:
        """Send no new calls."""
        ...


class BuildTask(NamedTuple):
    """What is to be built, by which rules, and where its outcomes go."""

    corpus: Corpus
    summary: SourceSummary
    rules: BuildRules
    store: Store
    run: RunFolder
    limit: int | None
    """Only so many items, the first of the source."""

    @property
    def total(self) -> int:
        """The number of units."""
        items = len(self.corpus) if self.limit is None else min(self.limit, len(self.corpus))
        return items * len(self.rules.config.modes)

    def units(self) -> Iterator[BuildUnit]:
        """Every unit, in the order in which they are best worked on."""
        return all_units(self.corpus, self.rules.config.modes, self.limit)


def read_corpus(
    config: Config, domains: Domains, folder: Path, run: RunFolder
) -> tuple[Corpus, SourceSummary]:
    """The source's items as a corpus with partners, and what was refused or repaired.

    Every problem is a line of `source_problems.jsonl`.
    """
    counted: dict[str, Counter[str]] = {"refused": Counter(), "repaired": Counter()}
    partial = run.problems.with_suffix(".partial")
    with on_disk(run.problems), partial.open("w", encoding="utf-8") as file:
        problems = line_writer(file)

        def items() -> Iterator[Item]:
            for row in sources.read(config.source, domains, folder):
                if isinstance(row, Item):
                    yield row
                else:
                    counted[row.action][row.reason] += 1
                    problems.write(row)

        corpus = Corpus.write(items(), run.items, config)
    partial.replace(run.problems)
    if any(MODES[mode].needs_partner for mode in config.modes):
        corpus.partners = match_partners(corpus, config.twin, config.seed)
    summary = SourceSummary(
        path=Path(config.source.path).name,
        hash=sources.source_hash(config.source, folder),
        items=len(corpus),
        refused=dict(sorted(counted["refused"].items())),
        repaired=dict(sorted(counted["repaired"].items())),
    )
    return corpus, summary


async def build_here(
    task: BuildTask, models: ModelSource, seen: Callable[[Brief], None]
) -> tuple[Tally, list[ReplyCheck]]:
    """Work through every unit, and write the outcome files unless a unit waits for a batch.

    `seen` is called with each outcome as it comes. Raises Interrupted (nothing is written, all
    finished calls are stored), EndpointRefused and StoreError.
    """
    counted = Tally()

    def count(outcome: Outcome) -> None:
        counted.add(outcome)
        seen(outcome.brief)

    corpus, rules = task.corpus, task.rules.with_other_users(task.corpus)
    todo = unfinished(task.units(), task.store, count)
    await build_units(todo, corpus, rules, models, task.store, count)
    return counted, conclude(task, counted)


async def build_units(
    todo: Iterator[BuildUnit],
    corpus: Corpus,
    rules: BuildRules,
    models: ModelSource,
    store: Store,
    ended: Callable[[Outcome], None],
) -> None:
    """Work through some units; each outcome is put into the store. Raises as
    `build_here` does."""
    interrupted = False

    async def work(unit: BuildUnit) -> None:
        nonlocal interrupted
        try:
            outcome = await _outcome(unit, corpus, rules, models)
        except Interrupted:
            interrupted = True
            return
        except Exception as error:
            error.add_note(f"in unit {unit.id}")
            raise
        store.add_outcome(unit.position, unit.id, outcome.kind, outcome.model_dump_json())
        ended(outcome)

    ahead = takewhile(lambda _: not interrupted, todo)
    await work_through(ahead, work, workers=models.workers, stop=models.stop)
    if interrupted:
        raise Interrupted("interrupted; every finished call is stored, run again to go on")


def conclude(task: BuildTask, counted: Tally) -> list[ReplyCheck]:
    """Write the outcome files of a run whose units have all ended, unless one waits."""
    store, rules = task.store, task.rules
    checked = model_checks(store, counted)
    if counted.waiting:
        # Files that are there are whole ones; the store and its outcomes say how far it is.
        return checked
    made = make_manifest(store, rules.config, rules.prompts, task.summary, counted, checked)
    write_outcomes(store, task.run.path, made)
    store.finish()
    return checked


async def _outcome(
    unit: BuildUnit, corpus: Corpus, rules: BuildRules, source: ModelSource
) -> Outcome:
    item = corpus.item(unit.item)
    models, log = traced(source.models(_generator(item, rules)))
    partner = corpus.partners.get(item.user) if MODES[unit.mode].needs_partner else None
    result: Contrast | Twin | Rejected | Failure | Pending
    try:
        result = await _build(unit, item, partner, corpus, models, rules)
    except CallFailed as error:
        result = Failure(failure=error.reason, detail=error.detail)
    except Unanswered as call:
        result = Pending(waits_for=call.purpose)
    return Outcome(
        unit=unit.id,
        mode=unit.mode,
        item_id=item.id,
        user=item.user,
        partner=partner,
        posts=len(item.profile),
        result=result,
        calls=tuple(log.made),
        prompt_tokens=log.prompt_tokens,
        completion_tokens=log.completion_tokens,
        simulated=log.simulated,
        recorded=tuple(sorted(log.recorded)),
        json_replies=log.json_replies,
        lenient=dict(log.lenient),
    )


async def _build(
    unit: BuildUnit,
    item: Item,
    partner: str | None,
    corpus: Corpus,
    models: Models,
    rules: BuildRules,
) -> Contrast | Twin | Rejected:
    match unit.mode:
        case "violate":
            return await build_contrast(item, models, rules)
        case "twin":
            return await _twin(item, partner, corpus, models, rules)
        case _:
            assert_never(unit.mode)


async def _twin(
    item: Item, partner: str | None, corpus: Corpus, models: Models, rules: BuildRules
) -> Twin | Rejected:
    """The twin with a partner who suits the question; raises as `build_twin` does."""
    if partner is None:
        return Rejected(stage="partners", reason="no_partner", detail="nobody left to match with")
    other = corpus.latest(partner)
    if not suits(item, other.profile, rules.config.twin):
        return Rejected(
            stage="partners",
            reason="partner_does_not_fit",
            detail="the partner's posts from before this question do not bear on it, repeat it,"
            " or are too few or too many beside the asker's",
        )
    return await build_twin(item, other, models, rules)


def _generator(item: Item, rules: BuildRules) -> str:
    """By the item's id, so that adding items moves no other item to another generator."""
    names = rules.config.roles.generator
    return names[int(content_id("generator", item.id)[-8:], 16) % len(names)]
