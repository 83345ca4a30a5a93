"""A language model as a scorer: how likely it makes a response, given the conversation before it.

It is asked as a reward model is (see `reward`); the completion's text lists the response's tokens.
"""

from typing import NamedTuple

from pairwright.evaluate.scorers.conversation import conversation
from pairwright.evaluate.scorers.seam import Score, Unscored
from pairwright.evaluate.shown import Shown
from pairwright.models import CONTEXT_LENGTH, LLM
from pairwright.models.client.tokens import Tokens, of_text


class Told(NamedTuple):
    """What it says of one response."""

    tokens: Tokens
    """All finite, at least one."""
    read: int
    """Tokens of the whole conversation."""


class LanguageModel(NamedTuple):
    """One language model, bound to what answers for it."""

    llm: LLM
    model: str
    revision: str | None = None
    settings: str = "{}"
    """Canonical JSON of what decides its replies beside the model; part of each call's key."""
    per_token: bool = False

    async def score(self, shown: Shown, response: str) -> Score | Unscored:
        """log pi(y|x), or that over the number of tokens. Raises CallFailed."""
        told = await self.tokens(shown, response)
        if isinstance(told, Unscored):
            return told
        divisor = len(told.tokens.ids) if self.per_token else 1
        return Score(told.tokens.total / divisor, told.read)

    async def tokens(self, shown: Shown, response: str) -> Told | Unscored:
        """Log-probabilities of the response's tokens. Raises CallFailed."""
        if not response:
            return Unscored("no_tokens", "the response is empty")
        completion = await self.llm.complete(
            conversation(
                self.model, self.revision, self.settings, shown, response, "log_probabilities"
            )
        )
        if completion.finish == CONTEXT_LENGTH:
            return Unscored(CONTEXT_LENGTH, completion.text[:200])
        try:
            found = of_text(completion.text)
        except ValueError as error:
            return Unscored("not_a_number", str(error))
        if not found.ids:
            return Unscored("no_tokens", "the tokenizer makes nothing of the response")
        if not found.finite:
            return Unscored("not_a_number", "a token has no log-probability that is a number")
        return Told(found, completion.prompt_tokens)
