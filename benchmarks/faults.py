"""A build over a bad line: 5 % each of 429, 500, dropped connections, malformed JSON, truncated
bodies and timeouts, and some requests that fail for ever.

Every unit must end kept, rejected or failed with its reason, and the run must end. Run again on a
healthy endpoint, it asks only for what failed. Two more servers: one answers 500 to its first 3,000
requests, in a row, and then is well; one answers its first 30 with 1 MB of gzip that inflates to
1 GB. Of both, every unit must end, and of the second the build may take 500 MB at most. Two ask
for a wait without end, as a number of seconds and a date of the year 9999:
every unit must fail at once as `rate_limited`. One cuts each reply short: every unit must be
refused as that.

    .venv/bin/python benchmarks/faults.py [ITEMS OUTAGE]

ITEMS of the first build (200), and requests that the outage takes (3,000).
"""

import gzip
import json
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from aiohttp import web

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import building
from counting import Endpoint
from resume import stored

from endpoint import Asked, Handler, double, drop, fail, hang, in_thread, truncate
from model_double import ModelDouble, share
from pairwright.construct.outcomes import Outcomes
from pairwright.models.store import Store

ITEMS, RATE, FOREVER = 200, 0.05, 0.002
FAULTS = {
    "permanent_500": FOREVER, "http_429": RATE, "http_500": RATE, "timeout": RATE,
    "dropped_connection": RATE, "truncated_body": RATE,
}  # fmt: skip


def on_a_bad_line(good: Handler, **rates: float) -> Handler:
    """A handler behind a line that fails at these rates: of each try anew, but for what is
    `permanent_500`, which fails for ever."""
    times: Counter[str] = Counter()
    bad = {
        "permanent_500": fail(500, "this request kills the engine"),
        "http_429": fail(429, headers={"Retry-After": "0.01"}),
        "http_500": fail(500),
        "timeout": hang,
        "dropped_connection": drop,
        "truncated_body": truncate,
    }

    async def handler(asked: Asked) -> web.StreamResponse:
        times[asked.identity] += 1
        for kind, rate in rates.items():
            tried = 0 if kind == "permanent_500" else times[asked.identity]
            if share(kind, asked.identity, tried) < rate:
                return await bad[kind](asked)
        return await good(asked)

    return handler


def faulty(config_folder: Path, run: Path, items: int) -> building.Done:
    with in_thread(on_a_bad_line(double(unparseable_json=RATE), **FAULTS)) as endpoint:
        config = building.prepare(config_folder, endpoint.url, items, timeout_s=2)
        return building.build(config, run)


def outcomes(run: Path) -> Counter[str]:
    with sqlite3.connect(run / "run.sqlite") as database:
        return Counter(
            kind for (kind,) in database.execute("SELECT kind FROM outcomes WHERE position >= 0")
        )


OUTAGE, BOMBS, ITEMS_OF_ONE = 3000, 30, 60


class Recovering:
    """The model's double, behind a server that is broken for its first requests."""

    def __init__(self, n: int, broken: web.Response | bytes) -> None:
        self.left = n
        self._broken = broken

    async def __call__(self, asked: Asked) -> web.StreamResponse:
        if self.left <= 0:
            return web.json_response(ModelDouble().reply(asked.body))
        self.left -= 1
        if isinstance(self._broken, bytes):
            headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
            return web.Response(body=self._broken, headers=headers)
        # No waiting, or 3,000 failures would take an hour.
        return web.Response(status=500, text="down", headers={"Retry-After": "0"})


