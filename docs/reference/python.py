"""python.md: the functions and records of the package, and a study as a script."""

import inspect

import pairwright
from reference.markdown import page_of

STUDY = """\
import pandas as pd

from pairwright import audit, build, check, decide, evaluate, export_tasks, load_release, release
from pairwright.start import start_study
from pairwright_human_eval.simulation import simulate_answers

config = start_study("example")
built = build(config, "example/run")
print(built.status.pairs, "pairs;", built.usage.sent, "calls")

tasks = export_tasks("example/run", seed=0)
simulate_answers("example/run")  # or import_answers("example/run", files)
decided = decide("example/run")
print(sum(one.state == "verified" for one in decided.decisions.values()), "verified")

made = release("example/run", "example/release", "0.1.0", trial=True)
print(check("example/release", made.digest).files, "files are consistent")
print([one.name for one in audit("example/release", out="example/audit").audit.failed])

results = evaluate("example/release", None, "example/results")
figures = {
    (entry.about.scorer.name, entry.about.condition): found.value
    for entry in results.board.entries.values()
    if (found := entry.figure("accuracy", "twin"))
}
print(pd.Series(figures).round(3))

rows = pd.DataFrame([row.model_dump() for row in load_release("example/release")])
print(rows.groupby("mode")["id"].count())"""


def python_page() -> str:
    public = sorted(set(pairwright.__all__) - {"__version__"})
    functions = [name for name in public if inspect.isfunction(getattr(pairwright, name))]
    records = [name for name in public if name not in functions]
    return page_of(
        "# Python",
        "Every command is a function: plain arguments, a record as result, and errors of"
        " `pairwright.errors`. Functions work in scripts and in notebooks, whose event loop is"
        " already running. Calling one again continues from what is stored. `progress=print`"
        " shows events. This is a study from a build to data frames:",
        f"```python\n{STUDY}\n```",
        "`build_twin`, `build_placebo` and `build_violate` are coroutines for one question;"
        " `run_async` runs a coroutine.",
        "## Functions",
        _listed("autofunction", functions),
        "## Records",
        _listed("autoclass", records),
    )


def _listed(directive: str, names: list[str]) -> str:
    members = "\n   :members:" if directive == "autoclass" else ""
    lines = [f".. {directive}:: pairwright.{name}{members}" for name in names]
    return "\n".join(["```{eval-rst}", *lines, "```"])
