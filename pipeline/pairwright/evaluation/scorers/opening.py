"""The scorers of a file of scorers, by name, each bound to what answers for it; and their exact
identities, for their results and for the keys of their stored calls."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import ConfigError, near
from pairwright.evaluation.scorers.in_process import InProcess
from pairwright.evaluation.scorers.judges import ComparingJudge, RatingJudge
from pairwright.evaluation.scorers.own_scorer import OwnObject, OwnReward, find_class
from pairwright.evaluation.scorers.score_file import ScoreFile
from pairwright.evaluation.scorers.score_models import LanguageModel, RewardModel
from pairwright.evaluation.scorers.scorer import (
    BASELINES,
    Baseline,
    ByPair,
    Pointwise,
    Scorer,
    ScorerRef,
)
from pairwright.evaluation.settings import (
    Classifier,
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
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import SCORING, OwnPrompt, Prompts

IN_PROCESS_PAIRS = 256
"""Enough texts at once that those of about the same length fill a batch."""
_BESIDE = {"model", "revision", "device", "batch_tokens"}
"""What of a model in this process decides no reply, or is kept beside the settings."""
_SERVED = {
    "served": ("/classify", "Give the base_url of `vllm serve MODEL --runner pooling`, or use kind"
               " = 'classifier' for a model in this process."),
    "served-likelihood": ("prompt_logprobs", "Give the base_url of `vllm serve MODEL`."),
}  # fmt: skip
"""By kind: what a server must offer, and what to do if it does not."""


class OpenScorer(NamedTuple):
    """A scorer that can be asked."""

    scorer: Scorer
    ref: ScorerRef
    workers: int = 1
    """How many pairs to have under way at once."""
    stop: Callable[[], None] = lambda: None
    """Let what is in flight finish, and send nothing more. A baseline has nothing in flight."""


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
            return OpenScorer(Baseline(name), ScorerRef(name=name, kind="baseline"))
        spec = self.scorers.scorers.get(name)
        if spec is None:
            names = [*sorted(self.scorers.scorers), *sorted(BASELINES)]
            raise ConfigError(
                f"there is no scorer {name!r}",
                where="--scorer",
                fix=f"Name one of: {', '.join(names)}; or add [scorers.NAME] to the file of"
                f" scorers.{near(name, names)}",
            )
        match spec:
            case PythonScorer():
                return await self._own(name, spec)
            case ScoresOfFile():
                file = ScoreFile(Path(spec.path))
                return OpenScorer(file, _ref(name, spec, spec.model, spec.revision, file.digest))
            case PairwiseJudge() | PointwiseJudge():
                return await self._judge(name, spec)
            case _:
                return await self._model(name, spec)

    async def _own(self, name: str, spec: PythonScorer) -> OpenScorer:
        found = find_class(name, spec)
        own = OwnObject(found, spec.options, spec.batch, self.meter, self.store)
        await self.stack.enter_async_context(own)
        # The hash of the file that defines it is part of what decides its scores.
        settings = _canonical({"kind": spec.kind, "options": spec.options, "code": found.code})
        scorer = RewardModel(own, spec.object, spec.revision, settings)
        ref = _ref(name, spec, spec.object, spec.revision, key_of(settings))
        return OpenScorer(OwnReward(own, scorer), ref, IN_PROCESS_PAIRS, own.stop)

    async def _model(
        self, name: str, spec: Classifier | ServedClassifier | ServedLikelihood
    ) -> OpenScorer:
        """A reward model or a language model, and its client."""
        client: Client
        served: Classifier | Endpoint
        if isinstance(spec, Classifier):
            client = InProcess(name, spec, self.meter, self.store, self.say)
            served, workers = spec, IN_PROCESS_PAIRS
            settings = _canonical(spec.model_dump(exclude=_BESIDE))
        else:
            served = self.scorers.endpoints[spec.endpoint]
            client, workers = self._scoring_server(name, spec, served), served.concurrency
            settings = json.dumps({"kind": spec.kind})
        await self.stack.enter_async_context(client)
        model = served.model, served.revision
        scorer: RewardModel | LanguageModel = RewardModel(client, *model, settings)
        if isinstance(spec, ServedLikelihood):
            scorer = LanguageModel(client, *model, settings, spec.per_token)
            settings = json.dumps([settings, spec.per_token])
        return OpenScorer(scorer, _ref(name, spec, *model, key_of(settings)), workers, client.stop)

    def _scoring_server(
        self, name: str, spec: ServedClassifier | ServedLikelihood, endpoint: Endpoint
    ) -> ScoringServer:
        """A client of what vLLM's servers say of a response: a class, or log-probabilities.

        Raises ConfigError for an endpoint that is not such a server, and for a key that is not set.
        """
        if endpoint.engine == "vllm" or endpoint.recording is not None:
            needed, fix = _SERVED[spec.kind]
            where = f"[endpoints.{spec.endpoint}], which [scorers.{name}] names"
            raise ConfigError(f"has no {needed}: only vLLM's servers have it", where=where, fix=fix)
        kind = Classify if isinstance(spec, ServedClassifier) else PromptLogprobs
        key = api_key(spec.endpoint, endpoint)
        return kind(spec.endpoint, endpoint, self.meter, self.store, api_key=key, say=self.say)

    async def _judge(self, name: str, spec: PairwiseJudge | PointwiseJudge) -> OpenScorer:
        endpoint, compares = self.scorers.endpoints[spec.endpoint], spec.kind == "pairwise"
        decides: dict[str, object] = {"sampling": spec.sampling.model_dump()}
        prompts: Prompts | OwnPrompt = self.prompts
        if spec.prompt is not None:
            prompts = OwnPrompt.load(Path(spec.prompt), "prefer" if compares else "rate")
            decides["prompt"] = prompts.template.hash
        else:
            used = sorted({"history", *SCORING})
            decides["prompts"] = {one: self.prompts.hashes[one] for one in used}
            decides["structured"] = endpoint.structured
        client = await self.stack.enter_async_context(
            client_of(spec.endpoint, endpoint, self.meter, self.store)
        )
        judge = (ComparingJudge if compares else RatingJudge)(
            Model(client, endpoint, spec.sampling), prompts
        )
        settings = key_of(_canonical(decides))
        ref = _ref(name, spec, endpoint.model, endpoint.revision, settings)
        return OpenScorer(judge, ref, endpoint.concurrency, client.stop)


def _canonical(decides: object) -> str:
    return json.dumps(decides, sort_keys=True, separators=(",", ":"))


def _ref(name: str, spec: Spec, model: str, revision: str | None, settings: str) -> ScorerRef:
    """The exact identity of a scorer; `settings` hashes what decides its scores beside its
    model."""
    return ScorerRef(name=name, kind=spec.kind, model=model, revision=revision, settings=settings)


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


def pointwise(name: str, scorer: Scorer) -> Pointwise:
    """A scorer that gives a score of any one response. Raises ConfigError for one that does not."""
    if isinstance(scorer, Pointwise):
        return scorer
    why = (
        "is a file of scores of pairs, and has none of other responses"
        if isinstance(scorer, ByPair)
        else "compares two responses, and a score of a single one is wanted"
    )
    fix = "Name a scorer of another kind, such as pointwise."
    raise ConfigError(why, where=f"[scorers.{name}]", fix=fix)