def survive(name: str, server: Recovering, extra: str) -> tuple[building.Done, int]:
    """Build over a server that recovers; the build, and the units that are not accounted for."""
    with tempfile.TemporaryDirectory() as scratch, in_thread(server) as endpoint:
        run = Path(scratch) / "run"
        config = building.prepare(Path(scratch), endpoint.url, ITEMS_OF_ONE)
        config.write_text(f"{config.read_text()}{extra}\n")
        first, ended = building.build(config, run), outcomes(run)
        again, healed = building.build(config, run), outcomes(run)
    print(
        f"{name}: exit {first.code}, {dict(ended)}, {endpoint.n:,} requests, {first.seconds:.0f} s,"
        f" {first.peak_mib:.0f} MiB at most; again: exit {again.code}, {dict(healed)}"
    )
    if server.left > 0:
        sys.exit(f"{name}: {server.left} faults were not met")
    units = 2 * ITEMS_OF_ONE
    return first, 2 * units - ended.total() - healed.total() + healed["failed"]


WAITS = {
    "far_number": {"Retry-After": "1000000000"},
    "far_date": {"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"},
}


def reasons_of(run: Path, *kinds: str) -> Counter[str]:
    """The units of these kinds by reason."""
    with closing(Store(run / "run.sqlite", writing=False)) as store:
        rows = Outcomes(store).rows(whole=False)
        return Counter(row.reason for row in rows if row.kind in kinds)


def end(name: str, handler: Handler, reason: str) -> tuple[int, float]:
    """Build over a server that never is well; the units that did not end for this reason, and the
    seconds that it took."""
    with tempfile.TemporaryDirectory() as scratch, in_thread(handler) as endpoint:
        run = Path(scratch) / "run"
        done = building.build(building.prepare(Path(scratch), endpoint.url, ITEMS_OF_ONE), run)
        ended = reasons_of(run, "failed", "dropped")
    print(f"{name}: exit {done.code} after {done.seconds:.0f} s, {dict(ended)}")
    return 2 * ITEMS_OF_ONE - ended[reason], done.seconds


async def cut_short(asked: Asked) -> web.StreamResponse:
    body = ModelDouble().reply(asked.body)
    body["choices"][0] |= {"finish_reason": "length", "message": {"content": "{"}}
    return web.json_response(body)


def main(items: int = ITEMS, outage_of: int = OUTAGE) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder, run = Path(scratch), Path(scratch) / "run"
        started = time.monotonic()
        first = faulty(folder, run, items)
        ended, finished = outcomes(run), stored(run)
        reasons = reasons_of(run, "failed")
        units = 2 * items
        unaccounted = units - sum(ended.values()) + reasons[""]
        print(
            f"over faults: exit {first.code} after {time.monotonic() - started:.0f} s, "
            f"{units} units: {dict(ended)}; failed by reason: {dict(reasons)}"
        )
        with Endpoint() as healthy:
            config = building.prepare(folder, healthy.url, items, timeout_s=2, write=False)
            second = building.build(config, run)
            asked = healthy.stats()["asked"]
        resent = sum(asked.get(d, 0) for d in finished)
        print(
            f"again, healthy: exit {second.code}, {sum(asked.values())} sent, "
            f"{resent} of them finished before; {dict(outcomes(run))}"
        )
    broken = web.Response(status=500)
    outage, lost = survive(
        f"an outage of {outage_of:,}", Recovering(outage_of, broken), "attempts = 60"
    )
    bomb = gzip.compress(bytes(1024**3), 9)
    inflated, missed = survive("1 GB inflated", Recovering(BOMBS, bomb), "attempts = 20")
    endings = {
        name: end(name, fail(429, "busy", headers=headers), "rate_limited")
        for name, headers in WAITS.items()
    } | {"cut_short": end("cut short", cut_short, "cut_short")}
    print(
        json.dumps(
            {f"{name}_unaccounted": lost for name, (lost, _) in endings.items()}
            | {f"{name}_s": round(seconds) for name, (_, seconds) in endings.items()}
            | {
                "outage_exit": outage.code,
                "outage_unaccounted": lost,
                "inflated_unaccounted": missed,
                "inflated_peak_mib": round(inflated.peak_mib),
                "unaccounted": unaccounted,
                "resent_finished": resent,
                "failed_first": ended["failed"],
                "failed_second": 0 if second.code == 0 else None,
            }
        )
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
