"""`pairwright downstream judge-outputs`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console

from pairwright.cli.printing import say, table_of, warn
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import ReleasePath, ResultFolder, end, least_share, scorers_file
from pairwright.text import number_of, visible

if TYPE_CHECKING:
    from pairwright.evaluate.outputs import ModelScore, OutputScores
    from pairwright.workflows.output_judging import JudgedOutputs


def judge_outputs_command(
    release: ReleasePath,
    outputs: Annotated[
        Path, typer.Argument(metavar="OUTPUTS.jsonl", help="One output a line: id, model, output.")
    ],
    scorers: Annotated[Path, scorers_file("Its [judge] and [endpoints].")],
    out: ResultFolder,
    coverage: Annotated[float, least_share("Least share of outputs that must get a score.")] = 0.95,
) -> None:
    """Judge outputs of any models by the rubrics of a release: a score for each aspect.

    An output's id is that of an item, for the user who asked it, or that of a pair. The judge reads
    question, output and aspects, and never a profile. Scores are stored as they come: running the
    same command again goes on. Writes judged.jsonl, a line an output, and judged.json.
    Exit code 1: more outputs without a score than --coverage allows.

    Examples:

      pairwright downstream judge-outputs releases/1.0.0 outputs.jsonl --scorers scorers.toml
      --out judged
    """
    # What reads and retrieves takes a while to import, and other commands do without.
    from pairwright.workflows.output_judging import judge_outputs

    with display() as progress, interruptible() as stop:
        result = judge_outputs(release, outputs, scorers, out, progress=progress, stop=stop)
    _print(Console(), result.scores)
    _end(result, coverage, Console(stderr=True))


def _print(console: Console, scores: "OutputScores") -> None:
    from pairwright.evaluate.results import TRIAL

    heads = ("model", "adherence", "95 % interval", "n", "users", "unscored all 0 to all 1")
    console.print(table_of(heads, map(_cells, scores.models), lines=box.SIMPLE_HEAD))
    about = "Adherence: mean over outputs of the sum of an output's scores over the most possible."
    say(console, f"{about} Judge: {scores.judge.model}.", wrap=True)
    for one in scores.models:
        if one.outputs < one.questions:
            line = (
                f"{visible(one.model)}: outputs for {one.outputs:,} of {one.questions:,} questions"
            )
            say(console, line, wrap=True)
    if scores.simulated:
        console.print("Simulated: a simulated model judged. This is not a result.", style="yellow")
    if scores.release.trial:
        console.print(TRIAL, style="yellow")


def _cells(score: "ModelScore") -> tuple[str, ...]:
    adherence = score.adherence
    if adherence is None or adherence.value is None:
        return (visible(score.model), "not known", "", "0", "0", "")
    between = "" if adherence.low is None else f"{adherence.low:.3f} to {adherence.high:.3f}"
    bounds = f"{score.worst:.3f} to {score.best:.3f}" if score.unscored else ""
    counts = (f"{adherence.n:,}", f"{adherence.clusters:,}")
    return (visible(score.model), f"{adherence.value:.3f}", between, *counts, bounds)


def _end(result: "JudgedOutputs", coverage: float, console: Console) -> None:
    short = result.short(coverage)
    for one in short:
        reasons = ", ".join(f"{n:,} {why}" for why, n in one.unscored.items())
        outputs = number_of(one.outputs, "output has", "outputs have")
        warn(
            console,
            f"{visible(one.model)}: {one.scored:,} of {outputs} a score"
            f" ({reasons}); --coverage asks for {coverage:.0%}.",
        )
    reasons_of_all = [why for one in result.scores.models for why in one.unscored]
    end(console, short=bool(short), reasons=reasons_of_all)
