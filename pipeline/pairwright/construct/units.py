"""The work on units, from an item to its outcome, in one process."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol

from pairwright.construct.candidates import Candidates, plan_question
from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Failed, Outcome, Outcomes, Unit, UnitResult, outcome_of
from pairwright.construct.session import event_of
from pairwright.drafting.rules import BuildRules, have_same_posts
from pairwright.errors import CallFailed, Interrupted, Unanswered
from pairwright.models import CallLog, Models
from pairwright.models.work import work_through
from pairwright.modes import MODES
from pairwright.progress import UnitEnded
from pairwright.records import Dropped, Item, draw_id


class ModelSource(Protocol):
    """The models of a unit, how many units keep them busy, and how to stop them."""

    workers: int

    def models(self, generator: str) -> Models:
        """The models of one unit, with one of the run's generators."""
        ...

    def stop(self) -> None:
        """Send no new calls."""
        ...


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
        return cls(corpus, candidates, rules.with_others(candidates.histories))

    async def build(
        self,
        units: Iterator[Unit],
        models: ModelSource,
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
            raise Interrupted("interrupted; every finished call is stored, run again to go on")

    async def outcome(self, unit: Unit, source: ModelSource) -> Outcome:
        """Build one unit."""
        item, mode, log = self.corpus.item(unit.item), MODES.get(unit.mode), CallLog()
        result: UnitResult
        try:
            if unit.settled:
                result = unit.settled
            elif mode and mode.given:
                result = mode.given(item)
            else:
                models, log = source.models(self._generator(item)).logged()
                result = await self._built(unit, item, models)
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

    def _generator(self, item: Item) -> str:
        """The generator that writes for an item: by its id, so that adding items moves no other
        item to another generator."""
        names = self.rules.config.roles.generator
        return names[int(draw_id("generator", item.id)[-8:], 16) % len(names)]
