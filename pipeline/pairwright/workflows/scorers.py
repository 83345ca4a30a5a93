"""The scorers of a file of scorers, by name, each bound to what answers for it; and their exact
identities, for their results and for the keys of their stored calls."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple, assert_never

from pairwright.errors import ConfigError, near
from pairwright.evaluation.results import ScorerRef
from pairwright.evaluation.scorers.in_process import InProcess
from pairwright.evaluation.scorers.judges import ComparingJudge, RatingJudge
from pairwright.evaluation.scorers.own_scorer import OwnObject, OwnReward, find_class
from pairwright.evaluation.scorers.score_file import ScoreFile
from pairwright.evaluation.scorers.score_models import GuidedPolicy, LanguageModel, RewardModel
from pairwright.evaluation.scorers.scorer import (
    BASELINES,
    Baseline,
    ByPair,
    EmbeddingBaseline,
    Pointwise,
    Scorer,
)
from pairwright.evaluation.settings import (
    Classifier,
    Dpo,
    EmbeddingScorer,
    GuidedDecoding,
    Likelihood,
    PairwiseJudge,
    PointwiseJudge,
    PythonScorer,
    Scorers,
    ScoresOfFile,
    ServedClassifier,
    ServedLikelihood,
    Spec,
)
from pairwright.models import key_of
from pairwright.models.client import Client, Meter
from pairwright.models.store import Durable, ReplyStore
from pairwright.retrieve import dense
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import OwnPrompt, Prompts
from pairwright.settings.prompt_variables import SCORING
from pairwright.workflows.run_models import Say, client_of, in_flight, model_of, say
from pairwright.workflows.vllm_scores import vllm_client


def deciding(spec: Classifier | Dpo | Likelihood) -> str:
    """What decides a model's scores beside its name and revision, as canonical JSON."""
    beside = {"model", "revision", "device", "batch_tokens", "per_token", "cutoff", "tie_margin"}
    return json.dumps(spec.model_dump(exclude=beside), sort_keys=True, separators=(",", ":"))


def reward_ref(name: str, kind: str, scorer: RewardModel) -> ScorerRef:
    """The reference of a reward model."""
    return ScorerRef(
        name=name,
        kind=kind,
        model=scorer.model,
        revision=scorer.revision,
        settings=key_of(scorer.settings),
    )


def language_model_ref(name: str, kind: str, scorer: LanguageModel) -> ScorerRef:
    """The reference of a language model whose log-probabilities are scores."""
    return ScorerRef(
        name=name,
        kind=kind,
        model=scorer.model,
        revision=scorer.revision,
        settings=key_of(json.dumps([scorer.settings, scorer.per_token])),
    )


def guided_ref(name: str, spec: GuidedDecoding, policy: ScorerRef, reward: ScorerRef) -> ScorerRef:
    """The reference of a guided policy, which has its policy's model."""
    decides = [
        spec.beta,
        policy.settings,
        reward.model_dump(mode="json", exclude={"beside", "cutoff", "tie_margin"}),
    ]
    return ScorerRef(
        name=name,
        kind=spec.kind,
        model=policy.model,
        revision=policy.revision,
        settings=key_of(json.dumps(decides, sort_keys=True)),
        beside=reward.model,
    )


def own_settings(spec: PythonScorer, code: str) -> str:
    """What decides a scorer of one's own beside its name and revision, as canonical JSON.

    These are its options, and `code`, the hash of the file that defines it.
    """
    decides = {"kind": spec.kind, "options": spec.options, "code": code}
    return json.dumps(decides, sort_keys=True, separators=(",", ":"))


def judge_ref(
    name: str,
    spec: PairwiseJudge | PointwiseJudge,
    endpoint: Endpoint,
    prompts: Prompts | OwnPrompt,
) -> ScorerRef:
    """The reference of a judge under test."""
    decides: dict[str, object] = {"sampling": spec.sampling.model_dump()}
    if isinstance(prompts, OwnPrompt):
        decides["prompt"] = prompts.hash
    else:
        decides["prompts"] = {one: prompts.hashes[one] for one in sorted({"history", *SCORING})}
        decides["structured"] = endpoint.structured
    return ScorerRef(
        name=name,
        kind=spec.kind,
        model=endpoint.model,
        revision=endpoint.revision,
        settings=key_of(json.dumps(decides, sort_keys=True, separators=(",", ":"))),
    )


