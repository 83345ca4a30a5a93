"""One build of one run folder: what its units are, and in which order they are built.

To resume is to run again: a unit that has an outcome keeps it, every other one is built, and the
store answers what was asked before.

A build with twins has three steps: the plan of every item, and beside it the units of one user; the
matching; the units of two users. A question with a signal gives a twin, one on which nothing is
known of either user a placebo.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pairwright import sources
from pairwright.build_statement import SourceSummary
from pairwright.construct.corpus import Corpus
from pairwright.construct.folder import RunFolder
from pairwright.construct.natural import natural_items
from pairwright.construct.outcomes import Failed, Outcome, Outcomes, Planned, Unit
from pairwright.construct.partners import Question, assign_partners
from pairwright.construct.units import event_of
from pairwright.drafting.rules import BuildRules
from pairwright.errors import on_disk
from pairwright.lines import line_of
from pairwright.modes import MODES, need_partners
from pairwright.progress import UnitEnded
from pairwright.records import Dropped, Item, Rubric
from pairwright.settings.config import Config
from pairwright.settings.domains import Domains
from pairwright.sources import Problems

WAITING = Failed(reason="partners", waits=True)


@dataclass(frozen=True)
class Session:
    """What one build has to do."""

    corpus: Corpus
    rules: BuildRules
    outcomes: Outcomes
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
        """The number of units, plans included."""
        return len(self.items) * (len(self.modes) + need_partners(self.modes))

    def steps(self, ended: Callable[[UnitEnded], None]) -> Iterator[Iterator[Unit]]:
        """The units of each step that have no outcome yet, in the order in which they are best
        built; `ended` is called with the others. Those of one step must have ended, with their
        outcomes in the store, before the next is asked for."""
        yield self._unfinished(self._first_units(), ended)
        if need_partners(self.modes):
            yield map(self._assigned, self._unfinished(self._units_of_two(), ended))

    def _unfinished(
        self, units: Iterable[Unit], ended: Callable[[UnitEnded], None]
    ) -> Iterator[Unit]:
        for unit in units:
            outcome = self.outcomes.ended(unit.position, unit.id)
            if outcome is None:
                yield unit
            else:
                ended(event_of(outcome))

    def _first_units(self) -> Iterator[Unit]:
        """The plans, and the units of one user. These do not wait until all is planned: the units
        of one item ask for the same rubric."""
        alone = [mode for mode in self.modes if not MODES[mode].needs_partner]
        for item in self.corpus.in_reading_order(self.items):
            if need_partners(self.modes):
                yield Unit(f"plan:{self._name(item)}", "plan", item, -1 - item)
            for mode in alone:
                yield self._unit(mode, item)

    def _units_of_two(self) -> Iterator[Unit]:
        """The units that need a second user. Every item has one of the first such mode, so that
        what is dropped has its reason, and one of each mode that takes it."""
        for item in self.corpus.in_reading_order(self.items):
            plan = self.outcomes.ended(-1 - item, f"plan:{self._name(item)}")
            taking = self._modes_of(plan) if plan else ()
            for mode in dict.fromkeys((self._coupled[0], *taking)):
                yield self._unit(mode, item)

    def _modes_of(self, plan: Outcome) -> tuple[str, ...]:
        """The modes of two users that take a planned question."""
        if plan.kind != "planned":
            return ()
        signal = plan.reason == ""
        return tuple(mode for mode in self._coupled if ("signal" in MODES[mode].stages) == signal)

    def _assigned(self, unit: Unit) -> Unit:
        """A unit of two users with its partner, or with what came of it already."""
        (plan,) = self.outcomes.rows("position = ?", -1 - unit.item)
        if plan.kind != "planned":
            return self._unit(unit.mode, unit.item, settled=plan.read(Failed))
        rubric = plan.read(Planned).rubric
        if unit.mode not in self._modes_of(plan):
            return self._unit(unit.mode, unit.item, settled=_left_over(rubric))
        partner = self._partners.get(plan.item, WAITING)
        if not isinstance(partner, str):
            return self._unit(unit.mode, unit.item, settled=partner)
        own = rubric if isinstance(rubric, Rubric) else None
        return self._unit(unit.mode, unit.item, partner=partner, rubric=own)

    @cached_property
    def _coupled(self) -> tuple[str, ...]:
        """The modes whose units have a second user, twins first."""
        return tuple(mode for mode in MODES if mode in self.modes and MODES[mode].needs_partner)

    @cached_property
    def _partners(self) -> dict[str, str | Dropped]:
        """The partner for each planned question, or why it has none; nothing while a plan waits for
        a batch, because it may change who is whose partner."""
        names = {self._name(item) for item in self.items}
        questions = list[Question]()
        for plan in self.outcomes.rows("mode = 'plan' AND kind != 'failed'"):
            if plan.kind == "waiting":
                return {}
            if plan.item in names and self._modes_of(plan):
                found = plan.read(Planned)
                of = plan.item, plan.user, found.possible, plan.reason == "", found.unplanned
                questions.append(Question(*of))
        config = self.rules.config
        return assign_partners(questions, config.twin.questions_per_couple, config.seed)

    def _name(self, item: int) -> str:
        return self.corpus.entries[item].id

    def _unit(
        self,
        mode: str,
        item: int,
        *,
        partner: str | None = None,
        rubric: Rubric | None = None,
        settled: Dropped | Failed | None = None,
    ) -> Unit:
        position = item * len(self.modes) + self.modes.index(mode)
        name = f"{mode}:{self._name(item)}"
        return Unit(name, mode, item, position, partner, rubric, settled)


def _left_over(rubric: Rubric | Dropped) -> Dropped:
    """Why the first mode of two users does not take a question."""
    if isinstance(rubric, Dropped):
        return rubric
    detail = "the asker's posts show a personal signal: the question is nothing for a placebo"
    return Dropped(stage="plan", reason="personal_signal", detail=detail)


def first_items(corpus: Corpus, limit: int | None) -> range:
    """The first `limit` items of the source, or all."""
    return range(len(corpus) if limit is None else min(limit, len(corpus)))


def read_corpus(
    config: Config, domains: Domains, folder: Path, run: RunFolder
) -> tuple[Corpus, Problems]:
    """The source's items as a corpus, and what was refused or repaired. Every problem is a line of
    `source_problems.jsonl`."""
    partial = run.problems.with_suffix(".partial")
    with on_disk(run.problems), partial.open("w", encoding="utf-8") as file:
        problems = Problems(lambda problem: file.write(line_of(problem)))
        items = _read(config, domains, folder, problems)
        corpus = Corpus.write(items, run.items, config.seed)
    partial.replace(run.problems)
    return corpus, problems


def source_summary(config: Config, digest: str, items: int, problems: Problems) -> SourceSummary:
    """The source as the manifest tells of it, by the hash of its content."""
    return SourceSummary(
        path=Path(config.source.path).name,
        hash=digest,
        items=items,
        refused=problems.counts("refused"),
        repaired=problems.counts("repaired"),
    )


def _read(config: Config, domains: Domains, folder: Path, problems: Problems) -> Iterator[Item]:
    """The source's items; of people's own choices one for each natural twin."""
    if not config.own_choices:
        yield from sources.read(config.source, domains, folder, problems)
        return
    source, choosers = sources.read_choosers(config.source, domains, folder, problems)
    most, least = config.natural.twins_per_user, config.source.min_posts
    items = natural_items(choosers, most, least, config.seed, problems)
    yield from sources.some_items(source, items, problems)
