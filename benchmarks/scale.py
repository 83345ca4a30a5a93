"""A build of 50,000 items on the counting stub, stopped with Ctrl-C, killed, and finished.

Gold aspects and mode violate: about eight calls an item (two writers, judgements, some drafts
drawn again), so that the run takes minutes. Every unit must be accounted for at the end, and no
finished call may be sent again. scale.md says what the ordinary preset costs.

    .venv/bin/python benchmarks/scale.py [ITEMS]
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import building
import histories
from counting import Endpoint
from resume import stored

GOLD = 'aspects = "gold"\n'
CALLS = 8


class Phase(NamedTuple):
    """One process of the build, from its start to its end."""

    code: int
    seconds: float
    cpu_seconds: float
    peak_mib: float


def main(items: int) -> None:
    with tempfile.TemporaryDirectory() as scratch, Endpoint() as endpoint:
        folder, run = Path(scratch), Path(scratch) / "run"
        config = building.prepare(
            folder, endpoint.url, items, modes=("violate",), extra=GOLD, write=False
        )
        write(folder / "histories.jsonl", items)
        print(f"{'':22} {'ended':>5} {'sent':>9} {'again':>5} {'s':>6} {'CPU s':>6} {'MiB':>5}")
        plan = (
            ("stopped with Ctrl-C", signal.SIGINT, items * CALLS // 3),
            ("killed", signal.SIGKILL, items * CALLS * 2 // 3),
            ("finished", None, 0),
            ("run again", None, 0),
        )
        again, finished = 0, set[str]()
        for name, stop, after in plan:
            endpoint.reset()
            phase = build(config, run, stop, after)
            asked = endpoint.stats()["asked"]
            repeated = sum(asked.get(digest, 0) for digest in finished)
            again += repeated
            finished = stored(run)
            print(
                f"{name:22} {phase.code:>5} {sum(asked.values()):>9,} {repeated:>5}"
                f" {phase.seconds:>6.0f} {phase.cpu_seconds:>6.0f} {phase.peak_mib:>5.0f}",
                flush=True,
            )
        sizes = {path.name: path.stat().st_size for path in sorted(run.iterdir()) if path.is_file()}
        print(", ".join(f"{name} {size / 2**20:,.0f} MiB" for name, size in sizes.items() if size))
        counts = json.loads((run / "manifest.json").read_bytes())["counts"]
        ended = (
            sum(counts["kept"].values()),
            *(of["n"] for of in counts["rejected"] + counts["failed"]),
        )
        print(f"{counts['units']:,} units; {sum(ended):,} with what came of them")
    print(
        json.dumps(
            {
                "items": items,
                "calls": len(finished),
                "resent": again,
                "unaccounted": counts["units"] - sum(ended),
                "bytes_per_call": round(sizes["calls.sqlite"] / len(finished)),
                "rerun_ms_per_item": round(1e3 * phase.cpu_seconds / items, 2),
                "peak_mib": round(phase.peak_mib),
            }
        )
    )


def write(path: Path, items: int) -> None:
    """Histories whose items carry the facts of their posts as gold aspects."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(items):
            item = histories.item(number)
            posts = item["profile"]
            assert isinstance(posts, list)
            facts = [posts[n]["text"].split("? ")[1].split(". ")[0] for n in range(2)]
            item["rubric_aspects"] = [
                {"aspect": fact, "reason": "A post says so.", "evidence": fact} for fact in facts
            ]
            file.write(json.dumps(item) + "\n")


def build(config: Path, run: Path, stop: signal.Signals | None, after_calls: int) -> Phase:
    """Run `pairwright build`, and send it `stop` once its store holds so many calls."""
    start = time.monotonic()
    process = subprocess.Popen(
        building.command(config, run), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak = 0.0
    while True:
        time.sleep(0.2)
        # What wait4 tells begins at the memory of this process, which knows every call.
        peak = max(peak, resident(process.pid))
        if stop and calls(run) >= after_calls:
            process.send_signal(stop)
            stop = None
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
    process.returncode = os.waitstatus_to_exitcode(status)
    return Phase(
        process.returncode,
        time.monotonic() - start,
        used.ru_utime + used.ru_stime,
        peak,
    )


def resident(pid: int) -> float:
    """The most memory a process has had so far, in MiB; 0 where it has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


def calls(run: Path) -> int:
    """How many calls the store of a running build holds."""
    try:
        with closing(sqlite3.connect(f"file:{run / 'calls.sqlite'}?mode=ro", uri=True)) as database:
            (found,) = database.execute("SELECT max(rowid) FROM calls").fetchone()
    except sqlite3.OperationalError:
        return 0
    return int(found or 0)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
