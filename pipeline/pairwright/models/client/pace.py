"""How much an endpoint is asked: what a run has sent and may send (`Meter`), the calls in flight
(fixed or found out), rates per minute, and which of its servers is asked: the least busy one; a
dead one rests for a while."""

import asyncio
import time
from collections import deque
from dataclasses import dataclass

from pairwright.errors import BudgetSpent
from pairwright.models.client.wire import Wire


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

    def answered(
        self, prompt_tokens: int, completion_tokens: int, cost: float, cached_tokens: int = 0
    ) -> None:
        """Count one answered call; `cached_tokens` are part of `prompt_tokens`."""
        self.calls += 1
        self.cached_tokens += cached_tokens
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        self.cost += cost


class Concurrency:
    """The limit of calls in flight; with `auto` it follows the endpoint.

    Auto looks at the mean time of every 32 answers. It grows by a tenth while that stays under
    twice the calmest such mean, and falls by a quarter when it does not, or at a 429. It falls
    once for the calls of one flight, not once for each of them.
    """

    AUTO_START = 8
    AUTO_MOST = 1024
    WINDOW = 32

    def __init__(self, limit: int | None) -> None:
        self.auto = limit is None
        self.limit = float(limit or self.AUTO_START)
        self.in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._window: list[float] = []
        self._calmest = float("inf")
        self._settled = 0.0

    async def __aenter__(self) -> "Concurrency":
        if self.in_flight >= int(self.limit):
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._release()
                raise
        else:
            self.in_flight += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        self._release()

    def _release(self) -> None:
        self.in_flight -= 1
        while self._waiting and self.in_flight < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)

    def answered(self, seconds: float) -> None:
        """Learn from one answer."""
        if not self.auto:
            return
        self._window.append(seconds)
        if len(self._window) < self.WINDOW:
            return
        mean = sum(self._window) / len(self._window)
        self._window.clear()
        self._calmest = min(self._calmest, mean)
        if mean > 2 * self._calmest:
            self._back_off(mean)
        elif self.in_flight >= int(self.limit) - 1:
            self.limit = min(self.limit * 1.1, self.AUTO_MOST)

    def refused(self) -> None:
        """Learn from a 429."""
        if self.auto:
            self._back_off(1.0)

    def _back_off(self, flight_seconds: float) -> None:
        now = time.monotonic()
        if now >= self._settled:
            self.limit = max(1.0, self.limit * 0.75)
            self._settled = now + flight_seconds


class Pace:
    """Optional limits of requests and tokens per minute, kept by spacing calls evenly."""

    def __init__(self, rpm: float | None, tpm: float | None) -> None:
        self._per_call = 60 / rpm if rpm else 0.0
        self._per_token = 60 / tpm if tpm else 0.0
        self._next = 0.0

    def delay(self, tokens: int) -> float:
        """Seconds until a call of about `tokens` tokens may go out; its place is taken."""
        cost = max(self._per_call, self._per_token * tokens)
        if not cost:
            return 0.0
        now = time.monotonic()
        start = max(now, self._next)
        self._next = start + cost
        return start - now


@dataclass
class Server:
    """One base URL, or the engine in this process."""

    wire: Wire
    in_flight: int = 0
    failures: int = 0
    """Failures in a row; success sets it to zero."""
    rests_until: float = 0.0

    FAILURES = 3
    REST_S = 1.0
    LONGEST_REST_S = 60.0
    MOST_DOUBLINGS = 16

    def failed(self) -> None:
        """After three failures in a row the server rests, twice as long each time."""
        self.failures += 1
        if self.failures >= self.FAILURES:
            # The exponent is bounded, because a float is: a server may be down for days.
            doublings = min(self.failures - self.FAILURES, self.MOST_DOUBLINGS)
            rest = min(self.REST_S * 2**doublings, self.LONGEST_REST_S)
            self.rests_until = time.monotonic() + rest

    def succeeded(self) -> None:
        self.failures = 0
        self.rests_until = 0.0


def least_busy(servers: list[Server]) -> Server:
    """The awake server with the fewest calls in flight; if all rest, the first to wake."""
    now = time.monotonic()
    awake = [server for server in servers if server.rests_until <= now]
    if awake:
        return min(awake, key=lambda server: server.in_flight)
    return min(servers, key=lambda server: server.rests_until)
