"""`pairwright downstream judge-outputs`."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from pairwright.errors import on_disk
from pairwright.models.store import Store
from pairwright.text import number_of, visible
from pairwright.workflows.output import output_folder

if TYPE_CHECKING:
    from pairwright.evaluate.outputs import JudgedOutput, OutputScores, QuestionOutput
    from pairwright.evaluate.outputs.records import ModelScore
    from pairwright.evaluate.release import Release
    from pairwright.evaluate.scorers.spec import Scorers
    from pairwright.settings.prompt import Prompts


def judge_outputs_command(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release's folder.")],
    outputs: Annotated[
        Path, typer.Argument(metavar="OUTPUTS.jsonl", help="One output a line: id, model, output.")
    ],
    scorers: Annotated[
        Path, typer.Option("--scorers", metavar="FILE.toml", help="Its [judge] and [endpoints].")
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the results.", callback=output_folder)
    ],
    coverage: Annotated[
        float, typer.Option(min=0, max=1, help="Least share of outputs that must get a score.")
    ] = 0.95,
) -> None:
    """Judge outputs of any models by the rubrics of a release: 0, 1 or 2 for each aspect.

    An output's id is that of an item, for the user who asked it, or that of a pair. The judge reads
    question, output and aspects, and never a profile. Scores are stored as they come: running the
    same command again goes on. Writes judged.jsonl, a line an output, and judged.json.
    Exit code 1: more outputs without a score than --coverage allows.

    Examples:

      pairwright downstream judge-outputs releases/1.0.0 outputs.jsonl --scorers scorers.toml
      --out judged
    """
    # What reads and retrieves takes a while to import, and other commands do without.
    from pairwright.cli.scorers import prompts_of
    from pairwright.dataset import write_lines, write_one
    from pairwright.evaluate.outputs import read_outputs
    from pairwright.evaluate.questions import ReleaseQuestions
    from pairwright.evaluate.release import Release
    from pairwright.evaluate.scorers.spec import load_scorers

    settings = load_scorers(scorers)
    prompts = prompts_of(settings, scorers.resolve().parent)
    held_to = Release(release)
    questions = ReleaseQuestions(held_to.rows())
    found = read_outputs(outputs, questions)
    console = Console(stderr=True)
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with closing(Store(out / "calls.sqlite")) as store:
        of = Judging(held_to, settings, prompts, store, console)
        judged, made = asyncio.run(of.judge(found, len(questions.own)))
    # A summary never stands beside lines that it is not of.
    (out / "judged.json").unlink(missing_ok=True)
    write_lines(out / "judged.jsonl", judged)
    write_one(out / "judged.json", made)
    _tell(Console(), made)
    _end(made, coverage, console)


class Judging(NamedTuple):
    """What judging takes."""

    release: "Release"
    settings: "Scorers"
    prompts: "Prompts"
    store: Store
    console: Console

    async def judge(
        self, found: "list[QuestionOutput]", questions: int
    ) -> "tuple[list[JudgedOutput], OutputScores]":
        """What is said of each output, and what they come to by model.

        Raises ConfigError, EndpointRefused, Interrupted and StoreError.
        """
        from pairwright.cli.judge import judge_of_outputs
        from pairwright.cli.signals import stop_on_signals
        from pairwright.evaluate.outputs import OutputScores, by_model, judge_outputs, model_score
        from pairwright.models.client import Meter

        meter = Meter()
        async with judge_of_outputs(self.settings, self.prompts, self.store, meter) as judge:
            stop_on_signals(judge.stop, meter, self.console)
            with Progress(console=self.console, transient=True) as progress:
                task = progress.add_task("outputs", total=len(found))
                judged = await judge_outputs(
                    found,
                    judge.judge,
                    workers=judge.workers,
                    stop=judge.stop,
                    on_each=lambda _: progress.advance(task),
                )
        return judged, OutputScores(
            release=self.release.ref,
            judge=judge.ref,
            simulated=judge.ref.model in self.store.simulated_models(),
            models=tuple(
                model_score(model, of, questions) for model, of in by_model(judged).items()
            ),
        )


def _tell(console: Console, made: "OutputScores") -> None:
    from pairwright.evaluate.results import TRIAL

    table = Table(box=box.SIMPLE_HEAD)
    for name in ("model", "adherence", "95 % interval", "n", "users", "unscored all 0 to all 1"):
        table.add_column(name, justify="left" if name == "model" else "right")
    for of in made.models:
        table.add_row(*map(Text, _cells(of)))
    console.print(table)
    told = "Adherence: mean over outputs of the sum of an output's scores over the most possible."
    console.print(f"{told} Judge: {made.judge.model}.", markup=False, highlight=False)
    for of in made.models:
        if of.outputs < of.questions:
            line = f"{visible(of.model)}: outputs for {of.outputs:,} of {of.questions:,} questions"
            console.print(line, markup=False, highlight=False)
    if made.simulated:
        console.print("Simulated: the embedded model judged, so it is no result.", style="yellow")
    if made.release.trial:
        console.print(TRIAL, style="yellow")


def _cells(of: "ModelScore") -> tuple[str, ...]:
    found = of.adherence
    if found is None or found.value is None:
        return (visible(of.model), "not known", "", "0", "0", "")
    between = "" if found.low is None else f"{found.low:.3f} to {found.high:.3f}"
    bounds = f"{of.worst:.3f} to {of.best:.3f}" if of.unscored else ""
    counts = (f"{found.n:,}", f"{found.clusters:,}")
    return (visible(of.model), f"{found.value:.3f}", between, *counts, bounds)


def _end(made: "OutputScores", coverage: float, console: Console) -> None:
    short = [of for of in made.models if of.scored < coverage * of.outputs]
    for of in short:
        reasons = ", ".join(f"{n:,} {why}" for why, n in of.unscored.items())
        outputs = number_of(of.outputs, "output has", "outputs have")
        console.print(
            f"{visible(of.model)}: {of.scored:,} of {outputs} a score"
            f" ({reasons}); --coverage asks for {coverage:.0%}.",
            style="yellow", markup=False, highlight=False,
        )  # fmt: skip
    if any(why.startswith("call_failed") for of in made.models for why in of.unscored):
        console.print("Calls that failed are asked again when you run the same command again.")
    if short:
        raise typer.Exit(1)
