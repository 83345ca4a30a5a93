"""`pairwright human serve`: a Label Studio of one's own, for trying out and for small teams."""

import importlib.util
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.human.opened import Opened, opened
from pairwright.cli.human.options import KEY_VARIABLE, RunPath, cache_folder
from pairwright.cli.steps import steps
from pairwright.errors import InputError
from pairwright.extras import install
from pairwright.text import number_of
from pairwright_human_eval.exports.store import check_unmixed
from pairwright_human_eval.label_studio.accounts import ServerAccount, team_accounts
from pairwright_human_eval.label_studio.environment import prepare
from pairwright_human_eval.label_studio.own_server import LabelStudioServer


def serve_command(
    run: RunPath,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.")] = 8080,
) -> None:
    """Start a local Label Studio with the study in it; Ctrl-C stops it.

    It runs in an environment of its own, installed once into the user's cache (about 1 GB, some
    minutes), listens on this machine only and sends nothing out. Every annotator gets an account.
    What people answered stays in RUN/human/private/label-studio and is there at the next start.

    Example:

      pairwright human serve runs/first
    """
    with opened(run) as study:
        check_unmixed(study.folder, simulated=False)
        if importlib.util.find_spec("label_studio_sdk") is None:
            raise InputError(
                "label-studio-sdk is not installed, so no task could be loaded",
                where="human serve",
                fix=f"Run {install('label-studio')}.",
            )
        console = Console()
        with steps() as step:
            step("preparing Label Studio")
            environment = prepare(cache_folder(), step)
        server = LabelStudioServer(environment, study.folder.private / "label-studio", port)
        try:
            with _ended_by_sigterm(), ExitStack() as running:
                with steps() as step:
                    step("starting Label Studio")
                    running.enter_context(server)
                    people = sorted({keyed.annotator for keyed in study.fixed.key.values()})
                    step(f"making accounts for {number_of(len(people), 'person', 'people')}")
                    accounts = team_accounts(server, people)
                    links = _loaded(study, server, step)
                _introduce(console, study, server, accounts, links)
                study.lock.close()  # Answers are pulled while the server runs.
                code = server.wait()
        except KeyboardInterrupt:
            console.print(f"Stopped. The answers are in {server.data}.", markup=False)
            return
        raise InputError(
            f"Label Studio ended with {code}",
            where=server.log,
            fix="Its log says why; start it again.",
        )


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


def _introduce(
    console: Console,
    study: Opened,
    server: LabelStudioServer,
    accounts: Mapping[str, ServerAccount],
    links: Mapping[str, Mapping[str, str]],
) -> None:
    def say(line: str) -> None:
        console.print(line, highlight=False, markup=False, soft_wrap=True)

    say(f"Label Studio is at {server.url}, on this machine only.")
    say(f"The study lead logs in as {server.account.email}, password {server.account.password}")
    for annotator, account in sorted(accounts.items()):
        say(f"{annotator} logs in as {account.email}, password {account.password}")
        for title, link in links.get(annotator, {}).items():
            say(f"  {title.split(annotator, 1)[-1].strip():12} {link}")
    say("Everybody labels under these links, in this order, on a computer: not on a phone.")
    say(f"To fetch the answers, in another terminal ({KEY_VARIABLE} is the lead's token):")
    say(
        f'  {KEY_VARIABLE}=$(python3 -c "import json; print(json.load(open('
        f"'{server.data.resolve()}/account.json'))['token'])\") pairwright human pull"
        f" {study.folder.run.resolve()}"
    )
    say("Ctrl-C stops the server; the answers stay.")


def _loaded(
    study: Opened, server: LabelStudioServer, step: Callable[[str], None]
) -> dict[str, dict[str, str]]:
    """Push every round, and give the links to label under."""
    from pairwright_human_eval.label_studio import LabelStudioClient, labelling_links, push

    fixed = study.fixed
    rounds = sorted({keyed.round for keyed in fixed.key.values()})
    with closing(LabelStudioClient(server.url, server.account.token)) as there:
        for round in rounds:
            push(
                there,
                study.folder,
                fixed.study,
                fixed.key.values(),
                round=round,
                progress=lambda done, of: step(f"loading tasks: {done:,} of {of:,}"),
            )
    return labelling_links(study.folder)
