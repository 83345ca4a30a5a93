"""A completions benchmark, carried out: the writing first, then one scorer after the other."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress

from pairwright.cli.best_of_n.session import check_pointwise, policy_of
from pairwright.cli.completions.source import Asked
from pairwright.cli.judge import ref_of
from pairwright.cli.scorers import open_scorers
from pairwright.cli.signals import stop_on_signals
from pairwright.errors import CallFailed
from pairwright.evaluate.best_of_n.sampling import scores_of
from pairwright.evaluate.results import ScorerRef
from pairwright.evaluate.scorers.seam import Pointwise, PromptContent, Unscored
from pairwright.evaluate.scorers.spec import Policy, Scorers
from pairwright.models.client import Meter
from pairwright.models.run import work_through
from pairwright.models.store import Durable, Store
from pairwright.retrieve import selected
from pairwright.settings.prompt import COMPLETING, Prompts
from pairwright.settings.rules import HistoryRules
from pairwright.text import word_count
from pairwright.train.completions.conditions import (
    CompletionCondition,
    CompletionTask,
    conditions,
    own,
)
from pairwright.train.completions.measures import figures
from pairwright.train.completions.records import Completions, ItemCompletions, ModelRef, Picks
from pairwright.train.completions.writer import BodyWriter, complete_bodies
from pairwright.workflows.run_models import client_of, in_flight, model_of


class Wanted(NamedTuple):
    """What is to be written, and by whom it is picked."""

    asked: Asked
    ks: tuple[int, ...]
    n: int
    scorers: tuple[str, ...]
    limit: int | None


class Made(NamedTuple):
    """What comes of it."""

    about: Completions
    completions: list[ItemCompletions]
    picks: list[Picks]


class Session(NamedTuple):
    """What all parts share."""

    wanted: Wanted
    settings: Scorers
    prompts: Prompts
    store: Store
    console: Console

    async def run(self) -> Made:
        """Write, score, and sum up.

        Raises ConfigError, EndpointRefused, Interrupted and StoreError: what was done is stored.
        """
        wanted, meter = self.wanted, Meter()
        policy = policy_of(self.settings, wanted.n)
        await check_pointwise(self.settings, wanted.scorers, self.prompts, self.store, meter)
        ref, completions = await self._write(policy, meter)
        picks: list[Picks] = []
        refs: list[ModelRef] = []
        for name in wanted.scorers:
            scorer, found = await self._score(name, completions, meter)
            refs.append(_ref(scorer))
            picks += found
        found_figures = figures(completions, picks, wanted.ks, wanted.n)
        models = {ref.model, *(of.model for of in refs)}
        asked = wanted.asked
        counted = set(found_figures.counted)
        truths = [word_count(of.body) for of in asked.tasks if of.item.id in counted]
        about = Completions(
            source=asked.name,
            source_hash=asked.hash,
            limit=wanted.limit,
            policy=_ref(ref),
            words=policy.words,
            n=wanted.n,
            scorers=tuple(refs),
            simulated=bool(models & self.store.simulated_models()),
            seed=self.settings.seed,
            items=asked.items,
            source_problems=asked.problems,
            refused=asked.refused,
            asked=len(asked.tasks),
            counted=len(counted),
            unscored=found_figures.unscored,
            shortened=sum(of.left_out > 0 for of in completions),
            truth_words=round(sum(truths) / len(truths), 1) if truths else 0.0,
            means=found_figures.means,
            differences=found_figures.differences,
        )
        return Made(about, completions, picks)

    async def _write(self, spec: Policy, meter: Meter) -> tuple[ScorerRef, list[ItemCompletions]]:
        wanted = self.wanted
        endpoint = self.settings.endpoints[spec.endpoint]
        prompts = [self.prompts.hashes[name] for name in sorted(COMPLETING)]
        shown = spec.history.model_dump_json()
        ref = ref_of("policy", endpoint, spec.sampling, *prompts, shown, str(spec.words))
        draws = [(of, self._draws(of)) for of in conditions(wanted.ks)]
        async with client_of(spec.endpoint, endpoint, meter) as client:
            model = model_of(Durable(self.store, client), endpoint, spec.sampling)
            stop_on_signals(client.stop, meter, self.console)
            with Progress(console=self.console, transient=True) as progress:
                total = len(draws) * len(wanted.asked.tasks)
                bar = progress.add_task("texts written", total=total)
                completions = await complete_bodies(
                    wanted.asked.tasks,
                    draws,
                    BodyWriter(model, self.prompts, spec.history, spec.words),
                    workers=in_flight(endpoint),
                    stop=client.stop,
                    seen=lambda _: progress.advance(bar),
                )
        return ref, completions

    def _draws(self, of: CompletionCondition) -> int:
        return self.wanted.n if of.name == own(max(self.wanted.ks)) else 1

    async def _score(
        self, name: str, completions: Sequence[ItemCompletions], meter: Meter
    ) -> tuple[ScorerRef, list[Picks]]:
        sampled = own(max(self.wanted.ks))
        written = [of for of in completions if of.condition == sampled and not of.unscored]
        tasks = {of.item.id: of for of in self.wanted.asked.tasks}
        done: dict[int, Picks] = {}
        # One at a time: a model in this process fills the memory there is.
        async with open_scorers(self.settings, (name,), self.prompts, self.store, meter) as opened:
            of = opened[name]
            scorer = of.scorer
            assert isinstance(scorer, Pointwise), "checked before"
            stop_on_signals(of.stop, meter, self.console)
            with Progress(console=self.console, transient=True) as progress:
                bar = progress.add_task(f"scored by {name}", total=len(written))

                async def work(numbered: tuple[int, ItemCompletions]) -> None:
                    number, one = numbered
                    task = tasks[one.item]
                    done[number] = await _picks(one, task, name, scorer, self.settings.history)
                    progress.advance(bar)

                await work_through(
                    iter(enumerate(written)),
                    work,
                    workers=max(1, of.workers // self.wanted.n),
                    stop=of.stop,
                )
        return of.ref, [done[number] for number in range(len(written))]


async def _picks(
    of: ItemCompletions, task: CompletionTask, name: str, scorer: Pointwise, history: HistoryRules
) -> Picks:
    line = Picks(item=of.item, scorer=name)
    question = task.item.question
    shown = PromptContent(question, selected(question, task.item.profile, history))
    try:
        scores, _ = await scores_of(of.texts, shown, scorer, history)
    except CallFailed as error:
        scores = Unscored(f"call_failed:{error.reason}", error.detail)
    if isinstance(scores, Unscored):
        why = {"unscored": scores.reason, "detail": scores.detail[:500]}
        return line.model_copy(update=why)
    return line.model_copy(update={"scores": scores})


def _ref(of: ScorerRef) -> ModelRef:
    return ModelRef(name=of.name, model=of.model, revision=of.revision, settings=of.settings)
