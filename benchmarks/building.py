"""Builds for benchmarks: a config on a counting endpoint, run in a process of its own."""

import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import histories

from pairwright.construct.outcomes import Outcomes
from pairwright.models.store import Store
from pairwright.records import Draft, Dropped, Kept, Pair

CONFIG = """
modes = {modes}
{extra}
[source]
path = "histories.jsonl"
[roles]
planner = "stub"
generator = ["stub"]
judge = "stub"
[endpoints.stub]
base_url = "{url}"
model = "pairwright-double"
concurrency = {concurrency}
timeout_s = {timeout_s}
"""


BUILD_IMPORTS = (
    "import pairwright.cli as c; c.command_tree(); import bm25s, pairwright.construct.build"
)


class Done(NamedTuple):
    code: int
    seconds: float
    cpu_seconds: float
    """User and system time of the build, imports included."""
    peak_mib: float

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s ({self.cpu_seconds:.2f})"


def prepare(
    folder: Path, url: str, items: int, *, modes: tuple[str, ...] = ("twin", "violate"),
    concurrency: int = 64, extra: str = "", timeout_s: float = 60, write: bool = True,
) -> Path:  # fmt: skip
    """A config, with `items` synthetic users beside it."""
    if write:
        histories.write(folder / "histories.jsonl", items)
    config = folder / "build.toml"
    config.write_text(
        CONFIG.format(
            url=url, modes=json.dumps(modes), concurrency=concurrency, extra=extra,
            timeout_s=timeout_s,
        )
    )  # fmt: skip
    return config


def build(config: Path, run_folder: Path, *options: str) -> Done:
    """Run `pairwright build` to its end."""
    return run([*command(config, run_folder), *options])


def run(arguments: list[str]) -> Done:
    """Run a command to its end."""
    # getrusage of children sums over all of them, so each build gets a parent of its own.
    # It adopts the processes that a build leaves to end by themselves (36: a "child subreaper").
    script = (
        "import ctypes, os, resource, subprocess, sys, json, time\n"
        "ctypes.CDLL(None).prctl(36, 1)\n"
        "start = time.monotonic()\n"
        "code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL,"
        " stderr=subprocess.DEVNULL)\n"
        "seconds = time.monotonic() - start\n"
        "try:\n"
        "    while True: os.wait()\n"
        "except ChildProcessError: pass\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([code, seconds, used.ru_utime + used.ru_stime,"
        " used.ru_maxrss / 1024]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return Done(*json.loads(done.stdout))


class Built(NamedTuple):
    """One unit of a run: its kept pairs, its refused drafts, and the calls behind it."""

    mode: str
    pairs: tuple[Pair, ...]
    refused: tuple[Draft, ...]
    calls: dict[str, str]
    """The purpose of each call by its key, those of the plan included."""

    @property
    def kept(self) -> tuple[Draft, ...]:
        """The draft of its pairs."""
        return tuple(pair.draft for pair in self.pairs[:1])


def outcomes(store: Store) -> Iterator[Built]:
    """The units of a run."""
    table = Outcomes(store)
    plans = {row.item: json.loads(row.calls) for row in table.rows("mode = 'plan'", whole=False)}
    for row in table.rows():
        kept = row.read(Kept) if row.kind == "kept" else Kept(pairs=())
        refused = row.read(Dropped).drafts if row.kind == "dropped" else kept.refused
        calls = plans.get(row.item, {}) | json.loads(row.calls)
        yield Built(row.mode, kept.pairs, refused, calls)


def build_and_kill(config: Path, run: Path, after_calls: int) -> None:
    """Run `pairwright build` and kill -9 it once its store holds so many calls."""
    import sqlite3

    process = subprocess.Popen(
        command(config, run), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    store = run / "run.sqlite"
    while process.poll() is None:
        time.sleep(0.05)
        if not store.exists():
            continue
        try:
            with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
                (calls,) = database.execute("SELECT count(*) FROM calls").fetchone()
        except sqlite3.OperationalError:
            continue
        if calls >= after_calls:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return
    raise SystemExit(f"the build ended with {process.returncode} before it could be killed")


def import_cpu_seconds() -> float:
    """CPU time of starting a build and importing all it needs, measured thrice, median."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-c", BUILD_IMPORTS],
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return sorted(once() for _ in range(3))[1]


def command(config: Path, run: Path) -> list[str]:
    program = "from pairwright.cli import main; main()"
    return [sys.executable, "-c", program, "build", str(config), "--run", str(run)]
