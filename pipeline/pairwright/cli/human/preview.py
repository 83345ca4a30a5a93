"""`pairwright human preview`: the tasks as pages, without a server."""

from rich.console import Console

from pairwright.cli.human.options import RunPath
from pairwright.cli.printing import say
from pairwright.text import number_of


def preview_command(run: RunPath) -> None:
    """Write the tasks as pages that annotators would see, to be looked through in a browser.

    One page a person, and the guidelines with links to them, in RUN/human/preview. The pages need
    no server, load nothing and store nothing. They do not say which response is which.

    Example:

      pairwright human preview runs/first
    """
    from pairwright.workflows.task_preview import preview_tasks

    made = preview_tasks(run)
    say(
        Console(),
        f"Pages written: {number_of(len(made.pages), 'person', 'people')}. Open {made.index}",
    )
