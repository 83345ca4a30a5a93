"""What answers requests: the store first, and else the endpoint, within budgets and as many calls
at once as it may have; what failed for a while is sent again, by tenacity.

A reply is committed before it is handed on, and equal requests in flight are asked once.
"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Self

import tenacity

from pairwright.errors import (
    BudgetSpent,
    CallFailed,
    EndpointRefused,
    Interrupted,
    PairwrightError,
)
from pairwright.models.model import Answer, CallLog, Request
from pairwright.models.refusals import BROKEN_OFF, Response, Secrets, Transient, is_page, refusal
from pairwright.models.reply import Completion, completion_of, is_same_model
from pairwright.models.store import Store, unusable
from pairwright.settings.endpoints import Endpoint

RECENT = 10_000
"""Completions kept at hand: the units of one item ask for the same ones."""
RATE_LIMITED = "rate_limited"
"""The reason of a call that failed because its endpoint asks for too long a wait."""
LONG_WAIT_S = 15.0
"""A wait that people learn of, and for how long they learn of no other."""
_JITTERED = tenacity.wait_exponential(multiplier=0.5, max=30) + tenacity.wait_random(0, 0.5)
_NO_ENDPOINT = ("connection", "web_page")
"""Reasons for which an endpoint that has never answered is given up."""


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
    log: CallLog | None = None
    """Where each call is noted that is answered, also out of the store."""

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

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Count a call as sent, and as in flight until the block ends. Raises BudgetSpent."""
        self.admit()
        self.sent += 1
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1

    def answered(self, cost: float = 0.0) -> None:
        """Count one answered call."""
        self.calls += 1
        self.cost += cost


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
        completion = self._known(request.key) or await self._once(request)
        if self.meter.log is not None:
            self.meter.log.add(request, completion)
        return completion

    @abstractmethod
    async def fetch(self, request: Request) -> Answer:
        """A usable reply. Raises CallFailed, EndpointRefused and Interrupted."""

    def _known(self, key: str) -> Completion | None:
        if completion := self._recent.get(key):
            return completion
        if self._store is None or (stored := self._store.get(key)) is None:
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


def read_reply(
    request: Request, reply: Response, where: str, secrets: Secrets, *, known_key: bool
) -> Answer:
    """The reply with every secret replaced.

    Raises what it means if it is none: Transient for what is worth asking again, EndpointRefused
    for what every call of this kind would meet, and CallFailed for anything else.
    """
    body = secrets.without(reply.body)
    if not 200 <= reply.status < 300:
        body = refusal(
            reply.status, body, where, secrets, reply.headers, enlarged=request.enlarged,
            known_key=known_key,
        )  # fmt: skip
    try:
        answer = Answer(body, completion_of(request.key, body))
    except ValueError as error:
        reason = "web_page" if is_page(body) else "malformed_body"
        failure = Transient(reason, f"{where}: {error}")
    else:
        if answer.completion.finish not in BROKEN_OFF:
            return answer
        failure = Transient("broken_off", f"the engine ended with {answer.completion.finish!r}")
    # Outside the block: as the context of another error, this one would keep the body.
    raise failure


