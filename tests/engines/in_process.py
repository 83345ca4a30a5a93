"""Requests answered by vLLM in this process, all in flight at once.

    in_process.py ENDPOINT.json REQUESTS.jsonl REPLIES.jsonl

Run by the engines' environment. A line of REPLIES has a request's key with its text and finish;
the last line has the most calls that the engine ran at the same time, by its own metric.
"""

import asyncio
import json
import sys
from pathlib import Path

from prometheus_client import REGISTRY  # type: ignore[import-not-found]

from pairwright.models import Request
from pairwright.models.client import Meter
from pairwright.models.engine import Engine
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import Message


def read(line: str) -> Request:
    fields = json.loads(line)
    return Request(**{**fields, "messages": tuple(Message(*m) for m in fields["messages"])})


async def most_running() -> float:
    """The engine's peak, when cancelled."""
    most = 0.0
    try:
        while True:
            for metric in REGISTRY.collect():
                if metric.name == "vllm:num_requests_running":
                    most = max(most, *(sample.value for sample in metric.samples))
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        return most


async def main(endpoint: Endpoint, requests: list[Request], out: Path) -> None:
    watching = asyncio.create_task(most_running())
    engine = Engine("local", endpoint, Meter(), say=lambda text: print(text, file=sys.stderr))
    async with engine:
        replies = await asyncio.gather(*(engine.complete(request) for request in requests))
    watching.cancel()
    lines = [{"key": r.key, "text": r.text, "finish": r.finish} for r in replies]
    written = [*map(json.dumps, lines), json.dumps({"most_running": await watching})]
    out.write_text("\n".join(written), encoding="utf-8")


if __name__ == "__main__":
    given, asked, replies = map(Path, sys.argv[1:])
    endpoint = Endpoint.model_validate_json(given.read_text(encoding="utf-8"))
    requests = [read(line) for line in asked.read_text(encoding="utf-8").splitlines()]
    asyncio.run(main(endpoint, requests, replies))
