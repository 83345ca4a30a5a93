"""Every scorer in every condition, one after the other, each with its files."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress

from pairwright.cli.evaluate.planner import OpenPlanner, planner_under_test
from pairwright.cli.scorers import OpenScorer, open_scorers
from pairwright.cli.signals import stop_on_signals
from pairwright.evaluate.conditions import CONDITIONS, ConditionName, ContentSources
from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.evaluation import Evaluation, evaluate, reasons
from pairwright.evaluate.measure.units import by_mode
from pairwright.evaluate.release import Release
from pairwright.evaluate.results import ResultSummary, Timing, previous_timing, write_result
from pairwright.evaluate.scorers.score_file import ScoreFile
from pairwright.evaluate.scorers.seam import ByPair
from pairwright.evaluate.scorers.spec import Scorers, ScoresOfFile
from pairwright.evaluate.wrong_profile import Strangers, asker_of
from pairwright.models import Usage, counting
from pairwright.models.client import Meter
from pairwright.models.store import Store
from pairwright.settings.prompt import Prompts


class Wanted(NamedTuple):
    """What is to be scored, by which scorers, in which conditions."""

    release: Release
    scorers: tuple[str, ...]
    conditions: tuple[ConditionName, ...]
    limit: int | None


class Session(NamedTuple):
    """What all of them share."""

    wanted: Wanted
    settings: Scorers
    prompts: Prompts
    out: Path
    store: Store
    meter: Meter
    console: Console

    async def run(
        self, told: Callable[[ResultSummary, list[PairDecision]], None]
    ) -> list[ResultSummary]:
        """Evaluate and write; `told` hears of each result.

        Raises ConfigError, EndpointRefused, Interrupted and StoreError: what was whole before
        stands in its files.
        """
        made = []
        async with aclosing(self.results()) as results:
            async for about, decisions in results:
                write_result(self.out, about, decisions)
                told(about, decisions)
                made.append(about)
        return made

    async def results(self) -> AsyncGenerator[tuple[ResultSummary, list[PairDecision]], None]:
        """Every scorer in every condition, without writing a file. Raises as `run` does."""
        wanted = self.wanted
        await self._check_files()
        async with AsyncExitStack() as stack:
            planner = None
            needs = {CONDITIONS[name].needs for name in wanted.conditions}
            if "planner" in needs:
                planner = await stack.enter_async_context(
                    planner_under_test(self.settings, self.prompts, self.store, self.meter)
                )
            rows = wanted.release.rows() if "strangers" in needs else ()
            strangers = Strangers(map(asker_of, rows), self.settings.seed)
            sources = ContentSources(self.settings.history, strangers, planner and planner.planner)
            for name in wanted.scorers:
                # One at a time: a model in this process fills the memory there is.
                async with open_scorers(
                    self.settings, (name,), self.prompts, self.store, self.meter
                ) as opened:
                    for condition in wanted.conditions:
                        yield await self._one(opened[name], condition, sources, planner)

    async def _check_files(self) -> None:
        """Files of scores are held to the release before anything is computed."""
        named = [
            name
            for name in self.wanted.scorers
            if isinstance(self.settings.scorers.get(name), ScoresOfFile)
        ]
        if not named:
            return
        whole = self.wanted.release
        if whole.split is not None:
            whole = Release(whole.folder)
        pairs = {row.id for row in whole.rows()}
        async with open_scorers(
            self.settings, named, self.prompts, self.store, self.meter
        ) as opened:
            for of in opened.values():
                assert isinstance(of.scorer, ScoreFile), "its kind says so"
                of.scorer.check(pairs, self.wanted.conditions)

    async def _one(
        self,
        opened: OpenScorer,
        condition: ConditionName,
        sources: ContentSources,
        planner: OpenPlanner | None,
    ) -> tuple[ResultSummary, list[PairDecision]]:
        release, limit, meter = self.wanted.release, self.wanted.limit, self.meter
        total = sum(map(CONDITIONS[condition].applies, release.rows(limit)))
        calls, seconds, began = meter.calls, meter.seconds, time.monotonic()

        def stop() -> None:
            opened.stop()
            if planner:
                planner.stop()

        stop_on_signals(stop, meter, self.console)
        with Progress(console=self.console, transient=True) as progress:
            task = progress.add_task(f"{opened.ref.name}, {condition}", total=total)
            with counting() as usage:
                decisions = await evaluate(
                    release.rows(limit),
                    Evaluation(opened.scorer, condition, sources),
                    workers=opened.workers,
                    stop=stop,
                    on_each=lambda _: progress.advance(task),
                )
        sent, took = meter.calls - calls, time.monotonic() - began
        timing = _timing(sent, meter.seconds - seconds, took) if sent else None
        about = self._about(opened, condition, planner, decisions, usage)
        timing = timing or previous_timing(self.out, about)
        return about.model_copy(update={"timing": timing}), decisions

    def _about(
        self,
        opened: OpenScorer,
        condition: ConditionName,
        planner: OpenPlanner | None,
        decisions: list[PairDecision],
        usage: Usage,
    ) -> ResultSummary:
        record = CONDITIONS[condition]
        planned = planner if record.needs == "planner" else None
        models = {opened.ref.model, opened.beside}
        models |= {planned.planner.model.name} if planned else set()
        choices = [of.choice for of in decisions]
        modes = list(by_mode(decisions))
        # Which posts stood behind scores of a file, [history] does not decide.
        shows = record.shows_posts and not isinstance(opened.scorer, ByPair)
        return ResultSummary(
            release=self.wanted.release.ref,
            scorer=opened.ref,
            condition=condition,
            limit=self.wanted.limit,
            split=self.wanted.release.split,
            history=self.settings.history.hash if shows else "",
            seed=self.settings.seed if record.needs == "strangers" else None,
            planner=planned and planned.ref,
            self_agreement=bool(planned and planned.agrees_with(self.wanted.release.construction)),
            simulated=bool(models & self.store.simulated_models()),
            pairs=len(decisions),
            scored=sum(choice is not None for choice in choices),
            ties=choices.count("tie"),
            unstable=sum(
                of.orders is not None and of.orders[0] != of.orders[1] for of in decisions
            ),
            unscored=reasons(decisions),
            units=sum(len(of.units) for of in modes),
            units_scored=sum(len(of.whole) for of in modes),
            shortened=sum(of.left_out > 0 for of in decisions),
            tokens=sum(usage.tokens),
            prompt_tokens=usage.tokens.prompt,
            completion_tokens=usage.tokens.completion,
            cost=self._cost(usage),
        )

    def _cost(self, usage: Usage) -> float | None:
        """By the prices of the file's endpoints; None where nothing was asked, or a model that was
        has no price. Two endpoints that serve one model are priced as the first of them."""
        endpoints = reversed(self.settings.endpoints.values())
        priced = {of.model: of for of in endpoints if of.price_in or of.price_out}
        if not usage.by_model or not usage.by_model.keys() <= priced.keys():
            return None
        return round(sum(priced[of].cost(*tokens) for of, tokens in usage.by_model.items()), 6)


def _timing(calls: int, in_flight_s: float, wall_s: float) -> Timing:
    return Timing(
        calls=calls,
        latency_s=round(in_flight_s / calls, 6),
        calls_per_s=round(calls / wall_s, 3),
    )
