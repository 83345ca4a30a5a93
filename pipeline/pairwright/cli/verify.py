"""`pairwright verify`: is a release what it says?"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pairwright.errors import Difference
from pairwright.text import number_of
from pairwright.workflows import collector

if TYPE_CHECKING:
    from pairwright.release.verify import Verified

NOT_SHOWN = (
    "What this cannot show: stated.json is what the run says of itself, and whoever can rewrite the"
    " whole folder\ncan make it agree with itself"
)
HOLD_TO = ": compare the root digest with the published one, or give it as --digest."
HELD = ", but not have this root digest: it is the one you gave."


def verify_command(
    release: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release.")],
    digest: Annotated[
        str | None,
        typer.Option(metavar="sha256:...", help="The root digest that the release must have."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Derive everything in a release again from its rows and raw verdicts, its audit included, and
    compare.

    Needs the folder alone. Stops at the first difference and names its place; then the exit code
    is 1.

    Example:

      pairwright verify releases/1.0.0 --digest sha256:...
    """
    collector.ease()
    try:
        verified = verify_shown(release, digest)
    except Difference as found:
        if not as_json:
            raise
        typer.echo(_json(None, found))
        raise typer.Exit(found.exit_code) from None
    if as_json:
        typer.echo(_json(verified, None))
        return
    tell(Console(), verified, held=digest is not None)


def verify_shown(release: Path, digest: str | None = None) -> "Verified":
    """Verify with a bar on the terminal. Raises Difference and InputError."""
    # Statistics take a while to import, and other commands do without.
    from pairwright.workflows.release_audit import write_audit
    from pairwright.release.verify import verify

    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(), console=console, transient=True, disable=not console.is_terminal,
    ) as bar:  # fmt: skip
        task = bar.add_task("files", total=None)
        return verify(
            release,
            digest,
            lambda step, done, of: bar.update(task, description=step, completed=done, total=of),
            write_audit=write_audit,
        )


def tell(console: Console, verified: "Verified", *, held: bool = False) -> None:
    """What was checked, and what that cannot show; `held`: to a root digest that was given."""
    if verified.kind == "trial":
        because = "; ".join(verified.trial_because)
        console.print(f"A trial, no benchmark: {because}", style="bold red", markup=False)
    lines = (
        f"{verified.name} {verified.version} is what it says:"
        f" {number_of(verified.rows, 'row')} of {number_of(verified.subjects, 'subject')},"
        f" {number_of(verified.verdicts, 'verdict')},"
        f" {number_of(verified.units, 'unit')} of the build, {number_of(verified.files, 'file')}.",
        *(f"No part of the release: {name}" for name in verified.beside),
        *(f"Not compared: {what}." for what in verified.not_compared),
        f"Root digest: {verified.digest}",
        NOT_SHOWN + (HELD if held else HOLD_TO),
    )
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _json(verified: "Verified | None", found: Difference | None) -> str:
    place = found and {"where": found.where, "what": found.what, "fix": found.fix}
    whole = verified and verified.model_dump(mode="json")
    return json.dumps({"verified": whole, "difference": place}, indent=2)
