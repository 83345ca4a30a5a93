"""Models that score a conversation: reward models, language models, a policy guided by a reward.

They are asked as a generating model is, so their scores are durable like any call: the last message
is the response. A reward model's completion is one number; a language model's completion lists the
response's tokens with their log-probabilities. `client` turns that into a request of vLLM or into a
forward pass in this process.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.scorer import Pointwise, PromptContent, ResponseScore, Unscored
from pairwright.models import CONTEXT_LENGTH, LLM, Completion, Request, together
from pairwright.models.scores import TokenLogprobs, of_text
from pairwright.pairs.conversion import user_message
from pairwright.settings.prompt import Message


@dataclass(frozen=True)
class _ScoreModel:
    """One model, bound to what answers for it."""

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

    async def _complete(self, request: Request) -> Completion | Unscored:
        completion = await self.llm.complete(request)
        if completion.finish == CONTEXT_LENGTH:
            return Unscored(CONTEXT_LENGTH, completion.text[:200])
        return completion


class RewardModel(_ScoreModel):
    """A reward model."""

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """The model's score of a response. Raises CallFailed."""
        completion = await self._complete(self.request(shown, response))
        if isinstance(completion, Unscored):
            return completion
        try:
            value = float(completion.text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            return Unscored("not_a_number", completion.text[:200])
        return ResponseScore(value, completion.prompt_tokens)


@dataclass(frozen=True)
class LanguageModel(_ScoreModel):
    """A language model."""

    per_token: bool = False

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """log pi(y|x), or that over the number of tokens. Raises CallFailed."""
        answer = await self.tokens(shown, response)
        if isinstance(answer, Unscored):
            return answer
        tokens, read = answer
        return ResponseScore(tokens.total / (len(tokens.ids) if self.per_token else 1), read)

    async def tokens(
        self, shown: PromptContent, response: str
    ) -> tuple[TokenLogprobs, int] | Unscored:
        """Log-probabilities of the response's tokens, all finite and at least one; and how many
        tokens the whole conversation has. Raises CallFailed."""
        if not response:
            return Unscored("no_tokens", "the response is empty")
        completion = await self._complete(self.request(shown, response, "log_probabilities"))
        if isinstance(completion, Unscored):
            return completion
        try:
            likelihood = of_text(completion.text)
        except ValueError as error:
            return Unscored("not_a_number", str(error))
        if not likelihood.ids:
            return Unscored("no_tokens", "the tokenizer makes nothing of the response")
        if not likelihood.finite:
            return Unscored("not_a_number", "a token has no log-probability that is a number")
        return likelihood, completion.prompt_tokens


class GuidedPolicy(NamedTuple):
    """A policy and what steers it, both shown the same."""

    where: str
    """The scorer's place in the file of scorers; for messages."""
    policy: LanguageModel
    reward: Pointwise
    beta: float

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """s_u(y|x), or that over the number of tokens where the policy is read so.

        Raises CallFailed, and ConfigError where policy and reward, both language models, have
        other tokens.
        """
        guide = self.reward
        rewarded = guide.tokens if isinstance(guide, LanguageModel) else guide.score
        answer, reward = await together(
            self.policy.tokens(shown, response), rewarded(shown, response)
        )
        if isinstance(answer, Unscored):
            return answer
        if isinstance(reward, Unscored):
            return reward
        tokens, read = answer
        if isinstance(reward, ResponseScore):
            value, further = reward
        else:
            guiding, further = reward
            value, own, other = guiding.total, tokens.ids, guiding.ids
            if own != other:
                raise ConfigError(
                    "policy and reward have different tokenizers, so no reward belongs to a token"
                    f" of the policy: {len(own)} tokens and {len(other)} of the response that"
                    f" begins {response[:40]!r}",
                    where=self.where,
                    fix="Take two models with one tokenizer, or a reward of whole responses"
                    " (kind = 'classifier', 'served' or 'pointwise').",
                )
        divisor = len(tokens.ids) if self.policy.per_token else 1
        return ResponseScore((tokens.total + value / self.beta) / divisor, read + further)
