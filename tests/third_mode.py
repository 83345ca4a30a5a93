"""A script: a made-up mode of pairs is defined, and everything else is as it ships.

python third_mode.py FOLDER   # makes a run, a study, a release and a leaderboard in FOLDER

The mode is among those of `pairwright/modes.toml` before anything else is imported, as if it had
been written there. What the commands print goes to FOLDER/printed.txt.
"""

import sys
from pathlib import Path

from pairwright import modes

MODE = """
[edited]
pairs = "edited pairs"
units = "edits"
halves = 1
adherence_endings = ["", ""]
sides = ["first edit", "second edit"]
meaning = "Mode edited: both responses are by people."
limits = ["Mode edited: people differ in skill."]
"""


def define(folder: Path) -> None:
    """Define the mode, where the others are."""
    path, table = Path(modes.__file__), folder / "modes.toml"
    source = path.read_text(encoding="utf-8")
    changes = {
        '"natural", "accepted"]': '"natural", "accepted", "edited"]',
        'Path(__file__).with_name("modes.toml")': f"Path({str(table)!r})",
    }
    for before, after in changes.items():
        assert source.count(before) == 1, before
        source = source.replace(before, after)
    shipped = path.with_name("modes.toml").read_text(encoding="utf-8")
    table.write_text(shipped + MODE, encoding="utf-8")
    exec(compile(source, path, "exec"), vars(modes))


def use(folder: Path) -> str:
    """What the commands print of pairs of which a third is edited."""
    from released import released, run_of, twinned, violated
    from study import pairwright

    pairs = [
        pair for n in range(4) for pair in (*twinned(n), violated(n), violated(n, mode="edited"))
    ]
    run = run_of(folder / "run", pairs)
    release = released(run, folder / "release").root
    results = folder / "results"
    printed = ""
    for command in (
        ("human", "report", run),
        ("verify", release),
        ("audit", release, "--out", folder / "audit"),
        ("evaluate", release, "--out", results, "--scorer", "longer", "--condition", "profile"),
        ("leaderboard", results, "--out", folder / "board"),
    ):
        done = pairwright(*command)
        printed += f"$ {command[0]}: {done.code}\n{done.said}\n"
    return printed


if __name__ == "__main__":
    out = Path(sys.argv[1])
    define(out)
    (out / "printed.txt").write_text(use(out), encoding="utf-8")
