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
from pairwright.models import Model, key_of
from pairwright.models.client import Client, Meter
from pairwright.models.connect import Say, api_key, client_of, say
from pairwright.models.scores import Classify, PromptLogprobs, ScoringServer
from pairwright.models.store import Store
from pairwright.retrieve import dense
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import SCORING, OwnPrompt, Prompts

IN_PROCESS_PAIRS = 256
"""Enough texts at once that those of about the same length fill a batch."""
_BESIDE = {"model", "revision", "device", "batch_tokens", "per_token"}
"""What of a model in this process decides no reply, or is kept beside the settings."""
_SERVED = {
    "served": ("/classify", "vllm serve MODEL --runner pooling", "classifier"),
    "served-likelihood": ("prompt_logprobs", "vllm serve MODEL", "likelihood"),
}
"""By kind: what a server must offer, what serves it, and the kind that does it in this process."""


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
    store: Store | None
    meter: Meter
    say: Say
    stack: AsyncExitStack

    async def open(self, name: str) -> OpenScorer:
        """Open one scorer. Raises ConfigError."""
        if name in BASELINES:
            return OpenScorer(Baseline(name), ScorerRef(name=name, kind="baseline"), 1, _nothing)
        spec = self.scorers.scorers.get(name)
        if spec is None:
            names = [*sorted(self.scorers.scorers), *sorted(BASELINES)]
            raise ConfigError(
                f"there is no scorer {name!r}",
                where="--scorer",
                fix=f"Name one of: {', '.join(names)}; or add [scorers.NAME] to the file of"
                f" scorers.{near(name, names)}",
            )
        return await self._opened(name, spec)

    async def _opened(self, name: str, spec: Spec) -> OpenScorer:
        where = f"[scorers.{name}]"
        match spec:
            case Classifier() | Dpo() | Likelihood():
                here = InProcess(name, spec, self.meter, self.store, self.say)
                await self.stack.enter_async_context(here)
                settings = _canonical(spec.model_dump(exclude=_BESIDE))
                return self._model(name, spec, here, spec, settings, IN_PROCESS_PAIRS)
            case ServedClassifier() | ServedLikelihood():
                endpoint = self.scorers.endpoints[spec.endpoint]
                client = self._scoring_server(where, spec, endpoint)
                await self.stack.enter_async_context(client)
                settings = json.dumps({"kind": spec.kind})
                return self._model(name, spec, client, endpoint, settings, endpoint.concurrency)
            case GuidedDecoding():
                policy, reward = await self.open(spec.policy), await self.open(spec.reward)
                return _guided(name, spec, policy, reward)
            case EmbeddingScorer():
                dense.require(f"{where} model", "leave out this scorer")
                ref = ScorerRef(name=name, kind=spec.kind, model=spec.model)
                nearest = EmbeddingBaseline(spec.model, f"{where} model", asyncio.Lock())
                return OpenScorer(nearest, ref, 1, _nothing)
            case PythonScorer():
                found = find_class(name, spec)
                own = OwnObject(found, spec.options, spec.batch, self.meter, self.store)
                await self.stack.enter_async_context(own)
                # The hash of the file that defines it is part of what decides its scores.
                settings = _canonical(
                    {"kind": spec.kind, "options": spec.options, "code": found.code}
                )
                scorer = RewardModel(own, spec.object, spec.revision, settings)
                ref = _ref(name, spec.kind, scorer, settings)
                return OpenScorer(OwnReward(own, scorer), ref, IN_PROCESS_PAIRS, own.stop)
            case ScoresOfFile():
                file = ScoreFile(Path(spec.path))
                ref = ScorerRef(
                    name=name,
                    kind=spec.kind,
                    model=spec.model,
                    revision=spec.revision,
                    settings=file.digest,
                )
                return OpenScorer(file, ref, 1, _nothing)
            case PairwiseJudge() | PointwiseJudge():
                return await self._judge(name, spec)
            case never:
                assert_never(never)

    def _model(
        self,
        name: str,
        spec: Classifier | Dpo | Likelihood | ServedClassifier | ServedLikelihood,
        client: Client,
        served: Classifier | Dpo | Likelihood | Endpoint,
        settings: str,
        workers: int,
    ) -> OpenScorer:
        """A reward model or a language model, and its client; `settings` is canonical JSON of what
        decides its replies beside its name and revision."""
        scorer: RewardModel | LanguageModel
        if isinstance(spec, Likelihood | ServedLikelihood):
            scorer = LanguageModel(client, served.model, served.revision, settings, spec.per_token)
            settings = json.dumps([settings, spec.per_token])
        else:
            scorer = RewardModel(client, served.model, served.revision, settings)
        ref = _ref(name, spec.kind, scorer, settings)
        return OpenScorer(scorer, ref, workers, client.stop)

    def _scoring_server(
        self, where: str, spec: ServedClassifier | ServedLikelihood, endpoint: Endpoint
    ) -> ScoringServer:
        """A client of what vLLM's servers say of a response: a class, or log-probabilities.

        Raises ConfigError for an endpoint that is not such a server, and for a key that is not set.
        """
        if endpoint.engine == "vllm" or endpoint.recording is not None:
            needed, command, here = _SERVED[spec.kind]
            raise ConfigError(
                f"has no {needed}: only vLLM's servers have it",
                where=f"[endpoints.{spec.endpoint}], which {where} names",
                fix=f"Give the base_url of `{command}`, or use kind = {here!r} for a model in this"
                " process.",
            )
        kind = Classify if isinstance(spec, ServedClassifier) else PromptLogprobs
        key = api_key(spec.endpoint, endpoint)
        return kind(spec.endpoint, endpoint, self.meter, self.store, api_key=key, say=self.say)

    async def _judge(self, name: str, spec: PairwiseJudge | PointwiseJudge) -> OpenScorer:
        endpoint = self.scorers.endpoints[spec.endpoint]
        decides: dict[str, object] = {"sampling": spec.sampling.model_dump()}
        prompts: Prompts | OwnPrompt = self.prompts
        if spec.prompt is not None:
            prompts = OwnPrompt.load(
                Path(spec.prompt), "prefer" if spec.kind == "pairwise" else "rate"
            )
            decides["prompt"] = prompts.template.hash
        else:
            used = sorted({"history", *SCORING})
            decides["prompts"] = {one: self.prompts.hashes[one] for one in used}
            decides["structured"] = endpoint.structured
        client = await self.stack.enter_async_context(
            client_of(spec.endpoint, endpoint, self.meter, self.store)
        )
        model = Model(client, endpoint, spec.sampling)
        judge = ComparingJudge if spec.kind == "pairwise" else RatingJudge
        ref = _ref(name, spec.kind, endpoint, _canonical(decides))
        return OpenScorer(judge(model, prompts), ref, endpoint.concurrency, client.stop)


