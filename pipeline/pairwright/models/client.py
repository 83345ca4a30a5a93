"""What answers requests: the store first, and else whoever the kind of client asks.

A reply is committed before it is handed on, and equal requests in flight are asked once.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple, Self

from pairwright.errors import BudgetSpent
from pairwright.models.completion import Completion, completion_of, note
from pairwright.models.model import Answer, Request
from pairwright.models.store import Store, unusable

RECENT = 10_000
"""Completions kept at hand: the units of one item ask for the same ones."""


class MeterCounts(NamedTuple):
    """What a meter counted since its run or its worker began."""

    in_flight: int = 0
    sent: int = 0
    retried: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0.0


@dataclass
class Meter:
    """Counts over all endpoints of a run; cost in the currency the prices are given in."""

    max_calls: int | None = None
    max_cost: float | None = None
    calls: int = 0
    """Calls answered, those of earlier runs of the folder included."""
    cost: float = 0.0
    in_flight: int = 0
    written: int = 0
    """Calls written for a batch, whose replies are still to come."""
    sent: int = 0
    retried: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of `prompt_tokens` that came from an endpoint's cache."""
    seconds: float = 0.0
    """Of all answered calls, from sending one to its reply."""

    def admit(self) -> None:
        """Raise BudgetSpent where another call could pass a budget.

        Calls in flight or written for a batch count as answered. Their cost is not known yet,
        so `max_cost` can be passed by these calls when it is reached, and by no more.
        """
        taken = self.calls + self.in_flight + self.written
        if self.max_calls is not None and taken >= self.max_calls:
            raise BudgetSpent("budget_spent", f"max_calls = {self.max_calls} is reached")
        if self.max_cost is not None and self.cost >= self.max_cost:
            raise BudgetSpent("budget_spent", f"max_cost = {self.max_cost} is reached")

    def answered(self, completion: Completion, cost: float = 0.0) -> None:
        """Count one answered call."""
        self.calls += 1
        self.prompt_tokens += completion.prompt_tokens
        self.completion_tokens += completion.completion_tokens
        self.cached_tokens += completion.cached_tokens
        self.cost += cost

    def counts(self) -> MeterCounts:
        """The counts as they are now."""
        return MeterCounts(*(getattr(self, name) for name in MeterCounts._fields))


class Client(ABC):
    """Answers requests. Use as an async context manager.

    A kind of client says in `fetch` how it comes to a reply that is not stored.
    """

    def __init__(self, meter: Meter, store: Store | None = None) -> None:
        """Without a `store` the latest replies are kept in memory alone."""
        self.meter = meter
        self.stopped = False
        self._store = store
        self._recent: OrderedDict[str, Completion] = OrderedDict()
        # Of a store, because two endpoints may be asked for one key at once.
        self._in_flight = {} if store is None else store.in_flight

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    def stop(self) -> None:
        """Let what is in flight finish, and send nothing more."""
        self.stopped = True

    async def complete(self, request: Request) -> Completion:
        """The stored reply, or a new one, which is then stored. Raises as `fetch` does, and
        StoreError."""
        completion = self._known(request.key)
        if completion is None:
            completion = await self._once(request)
        note(request.model, completion)
        return completion

    @abstractmethod
    async def fetch(self, request: Request) -> Answer:
        """A usable reply. Raises CallFailed, EndpointRefused and Interrupted."""

    def _known(self, key: str) -> Completion | None:
        if completion := self._recent.get(key):
            return completion
        stored = self._store.get(key) if self._store else None
        if self._store is None or stored is None:
            return None
        try:
            return self._remember(completion_of(key, stored))
        except ValueError as error:
            raise unusable(self._store.path, error, key) from None

    def _remember(self, completion: Completion) -> Completion:
        self._recent[completion.key] = completion
        if len(self._recent) > RECENT:
            self._recent.popitem(last=False)
        return completion

    async def _once(self, request: Request) -> Completion:
        """A reply to a request, which is sent once however often it is asked meanwhile."""
        key, in_flight = request.key, self._in_flight
        if key in in_flight:
            return await asyncio.shield(in_flight[key])
        mine = in_flight[key] = asyncio.get_running_loop().create_future()
        try:
            answer = await self.fetch(request)
            if self._store:
                await self._store.put(request, answer)
        except BaseException as error:
            mine.set_exception(error)
            mine.exception()  # Nobody else may be waiting for it.
            raise
        else:
            mine.set_result(answer.completion)
            return self._remember(answer.completion)
        finally:
            del in_flight[key]
