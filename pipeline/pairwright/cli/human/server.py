"""`pairwright human preview`, `push`, `pull` and `serve`: tasks as people see them, on pages or on
a Label Studio server."""

import shlex
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.human.answers import print_answers
from pairwright.cli.human.options import (
    KEY_VARIABLE,
    KnownUrl,
    RunPath,
    ServerUrl,
    api_key,
    cache_folder,
)
from pairwright.cli.printing import command, say
from pairwright.cli.progress import display
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
    from pairwright.workflows.annotation_server import push_tasks

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
        " computer: a phone is too small for the form.",
        soft_wrap=True,
    )
    for annotator, links in pushed.links.items():
        for kind, link in links.items():
            say(console, f"  {annotator}  {kind:12} {link}")


def pull_command(run: RunPath, url: KnownUrl = None) -> None:
    """Fetch what is annotated from the server that tasks were pushed to.

    Safe to repeat and to interrupt. The key is read from LABEL_STUDIO_API_KEY.

    Example:

      pairwright human pull runs/first
    """
    from pairwright.workflows.annotation_server import pull_verdicts

    with display() as progress:
        pulled = pull_verdicts(run, api_key(), url=url, progress=progress)
    print_answers(Console(), run, pulled.answers)


if TYPE_CHECKING:
    from pairwright.workflows.annotation_server import RunningServer


def serve_command(
    run: RunPath,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.")] = 8080,
) -> None:
    """Start a local Label Studio with the study in it; Ctrl-C stops it.

    It runs in an environment of its own, installed once into the user's cache (about 1 GB, some
    minutes), listens on this machine only and sends nothing out. Every annotator gets an account.
    What people answered is kept in RUN/human/private/label-studio and is there at the next start.

    Example:

      pairwright human serve runs/first
    """
    from pairwright.workflows.annotation_server import serve_study

    console = Console()
    with _ended_by_sigterm(), ExitStack() as stack:
        with display(plain_steps=True) as progress:
            running = stack.enter_context(serve_study(run, cache_folder(), port, progress=progress))
        try:
            _introduce(console, run, running)
            running.wait()
        except KeyboardInterrupt:
            console.print(f"Stopped. The answers are in {running.server.data}.", markup=False)


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """A polite kill ends the server as Ctrl-C does, rather than leaving it behind."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _introduce(console: Console, run: Path, running: "RunningServer") -> None:
    server = running.server
    say(console, f"Label Studio is at {server.url}, on this machine only.")
    say(
        console,
        f"The study lead logs in as {server.account.email}, password {server.account.password}",
    )
    for annotator, account in sorted(running.accounts.items()):
        say(console, f"{annotator} logs in as {account.email}, password {account.password}")
        for kind, link in running.links.get(annotator, {}).items():
            say(console, f"  {kind:12} {link}")
    say(
        console, "Everybody labels under these links, in this order, on a computer: not on a phone."
    )
    say(console, f"To fetch the answers, in another terminal ({KEY_VARIABLE} is the lead's token):")
    token = "import json, sys; print(json.load(open(sys.argv[1]))['token'])"
    lead = shlex.quote(str(server.data.resolve() / "account.json"))
    say(
        console,
        f'  {KEY_VARIABLE}="$(python3 -c "{token}" {lead})"'
        f" {command('human', 'pull', run.resolve())}",
    )
    say(console, "Ctrl-C stops the server; the answers stay.")
