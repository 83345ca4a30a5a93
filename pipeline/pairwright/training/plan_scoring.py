"""Comparing planners: what each plans, and how that agrees with the gold aspects."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from typer import Argument

from pairwright import assets
from pairwright.evaluation.session import ScoringCalls, open_calls, settings_folder
from pairwright.models import Model, ModelRef
from pairwright.models.client import Client
from pairwright.models.connect import open_clients
from pairwright.notebook import run_async
from pairwright.options import ItemLimit, OutPath
from pairwright.pages.output import output_folder, write_page
from pairwright.progress import Progress, Stop, log_notes
from pairwright.records import Item
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import BUILDING, Prompts
from pairwright.sources import SourceItems
from pairwright.training.gold import read_gold
from pairwright.training.plan_scores import (
    PlanScores,
    ScoredPlan,
    figures,
    matches_of,
    plan_scores_page,
    planned,
)
from pairwright.training.plan_settings import (
    FilePlanner,
    MatchJudge,
    PlanScoring,
    PromptedPlanner,
    load_scoring,
)
from pairwright.training.plans import (
    AspectJudging,
    FilePlans,
    Serving,
    compared,
    others_of,
    read_plans,
)


def score_planners(
    settings: Annotated[Path | str, Argument(help="What is compared.", metavar="SETTINGS.toml")],
    out: OutPath,
    *,
    limit: ItemLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> PlanScores:
    """Compare planners on held-out gold aspects: precision, recall and F1, with intervals by user.

    Planners are endpoints or files of plans. Aspects are matched by shared words, and by a judge
    if there is one. Calls are stored: running the same command again goes on, and asks nothing
    twice. Exit code 1: a planner left more than 5 % of the items open.

    Examples::

        pairwright train score score.toml --out scores
        pairwright train score score.toml --out scores --limit 20
    """
    path, folder = Path(settings), output_folder(out)
    scoring = load_scoring(path)
    with open_calls(folder, progress, stop) as calls:
        task = _Comparison(scoring, path.resolve().parent, limit, calls)
        scores, lines = run_async(task.run())
    write_page(folder, "plan-score", plan_scores_page(scores), scores, lines)
    return scores


class _Comparison(NamedTuple):
    """What all planners of a comparison share."""

    scoring: PlanScoring
    base: Path
    """What paths in the file start from."""
    limit: int | None
    calls: ScoringCalls

    async def run(self) -> tuple[PlanScores, dict[str, list[ScoredPlan]]]:
        """The comparison, and each planner's lines by the file that they belong in."""
        scoring = self.scoring
        folder = settings_folder("prompts", scoring.prompts, self.base, assets.PROMPTS)
        prompts = Prompts.load(folder, BUILDING)
        domains = Domains.load(
            settings_folder("rubrics", scoring.rubrics, self.base, assets.RUBRICS)
        )
        gold = read_gold(scoring.source, domains, self.base, "[source]")
        items = gold.items[: self.limit]
        others = others_of(items, scoring.seed)
        made = {
            name: read_plans(self.base / spec.path, gold)
            for name, spec in scoring.planners.items()
            if isinstance(spec, FilePlanner)
        }
        asked = (*scoring.planners.values(), scoring.judge)
        names = [one.endpoint for one in asked if one and not isinstance(one, FilePlanner)]
        async with open_clients(
            scoring.endpoints, names, self.calls.meter, self.calls.store
        ) as clients:

            def model(spec: PromptedPlanner | MatchJudge) -> Model:
                client = clients[spec.endpoint]
                return Model(client, scoring.endpoints[spec.endpoint], spec.sampling)

            judging = None
            if judge := scoring.judge:
                judging = AspectJudging(model(judge), prompts, others)
            lines = {}
            for name, spec in scoring.planners.items():
                planner = (
                    made[name]
                    if isinstance(spec, FilePlanner)
                    else Serving(spec, model(spec), prompts, domains)
                )
                lines[name] = await self._lines(name, items, planner, judging, clients)
        lines = {
            name: [compared(item, line, others) for item, line in zip(items, each, strict=True)]
            for name, each in lines.items()
        }
        files = {f"{name}.jsonl": each for name, each in lines.items()}
        return self._scores(gold, items, lines), files

    async def _lines(
        self,
        name: str,
        items: Sequence[Item],
        planner: Serving | FilePlans,
        judging: AspectJudging | None,
        clients: dict[str, Client],
    ) -> list[ScoredPlan]:
        async def scored(item: Item) -> ScoredPlan:
            line = await planner.planned(item)
            return await judging.judged(item, line) if judging else line

        def stop() -> None:
            for client in clients.values():
                client.stop()

        # Enough items under way at once to keep every endpoint full.
        workers = max((self.scoring.endpoints[one].concurrency for one in clients), default=1)
        return await self.calls.each(name, items, scored, workers=workers, stop=stop)

    def _scores(
        self, gold: SourceItems, items: Sequence[Item], lines: dict[str, list[ScoredPlan]]
    ) -> PlanScores:
        scoring, matches = self.scoring, matches_of(lines)
        refs = tuple(self._ref(name) for name in lines)
        judge = scoring.endpoints[scoring.judge.endpoint].model if scoring.judge else ""
        return PlanScores(
            source=gold.hash,
            items=len(items),
            users=len({item.user for item in items}),
            gold=sum(len(item.rubric_aspects) for item in items),
            refused=gold.refused,
            limit=self.limit,
            judge=judge,
            planners=refs,
            counts=tuple(planned(name, each) for name, each in lines.items()),
            figures=tuple(
                one for name, each in lines.items() for one in figures(name, each, matches)
            ),
        )

    def _ref(self, name: str) -> ModelRef:
        spec = self.scoring.planners[name]
        if isinstance(spec, FilePlanner):
            return ModelRef(name=name, kind=spec.kind, model=Path(spec.path).name)
        endpoint = self.scoring.endpoints[spec.endpoint]
        return ModelRef(name=name, kind=spec.kind, model=endpoint.model, revision=endpoint.revision)
