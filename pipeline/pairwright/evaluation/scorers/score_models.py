"""Models that score a conversation: reward models, language models, and a policy of both.

They are asked as a generating model is, so their scores are durable like any call: the last message
is the response. A reward model's completion is one number; a language model's completion lists the
response's tokens with their log-probabilities. `llm` turns that into a request of vLLM or into a
forward pass in this process.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from pairwright.evaluation.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
    Unscored,
)
from pairwright.models import CONTEXT_LENGTH, LLM, Completion, Request, together
from pairwright.models.scores import of_text
from pairwright.pairs.conversion import user_message
from pairwright.settings.prompt import Message


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
        tokens = of_text(text)
        if not tokens.finite:
            raise ValueError("a token has no log-probability that is a number")
        if not tokens.ids:
            raise ValueError("the tokenizer makes nothing of the response")
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
