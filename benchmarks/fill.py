"""Does a whole build keep an endpoint full? 300 items at 64 calls in flight, 1 s service.

Counted at the stub, from its first request until fewer units are left than workers take at once
(from then on there is no more work to fill it with).

    .venv/bin/python benchmarks/fill.py [ITEMS]
"""

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import building
from counting import Endpoint

ITEMS, CONCURRENCY = 300, 64
MODES = ("twin", "violate")


def main(items: int = ITEMS) -> None:
    with tempfile.TemporaryDirectory() as scratch, Endpoint(1.0) as endpoint:
        folder = Path(scratch)
        config = building.prepare(folder, endpoint.url, items, modes=MODES, concurrency=CONCURRENCY)
        command = building.command(config, folder / "run")
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # One worker for each call in flight: the last unit leaves the source about then.
        last_taken = items * len(MODES) - CONCURRENCY
        emptied = None
        while process.poll() is None:
            time.sleep(0.1)
            if emptied is None and _done(folder / "run" / "run.sqlite") >= last_taken:
                emptied = time.monotonic()
        if process.returncode or emptied is None:
            sys.exit(f"the build ended with {process.returncode}")
        changes = [tuple(change) for change in endpoint.stats()["changes"]]
    mean, span = mean_in_flight(changes, emptied)
    calls = sum(1 for a, b in pairwise(changes) if b[1] > a[1]) + 1
    print(f"{items} items, {calls:,} calls of 1 s at {CONCURRENCY} in flight")
    print(f"while items remained ({span:.0f} s): {mean:.2f} calls in flight on average")
    print(json.dumps({"mean_in_flight": round(mean, 2), "seconds": round(span, 1)}))


def mean_in_flight(changes: list[tuple[float, int]], until: float) -> tuple[float, float]:
    """Time average of the calls in flight between the first change and `until`."""
    area, start = 0.0, changes[0][0]
    for (t, level), (following, _) in pairwise(changes):
        area += level * max(0.0, min(following, until) - t)
    return area / (until - start), until - start


def _done(store: Path) -> int:
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
            return int(
                database.execute("SELECT count(*) FROM outcomes WHERE position >= 0").fetchone()[0]
            )
    except sqlite3.OperationalError:
        return 0


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
