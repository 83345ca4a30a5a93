"""Items per second of a build with one process and with two, on the counting stub that answers at
once.

Builds of one and of two processes run in turn, from nothing; medians of the paired ratios. CPU time
is that of the build, imports and all its processes included. The stub needs CPU, too, and the
parent merges what the workers stored: `ceiling_2` is what two processes could bring if all cores
were busy to the end, the CPU time of one process over that of two and the stub divided by cores.

    .venv/bin/python benchmarks/processes.py [ITEMS]
"""

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import building
from counting import Endpoint

PAIRS = 3
PROCESSES = (1, 2)


def main(items: int) -> None:
    print(f"{'pair':>4} {'processes':>9} {'items/s':>8} {'wall s':>7} {'CPU s':>7} {'stub s':>7}")
    speedups, cpu_ratios, ceilings = [], [], []
    with tempfile.TemporaryDirectory() as scratch, Endpoint() as endpoint:
        folder = Path(scratch)
        building.prepare(folder, endpoint.url, items)
        for pair in range(PAIRS):
            order = PROCESSES if pair % 2 == 0 else PROCESSES[::-1]
            found, stub = {}, 0.0
            for processes in order:
                config = building.prepare(
                    folder, endpoint.url, items, write=False, extra=f"processes = {processes}"
                )
                before = endpoint.cpu_seconds()
                done = building.build(config, folder / f"run-{pair}-{processes}")
                if done.code:
                    raise SystemExit(f"the build ended with {done.code}")
                found[processes] = done
                stub = endpoint.cpu_seconds() - before
                print(
                    f"{pair:>4} {processes:>9} {items / done.seconds:>8.1f} {done.seconds:>7.1f} "
                    f"{done.cpu_seconds:>7.1f} {stub:>7.1f}",
                    flush=True,
                )
            speedups.append(found[1].seconds / found[2].seconds)
            shared = (found[2].cpu_seconds + stub) / (os.cpu_count() or 1)
            ceilings.append(min(2.0, found[1].cpu_seconds / shared))
            cpu_ratios.append(found[2].cpu_seconds / found[1].cpu_seconds)
    print(
        json.dumps(
            {
                "speedup_2": round(statistics.median(speedups), 3),
                "ceiling_2": round(statistics.median(ceilings), 3),
                "cpu_ratio_2": round(statistics.median(cpu_ratios), 3),
                "cores": os.cpu_count(),
            }
        )
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
