"""What `build` and `status` say of rows and posts that were refused or repaired."""

from rich.console import Console

from pairwright.construct.folder import RunFolder
from pairwright.dataset import read_lines
from pairwright.sources import SourceProblem
from pairwright.sources.problems import ProblemCounts
from pairwright.text import visible


def tell_of_problems(console: Console, run: RunFolder, *, kept: bool = True) -> None:
    """The counts of `source_problems.jsonl` with what to do; nothing where there were none.

    `kept` says whether the file stays, and may be named.
    """
    if not run.problems.is_file():
        return
    problems = ProblemCounts()
    for problem in read_lines(run.problems, SourceProblem):
        problems.add(problem)
    lines = list(problems.lines())
    if not lines:
        return
    console.print("Rows and posts of the source:", style="yellow")
    if kept:
        lines.append(f"{run.problems} names every one.")
    for line in lines:
        console.print(
            f"  {visible(line)}", style="yellow", markup=False, highlight=False, soft_wrap=True
        )
