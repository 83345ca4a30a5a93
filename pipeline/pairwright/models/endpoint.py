"""A client of one endpoint: how many calls are in flight, budgets, and which are sent again.

tenacity is the one layer that repeats a call.
"""

import asyncio
import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress

import tenacity

from pairwright.errors import CallFailed, EndpointRefused, Interrupted
from pairwright.models.client import Client, Meter
from pairwright.models.completion import Completion, completion_of, is_same_model
from pairwright.models.model import RATE_LIMITED, Answer, Request
from pairwright.models.refusals import BROKEN_OFF, Response, Secrets, Transient, is_page, refusal
from pairwright.models.store import Store
from pairwright.settings.endpoints import Endpoint

_JITTERED = tenacity.wait_exponential(multiplier=0.5, max=30) + tenacity.wait_random(0, 0.5)
LONG_WAIT_S = 15.0
"""A wait that people learn of, and for how long they learn of no other."""
_NO_ENDPOINT = ("connection", "web_page")
"""Reasons for which an endpoint that has never answered is given up."""


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
        self._quiet_until = self._closed_until = 0.0

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
            return await self._attempt(request)
        except Transient as error:
            return await self._again(request, error)

    async def _again(self, request: Request, first: Transient) -> Answer:
        """The attempts after the first. Most calls need none, and pay nothing for this."""
        failed = [first]

        async def attempt() -> Answer:
            if failed:
                raise failed.pop()
            return await self._attempt(request)

        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(Transient),
            stop=tenacity.stop_after_attempt(self._endpoint.attempts),
            wait=_wait,
            sleep=self._pause,
            before_sleep=self._tell,
            reraise=True,
        )
        try:
            return await retrying(attempt)
        except Transient as error:
            detail = f"{error.detail} (after {self._endpoint.attempts} attempts)"
            if not self._answered and error.reason in _NO_ENDPOINT:
                raise EndpointRefused(
                    f"[endpoints.{self.name}] {detail}\n  Is the server running, and is `base_url`"
                    " right (http or https, /v1)? Else see HTTP_PROXY and `pairwright doctor`."
                ) from None
            raise CallFailed(error.reason, detail) from None

    async def _attempt(self, request: Request) -> Answer:
        async with self._free:
            self._check_open()
            self.meter.admit()
            self.meter.in_flight += 1
            self.meter.sent += 1
            started = time.monotonic()
            try:
                answer = self._read(request, await self.post(request))
            except Transient as error:
                self._limit(error.retry_after or 0.0, error.detail)
                # Its traceback would hold the body of the reply until the last attempt.
                raise error.with_traceback(None) from None
            finally:
                self.meter.in_flight -= 1
            self._count(request, answer.completion, time.monotonic() - started)
        return answer

    def _count(self, request: Request, completion: Completion, seconds: float) -> None:
        """Count an answer; say at the first one where it names another model."""
        served = completion.served
        if not self._answered and served and not is_same_model(served, request.model):
            self._say(f"asked for {request.model}, and replies name the model {served}")
        self._answered = True
        self.meter.seconds += seconds
        self.meter.answered(completion, self._endpoint.cost(*completion.totals[1:]))

    def _read(self, request: Request, reply: Response) -> Answer:
        """The reply with every secret replaced. Raises what it means where it is none."""
        body = self._secrets.without(reply.body)
        if not 200 <= reply.status < 300:
            body = refusal(
                reply.status, body, f"[endpoints.{self.name}] {self.where}", self._secrets,
                reply.headers, enlarged=request.enlarged, known_key=self._answered,
            )  # fmt: skip
        try:
            answer = Answer(body, completion_of(request.key, body))
        except ValueError as error:
            reason = "web_page" if is_page(body) else "malformed_body"
            failure = Transient(reason, f"{self.where}: {error}")
        else:
            if answer.completion.finish not in BROKEN_OFF:
                return answer
            failure = Transient("broken_off", f"the engine ended with {answer.completion.finish!r}")
        # Outside the block: as the context of another error, this one would keep the body.
        raise failure

    def _limit(self, wait: float, detail: str) -> None:
        """Give up the endpoint's calls, and say so, where it asks for too long a wait."""
        if wait <= self._endpoint.max_wait:
            return
        said = f"{detail}; {_asks_for(wait)}"
        if self._closed_until < time.monotonic():
            self._say(
                f"{said}, and max_wait is {self._endpoint.max_wait:,.0f} s: its calls fail until"
                " then, and the same command asks again."
            )
        self._closed_until = time.monotonic() + wait
        raise CallFailed(RATE_LIMITED, f"[endpoints.{self.name}] {said}") from None

    async def _pause(self, seconds: float) -> None:
        """Wait, unless the run is stopping: then nothing more is sent."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
        self._check_open()

    def _check_open(self) -> None:
        if self.stopped:
            raise Interrupted("interrupted; every finished call is stored, run again to go on")
        if (left := self._closed_until - time.monotonic()) > 0:
            said = f"[endpoints.{self.name}] not sent: {_asks_for(left)}"
            raise CallFailed(RATE_LIMITED, said)

    def _tell(self, state: tenacity.RetryCallState) -> None:
        """Count a retry; say once in a while that the endpoint does not answer at its start, or
        asks for a long wait."""
        self.meter.retried += 1
        now, wait = time.monotonic(), state.next_action.sleep if state.next_action else 0.0
        if (self._answered and wait < LONG_WAIT_S) or now < self._quiet_until:
            return
        self._quiet_until = now + max(wait, LONG_WAIT_S)
        error = state.outcome.exception() if state.outcome else None
        attempts = self._endpoint.attempts
        self._say(f"{error}; trying again after {wait:,.0f} s, {attempts} attempts in all")


def _asks_for(seconds: float) -> str:
    return f"the server asks to be left alone for {seconds:,.0f} s"


def _wait(state: tenacity.RetryCallState) -> float:
    """What the endpoint asked for, else jittered backoff."""
    error = state.outcome.exception() if state.outcome else None
    retry_after = error.retry_after if isinstance(error, Transient) else None
    return retry_after if retry_after is not None else _JITTERED(state)
