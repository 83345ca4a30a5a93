"""`pairwright human adjudicate`: a second round for what the first left disputed."""

from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.human.options import RunPath, ToolOption
from pairwright.cli.printing import command, print_commands, say
from pairwright_human_eval import SERVER_TOOL


def adjudicate_command(
    run: RunPath,
    adjudicators: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=99,
            metavar="N",
            help="How many adjudicators there are who took no part in the first round.",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="An annotator of the first round who adjudicates what others were given; may be"
            " given more than once.",
        ),
    ] = None,
    tool: ToolOption = SERVER_TOOL,
) -> None:
    """Write tasks of a second round on the disputed pairs, for as many people as the rule asks for.

    Importing or pulling their answers closes the disputes. Running it again adds what has become
    disputed since, and leaves the tasks that exist as they are. What an adjudicator says about a
    twin or pair that they answered in the first round is set aside; it is given to another
    adjudicator when this runs again. Without an option there are as many as vote on each pair.

    Examples:

      pairwright human adjudicate runs/first && pairwright human push runs/first --round 2 --url URL

      pairwright human adjudicate runs/first --adjudicators 8 --by annotator-03
    """
    from pairwright.workflows.adjudication import export_adjudication

    made = export_adjudication(run, adjudicators=adjudicators, by=by or (), tool=tool)
    console = Console()
    added = f"Tasks added: {made.added}, for {', '.join(made.adjudicators)}."
    added = added if made.added else "Nothing new to adjudicate."
    say(console, f"Disputed: {made.disputed}. {added}", wrap=True)
    if made.waiting:
        console.print(f"Waiting for answers of the first round: {made.waiting}.")
    if made.added:
        print_commands(
            console,
            "Next, one of:",
            (
                command("human", "push", run, "--round", 2, "--url") + " http://...",
                command("human", "serve", run),
                f"load {made.folder}/ by hand",
            ),
        )
    if made.left:
        say(
            console,
            "Too few adjudicators, who did not answer in the first round, for:"
            f" {len(made.left):,}, such as {made.left[0]}."
            " Add people who took no part (--adjudicators).",
        )
        raise typer.Exit(1)
