"""The scorers of an evaluation, by name, each bound to what answers for it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple, assert_never

from pairwright import assets
from pairwright.cli.scorer_refs import (
    deciding,
    guided_ref,
    judge_ref,
    language_model_ref,
    own_settings,
    reward_ref,
)
from pairwright.cli.vllm_scores import vllm_client
from pairwright.errors import ConfigError
from pairwright.evaluate.local import InProcess
from pairwright.evaluate.results import ScorerRef
from pairwright.evaluate.scorers.baselines import BASELINES, Baseline, EmbeddingBaseline
from pairwright.evaluate.scorers.judges import ComparingJudge, RatingJudge
from pairwright.evaluate.scorers.own_class import own_class
from pairwright.evaluate.scorers.own_scorer import OwnObject, OwnReward
from pairwright.evaluate.scorers.score_file import ScoreFile
from pairwright.evaluate.scorers.score_models import GuidedPolicy, LanguageModel, RewardModel
from pairwright.evaluate.scorers.seam import ByPair, Pointwise, Scorer
from pairwright.evaluate.scorers.spec import (
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
from pairwright.models.client import Meter
from pairwright.models.store import Durable, ReplyStore
from pairwright.retrieve import dense
from pairwright.settings.config import SIMULATED_URL, Endpoint
from pairwright.settings.prompt import LISTING, VARIABLES, OwnPrompt, Prompts
from pairwright.workflows.run_models import client_of, in_flight, model_of, say

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
    beside: str = ""
    """Another model that has a part in its scores."""


@asynccontextmanager
async def open_scorers(
    scorers: Scorers, names: Sequence[str], prompts: Prompts, store: ReplyStore, meter: Meter
) -> AsyncIterator[dict[str, OpenScorer]]:
    """Those that are named, of the file and of the baselines; none is connected or loaded before it
    is asked for what is not stored.

    A model in this process stays in memory to the end of the block: open one scorer at a time where
    several do not fit. Raises ConfigError for a name that is not there, a key that is not set and
    an endpoint that cannot score.
    """
    async with AsyncExitStack() as stack:
        yield {name: await _opened(stack, scorers, name, prompts, store, meter) for name in names}


async def _opened(
    stack: AsyncExitStack,
    scorers: Scorers,
    name: str,
    prompts: Prompts,
    store: ReplyStore,
    meter: Meter,
) -> OpenScorer:
    if name in BASELINES:
        return OpenScorer(Baseline(name), ScorerRef(name=name, kind="baseline"), 1, _nothing)
    match _spec(scorers, name):
        case Classifier() | Dpo() as spec:
            client = await stack.enter_async_context(InProcess(name, spec, meter, say))
            scorer = RewardModel(
                Durable(store, client), spec.model, spec.revision, deciding(spec)
            )  # fmt: skip
            return OpenScorer(
                scorer, reward_ref(name, spec.kind, scorer), IN_PROCESS_PAIRS, client.stop
            )
        case ServedClassifier() as spec:
            endpoint = scorers.endpoints[spec.endpoint]
            served = await stack.enter_async_context(vllm_client(name, spec, endpoint, meter))
            settings = json.dumps({"kind": spec.kind})
            scorer = RewardModel(
                Durable(store, served), endpoint.model, endpoint.revision, settings
            )
            return OpenScorer(
                scorer, reward_ref(name, spec.kind, scorer), in_flight(endpoint), served.stop
            )
        case Likelihood() as spec:
            client = await stack.enter_async_context(InProcess(name, spec, meter, say))
            language_model = LanguageModel(
                Durable(store, client), spec.model, spec.revision, deciding(spec), spec.per_token
            )
            ref = language_model_ref(name, spec.kind, language_model)
            return OpenScorer(language_model, ref, IN_PROCESS_PAIRS, client.stop)
        case ServedLikelihood() as spec:
            endpoint = scorers.endpoints[spec.endpoint]
            served = await stack.enter_async_context(vllm_client(name, spec, endpoint, meter))
            settings = json.dumps({"kind": spec.kind})
            language_model = LanguageModel(
                Durable(store, served), endpoint.model, endpoint.revision, settings, spec.per_token
            )
            ref = language_model_ref(name, spec.kind, language_model)
            return OpenScorer(language_model, ref, in_flight(endpoint), served.stop)
        case GuidedDecoding() as spec:
            policy = await _opened(stack, scorers, spec.policy, prompts, store, meter)
            reward = await _opened(stack, scorers, spec.reward, prompts, store, meter)
            return _guided(name, spec, policy, reward)
        case EmbeddingScorer() as spec:
            where = f"[scorers.{name}] model"
            dense.require(where, "leave out this scorer")
            ref = ScorerRef(name=name, kind=spec.kind, model=spec.model)
            nearest = EmbeddingBaseline(spec.model, where, asyncio.Lock())
            return OpenScorer(nearest, ref, 1, _nothing)
        case PythonScorer() as spec:
            found = own_class(name, spec)
            own = await stack.enter_async_context(OwnObject(found, spec.options, spec.batch, meter))
            scorer = RewardModel(
                Durable(store, own), spec.object, spec.revision, own_settings(spec, found.code)
            )
            ref = reward_ref(name, spec.kind, scorer)
            return OpenScorer(OwnReward(own, scorer), ref, IN_PROCESS_PAIRS, own.stop)
        case ScoresOfFile() as spec:
            file = ScoreFile(Path(spec.path))
            ref = ScorerRef(
                name=name,
                kind=spec.kind,
                model=spec.model,
                revision=spec.revision,
                settings=file.digest,
            )
            return OpenScorer(file, ref, 1, _nothing)
        case PairwiseJudge() | PointwiseJudge() as spec:
            endpoint = scorers.endpoints[spec.endpoint]
            asked = _asked(name, spec, endpoint, prompts)
            judging = await stack.enter_async_context(client_of(spec.endpoint, endpoint, meter))
            model = model_of(Durable(store, judging), endpoint, spec.sampling)
            judge = ComparingJudge if spec.kind == "pairwise" else RatingJudge
            ref = judge_ref(name, spec, endpoint, asked)
            return OpenScorer(judge(model, asked), ref, in_flight(endpoint), judging.stop)
        case never:
            assert_never(never)


def _spec(scorers: Scorers, name: str) -> Spec:
    if spec := scorers.scorers.get(name):
        return spec
    known = ", ".join([*sorted(scorers.scorers), *sorted(BASELINES)])
    raise ConfigError(
        f"there is no scorer {name!r}",
        where="--scorer",
        fix=f"Name one of: {known}; or add [scorers.NAME] to the file of scorers.",
    )


def _asked(
    name: str, spec: PairwiseJudge | PointwiseJudge, endpoint: Endpoint, prompts: Prompts
) -> Prompts | OwnPrompt:
    """What a judge is asked with."""
    if spec.prompt is None:
        return prompts
    if SIMULATED_URL in endpoint.base_urls:
        raise ConfigError(
            "the embedded model knows the prompts that ship, and no others",
            where=f"[scorers.{name}] prompt",
            fix="Name an endpoint with a model of its own, or leave out the prompt.",
        )
    return OwnPrompt.load(Path(spec.prompt), "prefer" if spec.kind == "pairwise" else "rate")


def _guided(name: str, spec: GuidedDecoding, policy: OpenScorer, reward: OpenScorer) -> OpenScorer:
    assert isinstance(policy.scorer, LanguageModel), "checked when the file was read"
    assert isinstance(reward.scorer, Pointwise), "checked when the file was read"

    def stop() -> None:
        policy.stop()
        reward.stop()

    ref = guided_ref(name, spec, policy.ref, reward.ref)
    where = f"[scorers.{name}]"
    scorer = GuidedPolicy(where, policy.scorer, reward.scorer, spec.beta)
    return OpenScorer(scorer, ref, policy.workers, stop, beside=reward.ref.model)


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


def prompts_of(scorers: Scorers, base: Path) -> Prompts:
    """The prompts of the file, whose paths are relative to `base`, or those that ship."""
    if scorers.prompts is None:
        return Prompts.load(assets.PROMPTS, VARIABLES.keys() - LISTING)
    folder = base / scorers.prompts
    if not folder.is_dir():
        raise ConfigError(
            f"no folder {folder}", where="[prompts]", fix="Name a folder, or leave the key out."
        )
    return Prompts.load(folder, VARIABLES.keys() - LISTING)


def _nothing() -> None:
    """Nothing is in flight: a baseline answers at once."""
