"""Client throughput: `llm.complete()` under the run's workers, with the store and validation,
against the bare `AsyncOpenAI` + aiohttp loop on the same prompts (no store, no validation).

The stub serves each call in 200 ms from its own process. Ours and the bare loop run in turn, five
pairs, each in a fresh process; imports are left out. Medians of the paired ratios; CPU is user and
system time. `throughput.md` says where it goes.

    .venv/bin/python benchmarks/throughput.py [PAIRS]
"""

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable
from pathlib import Path
from typing import NamedTuple

PROMPT = " ".join(f"w{n % 97:02d}" for n in range(1500))  # about 1,500 tokens of 4 characters
PAIRS = 5
LOADS = {64: 2000, 512: 6000}


class Took(NamedTuple):
    """What one loop took."""

    span_s: float
    """From the first request to the last reply."""
    cpu_s: float
    peak_mb: float


def prompts(n: int) -> list[str]:
    return [f"{number} {PROMPT}" for number in range(n)]


async def bare(url: str, in_flight: int, n: int) -> Took:
    """The SDK's own loop."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    api = AsyncOpenAI(
        base_url=url, api_key="none", max_retries=0, timeout=600, http_client=DefaultAioHttpClient()
    )
    todo = iter(prompts(n))

    async def worker() -> None:
        for prompt in todo:
            await api.chat.completions.create(
                model="stub",
                messages=[{"role": "user", "content": prompt}],
                max_tokens=400,
                temperature=0.9,
            )

    async with api:
        return await timed(asyncio.gather(*(worker() for _ in range(in_flight))))


async def ours(url: str, in_flight: int, n: int) -> Took:
    """The same prompts through Model, Client and Store under `work_through`."""
    from pairwright.models import Model
    from pairwright.models.client import Meter, Server
    from pairwright.models.model import work_through
    from pairwright.models.store import Store
    from pairwright.settings.endpoints import Endpoint, Sampling
    from pairwright.settings.prompt import Ask, Message

    endpoint = Endpoint(base_url=url, model="stub", concurrency=in_flight)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "run.sqlite")
        async with Server("stub", endpoint, Meter(), store) as client:
            model = Model(client, endpoint, Sampling(max_tokens=400, temperature=0.9))

            async def work(prompt: str) -> None:
                text = await model.write(Ask("bench", (Message("user", prompt),)))
                assert isinstance(text, str)

            done = work_through(iter(prompts(n)), work, workers=2 * in_flight, stop=client.stop)
            result = await timed(done)
        assert store.totals().calls == n
        store.close()
    return result


async def timed(work: Awaitable[object]) -> Took:
    start, before = time.perf_counter(), time.process_time()
    await work
    span, cpu = time.perf_counter() - start, time.process_time() - before
    return Took(span, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def child(kind: str, url: str, in_flight: int, n: int) -> Took:
    command = [sys.executable, __file__, kind, url, str(in_flight), str(n)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Took(*json.loads(done.stdout.splitlines()[-1]))


def main(pairs: int = PAIRS) -> None:
    stub = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("stub.py")), "0.2"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert stub.stdout is not None
    url = f"http://127.0.0.1:{stub.stdout.readline().strip()}/v1"
    ratios: dict[str, float] = {}
    cpu_ratios = []
    print(
        f"{'in flight':>9} {'pair':>4} {'bare calls/s':>12} {'ours calls/s':>12} "
        f"{'bare CPU ms':>11} {'ours CPU ms':>11} {'bare MB':>7} {'ours MB':>7} "
        f"{'span ratio':>10} {'CPU ratio':>9}"
    )
    try:
        for in_flight, n in LOADS.items():
            spans = []
            for pair in range(pairs):
                order = ("bare", "ours") if pair % 2 == 0 else ("ours", "bare")
                found = {kind: child(kind, url, in_flight, n) for kind in order}
                bare, ours = found["bare"], found["ours"]
                spans.append(ours.span_s / bare.span_s)
                cpu_ratios.append(ours.cpu_s / bare.cpu_s)
                print(
                    f"{in_flight:>9} {pair:>4} {n / bare.span_s:>12.0f} {n / ours.span_s:>12.0f} "
                    f"{1e3 * bare.cpu_s / n:>11.2f} {1e3 * ours.cpu_s / n:>11.2f} "
                    f"{bare.peak_mb:>7.0f} {ours.peak_mb:>7.0f} "
                    f"{spans[-1]:>10.3f} {cpu_ratios[-1]:>9.3f}",
                    flush=True,
                )
            ratios[f"span_{in_flight}"] = statistics.median(spans)
        with urllib.request.urlopen(url) as response:
            served = json.load(response)
    finally:
        stub.terminate()
        stub.wait()
    print(
        json.dumps(
            {
                "span_ratio_64": round(ratios["span_64"], 3),
                "rate_ratio_512": round(1 / ratios["span_512"], 3),
                "cpu_ratio": round(statistics.median(cpu_ratios), 3),
                "stub_cpu_ms": round(1e3 * served["cpu_s"] / served["requests"], 3),
                "cores": os.cpu_count(),
            }
        )
    )


if __name__ == "__main__":
    if len(sys.argv) > 2:
        kind, url, in_flight, n = sys.argv[1:]
        work = {"bare": bare, "ours": ours}[kind]
        print(json.dumps(asyncio.run(work(url, int(in_flight), int(n)))))
    else:
        main(*map(int, sys.argv[1:]))
