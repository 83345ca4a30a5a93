"""Comparing planners: what each plans, and how that agrees with the gold aspects."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

from pairwright import assets
from pairwright.models import Model
from pairwright.models.client import Client
from pairwright.models.run import work_through
from pairwright.models.store import CallStore, Durable
from pairwright.notebook import run_async
from pairwright.options import Doc, ItemLimit, OutPath
from pairwright.records import Item
from pairwright.retrieve import dense
from pairwright.settings.domains import Domains
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import BUILDING, LISTING
from pairwright.training.gold import GoldItems, by_embedding, by_words, read_gold
from pairwright.training.pages import plan_scores_page
from pairwright.training.plan_scores import (
    PlannerSource,
    PlanScores,
    ScoredPlan,
    differences,
    figures,
    matches_of,
    planned,
)
from pairwright.training.plan_settings import FilePlanner, PlanScoring, load_scoring
from pairwright.training.plans import (
    AspectJudging,
    MadePlan,
    Serving,
    compared,
    others_of,
    plan_of_file,
    read_plans,
)
from pairwright.workflows.output import write_page
from pairwright.workflows.progress import Progress, Stop, counter, log_notes
from pairwright.workflows.run_models import client_of, in_flight
from pairwright.workflows.scoring import ScoringCalls, open_calls, settings_folder

Planning: TypeAlias = Callable[[Item], Awaitable[ScoredPlan]]


class PlannerCoverage(NamedTuple):
    """How many items a planner was compared on."""

    planner: str
    items: int
    compared: int
    reasons: dict[str, int]
    """Why the others were not, with their numbers."""


@dataclass(frozen=True, slots=True)
class PlanComparison:
    """Planners compared on held-out gold aspects."""

    folder: Path
    """It holds plan-score.html, .md and .json, and NAME.jsonl with each planner's lines."""
    scores: PlanScores
    """Precision, recall and F1 of each planner, shares from 0 to 1, and their differences, with
    95 % intervals by user."""

    def coverage(self) -> list[PlannerCoverage]:
        """How many items each planner was compared on, by the match that leaves out most."""
        matches, by_planner = self.scores.matches, []
        for one in self.scores.counts:
            missing = max(map(one.missing, matches)) if matches else one.items
            reasons = dict(Counter(one.unplanned) + Counter(one.unjudged))
            by_planner.append(PlannerCoverage(one.planner, one.items, one.items - missing, reasons))
        return by_planner


