"""Models that score a conversation: reward models and language models.

They are asked as a generating model is, so their scores are durable like any call: the last message
is the response. A reward model's completion is one number; a language model's completion lists the
response's tokens with their log-probabilities. `client` turns that into a request of vLLM or into a
forward pass in this process.
"""

import math
from dataclasses import dataclass

from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore, Unscored
from pairwright.models import CONTEXT_LENGTH, LLM, Completion, Request
from pairwright.models.scores import of_text
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
        if not response:
            return Unscored("no_tokens", "the response is empty")
        completion = await self._complete(self.request(shown, response, "log_probabilities"))
        if isinstance(completion, Unscored):
            return completion
        try:
            tokens = of_text(completion.text)
        except ValueError as error:
            return Unscored("not_a_number", str(error))
        if not tokens.ids:
            return Unscored("no_tokens", "the tokenizer makes nothing of the response")
        if not tokens.finite:
            return Unscored("not_a_number", "a token has no log-probability that is a number")
        value = tokens.total / (len(tokens.ids) if self.per_token else 1)
        return ResponseScore(value, completion.prompt_tokens)
