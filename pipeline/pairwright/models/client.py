"""Clients: each answers requests out of the store first, else in a way of its own. A client of an
endpoint keeps to the budgets, and to as many calls at once as the endpoint may have; tenacity is
the one layer that sends a call again. The wire of a `Server` is the OpenAI SDK over aiohttp.
A reply is committed before it is handed on, and equal requests in flight are asked once.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import tenacity

from pairwright.errors import BudgetSpent, CallFailed, ConfigError, EndpointRefused, Interrupted
from pairwright.models import call
from pairwright.models.call import Completion, Request, Response, Transient
from pairwright.models.store import Store, unusable
from pairwright.settings.endpoints import Endpoint

if TYPE_CHECKING:
    from httpx2 import Request as HttpRequest
    from httpx2 import Response as HttpResponse
    from openai import AsyncOpenAI

MAX_WAIT_S = 300
"""The longest wait that an endpoint may ask for before its calls fail."""
_JITTERED = tenacity.wait_exponential(multiplier=0.5, max=30) + tenacity.wait_random(0, 0.5)
CONNECT_S = 10
KEPT_S = 4
"""How long a quiet connection is kept: vLLM's server closes it after five seconds."""
LARGEST_REPLY = 16 * 1024 * 1024
"""Bytes of a reply, inflated: three times the log-probabilities of a prompt of 32,000 tokens."""
INTERRUPTED = "interrupted; every finished call is stored, run again to go on"


