"""A build over a bad line: 5 % each of 429, 500, dropped connections, malformed JSON, truncated
bodies and timeouts, and some requests that fail for ever.

Every unit must end kept, rejected or failed with its reason, and the run must end. Run again on a
healthy endpoint, it asks only for what failed.

    .venv/bin/python benchmarks/faults.py
"""

import asyncio
import json
import sqlite3
import tempfile
import time
from collections import Counter
from pathlib import Path

import building
from counting import Endpoint
from resume import stored

from pairwright.models.simulated import Defects, serve

ITEMS, RATE, FOREVER = 200, 0.05, 0.002
FAULTS = Defects(
    http_429=RATE, http_500=RATE, dropped_connection=RATE, truncated_body=RATE, timeout=RATE,
    unparseable_json=RATE, permanent_500=FOREVER,
)  # fmt: skip


async def faulty(config_folder: Path, run: Path) -> building.Done:
    async with serve(defects=FAULTS) as url:
        config = building.prepare(config_folder, url, ITEMS, timeout_s=2)
        return await asyncio.to_thread(building.build, config, run)


def outcomes(run: Path) -> Counter[str]:
    with sqlite3.connect(run / "calls.sqlite") as database:
        return Counter(
            kind for (kind,) in database.execute("SELECT kind FROM outcomes WHERE position >= 0")
        )


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder, run = Path(scratch), Path(scratch) / "run"
        started = time.monotonic()
        first = asyncio.run(faulty(folder, run))
        ended, finished = outcomes(run), stored(run)
        failed = [json.loads(line) for line in (run / "failed.jsonl").read_text().splitlines()]
        reasons = Counter(line["reason"] for line in failed)
        units = 2 * ITEMS
        unaccounted = units - sum(ended.values()) + sum(not line["reason"] for line in failed)
        print(
            f"over faults: exit {first.code} after {time.monotonic() - started:.0f} s, "
            f"{units} units: {dict(ended)}; failed by reason: {dict(reasons)}"
        )
        with Endpoint() as healthy:
            config = building.prepare(folder, healthy.url, ITEMS, timeout_s=2, write=False)
            second = building.build(config, run)
            asked = healthy.stats()["asked"]
        resent = sum(asked.get(d, 0) for d in finished)
        print(
            f"again, healthy: exit {second.code}, {sum(asked.values())} sent, "
            f"{resent} of them finished before; {dict(outcomes(run))}"
        )
    print(
        json.dumps(
            {
                "unaccounted": unaccounted,
                "resent_finished": resent,
                "failed_first": ended["failed"],
                "failed_second": 0 if second.code == 0 else None,
            }
        )
    )


if __name__ == "__main__":
    main()
