"""Serving the embedded model as an OpenAI-compatible endpoint, to try things with."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated

from pairwright.errors import InputError
from pairwright.models import simulated
from pairwright.notebook import run_async
from pairwright.options import Doc
from pairwright.workflows.progress import Stop


def serve_simulated(
    *,
    port: Annotated[int, Doc("Port on loopback; 0 takes a free one.")] = 8000,
    defects: Annotated[
        Sequence[str],
        Doc("Plant a defect at a rate; may be repeated.", "KIND=RATE", name="--defect"),
    ] = (),
    latency_s: Annotated[float, Doc("Seconds before each reply.", name="--latency")] = 0.0,
    ready: Callable[[str], None] = print,
    stop: Stop | None = None,
) -> None:
    """Serve on loopback until `stop` is requested, or the process is interrupted.

    `ready` is called with the URL. Raises InputError for a defect or a port that cannot be used.
    """
    planted = simulated.Defects.parse(list(defects))
    try:
        run_async(_serve(port, planted, latency_s, ready, stop or Stop()))
    except (OSError, OverflowError) as error:
        raise InputError(
            f"cannot be served on: {error}",
            where=f"--port {port}",
            fix="Give another port, or 0 for a free one.",
        ) from None


async def _serve(
    port: int,
    defects: simulated.Defects,
    latency_s: float,
    ready: Callable[[str], None],
    stop: Stop,
) -> None:
    ended = asyncio.Event()
    with stop.heard_by(ended.set):
        async with simulated.serve(port, defects, latency_s) as url:
            ready(url)
            await ended.wait()
