"""Scores as texts, the way they are stored: the number that a reward model gives a conversation,
and the log-probabilities that a language model gives a text, token by token."""

import json
import math
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import BaseModel, ValidationError


def score_of(logits: Sequence[float]) -> float:
    """The one logit of a model with one output; of a classifier with two classes the log-odds of
    the last, log p - log (1 - p), which order as its probability does and do not stop at 1.

    More outputs are ratings or several aims, and which number of them is the reward only their
    maker knows: ValueError.
    """
    if len(logits) == 1:
        return logits[0]
    if len(logits) == 2:
        return logits[1] - logits[0]
    raise ValueError(f"the model has {len(logits)} outputs, and none of them is the score")


def score_reply(score: float, prompt_tokens: int) -> bytes:
    """The body of a chat completion that says it. A score that is not a number is stored as
    `nan`."""
    return chat_reply(repr(score) if math.isfinite(score) else "nan", prompt_tokens)


def chat_reply(text: str, prompt_tokens: int) -> bytes:
    """The body of a chat completion that says it, of a model that reads and writes nothing."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": 0}
    return json.dumps({"object": "score", "choices": [choice], "usage": usage}).encode()


LEAST = -9999.0
"""What vLLM puts in place of minus infinity and of NaN: JSON has neither."""


class TokenLogprobs(NamedTuple):
    """The tokens of a response, each with its log-probability after all before it (base e)."""

    ids: tuple[int, ...]
    log_probabilities: tuple[float, ...]

    @property
    def total(self) -> float:
        """log pi(y|x): the sum, exactly rounded."""
        return math.fsum(self.log_probabilities)

    @property
    def finite(self) -> bool:
        """Whether every one is a number."""
        return all(math.isfinite(value) and value > LEAST for value in self.log_probabilities)


class _Stored(BaseModel, strict=True):
    ids: list[int]
    log_probabilities: list[float | None]
    """None: no number."""


def to_text(tokens: TokenLogprobs) -> str:
    """JSON: a value that is not a number is null."""
    values = [
        round(log_probability, 9) if math.isfinite(log_probability) else None
        for log_probability in tokens.log_probabilities
    ]
    return _Stored(ids=list(tokens.ids), log_probabilities=values).model_dump_json()


def of_text(text: str) -> TokenLogprobs:
    """What `to_text` wrote; null is NaN. Raises ValueError for anything else."""
    try:
        stored = _Stored.model_validate_json(text)
    except ValidationError:
        raise ValueError("no list of tokens") from None
    if len(stored.ids) != len(stored.log_probabilities):
        raise ValueError(
            f"{len(stored.log_probabilities)} log-probabilities of {len(stored.ids)} tokens"
        )
    values = (
        math.nan if log_probability is None else log_probability
        for log_probability in stored.log_probabilities
    )
    return TokenLogprobs(tuple(stored.ids), tuple(values))
