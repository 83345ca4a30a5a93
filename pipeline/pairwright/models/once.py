"""Work that several pieces have in common, done once: what a planner expects of a history is
needed for both modes of an item and for both halves of a twin.

A piece that comes later asks for the same calls again, so that its log names them and a damaged
store is noticed; it is spared only what was made of their replies.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, TypeVar

from pairwright.models.completion import Completion
from pairwright.models.model import Models
from pairwright.models.request import Request
from pairwright.models.seam import LLM

T = TypeVar("T")


class _Asked(NamedTuple):
    role: int
    request: Request


@dataclass
class _Noted:
    """An LLM that notes what is asked of it."""

    llm: LLM
    role: int
    asked: list[_Asked]

    async def complete(self, request: Request) -> Completion:
        self.asked.append(_Asked(self.role, request))
        return await self.llm.complete(request)


class Once:
    """Results by key, with the calls behind them; the `kept` latest ones."""

    def __init__(self, kept: int = 0) -> None:
        self._kept = kept
        self._done: OrderedDict[Hashable, tuple[Any, list[_Asked]]] = OrderedDict()

    async def __call__(
        self, key: Hashable, models: Models, work: Callable[[Models], Awaitable[T]]
    ) -> T:
        """What `work` gives. An equal key must mean equal work and equal replies.

        Only finished work is kept: pieces under way at the same time each do it, and equal
        calls in flight are sent once anyway.
        """
        if found := self._done.get(key):
            result: T = found[0]
            for role, request in found[1]:
                await models[role].llm.complete(request)
            return result
        asked: list[_Asked] = []
        roles = count()
        result = await work(models.bound_to(lambda llm: _Noted(llm, next(roles), asked)))
        self._done[key] = result, asked
        if len(self._done) > self._kept:
            self._done.popitem(last=False)
        return result
