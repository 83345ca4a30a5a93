"""One build of one run folder: its units, the order in which they are built, and the work on them.

To resume is to run again: a unit that has an outcome keeps it, every other one is built, and the
store answers what was asked before.

A build with twins has three steps: the plan of every item, together with the units of one user; the
matching; the units of two users. A question with a signal gives a twin, one on which nothing is
known of either user a placebo.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import (
    Failed,
    Outcome,
    Outcomes,
    Planned,
    Unit,
    UnitResult,
    outcome_of,
)
from pairwright.construct.partners import Candidates, Question, assign_partners, plan_question
from pairwright.construct.status import cost
from pairwright.errors import CallFailed, Interrupted, Unanswered
from pairwright.models import CallLog, Models
from pairwright.models.batch import Recorder, Requests
from pairwright.models.client import INTERRUPTED, Meter
from pairwright.models.connect import RunModels, Say, open_clients, say
from pairwright.models.model import work_through
from pairwright.models.store import Store
from pairwright.modes import MODES
from pairwright.modes.rules import BuildRules, have_same_posts
from pairwright.progress import UnitEnded
from pairwright.records import Dropped, Item, Rubric
from pairwright.settings.config import Config

WAITING = Failed(reason="partners", waits=True)
NO_PLACEBO = Dropped(
    stage="plan",
    reason="personal_signal",
    detail="the asker's posts show a personal signal: the question is nothing for a placebo",
)
"""The reason that a question with a signal gives no unit if only placebos are built."""


@dataclass(frozen=True)
class Session:
    """The work of one build."""

    corpus: Corpus
    rules: BuildRules
    outcomes: Outcomes
    limit: int | None = None
    """The number of items to use, counted from the first of the source."""

    @property
    def items(self) -> range:
        """The items to build from."""
        return range(len(self.corpus.entries[: self.limit]))

    @property
    def modes(self) -> tuple[str, ...]:
        return self.rules.config.modes

    @cached_property
    def _coupled(self) -> tuple[str, ...]:
        """The modes whose units have a second user, twins first."""
        return tuple(mode for mode in MODES if mode in self.modes and MODES[mode].needs_partner)

    @property
    def total(self) -> int:
        """The number of units, plans included."""
        return len(self.items) * (len(self.modes) + bool(self._coupled))

    def steps(self, ended: Callable[[UnitEnded], None]) -> Iterator[Iterator[Unit]]:
        """The units of each step that have no outcome yet, in the order in which they are best
        built; `ended` is called with the others. Those of one step must have ended, with their
        outcomes in the store, before the next is asked for."""

        def has_ended(unit: Unit) -> bool:
            if outcome := self.outcomes.ended(unit.position, unit.id):
                ended(event_of(outcome))
            return outcome is not None

        yield (unit for unit in self._first_units() if not has_ended(unit))
        if self._coupled:
            yield (self._matched(unit) for unit in self._units_of_two() if not has_ended(unit))

    def _first_units(self) -> Iterator[Unit]:
        """The plans, and the units of one user. These do not wait until all is planned: the units
        of one item ask for the same rubric."""
        for item in self.corpus.in_reading_order(self.items):
            if self._coupled:
                yield Unit(f"plan:{self.corpus.entries[item].id}", "plan", item, -1 - item)
            for mode in self.modes:
                if not MODES[mode].needs_partner:
                    yield self._unit(mode, item)

    def _units_of_two(self) -> Iterator[Unit]:
        """The units that need a second user. Every item has one of the first such mode, so that
        what is dropped has its reason, and one of each mode that takes it."""
        for item in self.corpus.in_reading_order(self.items):
            plan = self.outcomes.ended(-1 - item, f"plan:{self.corpus.entries[item].id}")
            for mode in dict.fromkeys((self._coupled[0], *self._taking(plan))):
                yield self._unit(mode, item)

    def _taking(self, plan: Outcome | None) -> tuple[str, ...]:
        """The modes of two users that take a planned question."""
        if plan is None or plan.kind != "planned":
            return ()
        signal = plan.reason == ""
        return tuple(mode for mode in self._coupled if ("signal" in MODES[mode].stages) == signal)

    def _matched(self, unit: Unit) -> Unit:
        """A unit of two users with its partner, or with its stored outcome."""
        (plan,) = self.outcomes.rows("position = ?", -1 - unit.item)
        if plan.kind != "planned":
            return self._unit(unit.mode, unit.item, settled=plan.read(Failed))
        rubric = plan.read(Planned).rubric
        refused = rubric if isinstance(rubric, Dropped) else NO_PLACEBO
        if unit.mode not in self._taking(plan):
            return self._unit(unit.mode, unit.item, settled=refused)
        own = rubric if isinstance(rubric, Rubric) else None
        partner = self._partners.get(plan.item, WAITING)
        if isinstance(partner, str):
            return self._unit(unit.mode, unit.item, partner=partner, rubric=own)
        return self._unit(unit.mode, unit.item, settled=partner)

    @cached_property
    def _partners(self) -> dict[str, str | Dropped]:
        """The partner for each planned question, or why it has none; nothing while a plan waits for
        a batch, because it may change who is whose partner."""
        names = {self.corpus.entries[item].id for item in self.items}
        questions = list[Question]()
        for plan in self.outcomes.rows("mode = 'plan' AND kind != 'failed'"):
            if plan.kind == "waiting":
                return {}
            if plan.item in names and self._taking(plan):
                found = plan.read(Planned)
                of = plan.item, plan.user, found.possible, plan.reason == "", found.unplanned
                questions.append(Question(*of))
        config = self.rules.config
        return assign_partners(questions, config.twin.questions_per_couple, config.seed)

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
        name = f"{mode}:{self.corpus.entries[item].id}"
        return Unit(name, mode, item, position, partner, rubric, settled)


def event_of(outcome: Outcome) -> UnitEnded:
    """The event of a unit that has ended."""
    return UnitEnded(outcome.unit, outcome.mode, outcome.kind, outcome.reason)


@dataclass(frozen=True)
class Builder:
    """Builds units of a corpus by the rules of a run."""

    corpus: Corpus
    candidates: Candidates
    rules: BuildRules

    @classmethod
    def of(cls, corpus: Corpus, rules: BuildRules) -> "Builder":
        """A builder that compares each user with the candidates of the corpus."""
        config = rules.config
        count = config.planner.others if config.aspects == "planner" else 0
        candidates = Candidates(corpus, config.twin, count, rules.language)
        return cls(corpus, candidates, replace(rules, others=candidates.histories))

    async def build(
        self,
        units: Iterator[Unit],
        models: RunModels,
        outcomes: Outcomes,
        ended: Callable[[UnitEnded], None],
    ) -> None:
        """Build all units; `ended` is called with each once its outcome is written.

        Raises Interrupted (all finished calls are stored), EndpointRefused and StoreError.
        """
        interrupted = False

        async def work(unit: Unit) -> None:
            nonlocal interrupted
            try:
                outcome = await self.outcome(unit, models)
            except Interrupted:
                interrupted = True
                return
            except Exception as error:
                error.add_note(f"in unit {unit.id}")
                raise
            outcomes.add(outcome)
            ended(event_of(outcome))

        ahead = takewhile(lambda _: not interrupted, units)
        await work_through(ahead, work, workers=models.workers, stop=models.stop)
        if interrupted:
            raise Interrupted(INTERRUPTED)

    async def outcome(self, unit: Unit, source: RunModels) -> Outcome:
        """Build one unit."""
        item, mode, log = self.corpus.item(unit.item), MODES.get(unit.mode), CallLog()
        result: UnitResult
        try:
            if unit.settled:
                result = unit.settled
            elif mode and mode.given:
                result = mode.given(item)
            else:
                result = await self._built(unit, item, source.models(item.id, log))
        except CallFailed as error:
            result = Failed(reason=error.reason, detail=error.detail)
        except Unanswered as call:
            result = Failed(reason=call.purpose, waits=True)
        return outcome_of(unit, item, result, log)

    async def _built(self, unit: Unit, item: Item, models: Models) -> UnitResult:
        if unit.mode == "plan":
            tried = self.candidates.of(item)
            return await plan_question(item, tried, self.corpus, models, self.rules)
        partner = self.corpus.longest_item(unit.partner) if unit.partner else None
        if partner and have_same_posts(item, partner):
            detail = "both users have the same posts: one person may have both accounts"
            return Dropped(stage="partners", reason="same_posts", detail=detail)
        build = MODES[unit.mode].build
        assert build, "what is not given is built"
        return await build(item, partner, models, self.rules, unit.rubric)


# The models of a build


@asynccontextmanager
async def open_models(config: Config, store: Store, say: Say = say) -> AsyncIterator[RunModels]:
    """Connect the models of a build in this process."""
    meter = meter_of(config, store)
    used = {name: config.endpoints[name] for name in config.roles.all}
    async with open_clients(used, meter, store, say) as clients:
        yield RunModels(config, clients, meter)


def batch_models(config: Config, store: Store, requests: Requests) -> RunModels:
    """Models that write down the calls that are not stored yet.

    No endpoint is connected, and no key is read.
    """
    meter = meter_of(config, store)
    recorders = {name: Recorder(name, requests, meter) for name in config.roles.all}
    return RunModels(config, recorders, meter, waits=False)


def meter_of(config: Config, store: Store) -> Meter:
    """A meter that begins with what is stored, by which budgets go."""
    return Meter(
        max_calls=config.budget.max_calls,
        max_cost=config.budget.max_cost,
        calls=store.totals().calls,
        cost=cost(store, config) or 0.0,
    )
