"""`pairwright train reward-server`."""

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from rich.console import Console

from pairwright.errors import InputError
from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.cli.rl.scoring import Held
    from pairwright.evaluate.scorers.spec import Scorers
    from pairwright.settings.prompt import Prompts
    from pairwright.train.rl.wire import Health


class HeldCondition(StrEnum):
    NONE = "none"
    PROFILE = "profile"
    PLANNER = "planner"
    RUBRIC = "rubric"


def reward_server_command(
    scorer: Annotated[str, typer.Option(metavar="NAME", help="The scorer that gives the rewards.")],
    scorers: Annotated[
        Path | None,
        typer.Option("--scorers", metavar="FILE.toml", help="What scorers and endpoints are."),
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Release whose pairs may be named by their ids."),
    ] = None,
    condition: Annotated[
        HeldCondition | None,
        typer.Option(help="What the scorer is shown of the user of such a pair [profile]."),
    ] = None,
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.")] = 8600,
    host: Annotated[
        str, typer.Option(help="Address to serve on. There is no password: trust its network.")
    ] = "127.0.0.1",
    queue: Annotated[
        int, typer.Option(min=1, metavar="N", help="Most samples that may wait.")
    ] = 4096,
) -> None:
    """Give rewards over HTTP, from one scorer of a file as `pairwright evaluate` reads it.

    POST /score {"samples": [{"id" or "prompt", "response"}, ...]} gives {"rewards": [...]}, each a
    score or an error with its reason; GET /health answers 200 once the model is loaded. Requests in
    flight go through the model in batches. A full queue answers 503. SIGTERM and Ctrl-C let what
    is under way finish. The page train.md has the reward functions for TRL and verl.

    Examples:

      pairwright train reward-server --scorers scorers.toml --scorer skywork
      --release releases/1.0.0

      pairwright train reward-server --scorer longer --port 0

      curl http://127.0.0.1:8600/health
    """
    # What reads and retrieves takes a while to import, and other commands do without.
    from pairwright.cli.rl.scoring import held_of
    from pairwright.evaluate.scorers.spec import Scorers, load_scorers
    from pairwright.workflows.scoring import prompts_of

    if condition and condition != HeldCondition.NONE and not release:
        raise InputError(
            "without a release no pair can be named, and a prompt that is sent is shown as it is",
            where=f"--condition {condition.value}",
            fix="Name the release with --release, or leave --condition out.",
        )
    settings = load_scorers(scorers) if scorers else Scorers()
    prompts = prompts_of(settings, scorers.resolve().parent if scorers else Path.cwd())
    held = held_of(release, (condition or HeldCondition.PROFILE).value)
    serving = _Serving(settings, scorer, prompts, held, host, port, queue)
    ended = asyncio.run(serving.run(Console(stderr=True)))
    reasons = ", ".join(f"{n:,} {why}" for why, n in ended.errors.items())
    without = f" {sum(ended.errors.values()):,} without a score: {reasons}." if reasons else ""
    told = ", ".join(f"{n:,} {why}" for why, n in ended.failed.items())
    requests = number_of(sum(ended.failed.values()), "request")
    failed = f" {requests} failed: {told}." if told else ""
    scored = number_of(ended.scored, "response")
    typer.echo(f"Stopped. {scored} scored, {ended.empty:,} of them empty.{without}{failed}")


class _Serving(NamedTuple):
    settings: "Scorers"
    scorer: str
    prompts: "Prompts"
    held: "Held | None"
    host: str
    port: int
    queue: int

    async def run(self, console: Console) -> "Health":
        """Serve until a signal comes; what came of all samples."""
        from pairwright.cli.rl.scoring import rewards_of, warm_up
        from pairwright.cli.signals import stop_on_signals
        from pairwright.models.client import Meter
        from pairwright.train.rl.server import RewardServer, listening

        meter, stopping = Meter(), asyncio.Event()
        stop_on_signals(stopping.set, meter, console)
        async with rewards_of(self.settings, self.scorer, self.prompts, self.held, meter) as (
            rewards,
            about,
        ):

            def tell(line: str) -> None:
                console.print(line, style="yellow", markup=False, highlight=False, soft_wrap=True)

            server = RewardServer(rewards, about, self.queue, tell)
            async with listening(server, self.host, self.port) as url:
                typer.echo(f"Serving {url}: {self.scorer} is loading.")
                warming = asyncio.create_task(warm_up(rewards))
                stopped = asyncio.create_task(stopping.wait())
                await asyncio.wait((warming, stopped), return_when=asyncio.FIRST_COMPLETED)
                if not stopping.is_set():
                    warming.result()
                    server.ready()
                    typer.echo(f"{url} is ready. Ctrl-C stops it.")
                    await stopped
                else:
                    warming.cancel()
            return server.health
