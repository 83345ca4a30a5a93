"""A server of one scorer over HTTP, bound to a release, until it is stopped.

    POST /score     Batch -> Rewards
    GET  /health    -> RewardServer.health

An error is never a score. A fault of one sample is its `error`; a fault of the whole batch, or one
that may pass soon, is the status of the reply:

    422 not a batch, or an unknown id     500 the scorer cannot be used
    503 the scorer's endpoint is down
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal

from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import ValidationError
from typer import Option

from pairwright.errors import CallFailed, InputError, PairwrightError, first_invalid
from pairwright.evaluation.benchmark import Benchmark
from pairwright.evaluation.conditions import CONDITIONS, ContentSources, Strangers, ask_fitting
from pairwright.evaluation.scorers.scorer import PromptContent, Unscored
from pairwright.evaluation.session import OpenScorer, ScorerSession, ScoringCalls, pointwise
from pairwright.evaluation.settings import Scorers, scorer_settings
from pairwright.models import together
from pairwright.models.client import Meter
from pairwright.progress import Note, Progress, Stop, log_notes, run_async
from pairwright.settings.rules import HistoryRules
from pairwright.training.rewards import Batch, Reward, RewardSample

Shown = Literal["none", "profile", "rubric"]


class RewardServer:
    """A scorer bound to a release: the two handlers, and how many samples were scored."""

    def __init__(
        self, opened: OpenScorer, history: HistoryRules, release: Benchmark | None, condition: Shown
    ) -> None:
        ref, self._condition = opened.ref, condition
        self._scorer = pointwise(ref.name, opened.target)
        self._sources = ContentSources(history, Strangers((), seed=0))
        # Of all splits: the training data says which pairs are trained on.
        self._rows = {row.id: row for row in release.rows()} if release else {}
        self._about = {"scorer": ref.name, "model": ref.model}
        if release:
            of = f"{release.ref.title} {release.ref.digest}"
            self._about |= {"release": of, "condition": condition}
        self._scored, self._unscored = 0, Counter[str]()

    @property
    def health(self) -> dict[str, Any]:
        """The served scorer, and the number of samples with a score and, by reason, without."""
        return {**self._about, "scored": self._scored, "unscored": dict(self._unscored)}

    async def reward(self, sample: RewardSample) -> Reward:
        """Score a sample. Raises InputError for an unknown id, CallFailed if the scorer's endpoint
        is down, and ConfigError or EndpointRefused if the scorer cannot be used."""
        content: PromptContent | Unscored = PromptContent(sample.prompt or "")
        if sample.id is not None:
            if (row := self._rows.get(sample.id)) is None:
                of = self._about.get("release", "this server")
                fix = "Start the server with --release and the release that the data is from."
                raise InputError(f"{of} has no such pair", where=f"id {sample.id!r}", fix=fix)
            content = CONDITIONS[self._condition].content(self._sources, row)
        if isinstance(content, PromptContent):
            ask = partial(self._scorer.score, response=sample.response)
            found = await ask_fitting(content, self._sources.history, ask)
            if not isinstance(found, Unscored):
                return Reward(score=found.value)
            content = found
        return Reward(score=None, error=content.reason, detail=content.detail[:500])

    async def get_health(self, _: web.Request) -> web.Response:
        return web.json_response(self.health)

    async def post_score(self, request: web.Request) -> web.Response:
        try:
            samples = Batch.model_validate_json(await request.read()).samples
        except ValidationError as error:
            at, why = first_invalid(error)
            return _refused(422, f"{at or 'the body'}: {why}")
        try:
            rewards = await together(*map(self.reward, samples))
        except PairwrightError as error:
            kinds = {CallFailed: (503, "scorer_down"), InputError: (422, "unknown_id")}
            status, reason = kinds.get(type(error), (500, "scorer_unusable"))
            self._unscored[reason] += len(samples)
            return _refused(status, str(error))
        self._unscored.update(reward.error for reward in rewards if reward.error)
        self._scored += sum(not reward.error for reward in rewards)
        return web.json_response({"rewards": [reward.model_dump() for reward in rewards]})


@asynccontextmanager
async def listening(server: RewardServer, host: str, port: int) -> AsyncIterator[str]:
    """Serve until the block ends, then answer what is under way; yields the URL. Port 0 takes a
    free one. Raises InputError if the port is taken."""
    # A web page can have its own name lead to 127.0.0.1 and then talk to a server there as if it
    # were the page's own ("DNS rebinding"). So a server on loopback answers to loopback's names.
    guards = [_refuse_other_names] if _is_loopback(host) else []
    app = web.Application(client_max_size=16 * 1024 * 1024, middlewares=guards)
    app.router.add_post("/score", server.post_score)
    app.router.add_get("/health", server.get_health)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=60)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except (OSError, OverflowError) as error:
            where, fix = f"--host {host} --port {port}", "Give another port, or 0 for a free one."
            raise InputError(f"cannot be served on: {error}", where=where, fix=fix) from None
        yield f"http://{f'[{host}]' if ':' in host else host}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@web.middleware
async def _refuse_other_names(request: web.Request, handler: Handler) -> web.StreamResponse:
    if _is_loopback(request.url.host or ""):
        return await handler(request)
    return _refused(403, "This server answers to localhost and 127.0.0.1 alone.")


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name.lower().rstrip(".") == "localhost"


def _refused(status: int, message: str) -> web.Response:
    return web.json_response({"error": {"message": message}}, status=status)


def serve_rewards(
    name: Annotated[str, Option("--scorer", help="The scorer that gives the rewards.")],
    scorers: Annotated[
        Path | str | Scorers | None, Option(help="Scorers and endpoints.", metavar="FILE.toml")
    ] = None,
    release: Annotated[
        Path | str | None, Option(help="Release whose pairs are named by id.", metavar="DIR")
    ] = None,
    *,
    condition: Annotated[
        Shown, Option(help="Part of the history that the scorer sees.")
    ] = "profile",
    host: Annotated[str, Option(help="Address to serve on; there is no password.")] = "127.0.0.1",
    port: Annotated[int, Option(help="Port; 0 takes a free one.", metavar="N")] = 8600,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """Give rewards over HTTP, from one scorer of a file as `pairwright evaluate` reads it.

    POST /score {"samples": [{"id" or "prompt", "response"}, ...]} gives {"rewards": [...]}, each a
    score or an error with its reason; GET /health answers once the model is loaded. A pair that is
    named by its id is shown to the scorer as --condition says, a prompt as it is. SIGTERM and
    Ctrl-C let what is under way finish. The page train.md has the reward functions for TRL and
    verl.

    Raises InputError, ConfigError, CallFailed, EndpointRefused and StoreError.

    Examples::

        pairwright train reward-server --scorers scorers.toml --scorer skywork --release 1.0.0
        pairwright train reward-server --scorer longer --port 0
        curl http://127.0.0.1:8600/health
    """
    settings, prompts = scorer_settings(scorers)
    pairs = Benchmark.built(release) if release is not None else None

    async def serve() -> dict[str, Any]:
        calls, stopping = ScoringCalls(None, Meter(), progress, stop or Stop()), asyncio.Event()
        session = ScorerSession(settings, prompts, calls)
        with calls.stop.heard_by(stopping.set):
            async with session.scorer(name) as opened:
                server = RewardServer(opened, settings.history, pairs, condition)
                progress(Note(f"{name} is loading."))
                # One plain answer is scored, by which a model in this process is loaded.
                plain = RewardSample(prompt="Is it raining?", response="It is not raining.")
                await server.reward(plain)
                async with listening(server, host, port) as url:
                    progress(Note(f"{url} is ready. Ctrl-C stops it."))
                    await stopping.wait()
                return server.health

    return run_async(serve())
