"""What running again costs: after kill -9, when finished, after a changed gate, a changed judge.

Requests are counted at the stub, by content. A finished call is one whose reply was in the store
when the process was killed. `rerun_ms_per_item` is of a run with nothing left to do,
`rework_ms_per_item` of one in which a changed threshold has every unit worked through again from
stored replies.

`status_seconds_50k`, `show_seconds_50k` and `idle_seconds_50k` are of a run of 50,000 items, by the
clock and as commands, imports included: `status`, `show` of the run's last pair, and `build` with
nothing left to do. `large_run.py` makes that run: 400 items are built, and 125 copies of them with
other names are written by the build's own functions. It takes about ten minutes and 12 GB of disk.

    .venv/bin/python benchmarks/resume.py [ITEMS [THOUSANDS]]
"""

import json
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

import building
import large_run
from counting import Endpoint, digest

JUDGING = {"adherence", "quality", "compare", "choose", "support", "match"}


def main(items: int, thousands: int) -> None:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch, Endpoint() as endpoint:
        folder, run = Path(scratch), Path(scratch) / "run"
        config = building.prepare(folder, endpoint.url, items)

        building.build_and_kill(config, run, after_calls=items * 10)
        finished = stored(run)
        endpoint.reset()
        done = building.build(config, run)
        asked = endpoint.stats()["asked"]
        figures["resent_after_kill"] = sum(asked.get(d, 0) for d in finished)
        print(f"killed with {len(finished):,} calls finished; {sum(asked.values()):,} sent after")
        if done.code:
            sys.exit(f"the build ended with {done.code}")

        endpoint.reset()
        imports = building.import_cpu_seconds()
        again = [building.build(config, run) for _ in range(3)]
        figures["resent_when_finished"] = sum(endpoint.stats()["asked"].values())
        cpu = sorted(done.cpu_seconds for done in again)[1] - imports
        figures["rerun_ms_per_item"] = round(1e3 * cpu / items, 2)
        calls = len(stored(run))
        print(
            f"run again: {figures['resent_when_finished']} sent, {cpu:.1f} s of CPU over "
            f"{calls:,} stored calls, imports ({imports:.1f} s) left out, median of 3"
        )

        endpoint.reset()
        building.prepare(folder, endpoint.url, items, extra="[gates]\nmargin = 0.5", write=False)
        through = building.build(config, run, "--accept-changes").cpu_seconds - imports
        figures["resent_gate_change"] = sum(endpoint.stats()["asked"].values())
        figures["rework_ms_per_item"] = round(1e3 * through / items, 2)
        print(
            f"a changed gate threshold: {figures['resent_gate_change']} sent, every unit worked"
            f" through again in {through:.1f} s of CPU"
        )

        endpoint.reset()
        prompts = Path(__file__).parents[1] / "prompts"
        shutil.copytree(prompts, folder / "prompts")
        judge = folder / "prompts" / "adherence.md"
        judge.write_text(judge.read_text() + "\nWeigh every word.\n")
        building.prepare(
            folder, endpoint.url, items, extra='prompts = "prompts"\n[gates]\nmargin = 0.5',
            write=False,
        )  # fmt: skip
        building.build(config, run, "--accept-changes")
        tasks = endpoint.stats()["tasks"]
        figures["resent_other_than_judge"] = sum(n for t, n in tasks.items() if t not in JUDGING)
        print(f"a changed judge prompt: {tasks} sent")
    with tempfile.TemporaryDirectory() as scratch, Endpoint() as endpoint:
        figures |= measure_large(Path(scratch) / "large", endpoint, thousands)
    print(json.dumps(figures))


def measure_large(folder: Path, endpoint: Endpoint, thousands: int) -> dict[str, float]:
    """What commands take on a run of so many thousands of items; each thrice, the median."""
    config, run, last = large_run.make(folder, endpoint, 1000 * thousands)
    endpoint.reset()
    # The first one matches the partners of all items and writes the outcome files.
    settled, idle = building.build(config, run), building.build(config, run)
    sent = sum(endpoint.stats()["asked"].values())
    if settled.code or idle.code or sent:
        sys.exit(f"the builds ended with {settled.code} and {idle.code}, {sent} calls sent")
    figures = {"status": measure("status", run), "show": measure("show", run, last), "idle": idle}
    print(
        f"{thousands:,} thousand items, calls.sqlite of {(run / 'calls.sqlite').stat().st_size:,}"
        f" bytes; by the clock and of CPU: status {figures['status']}, show {figures['show']}; a"
        f" build with nothing to do {idle}, {idle.peak_mib:.0f} MiB"
    )
    return {
        f"{name}_{kind}_{thousands}k": round(seconds, 2)
        for name, took in figures.items()
        for kind, seconds in (("seconds", took.seconds), ("cpu_seconds", took.cpu_seconds))
    }


def measure(*command: str | Path) -> building.Done:
    """A command thrice; the one of median time."""
    program = "from pairwright.cli import main; main()"
    done = [building.run([sys.executable, "-c", program, *map(str, command)]) for _ in range(3)]
    return sorted(done, key=lambda one: one.seconds)[1]


def stored(run: Path) -> set[str]:
    """Digests of the requests in a store, as the stub counts them."""
    with sqlite3.connect(f"file:{run / 'calls.sqlite'}?mode=ro", uri=True) as database:
        requests = database.execute("SELECT request FROM calls").fetchall()
    return {digest(json.loads(request)) for (request,) in requests}


if __name__ == "__main__":
    sizes = [int(size) for size in sys.argv[1:]]
    main(sizes[0] if sizes else 1000, sizes[1] if len(sizes) > 1 else 50)