@dataclass
class Meter:
    """Counts over all endpoints of a run; cost in the currency the prices are given in."""

    max_calls: int | None = None
    max_cost: float | None = None
    calls: int = 0
    """Calls answered, or written for a batch; those of earlier runs of the folder included."""
    cost: float = 0.0
    in_flight: int = 0
    sent: int = 0

    def admit(self) -> None:
        """Raise BudgetSpent if another call could pass a budget. `max_cost` can be passed by the
        calls in flight, whose cost is not known yet."""
        if self.max_calls is not None and self.calls + self.in_flight >= self.max_calls:
            raise BudgetSpent("budget_spent", f"max_calls = {self.max_calls} is reached")
        if self.max_cost is not None and self.cost >= self.max_cost:
            raise BudgetSpent("budget_spent", f"max_cost = {self.max_cost} is reached")

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Count a call as answered if nothing is raised in the block. Raises BudgetSpent."""
        self.admit()
        self.sent += 1
        self.in_flight += 1
        try:
            yield
            self.calls += 1
        finally:
            self.in_flight -= 1


class Client(ABC):
    """Answers requests, as an async context manager. A kind of client says in `fetch` how it comes
    to a reply that is not stored."""

    def __init__(self, meter: Meter, store: Store | None = None) -> None:
        """Without a `store` no reply is kept."""
        self.meter = meter
        self._stopping = asyncio.Event()
        self._store = store
        # Of a store, because two endpoints may be asked for one key at once.
        self._in_flight = {} if store is None else store.in_flight

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    def stop(self) -> None:
        """Let what is in flight finish, and send nothing more."""
        self._stopping.set()

    def go_on(self) -> None:
        """Raise Interrupted if nothing more is to be sent."""
        if self._stopping.is_set():
            raise Interrupted(INTERRUPTED)

    async def complete(self, request: Request) -> Completion:
        """The stored reply, or a new one, which is then stored. A request is sent once however
        often it is asked meanwhile. Raises as `fetch`, and StoreError."""
        key, in_flight = request.key, self._in_flight
        if self._store and (stored := self._store.get(key)):
            try:
                return call.completion_of(key, stored)
            except ValueError as error:
                raise unusable(self._store.path, error, key) from None
        if key in in_flight:
            return await asyncio.shield(in_flight[key])
        mine = in_flight[key] = asyncio.get_running_loop().create_future()
        try:
            completion = await self.fetch(request)
            if self._store:
                await self._store.put(request, completion)
        except BaseException as error:
            mine.set_exception(error)
            mine.exception()  # Nobody else may be waiting for it.
            raise
        else:
            mine.set_result(completion)
            return completion
        finally:
            del in_flight[key]

    @abstractmethod
    async def fetch(self, request: Request) -> Completion:
        """A usable reply. Raises CallFailed, EndpointRefused and Interrupted."""


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
        """`say` tells people why a call is sent again, and of replies that name another model."""
        super().__init__(meter, store)
        self.name, self.place = name, f"[endpoints.{name}]"
        self._base_url = (endpoint.base_url or "").rstrip("/")
        self._endpoint, self._api_key, self._secrets = endpoint, api_key, call.Secrets(api_key)
        self._note = say
        self._free = asyncio.Semaphore(endpoint.concurrency)
        self._answered = self._told = False
        self._closed = ""
        """The reason that no call is sent any more."""
        self._trying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(Transient),
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

    def go_on(self) -> None:
        super().go_on()
        if self._closed:
            raise CallFailed("rate_limited", self._closed)

    async def fetch(self, request: Request) -> Completion:
        """A usable reply. Raises CallFailed after the last attempt, and at once for a longer wait
        than MAX_WAIT_S; EndpointRefused, BudgetSpent and Interrupted."""
        try:
            return await self._trying(self._attempt, request)
        except Transient as error:
            detail = f"{error.detail} (after {self._endpoint.attempts} attempts)"
            # An endpoint that has never answered is given up.
            if not self._answered and error.reason in ("connection", "web_page"):
                raise EndpointRefused(
                    f"{self.place} {detail}\n  Is the server running, and is `base_url` right (http"
                    " or https, /v1)? Else see HTTP_PROXY and `pairwright doctor`."
                ) from None
            raise CallFailed(error.reason, detail) from None

    async def _attempt(self, request: Request) -> Completion:
        async with self._free:
            self.go_on()
            try:
                with self.meter.sending():
                    status, body, headers = await self.post(request)
                    response = Response(status, self._secrets.without(body), headers)
                    where, known = f"{self.place} {self.where}", self._answered
                    completion = call.read_reply(request.key, response, where, known_key=known)
            except Transient as error:
                if (error.retry_after or 0) > MAX_WAIT_S:
                    self._closed = (
                        f"{self.place} {error.detail}; the server asks to be left alone for"
                        f" {error.retry_after:,.0f} s, and the longest wait is {MAX_WAIT_S} s"
                    )
                    raise CallFailed("rate_limited", self._closed) from None
                # Its traceback would hold the body of the reply until the last attempt.
                raise error.with_traceback(None) from None
        if not self._answered and completion.served not in ("", request.model):
            self._say(f"asked for {request.model}, and replies name the model {completion.served}")
        self._answered = True
        self.meter.cost += self._endpoint.cost(
            completion.prompt_tokens, completion.completion_tokens
        )
        return completion

    @abstractmethod
    async def post(self, request: Request) -> Response:
        """The endpoint's response to a request. Raises Transient if nothing whole came back, and
        EndpointRefused if it would refuse every call."""

    def _say(self, text: str) -> None:
        self._note(f"{self.place} {text}")

    async def _pause(self, seconds: float) -> None:
        """Wait, unless the run is stopping: then nothing more is sent."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
        self.go_on()

    def _tell(self, state: tenacity.RetryCallState) -> None:
        """Say of the first call that is sent again why, and when."""
        if not self._told and state.outcome:
            self._told, why = True, state.outcome.exception()
            tries = f"{self._endpoint.attempts} attempts in all"
            self._say(f"{why}; trying again after {state.upcoming_sleep:,.0f} s, {tries}")


def _wait(state: tenacity.RetryCallState) -> float:
    """The wait that the endpoint asked for, else jittered backoff."""
    asked = getattr(state.outcome and state.outcome.exception(), "retry_after", None)
    return _JITTERED(state) if asked is None else float(asked)


# The wire


