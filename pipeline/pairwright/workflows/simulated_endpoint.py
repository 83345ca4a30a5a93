"""Serving the embedded model as an OpenAI-compatible endpoint, to try things with."""

import asyncio
from collections.abc import Callable, Sequence

from pairwright.errors import InputError
from pairwright.models import simulated
from pairwright.notebook import run_async
from pairwright.workflows.progress import Stop


def serve_simulated(
    port: int = 0,
    defects: Sequence[str] = (),
    latency_s: float = 0.0,
    *,
    ready: Callable[[str], None] = print,
    stop: Stop | None = None,
) -> None:
    """Serve on loopback until `stop` is requested, or the process is interrupted.

    Port 0 takes a free one; `ready` is called with the URL. `defects` are planted at a rate, as in
    `refusal=0.2`. Raises InputError for a defect or a port that cannot be used.
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