def score_planners(
    settings: Annotated[str | Path, Doc("Planners, source, judge.", "SETTINGS.toml")],
    out: OutPath,
    *,
    limit: ItemLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> PlanComparison:
    """Compare planners on held-out gold aspects.

    `settings` is a TOML file that names the source, the planners (endpoints, or files of plans) and
    the judge; `limit` takes the first items alone. Aspects are matched by the judge, by embeddings
    and by shared words, whichever are set. Calls are stored in `out`: running again asks nothing
    twice.

    Raises ConfigError, SourceError, InputError, EndpointRefused, Interrupted and StoreError.

        >>> done = score_planners("score.toml", "scores")
        >>> done.scores.of("words")["base"]["f1"].mean.value
        0.41
    """
    path, folder = Path(settings), Path(out)
    scoring = load_scoring(path)
    with open_calls(folder, progress, stop) as calls:
        task = _Comparison(scoring, path.resolve().parent, limit, calls)
        scores, lines = run_async(task.run())
    write_page(folder, "plan-score", plan_scores_page(scores), scores, lines)
    return PlanComparison(folder, scores)


class _FilePlans(NamedTuple):
    """The plans of a file, asked as a planner is."""

    plans: dict[str, MadePlan]

    async def planned(self, item: Item) -> ScoredPlan:
        return plan_of_file(item, self.plans)


class _Endpoints(NamedTuple):
    """Endpoints that can be asked, by name."""

    clients: dict[str, Client]
    settings: dict[str, Endpoint]
    store: CallStore

    def model(self, name: str, sampling: Sampling) -> Model:
        return Model(Durable(self.store, self.clients[name]), self.settings[name], sampling)

    @property
    def workers(self) -> int:
        """Items under way at once: enough to keep every endpoint full."""
        return max((in_flight(self.settings[name]) for name in self.clients), default=1)

    def stop(self) -> None:
        """Let what is in flight finish, and send nothing more."""
        for client in self.clients.values():
            client.stop()


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
        if scoring.embedding:
            dense.require("[embedding]", "leave out this table")
        folder = settings_folder("prompts", scoring.prompts, self.base, assets.PROMPTS)
        prompts = Prompts.load(folder, BUILDING | LISTING)
        domains = Domains.load(
            settings_folder("rubrics", scoring.rubrics, self.base, assets.RUBRICS)
        )
        gold = read_gold(scoring.source, domains, self.base, "[source]")
        items = gold.items[: self.limit]
        plans = {
            name: read_plans(self.base / spec.path, gold)
            for name, spec in scoring.planners.items()
            if isinstance(spec, FilePlanner)
        }
        async with self._endpoints() as endpoints:
            judging = None
            if judge := scoring.judge:
                model = endpoints.model(judge.endpoint, judge.sampling)
                judging = AspectJudging(model, prompts, others_of(items, scoring.seed))
            lines = {}
            for name, spec in scoring.planners.items():
                if isinstance(spec, FilePlanner):
                    planning: Planning = _FilePlans(plans[name]).planned
                else:
                    model = endpoints.model(spec.endpoint, spec.sampling)
                    planning = Serving(spec, model, prompts, domains).planned
                lines[name] = await self._lines(name, items, planning, judging, endpoints)
        lines = {name: self._nearness(name, items, each) for name, each in lines.items()}
        files = {f"{name}.jsonl": each for name, each in lines.items()}
        return self._scores(gold, items, lines), files

    @asynccontextmanager
    async def _endpoints(self) -> AsyncIterator[_Endpoints]:
        scoring, meter = self.scoring, self.calls.meter
        names = [
            one.endpoint for one in scoring.planners.values() if not isinstance(one, FilePlanner)
        ]
        names += [scoring.judge.endpoint] if scoring.judge else []
        async with AsyncExitStack() as stack:
            clients = {
                name: await stack.enter_async_context(
                    client_of(name, scoring.endpoints[name], meter)
                )
                for name in dict.fromkeys(names)
            }
            yield _Endpoints(clients, scoring.endpoints, self.calls.store)

    async def _lines(
        self,
        name: str,
        items: Sequence[Item],
        planning: Planning,
        judging: AspectJudging | None,
        endpoints: _Endpoints,
    ) -> list[ScoredPlan]:
        plans: dict[str, ScoredPlan] = {}
        with self.calls.step(name, len(items), endpoints.stop) as count:

            async def work(item: Item) -> None:
                scored = await planning(item)
                plans[item.id] = await judging.judged(item, scored) if judging else scored
                count()

            await work_through(iter(items), work, workers=endpoints.workers, stop=endpoints.stop)
        return [plans[item.id] for item in items]

    def _nearness(
        self, name: str, items: Sequence[Item], lines: list[ScoredPlan]
    ) -> list[ScoredPlan]:
        """Add the comparisons that need no judge."""
        others, embedding = others_of(items, self.scoring.seed), self.scoring.embedding
        near = by_embedding(embedding.model, "[embedding] model") if embedding else None
        count = counter(self.calls.progress, f"{name}, matching", len(items))
        matched = []
        for item, scored in zip(items, lines, strict=True):
            line = compared(item, scored, others, "words", by_words)
            matched.append(compared(item, line, others, "embedding", near) if near else line)
            count()
        return matched

    def _scores(
        self, gold: GoldItems, items: Sequence[Item], lines: dict[str, list[ScoredPlan]]
    ) -> PlanScores:
        scoring, matches = self.scoring, matches_of(lines)
        refs = tuple(self._ref(name) for name in lines)
        judge = scoring.endpoints[scoring.judge.endpoint].model if scoring.judge else ""
        models = {ref.model for ref in refs if ref.kind == "endpoint"} | {judge}
        return PlanScores(
            source=gold.hash,
            items=len(items),
            users=len({item.user for item in items}),
            gold=sum(len(item.rubric_aspects) for item in items),
            refused=gold.refused,
            limit=self.limit,
            judge=judge,
            embedding=scoring.embedding.model if scoring.embedding else "",
            simulated=tuple(sorted(models & self.calls.store.simulated_models())),
            planners=refs,
            counts=tuple(planned(name, each) for name, each in lines.items()),
            figures=tuple(
                one for name, each in lines.items() for one in figures(name, each, matches)
            ),
            differences=tuple(differences(lines, matches)),
        )

    def _ref(self, name: str) -> PlannerSource:
        spec = self.scoring.planners[name]
        if isinstance(spec, FilePlanner):
            return PlannerSource(name=name, kind=spec.kind, model=Path(spec.path).name)
        endpoint = self.scoring.endpoints[spec.endpoint]
        return PlannerSource(
            name=name, kind=spec.kind, model=endpoint.model, revision=endpoint.revision
        )
