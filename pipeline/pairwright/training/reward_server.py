"""One scorer behind HTTP.

    POST /score     Batch -> Rewards
    GET  /health    -> Health

An error is never a score. What is wrong with one sample alone is its `error`; what is wrong with
all of a batch, or may be better soon, is the status of the reply:

    400 not JSON     413 more than the queue holds     422 JSON, but no batch, or an unknown id
    500 the scorer cannot be used     503 loading, stopping, full, or the scorer's endpoint is down
"""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Protocol

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from pydantic import ValidationError

from pairwright.errors import (
    CallFailed,
    ConfigError,
    EndpointRefused,
    InputError,
    PairwrightError,
)
from pairwright.models import together
from pairwright.text import number_of
from pairwright.training.rewards import Batch, Health, Reward, Rewards, RewardSample

MAX_BODY = 16 * 1024 * 1024
"""Bytes of one batch."""
LAST_S = 60
"""How long a stopping server waits for what it is scoring."""


class RewardScoring(Protocol):
    """What gives the rewards."""

    async def score(self, sample: RewardSample) -> Reward:
        """Raises InputError for an id that it does not know, CallFailed where its endpoint is down,
        and ConfigError or EndpointRefused where it cannot be used."""
        ...


class RewardServer:
    """The two handlers, and what has come of all samples."""

    def __init__(self, scoring: RewardScoring, about: Health, queue: int) -> None:
        """`about` names the scorer; `queue` is how many samples may wait."""
        self._scoring = scoring
        self._about = about
        self._queue = queue
        self._waiting = 0
        self._scored = self._empty = 0
        self._errors, self._failed = Counter[str](), Counter[str]()

    def ready(self) -> None:
        """From now on samples are taken."""
        self._about = self._about.model_copy(update={"status": "ready"})

    def stopping(self) -> None:
        """From now on none are taken; those under way are answered."""
        self._about = self._about.model_copy(update={"status": "stopping"})

    @property
    def health(self) -> Health:
        counts = {
            "waiting": self._waiting,
            "scored": self._scored,
            "empty": self._empty,
            "errors": dict(sorted(self._errors.items())),
            "failed": dict(sorted(self._failed.items())),
        }
        return self._about.model_copy(update=counts)

    async def get_health(self, _: web.Request) -> web.Response:
        health = self.health
        return _json(health.model_dump_json(), 200 if health.status == "ready" else 503)

    async def post_score(self, request: web.Request) -> web.Response:
        if self._about.status != "ready":
            return _later(f"the server is {self._about.status}", "2")
        try:
            samples = Batch.model_validate_json(await request.read()).samples
        except ValidationError as error:
            return _wrong(error)
        if len(samples) > self._queue:
            return _refused(
                413,
                f"{number_of(len(samples), 'sample')}, and --queue is {self._queue}\n"
                "  Start the server with a larger --queue, or send fewer at once.",
            )
        if self._waiting + len(samples) > self._queue:
            return _later(
                f"{number_of(self._waiting, 'sample waits', 'samples wait')} already", "1"
            )
        self._waiting += len(samples)
        try:
            rewards = await together(*map(self._scoring.score, samples))
        except PairwrightError as error:
            return self._no_rewards(error)
        finally:
            self._waiting -= len(samples)
        for reward, sample in zip(rewards, samples, strict=True):
            if reward.error:
                self._errors[reward.error] += 1
            else:
                self._scored += 1
                self._empty += not sample.response.strip()
        return _json(Rewards(rewards=rewards).model_dump_json(), 200)

    def _no_rewards(self, error: PairwrightError) -> web.Response:
        """Count it, and answer as the kind of error asks for."""
        if isinstance(error, InputError) and not isinstance(error, ConfigError):
            # A mistake of the client, which says nothing of the scorer.
            self._failed["unknown_id"] += 1
            return _refused(422, str(error))
        later = isinstance(error, CallFailed)
        refused = "refused" if isinstance(error, EndpointRefused) else "unusable"
        self._failed[error.reason if isinstance(error, CallFailed) else refused] += 1
        return _later(str(error), "5") if later else _refused(500, str(error))


@asynccontextmanager
async def listening(server: RewardServer, host: str, port: int) -> AsyncIterator[str]:
    """Serve until the block ends, then answer what is under way; yields the URL. Port 0 takes a
    free one. Raises InputError where the port is taken."""
    app = web.Application(client_max_size=MAX_BODY, middlewares=only_own_names(host))
    app.router.add_post("/score", server.post_score)
    app.router.add_get("/health", server.get_health)
    # A client that hangs up may ask again: what it asked for is scored all the same.
    runner = web.AppRunner(
        app, access_log=None, handler_cancellation=False, shutdown_timeout=LAST_S
    )
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except (OSError, OverflowError) as error:
            raise InputError(
                f"cannot be served on: {error}",
                where=f"--host {host} --port {port}",
                fix="Give another port, or 0 for a free one.",
            ) from None
        named = f"[{host}]" if ":" in host else host
        yield f"http://{named}:{runner.addresses[0][1]}"
    finally:
        server.stopping()
        await runner.cleanup()


def _wrong(error: ValidationError) -> web.Response:
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return _refused(400, f"the body is not JSON: {first['msg']}")
    at = ".".join(map(str, first["loc"])) or "the body"
    return _refused(422, f"{at}: {first['msg']}")


def _later(message: str, seconds: str) -> web.Response:
    refused = _refused(503, message)
    refused.headers["Retry-After"] = seconds
    return refused


def _refused(status: int, message: str) -> web.Response:
    return web.json_response({"error": {"message": message}}, status=status)


def _json(text: str, status: int) -> web.Response:
    return web.Response(text=text, status=status, content_type="application/json")


def only_own_names(host: str) -> list[Middleware]:
    """The middlewares of a server that listens on `host`: none where others are to reach it.

    A web page can have its own name lead to 127.0.0.1 and then talk to a server there as if it were
    the page's own ("DNS rebinding"). So a server that listens on loopback answers only to
    loopback's names.
    """
    return [_refuse_other_names] if _is_loopback(host) else []


@web.middleware
async def _refuse_other_names(request: web.Request, handler: Handler) -> web.StreamResponse:
    named = request.host
    name = named.rpartition(":")[0] if not named.endswith("]") and ":" in named else named
    if _is_loopback(name.strip("[]")):
        return await handler(request)
    return web.Response(
        status=403,
        text="This server answers to localhost and 127.0.0.1 alone. Use one of these names.\n",
    )


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name.lower().rstrip(".") == "localhost"
