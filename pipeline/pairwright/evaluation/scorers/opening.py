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
from pairwright.evaluation.scorers.score_models import GuidedPolicy, LanguageModel, RewardModel
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
    Guided,
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
from pairwright.models.scores import Classify, PromptLogprobs
from pairwright.models.store import Store
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import SCORING, OwnPrompt, Prompts

IN_PROCESS_PAIRS = 256
"""Enough texts at once that those of about the same length fill a batch."""
_BESIDE = {"model", "revision", "device", "batch_tokens"}
"""What of a model in this process decides no reply, or is kept beside the settings."""


class OpenScorer(NamedTuple):
    """A scorer that can be asked."""

    scorer: Scorer
    ref: ScorerRef
    workers: int = 1
    """How many pairs to have under way at once."""
    stop: Callable[[], None] = lambda: None
    """Let what is in flight finish, and send nothing more. A baseline has nothing in flight."""
    clients: tuple[Client, ...] = ()
    """What is connected or loaded, and closed at the end."""


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
        opened = {name: _opened(name, scorers, prompts, store, meter, say) for name in names}
        for client in (client for one in opened.values() for client in one.clients):
            await stack.enter_async_context(client)
        yield opened


def _opened(
    name: str, scorers: Scorers, prompts: Prompts, store: Store | None, meter: Meter, say: Say
) -> OpenScorer:
    if name in BASELINES:
        return OpenScorer(Baseline(name), ScorerRef(name=name, kind="baseline"))
    spec = scorers.scorers.get(name)
    scorer: Scorer
    match spec:
        case None:
            names = [*sorted(scorers.scorers), *sorted(BASELINES)]
            raise ConfigError(
                f"there is no scorer {name!r}",
                where="--scorer",
                fix=f"Name one of: {', '.join(names)}; or add [scorers.NAME] to the file of"
                f" scorers.{near(name, names)}",
            )
        case ScoresOfFile():
            file = ScoreFile(Path(spec.path))
            return OpenScorer(file, _ref(name, spec, (spec.model, spec.revision), file.digest))
        case PythonScorer():
            found = find_class(name, spec)
            own = OwnObject(found, spec.options, spec.batch, meter, store)
            # The hash of the file that defines it is part of what decides its scores.
            decides = _canonical({"kind": spec.kind, "options": spec.options, "code": found.code})
            ref = _ref(name, spec, (spec.object, spec.revision), key_of(decides))
            scorer = OwnReward(own, spec.object, spec.revision, decides, own=own)
            return OpenScorer(scorer, ref, IN_PROCESS_PAIRS, own.stop, (own,))
        case Guided():
            policy, reward = (
                _opened(one, scorers, prompts, store, meter, say)
                for one in (spec.policy, spec.reward)
            )
            first, second = (pointwise(one.ref.name, one.scorer) for one in (policy, reward))
            decides = _canonical([policy.ref.settings, reward.ref.model_dump(), spec.beta])
            ref = _ref(name, spec, (policy.ref.model, policy.ref.revision), key_of(decides))

            def stop() -> None:
                policy.stop()
                reward.stop()

            clients = policy.clients + reward.clients
            scorer = GuidedPolicy(first, second, spec.beta)
            return OpenScorer(scorer, ref, policy.workers, stop, clients)
        case Classifier():
            local = InProcess(name, spec, meter, store, say)
            decides = _canonical(spec.model_dump(exclude=_BESIDE))
            ref = _ref(name, spec, (spec.model, spec.revision), key_of(decides))
            model = RewardModel(local, spec.model, spec.revision, decides)
            return OpenScorer(model, ref, IN_PROCESS_PAIRS, local.stop, (local,))
    endpoint = scorers.endpoints[spec.endpoint]
    served = endpoint.model, endpoint.revision
    if isinstance(spec, ServedClassifier | ServedLikelihood):
        kind = Classify if isinstance(spec, ServedClassifier) else PromptLogprobs
        _check_server(name, spec, endpoint)
        key, decides = api_key(spec.endpoint, endpoint), json.dumps({"kind": spec.kind})
        client: Client = kind(spec.endpoint, endpoint, meter, store, api_key=key, say=say)
        scorer = RewardModel(client, *served, decides)
        if isinstance(spec, ServedLikelihood):
            scorer = LanguageModel(client, *served, decides, spec.per_token)
            decides = json.dumps([decides, spec.per_token])
    else:
        own_prompt, decides = _asked_with(spec, prompts, endpoint)
        client = client_of(spec.endpoint, endpoint, meter, store)
        judge = ComparingJudge if isinstance(spec, PairwiseJudge) else RatingJudge
        scorer = judge(Model(client, endpoint, spec.sampling), own_prompt)
    ref = _ref(name, spec, served, key_of(decides))
    return OpenScorer(scorer, ref, endpoint.concurrency, client.stop, (client,))


def _check_server(name: str, spec: ServedClassifier | ServedLikelihood, endpoint: Endpoint) -> None:
    """Raise ConfigError for an endpoint that is no server of vLLM's: what it says of a response is
    a class, or log-probabilities."""
    if endpoint.engine != "vllm" and endpoint.recording is None:
        return
    needed, fix = "prompt_logprobs", "Give the base_url of `vllm serve MODEL`."
    if isinstance(spec, ServedClassifier):
        needed, fix = (
            "/classify",
            "Give the base_url of `vllm serve MODEL --runner pooling`, or use kind = 'classifier'"
            " for a model in this process.",
        )
    where = f"[endpoints.{spec.endpoint}], which [scorers.{name}] names"
    raise ConfigError(f"has no {needed}: only vLLM's servers have it", where=where, fix=fix)


def _asked_with(
    spec: PairwiseJudge | PointwiseJudge, prompts: Prompts, endpoint: Endpoint
) -> tuple[Prompts | OwnPrompt, str]:
    """The prompts of a judge, and all that decides its replies beside its model."""
    decides: dict[str, object] = {"sampling": spec.sampling.model_dump()}
    if spec.prompt is not None:
        name = "prefer" if isinstance(spec, PairwiseJudge) else "rate"
        own = OwnPrompt.load(Path(spec.prompt), name)
        return own, _canonical(decides | {"prompt": own.template.hash})
    used = {one: prompts.hashes[one] for one in sorted({"history", *SCORING})}
    return prompts, _canonical(decides | {"prompts": used, "structured": endpoint.structured})


def _canonical(decides: object) -> str:
    return json.dumps(decides, sort_keys=True, separators=(",", ":"))


def _ref(name: str, spec: Spec, model: tuple[str, str | None], settings: str) -> ScorerRef:
    """The exact identity of a scorer; `settings` hashes what decides its scores beside its
    model."""
    return ScorerRef(
        name=name, kind=spec.kind, model=model[0], revision=model[1], settings=settings
    )


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
