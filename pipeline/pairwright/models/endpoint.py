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
from pairwright.models.completion import Completion, completion_of, is_same_model, web_page
from pairwright.models.model import RATE_LIMITED, Answer, Request
from pairwright.models.refusals import BROKEN_OFF, Response, Secrets, Transient, refusal
from pairwright.models.store import Store
from pairwright.settings.endpoints import Endpoint
from pairwright.text import number_of

_JITTERED = tenacity.wait_exponential(multiplier=0.5, max=30) + tenacity.wait_random(0, 0.5)
LONG_WAIT_S = 15.0
"""A wait that people learn of."""
MOST_OTHERS = 5
"""Models that are named to people: a server can put another name into every reply."""
_NOT_AN_ENDPOINT = {
    "connection": "Is the server running, and is `base_url` right? (Or HTTP_PROXY, if that is a"
    " proxy's address.)",
    "web_page": "Does `base_url` end in /v1, or as the API's own pages say? A network can also put"
    " a sign-in page before every address.",
}
"""Reasons for which an endpoint that has never answered is given up, with what to do."""


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
        """`say` tells people at once that the endpoint does not answer at its start, asks for a
        long wait, or answers with another model."""
        super().__init__(meter, store)
        self.name = name
        self._base_url = (endpoint.base_url or "").rstrip("/")
        self.others: set[str] = set()
        """Models that answered in place of the one that was asked for."""
        self._endpoint = endpoint
        self._api_key = api_key
        self._secrets = Secrets(api_key)
        self._say = say
        self._free = asyncio.Semaphore(endpoint.concurrency)
        self._stopping = asyncio.Event()
        self._answered = self._said = False
        self._waiting_until = self._closed_until = 0.0

    @property
    def where(self) -> str:
        """The endpoint's address, for messages."""
        return self._base_url

    @abstractmethod
    async def post(self, request: Request) -> Response:
        """What the endpoint says to a request. Raises Transient where nothing whole came back, and
        EndpointRefused where it would refuse every call."""

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
        failed, attempts = [first], self._endpoint.attempts

        async def attempt() -> Answer:
            if failed:
                raise failed.pop()
            return await self._attempt(request)

        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(Transient),
            stop=tenacity.stop_after_attempt(attempts),
            wait=_wait,
            sleep=self._pause,
            before_sleep=self._tell,
            reraise=True,
        )
        try:
            return await retrying(attempt)
        except Transient as error:
            detail = f"{error.detail} (after {number_of(attempts, 'attempt')})"
            if not self._answered and error.reason in _NOT_AN_ENDPOINT:
                raise EndpointRefused(
                    f"[endpoints.{self.name}] {detail}\n  {_NOT_AN_ENDPOINT[error.reason]} See"
                    " `pairwright doctor`."
                ) from None
            raise CallFailed(error.reason, detail) from None

    async def _attempt(self, request: Request) -> Answer:
        async with self._free:
            if (left := self._closed_until - time.monotonic()) > 0:
                said = f"[endpoints.{self.name}] not sent: {_asks_for(left)}"
                raise CallFailed(RATE_LIMITED, said)
            self._check_stopped()
            self.meter.admit()
            self.meter.in_flight += 1
            self.meter.sent += 1
            started = time.monotonic()
            try:
                answer = self._read(request, await self.post(request))
            except Transient as error:
                self._close(error)
                # Its traceback would hold the body of the reply until the last attempt.
                raise error.with_traceback(None) from None
            finally:
                self.meter.in_flight -= 1
            self._count(answer.completion, request.model, time.monotonic() - started)
        return answer

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
            page = web_page(body.decode("utf-8", "replace"))
            reason = "web_page" if page else "malformed_body"
            failure = Transient(reason, f"{self.where}: {error}")
        else:
            if answer.completion.finish not in BROKEN_OFF:
                return answer
            failure = Transient("broken_off", f"the engine ended with {answer.completion.finish!r}")
        # Outside the block: as the context of another error, this one would keep the body.
        raise failure

    def _count(self, completion: Completion, asked: str, seconds: float) -> None:
        """Count an answer; say once of each model that answers in place of the one asked for."""
        self._answered = True
        self.meter.seconds += seconds
        self.meter.answered(completion, self._endpoint.cost(*completion.totals[1:]))
        served = completion.served
        known = served in ("", asked) or served in self.others
        if known or len(self.others) == MOST_OTHERS or is_same_model(served, asked):
            return
        self.others.add(served)
        self._say(
            f"[endpoints.{self.name}] asked for {asked}, and replies name the model {served}. If it"
            " is the same model by another name, nothing is wrong. Else set `model`, or ask the"
            " people who run the server. The manifest counts these replies."
        )

    def _close(self, error: Transient) -> None:
        """Give up the endpoint's calls, and say so, where it asks for too long a wait."""
        wait, most = error.retry_after, self._endpoint.max_wait
        if wait is None or wait <= most:
            return
        said = f"[endpoints.{self.name}] {error.detail}; {_asks_for(wait)}"
        if time.monotonic() >= self._closed_until:
            self._say(
                f"{said}, and max_wait is {most:,.0f} s: its calls fail until then, and the same"
                " command asks again."
            )
        self._closed_until = time.monotonic() + wait
        raise CallFailed(RATE_LIMITED, said) from None

    async def _pause(self, seconds: float) -> None:
        """Wait, unless the run is stopping: then nothing more is sent."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
        self._check_stopped()

    def _check_stopped(self) -> None:
        if self.stopped:
            raise Interrupted("interrupted; every finished call is stored, run again to go on")

    def _tell(self, state: tenacity.RetryCallState) -> None:
        """Count a retry; say once that the endpoint does not answer at its start, and that the
        build waits because the endpoint asks for it, once while it does."""
        self.meter.retried += 1
        error = state.outcome.exception() if state.outcome else None
        if not isinstance(error, Transient):
            return
        said = f"[endpoints.{self.name}] {error.detail}"
        attempts = self._endpoint.attempts
        if not self._answered and not self._said:
            self._said = True
            self._say(f"{said}; trying again, {number_of(attempts, 'attempt')} in all")
        now, seconds = time.monotonic(), state.next_action.sleep if state.next_action else 0.0
        if error.retry_after is None or seconds < LONG_WAIT_S or now < self._waiting_until:
            return
        self._waiting_until = now + seconds
        self._say(
            f"{said}; {_asks_for(seconds)}. Its calls wait, then they are sent again, up to"
            f" {number_of(attempts, 'time')} in all. Ctrl-C ends the build, and the same command"
            " goes on later."
        )


def _asks_for(seconds: float) -> str:
    return f"the server asks to be left alone for {seconds:,.0f} s"


def _wait(state: tenacity.RetryCallState) -> float:
    """What the endpoint asked for, else jittered backoff."""
    error = state.outcome.exception() if state.outcome else None
    retry_after = error.retry_after if isinstance(error, Transient) else None
    return retry_after if retry_after is not None else _JITTERED(state)
