"""Rewards a second of `pairwright train reward-server`, against the same model in one offline loop.

The texts are those of `scoring.py`: responses to questions with histories of mixed length. The loop
has all of them at once and takes them in batches of about the same length, of the size that is
fastest for it. The server gets one in a request, with 64 requests in flight from a client in a
process of its own. Server and loop take turns; each turn has texts of its own, since the server
remembers what it has scored.

Then as many texts go through a proxy that drops 5 % of the connections: before the server sees the
request, after it has scored it, or in the middle of the reply. A reward is lost if it does not come
or is not the loop's.

    python benchmarks/reward_server.py

Without torch it goes on in the environment of the real tier. The last line is JSON: `rate_ratio` is
the median over the turns.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from scoring import SIZES, go_on_elsewhere, pairs, write_model

from pairwright.construct.folder import to_toml
from pairwright.errors import PairwrightError
from pairwright.evaluation.scorers.in_process import Classifier, batch_places
from pairwright.pairs.conversion import user_message
from pairwright.settings.prompt import Message
from pairwright.training.rewards import RewardSample, ask_rewards

IN_FLIGHT = 64
DROPPED = 0.05
SIZES_OF_BATCH = (1024, 2048, 4096, 16_384)
"""Tokens, of which the loop takes the best."""
WITHIN = 1e-4
"""Scores of other batches differ in their last digits."""
Text = tuple[str, str]


class Offline:
    """The model in one loop over all texts."""

    def __init__(self, folder: Path) -> None:
        from pairwright.evaluation.scorers import torch_models

        self.model = torch_models.load("offline", Classifier(kind="classifier", model=str(folder)))
        self.batch_tokens = SIZES_OF_BATCH[-1]

    def tune(self, texts: list[Text]) -> None:
        """Find its best size of a batch."""
        took: dict[float, int] = {}
        for tokens in SIZES_OF_BATCH:
            self.batch_tokens = tokens
            began = time.monotonic()
            self.scores(texts)
            took[time.monotonic() - began] = tokens
        self.batch_tokens = took[min(took)]

    def scores(self, texts: list[Text]) -> list[float]:
        read = [self.model.read((Message("user", a), Message("assistant", b))) for a, b in texts]
        found: dict[int, float] = {}
        for places in batch_places(read, self.batch_tokens):
            scores = self.model.scores([read[place] for place in places])
            found |= dict(zip(places, scores, strict=True))
        return [found[place] for place in range(len(texts))]


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """The command in a process of its own; yields its address."""
    scorers = folder.parent / "scorers.toml"
    mine = {"kind": "classifier", "model": str(folder)}
    scorers.write_text(to_toml({"scorers": {"mine": mine}}), encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        "from pairwright.cli import main; main()",
        "train",
        "reward-server",
    ]
    options = ["--scorers", str(scorers), "--scorer", "mine", "--port", "0"]
    process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr
        yield next(line for line in process.stderr if line.startswith("http")).split()[0]
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def dropping(url: str, dropped: list[str]) -> Iterator[str]:
    """A proxy that drops connections; `dropped` gets the fault of each."""
    chance = random.Random(0)
    up, done, address = threading.Event(), threading.Event(), list[str]()

    async def serve() -> None:
        async with aiohttp.ClientSession() as session:

            async def forward(request: web.Request) -> web.StreamResponse:
                body = await request.read()
                fault = chance.choice(("before", "after", "middle"))
                fault = fault if chance.random() < DROPPED else ""
                if fault:
                    dropped.append(fault)
                if fault == "before":
                    return _hang_up(request)
                async with session.post(f"{url}/score", data=body) as reply:
                    whole, status = await reply.read(), reply.status
                if fault == "after":
                    return _hang_up(request)
                response = web.StreamResponse(status=status)
                response.content_length = len(whole)
                await response.prepare(request)
                await response.write(whole[: len(whole) // 2] if fault else whole)
                return _hang_up(request) if fault else response

            app = web.Application(client_max_size=2**28)
            app.router.add_post("/score", forward)
            runner = web.AppRunner(app, access_log=None)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            address.append(f"http://127.0.0.1:{runner.addresses[0][1]}")
            up.set()
            while not done.is_set():
                await asyncio.sleep(0.05)
            await runner.cleanup()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    up.wait()
    try:
        yield address[0]
    finally:
        done.set()
        thread.join()


def _hang_up(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def over_http(url: str, texts: list[Text]) -> list[float | None]:
    """The rewards, one text in a request; None where none came."""

    def reward(text: Text) -> float | None:
        try:
            return ask_rewards(url, [RewardSample(prompt=text[0], response=text[1])])[0].score
        except PairwrightError as error:
            print(error, flush=True)
            return None

    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        return list(pool.map(reward, texts))


def wrong(found: list[float | None], right: list[float]) -> int:
    return sum(a is None or abs(a - b) > WITHIN for a, b in zip(found, right, strict=True))


def main(options: argparse.Namespace) -> None:
    import torch

    n, on_gpu = options.texts, torch.cuda.is_available()
    given = pairs(n * (options.runs + 1) // 2, options.words)
    texts = [
        (user_message(of.shown.question, of.shown.posts), b) for of in given for b in of.responses
    ]
    ratios, rates, loops, lost = [], [], [], 0
    dropped: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "model"
        write_model(folder, SIZES[options.size], "cuda" if on_gpu else "cpu")
        offline = Offline(folder)
        offline.scores(texts[:2])
        offline.tune(texts[-IN_FLIGHT:])
        with server(folder) as url:
            for turn in range(options.runs):
                own = texts[turn * n : (turn + 1) * n]
                began = time.monotonic()
                right = offline.scores(own)
                loops.append(time.monotonic() - began)
                began = time.monotonic()
                lost += wrong(over_http(url, own), right)
                rates.append(time.monotonic() - began)
                ratios.append(loops[-1] / rates[-1])
                print(f"turn {turn}: server {rates[-1]:.1f} s, loop {loops[-1]:.1f} s", flush=True)
            own = texts[options.runs * n :]
            right = offline.scores(own)
            with dropping(url, dropped) as proxy:
                lost += wrong(over_http(proxy, own), right)
    report: dict[str, Any] = {
        "rate_ratio": round(statistics.median(ratios), 3),
        "lost": lost,
        "ratios": [round(ratio, 3) for ratio in ratios],
        "requests_per_s": round(n / statistics.median(rates), 2),
        "offline_per_s": round(n / statistics.median(loops), 2),
        "loop_batch_tokens": offline.batch_tokens,
        "in_flight": IN_FLIGHT,
        "texts_a_turn": n,
        "turns": options.runs,
        "dropped": {how: dropped.count(how) for how in sorted(set(dropped))},
        "distinct_scores": len({round(score / WITHIN) for score in right}),
        "device": torch.cuda.get_device_name() if on_gpu else f"{os.cpu_count()} cores",
    }
    print(json.dumps(report))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="tiny", help="of the model")
    parser.add_argument("--texts", type=int, default=192, help="of a turn; even")
    parser.add_argument("--words", type=int, default=120, help="of a history in the middle")
    parser.add_argument("--runs", type=int, default=5, help="turns of each")
    return parser.parse_args()


if __name__ == "__main__":
    options = parsed()
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    if find_spec("torch") is None:
        go_on_elsewhere()
    main(options)
