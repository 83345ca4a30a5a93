"""`pairwright simulate`."""

import asyncio
from typing import Annotated

import typer

from pairwright.errors import InputError
from pairwright.models import simulated


def simulate_command(
    port: Annotated[int, typer.Option(help="Port on loopback; 0 takes a free one.")] = 8000,
    defect: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND=RATE", help="Plant a defect at a rate; may be repeated."),
    ] = None,
    latency: Annotated[float, typer.Option(help="Seconds before each reply.")] = 0.0,
) -> None:
    """Serve the embedded model as an OpenAI-compatible endpoint.

    A small deterministic program that plans, writes and judges from the words of the prompt.
    It shows how the tool works and tests its plumbing; what it makes is no benchmark. A
    planted defect is named in the reply's `pairwright` field, as ground truth for tests.

    Examples:

      pairwright simulate --port 8000

      pairwright simulate --port 8000 --defect leaked_rubric=0.2 --defect http_429=0.05
    """
    planted = simulated.Defects.parse(defect or [])
    try:
        asyncio.run(_serve(port, planted, latency))
    except (OSError, OverflowError) as error:
        raise InputError(
            f"cannot be served on: {error}",
            where=f"--port {port}",
            fix="Give another port, or 0 for a free one.",
        ) from None


async def _serve(port: int, defects: simulated.Defects, latency: float) -> None:
    async with simulated.serve(port, defects, latency) as url:
        typer.echo(f"Serving {url} (model pairwright-simulated). Ctrl-C stops it.")
        await asyncio.Event().wait()
