"""`pairwright human push` and `pull`: tasks to a Label Studio server, and answers from it."""

from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.human.answers import print_answers
from pairwright.cli.human.options import KnownUrl, RunPath, ServerUrl, api_key
from pairwright.cli.progress import display
from pairwright.text import number_of
from pairwright.workflows import collector


def push_command(
    run: RunPath,
    url: ServerUrl,
    round: Annotated[
        int, typer.Option(min=1, max=2, help="2 for the adjudication of what was disputed.")
    ] = 1,
) -> None:
    """Make one project for each annotator and kind, and import the tasks.

    Safe to repeat and to interrupt: no task is imported twice. The key is read from
    LABEL_STUDIO_API_KEY: a personal access token or a legacy token.

    Example:

      pairwright human push runs/first --url http://127.0.0.1:8080
    """
    from pairwright.workflows.label_studio import push_tasks

    collector.ease()
    with display() as progress:
        pushed = push_tasks(run, url, api_key(), round=round, progress=progress)
    console = Console()
    copies = number_of(pushed.removed, "second copy", "second copies")
    console.print(
        f"Projects: {pushed.projects} ({pushed.created} new). Tasks: {pushed.imported:,}"
        f" imported, {pushed.already:,} there before"
        + (f", {copies} removed" if pushed.removed else "")
    )
    console.print(
        "Each annotator labels under these links, in this order, and needs no other page, but a"
        " computer: on a phone no answer can be submitted.",
        soft_wrap=True,
    )
    for annotator, links in pushed.links.items():
        for kind, link in links.items():
            console.print(
                f"  {annotator}  {kind:12} {link}", highlight=False, markup=False, soft_wrap=True
            )


def pull_command(run: RunPath, url: KnownUrl = None) -> None:
    """Fetch what is annotated from the server that tasks were pushed to.

    Safe to repeat and to interrupt. The key is read from LABEL_STUDIO_API_KEY.

    Example:

      pairwright human pull runs/first
    """
    from pairwright.workflows.label_studio import pull_verdicts

    collector.ease()
    with display() as progress:
        pulled = pull_verdicts(run, api_key(), url=url, progress=progress)
    print_answers(Console(), run, pulled.answers)