class Server(EndpointClient):
    """A client of one OpenAI-compatible server."""

    _sdk: "AsyncOpenAI | None" = None

    async def post(self, request: Request) -> Response:
        body = request.body(self._endpoint.token_parameter)
        return await self.exchange(f"{self._base_url}/chat/completions", body)

    async def exchange(self, url: str, body: dict[str, Any] | None = None) -> Response:
        """The whole reply to a POST of JSON, or to a GET without a body, whatever its status.
        Raises Transient if none came within the time, or one over `LARGEST_REPLY`."""
        # Half a second, at the first call: a run over stored calls needs none.
        from aiohttp import ClientError
        from httpx2 import Response as HttpResponse
        from openai import APIConnectionError, APIStatusError

        if self._sdk is None:
            self._sdk = _connected(self._endpoint, self._api_key)
        try:
            async with asyncio.timeout(self._endpoint.timeout_s):
                if body is None:
                    reply = await self._sdk.get(url, cast_to=HttpResponse)
                else:
                    reply = await self._sdk.post(
                        url, cast_to=HttpResponse, content=call.bytes_of(body)
                    )
        except APIStatusError as error:
            reply = error.response
        except (APIConnectionError, ClientError, TimeoutError, ValueError) as error:
            raise _failure(error, self._endpoint) from None
        return Response(reply.status_code, reply.content, reply.headers)

    async def __aexit__(self, *_: object) -> None:
        if self._sdk is not None:
            await self._sdk.close()


def _connected(endpoint: Endpoint, api_key: str | None) -> "AsyncOpenAI":
    """The SDK's client of an endpoint."""
    import httpx2
    from openai import AsyncOpenAI, DefaultAioHttpClient

    class Bounded(DefaultAioHttpClient):
        """Reads replies up to `LARGEST_REPLY`: a few packed bytes may be gigabytes."""

        async def send(self, request: "HttpRequest", **how: Any) -> "HttpResponse":
            reply, body = await super().send(request, **{**how, "stream": True}), bytearray()
            try:
                async for part in reply.aiter_bytes():
                    body += part
                    if len(body) > LARGEST_REPLY:
                        body.clear()
                        said = f"HTTP {reply.status_code} with more than {LARGEST_REPLY >> 20} MiB"
                        raise Transient("reply_too_large", said)
            finally:
                await reply.aclose()
            headers = {name: reply.headers.get(name, "") for name in ("Retry-After", "Location")}
            return httpx2.Response(
                reply.status_code, headers=headers, content=bytes(body), request=request
            )

    http = Bounded(
        # The time of a whole try is limited where it is made.
        timeout=httpx2.Timeout(None, connect=CONNECT_S),
        limits=httpx2.Limits(max_connections=endpoint.concurrency, keepalive_expiry=KEPT_S),
        follow_redirects=False,
        verify=httpx2.create_ssl_context(),
        # Not its own look at the environment: it takes passwords from ~/.netrc.
        trust_env=False,
        proxy=proxy_for(endpoint.base_url or ""),
    )
    # The SDK insists on a key; servers without one ignore it.
    return AsyncOpenAI(
        api_key=api_key or "none", base_url=endpoint.base_url, max_retries=0, http_client=http
    )


def _failure(error: BaseException, endpoint: Endpoint) -> Transient:
    """The failure that prevented a whole reply."""
    from aiohttp import ClientConnectionError, ClientConnectorError, ClientError, ClientPayloadError

    while error.__cause__ and not isinstance(error, ClientError | TimeoutError):
        error = error.__cause__
    said, reason = str(error) or type(error).__name__, "malformed_body"
    if isinstance(error, ClientConnectorError):
        reason = "connection"
    elif isinstance(error, TimeoutError):
        said, reason = f"no whole reply in {endpoint.timeout_s:g} s", "timeout_or_dropped"
    elif isinstance(error, ClientConnectionError | ClientPayloadError):
        reason = "timeout_or_dropped"
    return Transient(reason, f"{endpoint.base_url}: {said}"[:500])


def proxy_for(base_url: str) -> str | None:
    """The HTTP proxy's address; None for this machine's own servers and for what NO_PROXY names.

    Raises ConfigError for a proxy of another kind, as desktops set it for all addresses.
    """
    parts = urlsplit(base_url)
    host, proxies = parts.hostname or "", getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    local = host in ("localhost", "::1") or host.startswith("127.")
    if not proxy or local or proxy_bypass(parts.netloc):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not proxy.startswith(("http://", "https://")):
        where, fix = "ALL_PROXY or HTTPS_PROXY", f"Name an HTTP proxy, or {host} in NO_PROXY."
        raise ConfigError("is not an HTTP proxy", where=where, fix=fix)
    return proxy