IN_PROCESS_PAIRS = 256
"""Enough texts at once that those of about the same length fill a batch."""


class OpenScorer(NamedTuple):
    """A scorer that can be asked."""

    scorer: Scorer
    ref: ScorerRef
    workers: int
    """How many pairs to have under way at once."""
    stop: Callable[[], None]
    """Let what is in flight finish, and send nothing more."""


class _Opener(NamedTuple):
    """Opens scorers and enters what they need, to be left when all are."""

    scorers: Scorers
    prompts: Prompts
    store: ReplyStore
    meter: Meter
    say: Say
    stack: AsyncExitStack

    async def open(self, name: str) -> OpenScorer:
        """Open one scorer. Raises ConfigError."""
        if name in BASELINES:
            return OpenScorer(Baseline(name), ScorerRef(name=name, kind="baseline"), 1, _nothing)
        spec = _spec(self.scorers, name)
        opened = await self._opened(name, spec)
        return opened._replace(
            ref=opened.ref.model_copy(update={"cutoff": spec.cutoff, "tie_margin": spec.tie_margin})
        )

    async def _opened(self, name: str, spec: Spec) -> OpenScorer:
        match spec:
            case Classifier() | Dpo() | ServedClassifier():
                return await self._reward_model(name, spec)
            case Likelihood() | ServedLikelihood():
                return await self._language_model(name, spec)
            case GuidedDecoding():
                policy, reward = await self.open(spec.policy), await self.open(spec.reward)
                return _guided(name, spec, policy, reward)
            case EmbeddingScorer():
                where = f"[scorers.{name}] model"
                dense.require(where, "leave out this scorer")
                ref = ScorerRef(name=name, kind=spec.kind, model=spec.model)
                nearest = EmbeddingBaseline(spec.model, where, asyncio.Lock())
                return OpenScorer(nearest, ref, 1, _nothing)
            case PythonScorer():
                return await self._own(name, spec)
            case ScoresOfFile():
                return _score_file(name, spec)
            case PairwiseJudge() | PointwiseJudge():
                return await self._judge(name, spec)
            case never:
                assert_never(never)

    async def _reward_model(
        self, name: str, spec: Classifier | Dpo | ServedClassifier
    ) -> OpenScorer:
        answering = await self._answering(name, spec)
        scorer = RewardModel(
            Durable(self.store, answering.client),
            answering.model,
            answering.revision,
            answering.settings,
        )
        ref = reward_ref(name, spec.kind, scorer)
        return OpenScorer(scorer, ref, answering.workers, answering.client.stop)

    async def _language_model(self, name: str, spec: Likelihood | ServedLikelihood) -> OpenScorer:
        answering = await self._answering(name, spec)
        scorer = LanguageModel(
            Durable(self.store, answering.client),
            answering.model,
            answering.revision,
            answering.settings,
            spec.per_token,
        )
        ref = language_model_ref(name, spec.kind, scorer)
        return OpenScorer(scorer, ref, answering.workers, answering.client.stop)

    async def _answering(
        self, name: str, spec: Classifier | Dpo | Likelihood | ServedClassifier | ServedLikelihood
    ) -> "_Answering":
        """Open what answers for a model: a server, or this process."""
        if isinstance(spec, ServedClassifier | ServedLikelihood):
            endpoint = self.scorers.endpoints[spec.endpoint]
            client = vllm_client(name, spec, endpoint, self.meter, self.say)
            served = await self.stack.enter_async_context(client)
            settings = json.dumps({"kind": spec.kind})
            workers = in_flight(endpoint)
            return _Answering(served, endpoint.model, endpoint.revision, settings, workers)
        here = await self.stack.enter_async_context(InProcess(name, spec, self.meter, self.say))
        return _Answering(here, spec.model, spec.revision, deciding(spec), IN_PROCESS_PAIRS)

    async def _own(self, name: str, spec: PythonScorer) -> OpenScorer:
        own_class = find_class(name, spec)
        own = await self.stack.enter_async_context(
            OwnObject(own_class, spec.options, spec.batch, self.meter)
        )
        settings = own_settings(spec, own_class.code)
        scorer = RewardModel(Durable(self.store, own), spec.object, spec.revision, settings)
        ref = reward_ref(name, spec.kind, scorer)
        return OpenScorer(OwnReward(own, scorer), ref, IN_PROCESS_PAIRS, own.stop)

    async def _judge(self, name: str, spec: PairwiseJudge | PointwiseJudge) -> OpenScorer:
        endpoint = self.scorers.endpoints[spec.endpoint]
        prompts: Prompts | OwnPrompt = self.prompts
        if spec.prompt is not None:
            asked = "prefer" if spec.kind == "pairwise" else "rate"
            prompts = OwnPrompt.load(Path(spec.prompt), asked)
        client = await self.stack.enter_async_context(
            client_of(spec.endpoint, endpoint, self.meter)
        )
        model = model_of(Durable(self.store, client), endpoint, spec.sampling)
        judge = ComparingJudge if spec.kind == "pairwise" else RatingJudge
        ref = judge_ref(name, spec, endpoint, prompts)
        return OpenScorer(judge(model, prompts), ref, in_flight(endpoint), client.stop)


