"""Rewards over HTTP, from one scorer, until somebody stops it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from pairwright.errors import InputError
from pairwright.evaluate.conditions import ConditionName
from pairwright.evaluate.settings import Scorers
from pairwright.models.client import Meter
from pairwright.notebook import run_async
from pairwright.train.rl.server import RewardServer, listening
from pairwright.train.rl.wire import Health
from pairwright.workflows.progress import Note, Progress, Stop, log_notes
from pairwright.workflows.reward_scoring import open_rewards, release_pairs, warm_up
from pairwright.workflows.scoring import scorer_settings


def serve_rewards(
    name: str,
    scorers: str | Path | Scorers | None = None,
    release: str | Path | None = None,
    *,
    condition: ConditionName | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    queue: int = 4096,
    progress: Progress = log_notes,
    stop: Stop | None = None,
    on_loading: Callable[[str], None] = lambda _url: None,
    on_ready: Callable[[str], None] = lambda _url: None,
) -> Health:
    """Serve the rewards of the scorer `name` over HTTP until `stop` is requested.

    With a `release`, its pairs may be named by their ids, and the scorer is shown what `condition`
    says of their users (profile). `port` 0 takes a free one; at most `queue` samples wait.
    `on_loading` and `on_ready` are called with the address when it listens and when the model is
    loaded. Returns what became of all samples.

    Raises InputError, ConfigError, CallFailed, EndpointRefused and StoreError.
    """
    if condition and condition != "none" and not release:
        raise InputError(
            "without a release no pair can be named, and a prompt that is sent is shown as it is",
            where=f"--condition {condition}",
            fix="Name the release with --release, or leave --condition out.",
        )
    settings = scorer_settings(scorers)
    pairs = release_pairs(None if release is None else Path(release), condition or "profile")

    async def serve() -> Health:
        meter, stopping = Meter(), asyncio.Event()
        with (stop or Stop()).heard_by(stopping.set, meter):
            async with open_rewards(settings.scorers, name, settings.prompts, pairs, meter) as (
                rewards,
                about,
            ):
                server = RewardServer(rewards, about, queue, lambda line: progress(Note(line)))
                async with listening(server, host, port) as url:
                    on_loading(url)
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
