"""`pairwright train reward-server`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import scorers_file
from pairwright.text import number_of


class RewardCondition(StrEnum):
    NONE = "none"
    PROFILE = "profile"
    PLANNER = "planner"
    RUBRIC = "rubric"


def reward_server_command(
    scorer: Annotated[str, typer.Option(metavar="NAME", help="The scorer that gives the rewards.")],
    scorers: Annotated[Path | None, scorers_file("What scorers and endpoints are.")] = None,
    release: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Release whose pairs may be named by their ids."),
    ] = None,
    condition: Annotated[
        RewardCondition | None,
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
    from pairwright.workflows.reward_service import serve_rewards

    with display() as progress, interruptible() as stop:
        health = serve_rewards(
            scorer,
            scorers,
            release,
            condition=None if condition is None else condition.value,
            host=host,
            port=port,
            queue=queue,
            progress=progress,
            stop=stop,
            on_loading=lambda url: typer.echo(f"Serving {url}: {scorer} is loading."),
            on_ready=lambda url: typer.echo(f"{url} is ready. Ctrl-C stops it."),
        )
    reasons = ", ".join(f"{n:,} {why}" for why, n in health.errors.items())
    without = f" {sum(health.errors.values()):,} without a score: {reasons}." if reasons else ""
    failures = ", ".join(f"{n:,} {why}" for why, n in health.failed.items())
    requests = number_of(sum(health.failed.values()), "request")
    failed = f" {requests} failed: {failures}." if failures else ""
    scored = number_of(health.scored, "response")
    typer.echo(f"Stopped. {scored} scored, {health.empty:,} of them empty.{without}{failed}")
