"""One build of one run folder: its units, the order in which they are built, and the work on them.

To resume is to run again: a unit that has an outcome keeps it, every other one is built, and the
store answers what was asked before.

A build with twins has three steps: the plan of every item, together with the units of one user; the
matching; the units of two users. A question with a signal gives a twin, one on which nothing is
known of either user a placebo.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
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
    Result,
    Unit,
    outcome_of,
)
from pairwright.construct.partners import Asked, Candidates, assign_partners, plan_question
from pairwright.construct.status import cost
from pairwright.errors import CallFailed, Interrupted, Unanswered
from pairwright.models import CallLog, Model, Models
from pairwright.models.batch import Recorder, Requests
from pairwright.models.client import INTERRUPTED, Client, Meter
from pairwright.models.connect import Say, open_clients, say
from pairwright.models.model import work_through
from pairwright.models.store import Store
from pairwright.modes import MODES
from pairwright.modes.rules import BuildRules, have_same_posts
from pairwright.progress import UnitEnded
from pairwright.records import Dropped, Rubric, content_id
from pairwright.settings.config import Config
from pairwright.settings.endpoints import Sampling

Ended = Callable[[UnitEnded], None]
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

    @cached_property
    def _coupled(self) -> tuple[str, ...]:
        """The modes whose units have a second user, twins first."""
        modes = self.rules.config.modes
        return tuple(mode for mode in MODES if mode in modes and MODES[mode].needs_partner)

    @property
    def total(self) -> int:
        """The number of units, plans included."""
        return len(self.items) * (len(self.rules.config.modes) + bool(self._coupled))

    @cached_property
    def candidates(self) -> Candidates:
        """The users that each question is tried on."""
        return Candidates(self.corpus, self.rules)

    # Which units

    def steps(self, ended: Ended) -> Iterator[Iterator[Unit]]:
        """The units of each step that have no outcome yet, in the order in which they are best
        built; `ended` is called with the others. Those of one step must have ended, with their
        outcomes in the store, before the next is asked for."""
        yield self._alone(ended)
        if self._coupled:
            yield self._couples(ended)

    def _alone(self, ended: Ended) -> Iterator[Unit]:
        """The plans, and the units of one user. These do not wait until all is planned: the units
        of one item ask for the same rubric."""
        alone = [mode for mode in self.rules.config.modes if not MODES[mode].needs_partner]
        for item in self.corpus.in_reading_order(self.items):
            for mode in ["plan"] * bool(self._coupled) + alone:
                if not self._has_ended(unit := self._unit(mode, item), ended):
                    yield unit

    def _couples(self, ended: Ended) -> Iterator[Unit]:
        """The units of two users, with the partner. Every item has one of the first such mode, so
        that what is dropped has its reason, and one of each mode that takes it. What the plan or
        the matching decides has its outcome at once."""
        for item in self.corpus.in_reading_order(self.items):
            (plan,) = self.outcomes.rows("position = ?", -1 - item)
            found = plan.read(Planned) if plan.kind == "planned" else plan.read(Failed)
            rubric = found.rubric if isinstance(found, Planned) else found
            taking = self._taking(plan)
            for mode in dict.fromkeys((self._coupled[0], *taking)):
                if self._has_ended(unit := self._unit(mode, item), ended):
                    continue
                partner = self._partners.get(plan.item, WAITING) if mode in taking else None
                own = rubric if isinstance(rubric, Rubric) else None
                if isinstance(partner, str):
                    yield self._unit(mode, item, partner, own)
                else:
                    # A question with a signal is nothing for a placebo.
                    refusal = NO_PLACEBO if isinstance(rubric, Rubric) else rubric
                    self._end(unit, partner or refusal, CallLog(), ended)

    def _taking(self, plan: Outcome) -> tuple[str, ...]:
        """The modes of two users that take a planned question."""
        if plan.kind != "planned":
            return ()
        signal = plan.reason == ""
        return tuple(mode for mode in self._coupled if ("signal" in MODES[mode].stages) == signal)

    @cached_property
    def _partners(self) -> dict[str, str | Dropped]:
        """The partner for each planned question, or why it has none; nothing while a plan waits for
        a batch, because it may change who is whose partner."""
        if next(self.outcomes.rows("mode = 'plan' AND kind = 'waiting'", whole=False), None):
            return {}
        names = {self.corpus.entries[item].id for item in self.items}
        questions = (
            Asked(plan.item, plan.user, plan.read(Planned).worth, plan.reason == "")
            for plan in self.outcomes.rows("kind = 'planned'")
            if plan.item in names and self._taking(plan)
        )
        config = self.rules.config
        return assign_partners(questions, config.twin.questions_per_couple, config.seed)

    def _unit(
        self, mode: str, item: int, partner: str | None = None, rubric: Rubric | None = None
    ) -> Unit:
        modes, name = self.rules.config.modes, f"{mode}:{self.corpus.entries[item].id}"
        position = -1 - item if mode == "plan" else item * len(modes) + modes.index(mode)
        return Unit(name, mode, item, position, partner, rubric)

    def _has_ended(self, unit: Unit, ended: Ended) -> bool:
        if outcome := self.outcomes.ended(unit.position, unit.id):
            ended(event_of(outcome))
        return outcome is not None

    def _end(self, unit: Unit, result: Result, log: CallLog, ended: Ended) -> None:
        outcome = outcome_of(unit, self.corpus.item(unit.item), result, log)
        self.outcomes.add(outcome)
        ended(event_of(outcome))

    # The work on them

    async def build(self, units: Iterator[Unit], models: "RunModels", ended: Ended) -> None:
        """Build all units; `ended` is called with each once its outcome is written.

        Raises Interrupted (all finished calls are stored), EndpointRefused and StoreError.
        """
        interrupted = False

        async def work(unit: Unit) -> None:
            nonlocal interrupted
            log = CallLog()
            try:
                result = await self.result(unit, models, log)
            except Interrupted:
                interrupted = True
                return
            except CallFailed as error:
                result = Failed(reason=error.reason, detail=error.detail)
            except Unanswered as call:
                result = Failed(reason=call.purpose, waits=True)
            except Exception as error:
                error.add_note(f"in unit {unit.id}")
                raise
            self._end(unit, result, log, ended)

        ahead = takewhile(lambda _: not interrupted, units)
        await work_through(ahead, work, workers=models.workers, stop=models.stop)
        if interrupted:
            raise Interrupted(INTERRUPTED)

    async def result(self, unit: Unit, source: "RunModels", log: CallLog) -> Result:
        """Build one unit."""
        item, mode, rules = self.corpus.item(unit.item), MODES.get(unit.mode), self._rules
        if mode and mode.given:
            return mode.given(item)
        models = source.models(item.id, log)
        if mode is None:
            return await plan_question(item, self.candidates, models, rules)
        partner = self.corpus.longest_item(unit.partner) if unit.partner else None
        if partner and have_same_posts(item, partner):
            detail = "both users have the same posts: one person may have both accounts"
            return Dropped(stage="partners", reason="same_posts", detail=detail)
        assert mode.build, "what is not given is built"
        return await mode.build(item, partner, models, rules, unit.rubric)

    @cached_property
    def _rules(self) -> BuildRules:
        """The rules, with the users that the asker of each question is compared with."""
        return replace(self.rules, others=self.candidates.histories)


def event_of(outcome: Outcome) -> UnitEnded:
    """The event of a unit that has ended."""
    return UnitEnded(outcome.unit, outcome.mode, outcome.kind, outcome.reason)


# The models of a build


@dataclass
class RunModels:
    """The models of a run's roles, on the clients of its endpoints."""

    config: Config
    clients: Mapping[str, Client]
    meter: Meter
    waits: bool = True
    """Whether a call is waited for, and not written down for a batch."""

    @property
    def workers(self) -> int:
        """The most units at once: with one for each call in flight an endpoint stays full, and few
        units alive keep memory small."""
        # A unit that writes its calls down for a batch never waits, so a second is no faster.
        if not self.waits:
            return 1
        config = self.config  # Without roles, people's own choices are the pairs.
        return sum(config.endpoints[name].concurrency for name in config.roles.all) or 1

    def models(self, item: str, log: CallLog) -> Models:
        """The models of the work on one item, which note their calls. Its id decides which of the
        generators writes, so that further items move no item to another one."""

        def model(name: str, how: Sampling) -> Model:
            return Model(self.clients[name], self.config.endpoints[name], how, log)

        roles, how = self.config.roles, self.config.sampling
        writer = int(content_id("generator", "generator", item)[-8:], 16) % len(roles.generator)
        return Models(
            model(roles.planner, how.planner),
            model(roles.generator[writer], how.generator),
            tuple(model(name, how.judge) for name in roles.judge),
        )

    def stop(self) -> None:
        """Send no new calls."""
        for client in self.clients.values():
            client.stop()


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
