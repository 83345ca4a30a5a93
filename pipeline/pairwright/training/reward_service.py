"""Rewards over HTTP, from one scorer that is bound to a release, until somebody stops it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from typer import Option

from pairwright.errors import ConfigError, InputError
from pairwright.evaluation.benchmark import Benchmark
from pairwright.evaluation.conditions import (
    CONDITIONS,
    ConditionName,
    ContentSources,
    Strangers,
    ask_fitting,
)
from pairwright.evaluation.scorers.opening import open_scorers, pointwise
from pairwright.evaluation.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
    Unscored,
)
from pairwright.evaluation.session import scorer_settings
from pairwright.evaluation.settings import Scorers
from pairwright.models.client import Meter
from pairwright.notebook import run_async
from pairwright.pairs import Row
from pairwright.progress import Stop
from pairwright.settings.prompt import Prompts
from pairwright.training.reward_server import RewardServer, listening
from pairwright.training.rewards import Health, Reward, RewardSample


class ReleasePairs(NamedTuple):
    """The pairs that can be named by id, and what the scorer is shown of their users."""

    release: Benchmark
    rows: dict[str, Row]
    condition: ConditionName


class ScorerRewards(NamedTuple):
    """One scorer, as a reward server asks it."""

    scorer: Pointwise
    conditions: ContentSources
    pairs: ReleasePairs | None

    async def score(self, sample: RewardSample) -> Reward:
        if sample.prompt is not None:
            prompt = PromptContent(sample.prompt[0].content)
            score = await self.scorer.score(prompt, sample.response)
        else:
            score = await self._score_of_pair(sample.id or "", sample.response)
        if isinstance(score, Unscored):
            return Reward(error=score.reason, detail=score.detail[:500])
        return Reward(score=score.value)

    async def _score_of_pair(self, id: str, response: str) -> ResponseScore | Unscored:
        if self.pairs is None:
            raise InputError(
                "this server holds no release",
                where=f"id {id!r}",
                fix="Start it with --release, or send prompts.",
            )
        row = self.pairs.rows.get(id)
        if row is None:
            raise InputError(
                f"{self.pairs.release.path} has no such pair",
                where=f"id {id!r}",
                fix="Start the server with the release that the data was made from.",
            )
        shown = CONDITIONS[self.pairs.condition].content(self.conditions, row)
        if isinstance(shown, Unscored):
            return shown
        score, _ = await ask_fitting(
            shown, self.conditions.history, lambda fewer: self.scorer.score(fewer, response)
        )
        return score


def release_pairs(folder: Path | None, condition: ConditionName) -> ReleasePairs | None:
    """The whole release: which pairs are trained on, the training data says."""
    if folder is None:
        return None
    release = Benchmark.built(folder)
    return ReleasePairs(release, {row.id: row for row in release.rows()}, condition)


@asynccontextmanager
async def open_rewards(
    scorers: Scorers, name: str, prompts: Prompts, pairs: ReleasePairs | None, meter: Meter
) -> AsyncIterator[tuple[ScorerRewards, Health]]:
    """The scorer, and what the server says of it. Raises ConfigError for one that gives no score of
    a single response."""
    async with AsyncExitStack() as stack:
        found = await stack.enter_async_context(
            open_scorers(scorers, (name,), prompts, None, meter)
        )
        scorer, ref = pointwise(name, found[name].scorer), found[name].ref
        history = scorers.history.rules(pairs.release.study_posts if pairs else None)
        of = pairs.release.ref if pairs else None
        conditions = ContentSources(history, Strangers((), scorers.seed))
        about = Health(
            status="loading",
            scorer=ref.name,
            model=ref.model,
            revision=ref.revision,
            release=f"{of.name} {of.version} {of.digest}" if of else "",
            condition=pairs.condition if pairs else "",
        )
        yield ScorerRewards(scorer, conditions, pairs), about


async def warm_up(rewards: ScorerRewards) -> None:
    """Have one plain answer scored, by which a model in this process is loaded.

    Raises ConfigError where it gets no score, CallFailed and EndpointRefused.
    """
    score = await rewards.scorer.score(PromptContent("Is it raining?"), "It is not raining.")
    if isinstance(score, Unscored):
        raise ConfigError(
            f"gives a plain answer no score: {score.reason} {score.detail}".rstrip(),
            where="--scorer",
            fix="Try it with `pairwright evaluate` first.",
        )


def serve_rewards(
    name: Annotated[str, Option("--scorer", help="The scorer that gives the rewards.")],
    scorers: Annotated[
        Path | str | Scorers | None, Option(help="Scorers and endpoints.", metavar="FILE.toml")
    ] = None,
    release: Annotated[
        Path | str | None, Option(help="Its pairs may be named by id.", metavar="DIR")
    ] = None,
    *,
    condition: Annotated[
        Literal["none", "profile", "rubric"] | None,
        Option(help="What the scorer is shown of a pair's user [profile]."),
    ] = None,
    host: Annotated[str, Option(help="Address to serve on; there is no password.")] = "127.0.0.1",
    port: Annotated[int, Option(help="Port; 0 takes a free one.", metavar="N")] = 8600,
    queue: Annotated[int, Option(help="Most samples that may wait.", metavar="N", min=1)] = 4096,
    stop: Stop | None = None,
    on_loading: Callable[[str, str], None] = lambda _url, _name: None,
    on_ready: Callable[[str], None] = lambda _url: None,
) -> Health:
    """Give rewards over HTTP, from one scorer of a file as `pairwright evaluate` reads it.

    POST /score {"samples": [{"id" or "prompt", "response"}, ...]} gives {"rewards": [...]}, each a
    score or an error with its reason; GET /health answers 200 once the model is loaded. Requests in
    flight go through the model in batches. A full queue answers 503. SIGTERM and Ctrl-C let what is
    under way finish. The page train.md has the reward functions for TRL and verl.

    Raises InputError, ConfigError, CallFailed, EndpointRefused and StoreError. `on_loading` is
    called with the address and `name` when it listens, and `on_ready` when the model is loaded.

    Examples::

        pairwright train reward-server --scorers scorers.toml --scorer skywork --release 1.0.0
        pairwright train reward-server --scorer longer --port 0
        curl http://127.0.0.1:8600/health
    """
    if condition and condition != "none" and not release:
        raise InputError(
            "without a release no pair can be named, and a prompt that is sent is shown as it is",
            where=f"--condition {condition}",
            fix="Name the release with --release, or leave --condition out.",
        )
    settings, prompts = scorer_settings(scorers)
    pairs = release_pairs(None if release is None else Path(release), condition or "profile")

    async def serve() -> Health:
        meter, stopping = Meter(), asyncio.Event()
        with (stop or Stop()).heard_by(stopping.set, meter):
            async with open_rewards(settings, name, prompts, pairs, meter) as (
                rewards,
                about,
            ):
                server = RewardServer(rewards, about, queue)
                async with listening(server, host, port) as url:
                    on_loading(url, name)
                    warming = asyncio.create_task(warm_up(rewards))
                    stopped = asyncio.create_task(stopping.wait())
                    await asyncio.wait((warming, stopped), return_when=asyncio.FIRST_COMPLETED)
                    if stopping.is_set():
                        warming.cancel()
                    else:
                        warming.result()
                        server.ready()
                        on_ready(url)
                        await stopped
                return server.health

    return run_async(serve())
