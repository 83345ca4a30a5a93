"""The scorers of an evaluation, by name, each bound to what answers for it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from pairwright import assets
from pairwright.cli.crew import AUTO_UNITS, api_key, client_of, model_of, say
from pairwright.client import Classify, Client, Meter
from pairwright.config import SIMULATED_URL, Endpoint
from pairwright.errors import ConfigError
from pairwright.evaluate.local import InProcess
from pairwright.evaluate.results import ScorerRef
from pairwright.evaluate.scorers.baselines import BASELINES, Baseline
from pairwright.evaluate.scorers.embedding import EmbeddingBaseline
from pairwright.evaluate.scorers.pairwise import ComparingJudge
from pairwright.evaluate.scorers.pointwise import RatingJudge
from pairwright.evaluate.scorers.reward import RewardModel
from pairwright.evaluate.scorers.seam import Scorer
from pairwright.evaluate.scorers.spec import (
    Classifier,
    Dpo,
    Embedding,
    PairwiseJudge,
    PointwiseJudge,
    Scorers,
    Served,
    Spec,
)
from pairwright.llm import key_of
from pairwright.prompt import LISTING, SCORING, VARIABLES, Prompts
from pairwright.retrieve import dense
from pairwright.store import Durable, Replies

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


@asynccontextmanager
async def open_scorers(
    scorers: Scorers, names: Sequence[str], prompts: Prompts, store: Replies, meter: Meter
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
    store: Replies,
    meter: Meter,
) -> OpenScorer:
    if name in BASELINES:
        return OpenScorer(Baseline(name), ScorerRef(name=name, kind="baseline"), 1, _nothing)
    match _spec(scorers, name):
        case Classifier() | Dpo() as spec:
            client = await stack.enter_async_context(InProcess(name, spec, meter, say))
            scorer = RewardModel(
                Durable(store, client), spec.model, spec.revision, _deciding(spec)
            )  # fmt: skip
            return OpenScorer(scorer, _ref(name, spec.kind, scorer), IN_PROCESS_PAIRS, client.stop)
        case Served() as spec:
            endpoint = scorers.endpoints[spec.endpoint]
            served = await stack.enter_async_context(_classifying(name, spec, endpoint, meter))
            settings = json.dumps({"kind": spec.kind})
            scorer = RewardModel(
                Durable(store, served), endpoint.model, endpoint.revision, settings
            )
            return OpenScorer(scorer, _ref(name, spec.kind, scorer), _pairs(endpoint), served.stop)
        case Embedding() as spec:
            where = f"[scorers.{name}] model"
            dense.require(where, "leave out this scorer")
            ref = ScorerRef(name=name, kind=spec.kind, model=spec.model)
            nearest = EmbeddingBaseline(spec.model, where, asyncio.Lock())
            return OpenScorer(nearest, ref, 1, _nothing)
        case PairwiseJudge() | PointwiseJudge() as spec:
            endpoint = scorers.endpoints[spec.endpoint]
            judging = await stack.enter_async_context(client_of(spec.endpoint, endpoint, meter))
            model = model_of(Durable(store, judging), endpoint, spec.sampling)
            judge = ComparingJudge if spec.kind == "pairwise" else RatingJudge
            ref = _judge_ref(name, spec, endpoint, prompts)
            return OpenScorer(judge(model, prompts), ref, _pairs(endpoint), judging.stop)


def _spec(scorers: Scorers, name: str) -> Spec:
    if spec := scorers.scorers.get(name):
        return spec
    known = ", ".join([*sorted(scorers.scorers), *sorted(BASELINES)])
    raise ConfigError(
        f"there is no scorer {name!r}",
        where="--scorer",
        fix=f"Name one of: {known}; or add [scorers.NAME] to the file of scorers.",
    )


def _classifying(name: str, spec: Served, endpoint: Endpoint, meter: Meter) -> Client:
    if endpoint.engine == "vllm" or SIMULATED_URL in endpoint.base_urls:
        raise ConfigError(
            "has no /classify: that is asked of vLLM's servers",
            where=f"[endpoints.{spec.endpoint}], which [scorers.{name}] names",
            fix="Give the base_url of `vllm serve MODEL --runner pooling`, or use kind ="
            " 'classifier' for a model in this process.",
        )
    key = api_key(spec.endpoint, endpoint)
    wires = [Classify(url, key, endpoint.timeout_s) for url in endpoint.base_urls]
    return Client(spec.endpoint, endpoint, key, meter, *wires)


def _deciding(spec: Classifier | Dpo) -> str:
    """What decides a model's scores, beside its name and revision, as canonical JSON."""
    beside = {"model", "revision", "device", "batch_tokens"}
    return json.dumps(spec.model_dump(exclude=beside), sort_keys=True, separators=(",", ":"))


def _ref(name: str, kind: str, scorer: RewardModel) -> ScorerRef:
    return ScorerRef(
        name=name,
        kind=kind,
        model=scorer.model,
        revision=scorer.revision,
        settings=key_of(scorer.settings),
    )


def _judge_ref(
    name: str, spec: PairwiseJudge | PointwiseJudge, endpoint: Endpoint, prompts: Prompts
) -> ScorerRef:
    asked = {prompt: prompts.hashes[prompt] for prompt in sorted({"history", *SCORING})}
    deciding = {
        "sampling": spec.sampling.model_dump(),
        "prompts": asked,
        "structured": endpoint.structured,
    }
    return ScorerRef(
        name=name,
        kind=spec.kind,
        model=endpoint.model,
        revision=endpoint.revision,
        settings=key_of(json.dumps(deciding, sort_keys=True, separators=(",", ":"))),
    )


def _pairs(endpoint: Endpoint) -> int:
    return AUTO_UNITS if endpoint.concurrency == "auto" else endpoint.concurrency


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
