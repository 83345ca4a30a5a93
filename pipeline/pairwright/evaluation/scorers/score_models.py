"""Models that score a conversation: reward models, language models, and a policy of both.

They are asked as a generating model is, so their scores are durable like any call: the last message
is the response. A reward model's completion is one number; a language model's completion lists the
response's tokens with their log-probabilities. `llm` turns that into a request of vLLM or into a
forward pass in this process.
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pydantic import Field

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.opening import (
    Opening,
    OpenScorer,
    canonical,
    pointwise,
    ref_of,
)
from pairwright.evaluation.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
    Unscored,
)
from pairwright.models import CONTEXT_LENGTH, LLM, Completion, Request, together
from pairwright.models.connect import api_key
from pairwright.models.scores import Classify, PromptLogprobs, ScoringServer, TokenLogprobs
from pairwright.pairs.conversion import user_message
from pairwright.records import Record
from pairwright.settings.prompt import Message

_WIRES: dict[str, tuple[type[ScoringServer], str, str]] = {
    "served": (
        Classify, "/classify", "Give the base_url of `vllm serve MODEL --runner pooling`, or use"
        " kind = 'classifier' for a model in this process.",
    ),
    "served-likelihood": (
        PromptLogprobs, "prompt_logprobs", "Give the base_url of `vllm serve MODEL`.",
    ),
}  # fmt: skip
"""By kind: the client, what a server must offer, and what to do if it does not."""


class _Served(Record):
    kind: str
    endpoint: str = Field(description="which of [endpoints]")

    def open(self, name: str, opening: Opening) -> OpenScorer:
        """Bind the server. Raises ConfigError for an endpoint that is no server of vLLM's, and for
        a key that is not set."""
        endpoint, (wire, needed, fix) = opening.endpoints[self.endpoint], _WIRES[self.kind]
        if endpoint.engine == "vllm" or endpoint.recording is not None:
            where = f"[endpoints.{self.endpoint}], which [scorers.{name}] names"
            what = f"has no {needed}: only vLLM's servers have it"
            raise ConfigError(what, where=where, fix=fix)
        client = wire(
            self.endpoint, endpoint, opening.meter, opening.store,
            api_key=api_key(self.endpoint, endpoint), say=opening.say,
        )  # fmt: skip
        model = endpoint.model, endpoint.revision
        scorer = self.bound(client, *model, canonical({"kind": self.kind}))
        ref = ref_of(name, self.kind, *model, canonical(self.model_dump(exclude={"endpoint"})))
        return OpenScorer(scorer, ref, endpoint.concurrency, (client,))

    def bound(self, client: LLM, model: str, revision: str | None, decides: str) -> "RewardModel":
        return RewardModel(client, model, revision, decides)


class ServedClassifier(_Served):
    """The same served by vLLM: raw logits of its `/classify`."""

    kind: Literal["served"]


class ServedLikelihood(_Served):
    """How likely a language model makes a response, token by token, by vLLM's
    `prompt_logprobs`."""

    kind: Literal["served-likelihood"]
    per_token: bool = Field(False, description="divide the sum by the number of tokens")

    def bound(self, client: LLM, model: str, revision: str | None, decides: str) -> "LanguageModel":
        # The same replies give the sum and the mean.
        return LanguageModel(client, model, revision, decides, self.per_token)


class Guided(Record):
    """What reward-guided decoding adds up: how likely a language model makes a response, and a
    reward over beta. Its accuracy is the policy accuracy of Pref-LaMP (arXiv 2512.23067)."""

    kind: Literal["guided"]
    policy: str = Field(description="a scorer of kind 'served-likelihood'")
    reward: str = Field(description="a scorer of single responses, or a baseline")
    beta: float = Field(1.0, gt=0, description="the reward is divided by it")

    def open(self, name: str, opening: Opening) -> OpenScorer:
        """Open both. Raises ConfigError for a reward that gives no score of one response."""
        policy, reward = opening.open(self.policy), opening.open(self.reward)
        first = pointwise(self.policy, policy.scorer)
        scorer = GuidedPolicy(first, pointwise(self.reward, reward.scorer), self.beta)
        decides = canonical([policy.ref.settings, reward.ref.model_dump(), self.beta])
        ref = ref_of(name, self.kind, policy.ref.model, policy.ref.revision, decides)
        return OpenScorer(scorer, ref, policy.workers, policy.clients + reward.clients)


@dataclass(frozen=True)
class RewardModel:
    """A reward model, bound to what answers for it."""

    llm: LLM
    model: str
    revision: str | None = None
    settings: str = "{}"
    """Canonical JSON of what decides its replies beside the model; part of each call's key."""

    def request(self, shown: PromptContent, response: str, purpose: str = "score") -> Request:
        """The request about one response."""
        prompt = user_message(shown.question, shown.posts, shown.aspects)
        return Request(
            model=self.model,
            revision=self.revision,
            messages=(Message("user", prompt), Message("assistant", response)),
            max_tokens=1,
            extra=self.settings,
            purpose=purpose,
        )

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """The model's score of a response. Raises CallFailed."""
        return self.read(await self.llm.complete(self.request(shown, response)))

    def read(self, completion: Completion) -> ResponseScore | Unscored:
        """The score that a completion says, or why it says none."""
        if completion.finish == CONTEXT_LENGTH:
            return Unscored(CONTEXT_LENGTH, completion.text[:200])
        try:
            value = self.value_of(completion.text)
        except ValueError as error:
            return Unscored("not_a_number", str(error)[:200])
        if not math.isfinite(value):
            return Unscored("not_a_number", completion.text[:200])
        return ResponseScore(value, completion.prompt_tokens)

    def value_of(self, text: str) -> float:
        """The score that a reply says. Raises ValueError."""
        return float(text)


@dataclass(frozen=True)
class LanguageModel(RewardModel):
    """A language model, whose score is log pi(y|x)."""

    per_token: bool = False
    """Whether the score is divided by the number of tokens."""

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """log pi(y|x), or that over the number of tokens. Raises CallFailed."""
        if not response:
            return Unscored("no_tokens", "the response is empty")
        request = self.request(shown, response, "log_probabilities")
        return self.read(await self.llm.complete(request))

    def value_of(self, text: str) -> float:
        tokens = TokenLogprobs.model_validate_json(text)
        if not tokens.ids:
            raise ValueError("the tokenizer makes nothing of the response")
        if tokens.total is None:
            raise ValueError("a token has no log-probability that is a number")
        return tokens.total / (len(tokens.ids) if self.per_token else 1)


class GuidedPolicy(NamedTuple):
    """A language model, guided by a reward."""

    policy: Pointwise
    reward: Pointwise
    beta: float

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """log pi(y|x) + r(x, y) / beta. Raises CallFailed."""
        policy, reward = await together(
            self.policy.score(shown, response), self.reward.score(shown, response)
        )
        if isinstance(policy, Unscored):
            return policy
        if isinstance(reward, Unscored):
            return reward
        value = policy.value + reward.value / self.beta
        return ResponseScore(value, policy.tokens + reward.tokens)
