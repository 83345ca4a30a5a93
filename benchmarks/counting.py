"""The replies of the tests' double of a model behind a counting server, in its own process.

    python benchmarks/counting.py SERVICE_SECONDS

GET /stats: every request by digest and by task, and the calls in flight over time.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from typing import Any

from aiohttp import web

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from model_double import ModelDouble, task_of


class Counting:
    def __init__(self, service_s: float) -> None:
        self.service_s = service_s
        self.in_flight = 0
        self.changes: list[tuple[float, int]] = []
        self.asked: Counter[str] = Counter()
        self.tasks: Counter[str] = Counter()
        self.model = ModelDouble()

    async def chat(self, request: web.Request) -> web.Response:
        self._change(1)
        try:
            body = json.loads(await request.read())
            self.asked[digest(body)] += 1
            self.tasks[task_of(body)] += 1
            answer = self.model.reply(body)
            if self.service_s:
                await asyncio.sleep(self.service_s)
            return web.json_response(answer)
        finally:
            self._change(-1)

    def _change(self, by: int) -> None:
        self.in_flight += by
        self.changes.append((time.monotonic(), self.in_flight))

    async def stats(self, _: web.Request) -> web.Response:
        found = {"asked": self.asked, "tasks": self.tasks, "changes": self.changes}
        return web.json_response(found)

    async def reset(self, _: web.Request) -> web.Response:
        self.asked.clear()
        self.tasks.clear()
        self.changes.clear()
        return web.json_response({})


def digest(body: dict[str, Any]) -> str:
    """One request: the messages and the seed, which differs from draw to draw."""
    parts = [[m["role"], m["content"]] for m in body["messages"]]
    text = json.dumps([parts, body.get("seed"), body["max_tokens"]], ensure_ascii=False)
    return blake2b(text.encode(), digest_size=12).hexdigest()


class Endpoint:
    """The server as a child process."""

    def __init__(self, service_s: float = 0.0) -> None:
        command = [sys.executable, str(Path(__file__).resolve()), str(service_s)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.root = f"http://127.0.0.1:{self._process.stdout.readline().strip()}"
        self.url = f"{self.root}/v1"

    def __enter__(self) -> "Endpoint":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def cpu_seconds(self) -> float:
        """User and system time that the server has taken so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.root}/stats") as response:
            found: dict[str, Any] = json.loads(response.read())
        return found

    def reset(self) -> None:
        urllib.request.urlopen(f"{self.root}/reset").close()


async def main(service_s: float) -> None:
    counting = Counting(service_s)
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", counting.chat)
    app.router.add_get("/stats", counting.stats)
    app.router.add_get("/reset", counting.reset)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=2048).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
