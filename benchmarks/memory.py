"""Peak memory of a build of 10,000 items beside one of 1,000, on an instant stub.

.venv/bin/python benchmarks/memory.py [SMALL LARGE]
"""

import json
import sys
import tempfile
from pathlib import Path

import building
from counting import Endpoint


def main(sizes: tuple[int, ...]) -> None:
    peaks = []
    print(f"{'items':>7} {'peak MiB':>9} {'seconds':>8} {'calls':>9}")
    for items in sizes:
        with tempfile.TemporaryDirectory() as scratch, Endpoint() as endpoint:
            config = building.prepare(Path(scratch), endpoint.url, items)
            done = building.build(config, Path(scratch) / "run")
            if done.code:
                sys.exit(f"the build ended with {done.code}")
            calls = sum(endpoint.stats()["asked"].values())
        peaks.append(done.peak_mib)
        print(f"{items:>7,} {done.peak_mib:>9.0f} {done.seconds:>8.0f} {calls:>9,}", flush=True)
    print(json.dumps({"rss_ratio": round(peaks[-1] / peaks[0], 3), "peak_mib": round(peaks[-1])}))


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or (1000, 10000))
