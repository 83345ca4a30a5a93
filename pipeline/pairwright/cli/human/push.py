"""`pairwright human push`: tasks to a Label Studio server."""

from contextlib import closing
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from pairwright.cli.human.opened import opened
from pairwright.cli.human.options import RunPath, ServerUrl, api_key
from pairwright.text import number_of
from pairwright_human_eval.exports.store import check_unmixed


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
    from pairwright_human_eval.label_studio import LabelStudioClient, labelling_links, push

    with opened(run) as study:
        # People's answers could not be taken in later.
        check_unmixed(study.folder, simulated=False)
        with (
            closing(LabelStudioClient(url, api_key())) as server,
            Progress(console=Console(stderr=True)) as progress,
        ):
            importing = progress.add_task("importing tasks", total=None)
            pushed = push(
                server,
                study.folder,
                study.fixed.study,
                study.fixed.key.values(),
                round=round,
                progress=lambda done, of: progress.update(importing, completed=done, total=of),
            )
        console = Console()
        console.print(
            f"Projects: {pushed.projects} ({pushed.created} new). Tasks: {pushed.imported:,}"
            f" imported, {pushed.already:,} there before"
            + (
                f", {number_of(pushed.removed, 'second copy', 'second copies')} removed"
                if pushed.removed
                else ""
            )
        )
        console.print(
            "Each annotator labels under these links, in this order, and needs no other page, but a"
            " computer: on a phone no answer can be submitted.",
            soft_wrap=True,
        )
        people = {keyed.annotator for keyed in study.fixed.key.values() if keyed.round == round}
        links = labelling_links(study.folder)
        for annotator in sorted(people & links.keys()):
            for title, link in links[annotator].items():
                console.print(
                    f"  {annotator}  {title.split(annotator, 1)[-1].strip():12} {link}",
                    highlight=False, markup=False, soft_wrap=True,
                )  # fmt: skip
