"""One scorer in one condition: its decisions on all pairs, and their summary."""

import time
from pathlib import Path
from typing import NamedTuple

from pairwright.evaluate.conditions import CONDITIONS, ConditionName
from pairwright.evaluate.content import ContentSources
from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.evaluation import Evaluation, reasons
from pairwright.evaluate.evaluation import evaluate as score_pairs
from pairwright.evaluate.measure.units import by_mode
from pairwright.evaluate.release import Release
from pairwright.evaluate.results import ResultSummary, Timing, previous_timing
from pairwright.evaluate.scorers.scorer_protocols import ByPair
from pairwright.evaluate.settings import history_hash, people_rules
from pairwright.models import Usage, counting
from pairwright.workflows.scorers import OpenScorer
from pairwright.workflows.scoring import ScorerSession
from pairwright.workflows.scoring_roles import OpenPlanner


class EvaluationTask(NamedTuple):
    """What is to be scored, by which scorers, in which conditions."""

    release: Release
    scorers: tuple[str, ...]
    conditions: tuple[ConditionName, ...]
    limit: int | None


class ScorerEvaluation(NamedTuple):
    """A scorer on a release, to be tried in one condition after the other."""

    task: EvaluationTask
    session: ScorerSession
    folder: Path
    opened: OpenScorer
    sources: ContentSources
    planner: OpenPlanner | None

    async def score(self, condition: ConditionName) -> tuple[ResultSummary, list[PairDecision]]:
        """Score all pairs in a condition.

        Raises ConfigError, EndpointRefused, Interrupted and StoreError.
        """
        release, limit, meter = self.task.release, self.task.limit, self.session.calls.meter
        total = sum(CONDITIONS[condition].applies(row.mode) for row in release.rows(limit))
        calls, seconds, began = meter.calls, meter.seconds, time.monotonic()
        name = f"{self.opened.ref.name}, {condition}"
        with self.session.calls.step(name, total, self._stop) as count, counting() as usage:
            decisions = await score_pairs(
                release.rows(limit),
                self._evaluation(condition),
                workers=self.opened.workers,
                stop=self._stop,
                on_each=lambda _: count(),
            )
        sent, took = meter.calls - calls, time.monotonic() - began
        timing = _timing(sent, meter.seconds - seconds, took) if sent else None
        about = self._about(condition, decisions, usage)
        timing = timing or previous_timing(self.folder, about)
        return about.model_copy(update={"timing": timing}), decisions

    def _evaluation(self, condition: ConditionName) -> Evaluation:
        return Evaluation(self.opened.scorer, condition, self.sources, self.opened.ref.tie_margin)

    def _stop(self) -> None:
        self.opened.stop()
        if self.planner:
            self.planner.stop()

    def _about(
        self, condition: ConditionName, decisions: list[PairDecision], usage: Usage
    ) -> ResultSummary:
        opened, release, settings = self.opened, self.task.release, self.session.settings
        record = CONDITIONS[condition]
        planned = self.planner if record.needs == "planner" else None
        models = {opened.ref.model, opened.ref.beside}
        models |= {planned.planner.model.name} if planned else set()
        choices = [one.choice for one in decisions]
        modes = list(by_mode(decisions))
        # [history] does not decide which posts the scores of a file were made with.
        shows = record.shows_posts and not isinstance(opened.scorer, ByPair)
        return ResultSummary(
            release=release.ref,
            scorer=opened.ref,
            condition=condition,
            limit=self.task.limit,
            split=release.split,
            history=history_hash(self.sources.history) if shows else "",
            as_people=shows and self._as_people,
            seed=settings.seed if record.needs == "strangers" else None,
            planner=planned and planned.ref,
            self_agreement=bool(planned and planned.agrees_with(release.construction)),
            simulated=self.session.calls.any_simulated(models),
            pairs=len(decisions),
            scored=sum(choice is not None for choice in choices),
            ties=choices.count("tie"),
            unstable=sum(
                one.orders is not None and one.orders[0] != one.orders[1] for one in decisions
            ),
            unscored=reasons(decisions),
            units=sum(len(mode.units) for mode in modes),
            units_scored=sum(len(mode.whole) for mode in modes),
            shortened=sum(one.left_out > 0 for one in decisions),
            tokens=usage.tokens.prompt + usage.tokens.completion,
            prompt_tokens=usage.tokens.prompt,
            completion_tokens=usage.tokens.completion,
            cost=self._cost(usage),
        )

    @property
    def _as_people(self) -> bool:
        study_posts = self.task.release.study_posts
        return study_posts is not None and self.sources.history == people_rules(study_posts)

    def _cost(self, usage: Usage) -> float | None:
        """By the prices of the file's endpoints; None where nothing was asked, or a model that was
        has no price. Two endpoints that serve one model are priced as the first of them."""
        endpoints = reversed(self.session.settings.endpoints.values())
        priced = {one.model: one for one in endpoints if one.price_in or one.price_out}
        if not usage.by_model or not usage.by_model.keys() <= priced.keys():
            return None
        return round(
            sum(priced[model].cost(*tokens) for model, tokens in usage.by_model.items()), 6
        )


def _timing(calls: int, in_flight_s: float, wall_s: float) -> Timing:
    return Timing(
        calls=calls,
        latency_s=round(in_flight_s / calls, 6),
        calls_per_s=round(calls / wall_s, 3),
    )
