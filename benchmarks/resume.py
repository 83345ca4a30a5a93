"""What running again costs: after kill -9, when finished, after a changed gate, a changed judge.

Requests are counted at the stub, by content. A finished call is one whose reply was in the store
when the process was killed. `rerun_ms_per_item` is of a run with nothing left to do,
`rework_ms_per_item` of one in which a changed threshold has every unit worked through again from
stored replies.

    .venv/bin/python benchmarks/resume.py [ITEMS]
"""

import json
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

import building
from counting import Endpoint, digest

JUDGING = {"adherence", "quality", "compare", "choose", "support", "match"}


def main(items: int) -> None:
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
    print(json.dumps(figures))


def stored(run: Path) -> set[str]:
    """Digests of the requests in a store, as the stub counts them."""
    with sqlite3.connect(f"file:{run / 'run.sqlite'}?mode=ro", uri=True) as database:
        requests = database.execute("SELECT request FROM calls").fetchall()
    return {digest(json.loads(request)) for (request,) in requests}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