class _Answering(NamedTuple):
    client: Client | InProcess
    model: str
    revision: str | None
    settings: str
    workers: int


@asynccontextmanager
async def open_scorers(
    scorers: Scorers,
    names: Sequence[str],
    prompts: Prompts,
    store: ReplyStore,
    meter: Meter,
    say: Say = say,
) -> AsyncIterator[dict[str, OpenScorer]]:
    """Open scorers by name, of the file and of the baselines; none is connected or loaded before it
    is asked for what is not stored.

    A model in this process stays in memory to the end of the block: open one scorer at a time where
    several do not fit. Raises ConfigError for a name that is not there, a key that is not set and
    an endpoint that cannot score.
    """
    async with AsyncExitStack() as stack:
        opener = _Opener(scorers, prompts, store, meter, say, stack)
        yield {name: await opener.open(name) for name in names}


def _spec(scorers: Scorers, name: str) -> Spec:
    if spec := scorers.scorers.get(name):
        return spec
    names = [*sorted(scorers.scorers), *sorted(BASELINES)]
    raise ConfigError(
        f"there is no scorer {name!r}",
        where="--scorer",
        fix=f"Name one of: {', '.join(names)}; or add [scorers.NAME] to the file of scorers."
        + near(name, names),
    )


def _guided(name: str, spec: GuidedDecoding, policy: OpenScorer, reward: OpenScorer) -> OpenScorer:
    assert isinstance(policy.scorer, LanguageModel), "checked when the file was read"
    assert isinstance(reward.scorer, Pointwise), "checked when the file was read"

    def stop() -> None:
        policy.stop()
        reward.stop()

    ref = guided_ref(name, spec, policy.ref, reward.ref)
    where = f"[scorers.{name}]"
    scorer = GuidedPolicy(where, policy.scorer, reward.scorer, spec.beta)
    return OpenScorer(scorer, ref, policy.workers, stop)


def pointwise(name: str, scorer: Scorer) -> Pointwise:
    """A scorer that gives a score of any one response. Raises ConfigError for one that does not."""
    if isinstance(scorer, Pointwise):
        return scorer
    why = (
        "is a file of scores of a release's pairs, and has none of other responses"
        if isinstance(scorer, ByPair)
        else "compares two responses, and a score of a single one is wanted"
    )
    raise ConfigError(
        why, where=f"[scorers.{name}]", fix="Name a scorer of another kind, such as pointwise."
    )


def _score_file(name: str, spec: ScoresOfFile) -> OpenScorer:
    file = ScoreFile(Path(spec.path))
    ref = ScorerRef(
        name=name,
        kind=spec.kind,
        model=spec.model,
        revision=spec.revision,
        settings=file.digest,
    )
    return OpenScorer(file, ref, 1, _nothing)


def _nothing() -> None:
    """Do nothing: a baseline answers at once, so nothing is in flight."""