class EndpointClient(Client):
    """A client of one endpoint of a config. A kind of endpoint says in `post` how it is asked."""

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        meter: Meter,
        store: Store | None = None,
        *,
        api_key: str | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`say` tells people that the endpoint does not answer at its start, or asks for a long
        wait."""
        super().__init__(meter, store)
        self.name = name
        self._base_url = (endpoint.base_url or "").rstrip("/")
        self._endpoint = endpoint
        self._api_key = api_key
        self._secrets = Secrets(api_key)
        self._note = say
        self._free = asyncio.Semaphore(endpoint.concurrency)
        self._stopping = asyncio.Event()
        self._answered = False
        self._closed = ""
        """Why no call is sent any more."""
        self._quiet_until = 0.0
        self._attempts = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception(self._is_worth_it),
            stop=tenacity.stop_after_attempt(endpoint.attempts),
            wait=_wait,
            sleep=self._pause,
            before_sleep=self._tell,
            reraise=True,
        )

    @property
    def where(self) -> str:
        """The endpoint's address, for messages."""
        return self._base_url

    @abstractmethod
    async def post(self, request: Request) -> Response:
        """What the endpoint says to a request. Raises Transient where nothing whole came back, and
        EndpointRefused where it would refuse every call."""

    def _say(self, text: str) -> None:
        self._note(f"[endpoints.{self.name}] {text}")

    def stop(self) -> None:
        super().stop()
        self._stopping.set()

    async def fetch(self, request: Request) -> Answer:
        """A usable reply.

        Raises CallFailed after the last attempt, and at once where the endpoint asks for a longer
        wait than `max_wait`; EndpointRefused where no call of this kind can succeed; BudgetSpent
        and Interrupted without sending.
        """
        try:
            return await self._attempts(self._attempt, request)
        except Transient as error:
            raise self._given_up(error) from None

    async def _attempt(self, request: Request) -> Answer:
        async with self._free:
            self._check_open()
            try:
                with self.meter.sending():
                    answer = self._read(request, await self.post(request))
            except Transient as error:
                # Its traceback would hold the body of the reply until the last attempt.
                raise error.with_traceback(None) from None
            self._count(request, answer.completion)
        return answer

    def _count(self, request: Request, completion: Completion) -> None:
        """Count an answer; say at the first one where it names another model."""
        served = completion.served
        if not self._answered and served and not is_same_model(served, request.model):
            self._say(f"asked for {request.model}, and replies name the model {served}")
        self._answered = True
        self.meter.answered(self._endpoint.cost(*completion.tokens))

    def _read(self, request: Request, reply: Response) -> Answer:
        where = f"[endpoints.{self.name}] {self.where}"
        return read_reply(request, reply, where, self._secrets, known_key=self._answered)

    def _is_worth_it(self, error: BaseException) -> bool:
        """Whether a call is sent again: not if the endpoint asks for too long a wait."""
        return isinstance(error, Transient) and (error.retry_after or 0) <= self._endpoint.max_wait

    def _given_up(self, error: Transient) -> PairwrightError:
        """What a call fails with that is not sent again."""
        if not self._is_worth_it(error):
            asked = f"the server asks to be left alone for {error.retry_after:,.0f} s"
            if not self._closed:
                self._say(
                    f"{error.detail}; {asked}, and max_wait is {self._endpoint.max_wait:,.0f} s:"
                    " its calls fail, and the same command asks again."
                )
            self._closed = f"[endpoints.{self.name}] not sent: {asked}"
            return CallFailed(RATE_LIMITED, f"[endpoints.{self.name}] {error.detail}; {asked}")
        detail = f"{error.detail} (after {self._endpoint.attempts} attempts)"
        if not self._answered and error.reason in _NO_ENDPOINT:
            return EndpointRefused(
                f"[endpoints.{self.name}] {detail}\n  Is the server running, and is `base_url`"
                " right (http or https, /v1)? Else see HTTP_PROXY and `pairwright doctor`."
            )
        return CallFailed(error.reason, detail)

    async def _pause(self, seconds: float) -> None:
        """Wait, unless the run is stopping: then nothing more is sent."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
        self._check_open()

    def _check_open(self) -> None:
        if self.stopped:
            raise Interrupted("interrupted; every finished call is stored, run again to go on")
        if self._closed:
            raise CallFailed(RATE_LIMITED, self._closed)

    def _tell(self, state: tenacity.RetryCallState) -> None:
        """Count a retry; say once in a while that the endpoint does not answer at its start, or
        asks for a long wait."""
        self.meter.retried += 1
        now, wait = time.monotonic(), state.upcoming_sleep
        if (self._answered and wait < LONG_WAIT_S) or now < self._quiet_until:
            return
        self._quiet_until = now + max(wait, LONG_WAIT_S)
        attempts = self._endpoint.attempts
        self._say(f"{_error(state)}; trying again after {wait:,.0f} s, {attempts} attempts in all")


def _error(state: tenacity.RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _wait(state: tenacity.RetryCallState) -> float:
    """What the endpoint asked for, else jittered backoff."""
    error = _error(state)
    retry_after = error.retry_after if isinstance(error, Transient) else None
    return retry_after if retry_after is not None else _JITTERED(state)
