"""What the calls behind one piece of work come to, stored before or not, and independent of who
asks for them.

with counting() as usage:
    ...
usage.by_model["some/model"]
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple

from pairwright.models.completion import Completion


class Tokens(NamedTuple):
    """The tokens of some calls."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    """The tokens of prompts that came from a cache."""


@dataclass
class Usage:
    """Each call counts once, however often it is asked for."""

    by_model: dict[str, Tokens] = field(default_factory=dict)
    _keys: set[str] = field(default_factory=set)

    def add(self, model: str, completion: Completion) -> None:
        """Count one call's reply."""
        if completion.key in self._keys:
            return
        self._keys.add(completion.key)
        before = self.by_model.get(model, Tokens())
        self.by_model[model] = Tokens(
            before.prompt + completion.prompt_tokens,
            before.completion + completion.completion_tokens,
            before.cached + completion.cached_tokens,
        )

    @property
    def tokens(self) -> Tokens:
        """The sum over all models."""
        return Tokens(*map(sum, zip(*self.by_model.values(), strict=True)))


_USAGE: ContextVar[Usage | None] = ContextVar("usage", default=None)


@contextmanager
def counting() -> Iterator[Usage]:
    """Count what durable calls of this context and of tasks that it starts are answered with."""
    usage = Usage()
    token = _USAGE.set(usage)
    try:
        yield usage
    finally:
        _USAGE.reset(token)


def note(model: str, completion: Completion) -> None:
    """Count a reply where somebody counts."""
    if usage := _USAGE.get():
        usage.add(model, completion)
