"""What the commands share that score something of a release: arguments, and how they end."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from typer.models import OptionInfo

from pairwright.assets import DOCS
from pairwright.cli.printing import say, warn
from pairwright.errors import CALL_FAILED
from pairwright.text import number_of
from pairwright.workflows.output import output_folder

if TYPE_CHECKING:
    from pairwright.evaluate.decision import PairDecision
    from pairwright.evaluate.results import ResultSummary
    from pairwright.workflows.evaluation import EvaluationResult


def new_folder(help: str) -> OptionInfo:
    """An option for the folder of what a command makes, which may not be inside a release."""
    option: OptionInfo = typer.Option(metavar="DIR", help=help, callback=output_folder)
    return option


def scorers_file(help: str) -> OptionInfo:
    """An option for the file that says what scorers, endpoints and so on are."""
    option: OptionInfo = typer.Option("--scorers", metavar="FILE.toml", help=help)
    return option


def least_share(help: str) -> OptionInfo:
    """An option for the share of something below which a command exits with 1."""
    option: OptionInfo = typer.Option(min=0, max=1, help=help)
    return option


ReleasePath = Annotated[Path, typer.Argument(metavar="RELEASE", help="A release's folder.")]
ResultFolder = Annotated[Path, new_folder("Folder of the results.")]
ScorerNames = Annotated[
    list[str] | None,
    typer.Option("--scorer", metavar="NAME", help="A scorer; again for more [the baselines]."),
]
PairSplit = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only this split's pairs [all].")
]
ItemLimit = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Only the first N items, to try it.")
]
SubjectLimit = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Only the first N subjects, to try it.")
]


def print_result(about: "ResultSummary", decisions: "list[PairDecision]") -> None:
    """Print a result of a scorer in a condition."""
    # Statistics take a while to import, and other commands do without.
    from pairwright.evaluate.results import summary_lines

    console = Console()
    for line in summary_lines(about, decisions):
        say(console, line, wrap=True)


def end(console: Console, *, short: bool, reasons: Iterable[str]) -> None:
    """Exit with 1 where too little was scored; `reasons` are all reasons why something was not."""
    if any(CALL_FAILED in reason for reason in reasons):
        console.print("Calls that failed are asked again when you run the same command again.")
    if short:
        raise typer.Exit(1)


def end_by_coverage(result: "EvaluationResult", coverage: float, console: Console) -> None:
    """Exit with 1, and say why, where a result covers too few twins and pairs. That a release has
    nothing to show of a user is printed with the result, and does not count."""
    short = result.short(coverage)
    for one in short:
        why = ", ".join(f"{n} {reason}" for reason, n in one.unscored.items())
        pairs = number_of(one.pairs, "pair has", "pairs have")
        warn(
            console,
            f"{one.stem}: {one.scored:,} of {pairs} a score"
            f" ({why or 'no pair is of this kind'}). Of {one.units or 0:,} twins and other"
            f" pairs {one.units_scored or 0:,} are whole; --coverage asks for {coverage:.0%}.",
        )
    if short:
        page = f'What each reason means: {DOCS / "evaluate.md"}, "What it leaves behind".'
        say(console, page)
    reasons = [reason for one in result.results for reason in one.about.unscored]
    end(console, short=bool(short), reasons=reasons)
