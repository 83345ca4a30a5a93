"""Every planner, one after the other: what it plans, and how that agrees with the gold aspects."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress

from pairwright import assets
from pairwright.cli.signals import stop_on_signals
from pairwright.dataset import write_lines
from pairwright.errors import ConfigError
from pairwright.models import Model
from pairwright.models.client import Client, Meter
from pairwright.models.run import work_through
from pairwright.models.store import Durable, Store
from pairwright.records import Item
from pairwright.retrieve import dense
from pairwright.settings.config import Endpoint, Sampling
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import BUILDING, LISTING, Prompts
from pairwright.train.gold import GoldItems, by_embedding, by_words, read_gold
from pairwright.train.plan_score.judge import AspectJudging, compared, others_of
from pairwright.train.plan_score.measures import (
    ScoredPlan,
    differences,
    figures,
    matches_of,
    planned,
)
from pairwright.train.plan_score.plans import MadePlan, read_plans
from pairwright.train.plan_score.report_page import PlannerVersion, PlanScores
from pairwright.train.plan_score.serving import Serving, plan_of_file
from pairwright.train.plan_score.spec import FilePlanner, PlanScoring
from pairwright.workflows.run_models import client_of, in_flight, model_of

Planning = Callable[[Item], Awaitable[ScoredPlan]]


class Connected(NamedTuple):
    """Endpoints that can be asked, by name."""

    clients: dict[str, Client]
    endpoints: dict[str, Endpoint]
    store: Store

    def model(self, name: str, sampling: Sampling) -> Model:
        return model_of(Durable(self.store, self.clients[name]), self.endpoints[name], sampling)

    @property
    def workers(self) -> int:
        """Items under way at once: enough to keep every endpoint full."""
        return max((in_flight(self.endpoints[name]) for name in self.clients), default=1)

    def stop(self) -> None:
        """Let what is in flight finish, and send nothing more."""
        for client in self.clients.values():
            client.stop()


class Session(NamedTuple):
    """What all planners share."""

    scoring: PlanScoring
    base: Path
    """What paths in the file start from."""
    out: Path
    limit: int | None
    store: Store
    meter: Meter
    console: Console

    async def run(self) -> PlanScores:
        """Compare, and write each planner's lines.

        Raises ConfigError, SourceError, InputError, EndpointRefused, Interrupted and StoreError:
        what was asked is stored, and nothing is taken for whole.
        """
        scoring = self.scoring
        if scoring.embedding:
            dense.require("[embedding]", "leave out this table")
        prompts = Prompts.load(self._folder("prompts", assets.PROMPTS), BUILDING | LISTING)
        domains = Domains.load(self._folder("rubrics", assets.RUBRICS))
        gold = read_gold(scoring.source, domains, self.base, "[source]")
        items = gold.items[: self.limit]
        plans = {
            name: read_plans(self.base / spec.path, gold)
            for name, spec in scoring.planners.items()
            if isinstance(spec, FilePlanner)
        }
        async with AsyncExitStack() as stack:
            connected = await self._connected(stack)
            judging = self._judging(connected, prompts, items)
            lines = {
                name: await self._lines(
                    name, items, self._planning(name, plans, connected, prompts, domains),
                    judging, connected,
                )
                for name in scoring.planners
            }  # fmt: skip
        lines = {name: self._nearness(name, items, each) for name, each in lines.items()}
        for name, each in lines.items():
            write_lines(self.out / f"{name}.jsonl", each)
        return self._scores(gold, items, lines)

    async def _connected(self, stack: AsyncExitStack) -> Connected:
        scoring = self.scoring
        named = [of.endpoint for of in scoring.planners.values() if not isinstance(of, FilePlanner)]
        named += [scoring.judge.endpoint] if scoring.judge else []
        clients = {
            name: await stack.enter_async_context(
                client_of(name, scoring.endpoints[name], self.meter)
            )
            for name in dict.fromkeys(named)
        }
        connected = Connected(clients, scoring.endpoints, self.store)
        stop_on_signals(connected.stop, self.meter, self.console)
        return connected

    def _planning(
        self,
        name: str,
        plans: dict[str, dict[str, MadePlan]],
        connected: Connected,
        prompts: Prompts,
        domains: Domains,
    ) -> Planning:
        spec = self.scoring.planners[name]
        if isinstance(spec, FilePlanner):

            async def read(item: Item) -> ScoredPlan:
                return plan_of_file(item, plans[name])

            return read
        model = connected.model(spec.endpoint, spec.sampling)
        return Serving(spec, model, prompts, domains).planned

    def _judging(
        self, connected: Connected, prompts: Prompts, items: Sequence[Item]
    ) -> AspectJudging | None:
        judge = self.scoring.judge
        if judge is None:
            return None
        model = connected.model(judge.endpoint, judge.sampling)
        return AspectJudging(model, prompts, others_of(items, self.scoring.seed))

    async def _lines(
        self,
        name: str,
        items: Sequence[Item],
        planning: Planning,
        judging: AspectJudging | None,
        connected: Connected,
    ) -> list[ScoredPlan]:
        found: dict[str, ScoredPlan] = {}
        with Progress(console=self.console, transient=True) as progress:
            task = progress.add_task(name, total=len(items))

            async def work(item: Item) -> None:
                scored = await planning(item)
                found[item.id] = await judging.judged(item, scored) if judging else scored
                progress.advance(task)

            await work_through(
                iter(items), work, workers=connected.workers, stop=connected.stop
            )  # fmt: skip
        return [found[item.id] for item in items]

    def _nearness(
        self, name: str, items: Sequence[Item], lines: list[ScoredPlan]
    ) -> list[ScoredPlan]:
        """With the comparisons that need no judge."""
        others, embedding = others_of(items, self.scoring.seed), self.scoring.embedding
        near = by_embedding(embedding.model, "[embedding] model") if embedding else None
        with Progress(console=self.console, transient=True) as progress:
            made = []
            pairs = list(zip(items, lines, strict=True))
            for item, scored in progress.track(pairs, description=f"{name}, matching"):
                line = compared(item, scored, others, "words", by_words)
                made.append(compared(item, line, others, "embedding", near) if near else line)
        return made

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
            simulated=tuple(sorted(models & self.store.simulated_models())),
            planners=refs,
            counts=tuple(planned(name, each) for name, each in lines.items()),
            figures=tuple(
                of for name, each in lines.items() for of in figures(name, each, matches)
            ),
            differences=tuple(differences(lines, matches)),
        )

    def _ref(self, name: str) -> PlannerVersion:
        spec = self.scoring.planners[name]
        if isinstance(spec, FilePlanner):
            return PlannerVersion(name=name, kind=spec.kind, model=Path(spec.path).name)
        endpoint = self.scoring.endpoints[spec.endpoint]
        return PlannerVersion(
            name=name, kind=spec.kind, model=endpoint.model, revision=endpoint.revision
        )

    def _folder(self, key: str, shipped: Path) -> Path:
        given = getattr(self.scoring, key)
        found = self.base / given if given else shipped
        if not found.is_dir():
            raise ConfigError(
                f"no folder {found}", where=f"[{key}]", fix="Name a folder, or leave the key out."
            )
        return found