def _canonical(decides: object) -> str:
    return json.dumps(decides, sort_keys=True, separators=(",", ":"))


def _ref(
    name: str, kind: str, served: RewardModel | LanguageModel | Endpoint, settings: str
) -> ScorerRef:
    """The exact identity of a scorer: `settings` is what decides its scores beside its model."""
    return ScorerRef(
        name=name,
        kind=kind,
        model=served.model,
        revision=served.revision,
        settings=key_of(settings),
    )


@asynccontextmanager
async def open_scorers(
    scorers: Scorers,
    names: Sequence[str],
    prompts: Prompts,
    store: Store | None,
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


def _guided(name: str, spec: GuidedDecoding, policy: OpenScorer, reward: OpenScorer) -> OpenScorer:
    assert isinstance(policy.scorer, LanguageModel), "checked when the file was read"
    assert isinstance(reward.scorer, Pointwise), "checked when the file was read"

    def stop() -> None:
        policy.stop()
        reward.stop()

    rewarded = reward.ref.model_dump(mode="json", exclude={"beside"})
    decides = json.dumps([spec.beta, policy.ref.settings, rewarded], sort_keys=True)
    ref = _ref(name, spec.kind, policy.scorer, decides)
    ref = ref.model_copy(update={"beside": reward.ref.model})
    scorer = GuidedPolicy(f"[scorers.{name}]", policy.scorer, reward.scorer, spec.beta)
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


def _nothing() -> None:
    """Do nothing: a baseline answers at once, so nothing is in flight."""
