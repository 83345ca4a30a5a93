"""What a language model says of a given text, token by token, as the text it is stored as."""

import math
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

LEAST = -9999.0
"""What vLLM puts in place of minus infinity and of what is no number: JSON has neither."""


class Tokens(NamedTuple):
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
        return all(math.isfinite(told) and told > LEAST for told in self.log_probabilities)


class _Stored(BaseModel, strict=True):
    ids: list[int]
    log_probabilities: list[float | None]
    """None: no number."""


def to_text(tokens: Tokens) -> str:
    """JSON: a value that is no number is null."""
    told = [round(of, 9) if math.isfinite(of) else None for of in tokens.log_probabilities]
    return _Stored(ids=list(tokens.ids), log_probabilities=told).model_dump_json()


def of_text(text: str) -> Tokens:
    """What `to_text` wrote; null is NaN. Raises ValueError for anything else."""
    try:
        stored = _Stored.model_validate_json(text)
    except ValidationError:
        raise ValueError("no list of tokens") from None
    if len(stored.ids) != len(stored.log_probabilities):
        raise ValueError(
            f"{len(stored.log_probabilities)} log-probabilities of {len(stored.ids)} tokens"
        )
    told = (math.nan if of is None else of for of in stored.log_probabilities)
    return Tokens(tuple(stored.ids), tuple(told))
