"""One endpoint of the config: sends requests, and retries what is worth it.

tenacity is the one retry layer; `connection` says why it is not the SDK that sends.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import tenacity
from pydantic_core import from_json

from pairwright.errors import CallFailed, EndpointRefused, Interrupted
from pairwright.models import Answer, Request, completion_of
from pairwright.models.client.connection import Connection
from pairwright.models.client.engine import Engine
from pairwright.models.client.meter import Meter
from pairwright.models.client.wire import (
    BROKEN_OFF,
    Secrets,
    Transient,
    Wire,
    body_of,
    headers_for,
    refusal,
)
from pairwright.models.completion import is_same_model, web_page
from pairwright.models.model import RATE_LIMITED, bytes_of
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


class Client:
    """The `Sender` of one endpoint. Use as an async context manager."""

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        api_key: str | None,
        meter: Meter,
        wire: Wire | None = None,
        *,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`wire` answers in place of the endpoint's own, and ends with the client. `say` tells
        people once that the endpoint does not answer at its start, which they would else learn
        after the last attempt."""
        self.name = name
        self._endpoint = endpoint
        self._meter = meter
        self._free = asyncio.Semaphore(endpoint.concurrency)
        self._stopped = asyncio.Event()
        self._secrets = Secrets(api_key)
        self._answered = self._said = False
        self._waiting_until = self._closed_until = 0.0
        self.others: set[str] = set()
        """Models that answered in place of the one that was asked for."""
        self._say = say
        self._wire = wire or wire_of(name, endpoint, api_key, say)

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.close()

    def stop(self) -> None:
        """Let what is in flight finish, and send nothing more."""
        self._stopped.set()

    async def send(self, request: Request) -> Answer:
        """A usable reply.

        Raises CallFailed after the last attempt, and at once where the endpoint asks for a longer
        wait than `max_wait`; EndpointRefused where no call of this kind
        can succeed, BudgetSpent and Interrupted without sending.
        """
        try:
            return await self._attempt(request)
        except Transient as first:
            return await self._again(request, first)

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
            before_sleep=self._count_retry,
            reraise=True,
        )
        try:
            return await retrying(attempt)
        except Transient as error:
            detail = f"{error.detail} (after {number_of(self._endpoint.attempts, 'attempt')})"
            if not self._answered and error.reason in _NOT_AN_ENDPOINT:
                advice = _NOT_AN_ENDPOINT[error.reason]
                raise EndpointRefused(
                    f"[endpoints.{self.name}] {detail}\n  {advice} See `pairwright doctor`."
                ) from None
            raise CallFailed(error.reason, detail) from None

    async def _attempt(self, request: Request) -> Answer:
        async with self._free:
            if (left := self._closed_until - time.monotonic()) > 0:
                said = f"[endpoints.{self.name}] not sent: {_asks_for(left)}"
                raise CallFailed(RATE_LIMITED, said)
            self._check_stopped()
            self._meter.admit()
            self._meter.in_flight += 1
            started = time.monotonic()
            try:
                answer = await self._post(request)
            except Transient as error:
                self._close(error)
                # Its traceback would hold the body of the reply until the last attempt.
                raise error.with_traceback(None) from None
            finally:
                self._meter.in_flight -= 1
            self._answered = True
            completion = answer.completion
            self._compare(completion.served, request.model)
            self._meter.seconds += time.monotonic() - started
            sent, received = completion.prompt_tokens, completion.completion_tokens
            cached = completion.cached_tokens
            self._meter.answered(
                sent, received, self._endpoint.cost(sent, received, cached), cached
            )
        return answer

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

    def _compare(self, served: str, asked: str) -> None:
        """Say once of each model that answers in place of the one that was asked for."""
        known = served in ("", asked) or served in self.others
        if known or len(self.others) == MOST_OTHERS or is_same_model(served, asked):
            return
        self.others.add(served)
        self._say(
            f"[endpoints.{self.name}] asked for {asked}, and replies name the model {served}. If it"
            " is the same model by another name, nothing is wrong. Else set `model`, or ask the"
            " people who run the server. The manifest counts these replies."
        )

    async def _pause(self, seconds: float) -> None:
        """Wait, unless the run is stopping: then nothing more is sent."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)
        self._check_stopped()

    def _check_stopped(self) -> None:
        if self._stopped.is_set():
            raise Interrupted("interrupted; every finished call is stored, run again to go on")

    async def _post(self, request: Request) -> Answer:
        self._meter.sent += 1
        where = self._wire.where
        content = bytes_of(body_of(request, self._endpoint.token_parameter))
        reply = await self._wire.post(content, request)
        body = self._secrets.without(reply.body)
        if not 200 <= reply.status < 300:
            try:
                said = from_json(body)
            except ValueError:
                said = body.decode("utf-8", "replace")
            body = refusal(
                reply.status, said, f"[endpoints.{self.name}] {where}", self._secrets,
                reply.headers, enlarged=request.enlarged, known_key=self._answered,
            )  # fmt: skip
        try:
            answer = Answer(body, completion_of(request.key, body))
        except ValueError as error:
            page = web_page(body.decode("utf-8", "replace"))
            reason = "web_page" if page else "malformed_body"
            failure = Transient(reason, f"{where}: {error}")
        else:
            if answer.completion.finish not in BROKEN_OFF:
                return answer
            finish = answer.completion.finish
            failure = Transient("broken_off", f"the engine ended with {finish!r}")
        # Outside the block: as the context of another error, this one would keep the body.
        raise failure

    def _count_retry(self, state: tenacity.RetryCallState) -> None:
        """Count it; say once that the endpoint does not answer at its start, and that the build
        waits because the endpoint asks for it, once while it does."""
        self._meter.retried += 1
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


def wire_of(name: str, endpoint: Endpoint, api_key: str | None, say: Callable[[str], None]) -> Wire:
    """The wire of an endpoint. `say` tells people what takes long.

    Raises ConfigError where its engine is not installed, or a proxy cannot be used. Needs a running
    loop.
    """
    if endpoint.engine == "vllm":
        return Engine(name, endpoint, say)
    return Connection(endpoint.base_url or "", headers_for(api_key), endpoint.timeout_s)
