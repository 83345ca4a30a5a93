"""`pairwright human simulate`: annotators of known accuracy, to see the whole way work."""

from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.human.bring import tell
from pairwright.cli.human.opened import opened
from pairwright.cli.human.options import RunPath
from pairwright.text import number_of
from pairwright_human_eval.simulation import Traits, simulate


def simulate_command(
    run: RunPath,
    accuracy: Annotated[
        float, typer.Option(help="Share of right answers among A and B, 0.5 to 1.")
    ] = 0.9,
    bias: Annotated[
        float, typer.Option(help="How far guesses lean to A: 0 not, 1 always.", min=0, max=1)
    ] = 0.0,
    careless: Annotated[
        float, typer.Option(help="Share of annotators who tick anything.", min=0, max=1)
    ] = 0.0,
    cannot_tell: Annotated[
        float, typer.Option(help="Share of `cannot tell` and `cannot judge`.", min=0, max=1)
    ] = 0.05,
    seed: Annotated[int, typer.Option(help="Another seed, other answers.")] = 0,
) -> None:
    """Answer every open task with simulated annotators, by the same import as people's answers.

    For trying out, and for checking the statistics against a known truth. Everything that comes
    of it is marked as simulated and verifies nothing. A study with people's answers refuses it.

    A task that has an answer keeps it: after `human adjudicate` only the second round is answered.
    To answer again with other options, move RUN/human/private/raw/simulated-*.json away first.

    Examples:

      pairwright human simulate runs/first

      pairwright human simulate runs/first --accuracy 0.7 --bias 0.3 --careless 0.2
    """
    with opened(run) as study:
        traits = Traits(
            accuracy=accuracy,
            first_bias=bias,
            careless=careless,
            cannot_tell=cannot_tell,
            seed=seed,
        )
        done = simulate(study.folder, study.fixed.key, study.fixed.study, traits)
        console = Console()
        if done.answered:
            console.print(f"Answered: {number_of(done.answered, 'open task')}.")
        else:
            console.print(
                "Nothing is open: every task has an answer, and none was changed. To answer again,"
                f" move {study.folder.raw}/simulated-*.json away first.",
                highlight=False, markup=False, soft_wrap=True,
            )  # fmt: skip
        if done.careless:
            console.print(f"Careless: {', '.join(sorted(done.careless))}")
        tell(console, study, study.answers())
