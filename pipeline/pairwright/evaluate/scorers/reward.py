"""A reward model: the conversation goes in, one number comes back.

It is asked as a language model is, so its scores are durable like any call: the last message is the
response, and the completion's text is the number. `client` turns that into vLLM's `/classify` or
into a forward pass in this process.
"""

import math
from typing import NamedTuple

from pairwright.evaluate.scorers.conversation import conversation
from pairwright.evaluate.scorers.seam import Score, Unscored
from pairwright.evaluate.shown import Shown
from pairwright.models import CONTEXT_LENGTH, LLM, Request


class RewardModel(NamedTuple):
    """One reward model, bound to what answers for it."""

    llm: LLM
    model: str
    revision: str | None = None
    settings: str = "{}"
    """Canonical JSON of what decides its scores beside the model; part of each call's key."""

    def request(self, shown: Shown, response: str) -> Request:
        """What it is asked."""
        return conversation(self.model, self.revision, self.settings, shown, response, "score")

    async def score(self, shown: Shown, response: str) -> Score | Unscored:
        """Raises CallFailed."""
        completion = await self.llm.complete(self.request(shown, response))
        if completion.finish == CONTEXT_LENGTH:
            return Unscored(CONTEXT_LENGTH, completion.text[:200])
        try:
            value = float(completion.text)
        except ValueError:
            return Unscored("not_a_number", completion.text[:200])
        if not math.isfinite(value):
            return Unscored("not_a_number", completion.text[:200])
        return Score(value, completion.prompt_tokens)
