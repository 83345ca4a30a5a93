"""Models that score a conversation: reward models, and language models.

They are asked as a generating model is, so their scores are durable like any call: the last message
is the response. A reward model's completion is one number; a language model's completion lists the
response's tokens with their log-probabilities. `pairwright.models.scores` turns that into requests
of vLLM, and `in_process` into a forward pass in this process.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.scorer import Pointwise, PromptContent, ResponseScore, Unscored
from pairwright.evaluation.session import (
    Opened,
    OpenScorer,
    ScorerSession,
    canonical,
    pointwise,
    ref_of,
)
from pairwright.models import CONTEXT_LENGTH, LLM, Completion, Request, together
from pairwright.models.client import Client
from pairwright.models.connect import api_key
from pairwright.models.scores import Classify, PromptLogprobs, ScoringServer, TokenLogprobs
from pairwright.pairs.conversion import user_message
from pairwright.records import Record
from pairwright.settings.prompt import Message

NO_SCORE = "no_score"


class Served(Record):
    """A model that vLLM serves. The score is a reward model's raw logit of `/classify`, or the
    log-likelihood of the response under a language model. With a reward the latter is the objective
    of reward-guided decoding: log pi(y|x) + r(x, y) / beta. Its accuracy is then the policy
    accuracy of Pref-LaMP (arXiv 2512.23067)."""

    kind: Literal["served", "served-likelihood"]
    endpoint: str = Field(description="name of a table of [endpoints]")
    reward: str | None = Field(
        None, description="a scorer of single responses, or a baseline, that is added"
    )
    beta: float = Field(1.0, gt=0, description="the reward is divided by it")

    @model_validator(mode="after")
    def _check_reward(self) -> "Served":
        if self.reward is None and "beta" in self.model_fields_set:
            raise ValueError("beta divides a reward: name one as `reward`, or leave beta out")
        if self.reward is not None and self.kind == "served":
            raise ValueError("a reward is added to a likelihood: kind = 'served-likelihood'")
        return self

    def open(self, name: str, session: ScorerSession) -> OpenScorer:
        """Bind the server, and open the reward. Raises ConfigError for an endpoint that is no
        server of vLLM's, a key that is not set, and a reward without a score of one response."""
        given, calls = session.settings.endpoints[self.endpoint], session.calls
        if given.engine == "vllm" or given.recording is not None:
            where = f"[endpoints.{self.endpoint}], which [scorers.{name}] names"
            fix = "Give the base_url of `vllm serve MODEL` (of a reward model: --runner pooling)."
            raise ConfigError("is no server of vLLM's, which alone scores", where=where, fix=fix)
        likely = self.kind == "served-likelihood"
        wire: type[ScoringServer] = PromptLogprobs if likely else Classify
        key = api_key(self.endpoint, given)
        llm = wire(self.endpoint, given, calls.meter, calls.store, api_key=key, say=calls.say)
        decides, clients = {"kind": str(self.kind)}, tuple[Client, ...]((llm,))
        model = LanguageModel if likely else RewardModel
        # The same replies count with a reward and without.
        scorer: Pointwise = model(llm, given.model, given.revision, canonical(decides))
        if self.reward is not None:
            reward = session.bound(self.reward)
            scorer = GuidedPolicy(scorer, pointwise(self.reward, reward.target), self.beta)
            decides |= {"beta": str(self.beta), "reward": canonical(reward.ref.model_dump())}
            clients += reward.clients
        ref = ref_of(name, self.kind, given.model, given.revision, canonical(decides))
        return Opened(scorer, ref, given.concurrency, clients)


@dataclass(frozen=True)
class RewardModel:
    """A reward model, bound to what answers for it."""

    llm: LLM
    model: str
    revision: str | None = None
    settings: str = "{}"
    """Canonical JSON of the settings, without the model, that decide replies; part of call keys."""

    purpose: ClassVar[str] = "score"

    def request(self, shown: PromptContent, response: str) -> Request:
        """The request about one response."""
        prompt = user_message(shown.question, shown.posts, shown.aspects)
        return Request(
            model=self.model,
            revision=self.revision,
            messages=(Message("user", prompt), Message("assistant", response)),
            max_tokens=1,
            extra=self.settings,
            purpose=self.purpose,
        )

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """The model's score of a response. Raises CallFailed."""
        return self.read(await self.llm.complete(self.request(shown, response)))

    def read(self, completion: Completion) -> ResponseScore | Unscored:
        """Read the score in a completion, or the reason that it has none."""
        if completion.finish in (CONTEXT_LENGTH, NO_SCORE):
            return Unscored(completion.finish, completion.text[:200])
        try:
            value = self.value_of(completion.text)
        except ValueError as error:
            return Unscored("not_a_number", str(error)[:200])
        if not math.isfinite(value):
            return Unscored("not_a_number", completion.text[:200])
        return ResponseScore(value, completion.prompt_tokens)

    def value_of(self, text: str) -> float:
        """Read the score in a reply. Raises ValueError."""
        return float(text)


@dataclass(frozen=True)
class LanguageModel(RewardModel):
    """A language model, whose score is log pi(y|x)."""

    purpose = "log_probabilities"

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """log pi(y|x). Raises CallFailed."""
        if not response:
            return Unscored("no_tokens", "the response is empty")
        return await super().score(shown, response)

    def value_of(self, text: str) -> float:
        tokens = TokenLogprobs.model_validate_json(text)
        if not tokens.ids:
            raise ValueError("the tokenizer makes nothing of the response")
        if tokens.total is None:
            raise ValueError("a token has no log-probability that is a number")
        return tokens.total


@dataclass(frozen=True)
class GuidedPolicy:
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
