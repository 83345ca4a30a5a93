"""Best-of-n, carried out: the policy and its judge first, then one scorer after the other."""

from collections import Counter
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress

from pairwright.cli.judge import judge_of_outputs, ref_of
from pairwright.cli.scorers import open_scorers, pointwise
from pairwright.cli.signals import stop_on_signals
from pairwright.errors import ConfigError
from pairwright.evaluate.best_of_n.curves import ceiling, curve
from pairwright.evaluate.best_of_n.records import BestOfN, Curve, SampledQuestion, SampleScores
from pairwright.evaluate.best_of_n.sampling import SampledPolicy, sample_questions, score_samples
from pairwright.evaluate.questions import PersonQuestion, ReleaseQuestions
from pairwright.evaluate.release import Release
from pairwright.evaluate.results import ScorerRef
from pairwright.evaluate.scorers.spec import Policy, Scorers
from pairwright.models.client import Meter
from pairwright.models.store import Durable, Store
from pairwright.settings.prompt import SAMPLING, Prompts
from pairwright.workflows.run_models import client_of, in_flight, model_of


class Wanted(NamedTuple):
    """What is to be sampled, and by whom it is picked."""

    release: Release
    scorers: tuple[str, ...]
    n: int
    ks: tuple[int, ...]
    limit: int | None


class Made(NamedTuple):
    """What comes of it."""

    about: BestOfN
    samples: list[SampledQuestion]
    scores: list[SampleScores]


class _Drawn(NamedTuple):
    policy: ScorerRef
    judge: ScorerRef
    samples: list[SampledQuestion]


class Session(NamedTuple):
    """What both parts share."""

    wanted: Wanted
    settings: Scorers
    prompts: Prompts
    store: Store
    console: Console

    async def run(self) -> Made:
        """Sample, judge, score, and sum up.

        Raises ConfigError, EndpointRefused, Interrupted and StoreError: what was done is stored.
        """
        wanted, meter = self.wanted, Meter()
        policy = policy_of(self.settings, wanted.n)
        questions = ReleaseQuestions(wanted.release.rows()).own[: wanted.limit]
        await check_pointwise(self.settings, wanted.scorers, self.prompts, self.store, meter)
        drawn = await self._draw(policy, questions, meter)
        scores: list[SampleScores] = []
        curves: list[Curve] = []
        for name in wanted.scorers:
            found, of = await self._score(name, questions, drawn.samples, meter)
            scores += found
            curves.append(of)
        counted = [of for of in drawn.samples if not of.unscored]
        about = BestOfN(
            release=wanted.release.ref,
            limit=wanted.limit,
            n=wanted.n,
            policy=drawn.policy,
            judge=drawn.judge,
            history=self.settings.history.hash,
            simulated=bool(self._models(drawn, curves) & self.store.simulated_models()),
            questions=len(questions),
            sampled=len(counted),
            unscored=dict(
                sorted(Counter(of.unscored for of in drawn.samples if of.unscored).items())
            ),
            ceiling=ceiling(drawn.samples, wanted.ks),
            curves=tuple(curves),
        )
        return Made(about, drawn.samples, scores)

    async def _draw(self, spec: Policy, questions: list[PersonQuestion], meter: Meter) -> _Drawn:
        endpoint = self.settings.endpoints[spec.endpoint]
        asked = [self.prompts.hashes[name] for name in sorted({"history", *SAMPLING})]
        shown = spec.history.model_dump_json()
        ref = ref_of("policy", endpoint, spec.sampling, *asked, shown, str(spec.words))
        async with (
            judge_of_outputs(self.settings, self.prompts, self.store, meter) as judge,
            client_of(spec.endpoint, endpoint, meter) as client,
        ):
            model = model_of(Durable(self.store, client), endpoint, spec.sampling)

            def stop() -> None:
                client.stop()
                judge.stop()

            stop_on_signals(stop, meter, self.console)
            with Progress(console=self.console, transient=True) as progress:
                task = progress.add_task("questions sampled and judged", total=len(questions))
                samples = await sample_questions(
                    questions,
                    self.wanted.n,
                    SampledPolicy(model, self.prompts, spec.history, spec.words),
                    judge.judge,
                    workers=max(1, in_flight(endpoint) // self.wanted.n),
                    stop=stop,
                    on_each=lambda _: progress.advance(task),
                )
        return _Drawn(ref, judge.ref, samples)

    async def _score(
        self,
        name: str,
        questions: list[PersonQuestion],
        samples: list[SampledQuestion],
        meter: Meter,
    ) -> tuple[list[SampleScores], Curve]:
        # One at a time: a model in this process fills the memory there is.
        async with open_scorers(self.settings, (name,), self.prompts, self.store, meter) as opened:
            of = opened[name]
            scorer = pointwise(name, of.scorer)
            stop_on_signals(of.stop, meter, self.console)
            with Progress(console=self.console, transient=True) as progress:
                task = progress.add_task(f"scored by {name}", total=len(samples))
                found = await score_samples(
                    samples,
                    {asked.pair: asked for asked in questions},
                    name,
                    scorer,
                    self.settings.history,
                    workers=max(1, of.workers // self.wanted.n),
                    stop=of.stop,
                    on_each=lambda _: progress.advance(task),
                )
        return found, curve(of.ref, samples, found, self.wanted.ks)

    def _models(self, drawn: _Drawn, curves: list[Curve]) -> set[str]:
        return {drawn.policy.model, drawn.judge.model, *(of.scorer.model for of in curves)}


async def check_pointwise(
    settings: Scorers, names: tuple[str, ...], prompts: Prompts, store: Store, meter: Meter
) -> None:
    """Before anything is sampled: nothing is connected or loaded by opening them.

    Raises ConfigError for a scorer that is not there, or that cannot pick.
    """
    async with open_scorers(settings, names, prompts, store, meter) as opened:
        for name, of in opened.items():
            pointwise(name, of.scorer)


def policy_of(settings: Scorers, n: int) -> Policy:
    """The policy of the file. Raises ConfigError where it has none, or says the same N times."""
    if settings.policy is None:
        raise ConfigError(
            "there is no policy to sample from",
            where="--scorers",
            fix="Give it a file with a table [policy] that names an endpoint.",
        )
    if settings.policy.sampling.temperature == 0 and n > 1:
        raise ConfigError(
            f"at temperature 0 the {n} samples of a question are one and the same",
            where="[policy.sampling] temperature",
            fix="Give it a temperature such as 1.0, or leave the key out.",
        )
    return settings.policy
