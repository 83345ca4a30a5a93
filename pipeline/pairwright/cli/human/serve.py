"""`pairwright human serve`: a Label Studio of one's own, for trying out and for small teams."""

import shlex
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.human.options import KEY_VARIABLE, RunPath, cache_folder
from pairwright.cli.progress import display
from pairwright.cli.shell import command
from pairwright.workflows import collector

if TYPE_CHECKING:
    from pairwright.workflows.label_studio import RunningServer


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
    from pairwright.workflows.label_studio import serve_study

    collector.ease()
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
    def say(line: str) -> None:
        console.print(line, highlight=False, markup=False, soft_wrap=True)

    server = running.server
    say(f"Label Studio is at {server.url}, on this machine only.")
    say(f"The study lead logs in as {server.account.email}, password {server.account.password}")
    for annotator, account in sorted(running.accounts.items()):
        say(f"{annotator} logs in as {account.email}, password {account.password}")
        for kind, link in running.links.get(annotator, {}).items():
            say(f"  {kind:12} {link}")
    say("Everybody labels under these links, in this order, on a computer: not on a phone.")
    say(f"To fetch the answers, in another terminal ({KEY_VARIABLE} is the lead's token):")
    token = "import json, sys; print(json.load(open(sys.argv[1]))['token'])"
    lead = shlex.quote(str(server.data.resolve() / "account.json"))
    say(
        f'  {KEY_VARIABLE}="$(python3 -c "{token}" {lead})"'
        f" {command('human', 'pull', run.resolve())}"
    )
    say("Ctrl-C stops the server; the answers stay.")
