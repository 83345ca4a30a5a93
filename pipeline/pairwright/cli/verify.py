"""`pairwright verify`: is a release what it says? With `--push`, it is published then."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.printing import say
from pairwright.cli.progress import display
from pairwright.errors import Difference, InputError
from pairwright.text import number_of
from pairwright.workflows import collector

if TYPE_CHECKING:
    from pairwright.release.verify import VerifiedRelease

Push = Annotated[
    str | None,
    typer.Option(
        "--push",
        metavar="ORG/NAME",
        help="Publish it there on the Hugging Face Hub once it is verified.",
    ),
]
Public = Annotated[
    bool,
    typer.Option(
        "--public", help="Make a dataset that does not exist yet public, instead of private."
    ),
]
NOT_SHOWN = (
    "What this cannot show: stated.json is what the run says of itself, and anyone who can rewrite"
    " the whole folder\ncan make it agree with itself"
)
COMPARE = ": compare the root digest with the published one, or give it as --digest."
COMPARED = ", but not with this root digest: it is the one you gave."


def verify_command(
    release: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release.")],
    digest: Annotated[
        str | None,
        typer.Option(metavar="sha256:...", help="The root digest that the release must have."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    push: Push = None,
    public: Public = False,
) -> None:
    """Derive everything in a release again from its rows and raw verdicts, its audit included, and
    compare.

    Needs the folder alone. Stops at the first difference and names its place; then the exit code
    is 1.

    --push publishes what was verified, tagged with its version. It needs the extra [hub] and your
    own login: `hf auth login`, or HF_TOKEN. A new dataset is private, so that it can be looked at
    first; one that exists stays as visible as it is.

    Examples:

      pairwright verify releases/1.0.0 --digest sha256:...

      pairwright verify releases/1.0.0 --push my-lab/my-pairs
    """
    if push and as_json:
        raise InputError(
            "does not go with --push", where="--json", fix="Verify and publish one after the other."
        )
    if public and not push:
        raise InputError(
            "is only for --push", where="--public", fix="Name the dataset with --push ORG/NAME."
        )
    collector.ease()
    if push:
        push_release(release, push, digest=digest, public=public)
        return
    # Statistics take a while to import, and other commands do without.
    from pairwright.workflows.releases import verify

    try:
        with display() as progress:
            verified = verify(release, digest, progress=progress)
    except Difference as found:
        if not as_json:
            raise
        typer.echo(_json(None, found))
        raise typer.Exit(found.exit_code) from None
    if as_json:
        typer.echo(_json(verified, None))
        return
    print_verified(Console(), verified, compared=digest is not None)


def push_release(
    release: Path, name: str, *, digest: str | None = None, public: bool = False
) -> None:
    """Verify and publish a release, and print what was verified and where it is now."""
    from pairwright.workflows.releases import publish

    with display() as progress:
        published = publish(release, name, digest=digest, public=public, progress=progress)
    console, place = Console(), published.place
    print_verified(console, published.release, compared=digest is not None)
    access = "private: make it public on its settings page" if place.private else "public"
    say(console, f"Published as {place.tag}, {access}: {place.url}")


def print_verified(
    console: Console, verified: "VerifiedRelease", *, compared: bool = False
) -> None:
    """Print what was checked, and what that cannot show.

    `compared` says that the release was compared with a root digest that the user gave.
    """
    if verified.kind == "trial":
        because = "; ".join(verified.trial_because)
        console.print(f"A trial, not a benchmark: {because}", style="bold red", markup=False)
    lines = (
        f"{verified.name} {verified.version} is what it says:"
        f" {number_of(verified.rows, 'row')} of {number_of(verified.subjects, 'subject')},"
        f" {number_of(verified.verdicts, 'verdict')},"
        f" {number_of(verified.units, 'unit')} of the build, {number_of(verified.files, 'file')}.",
        *(f"Not part of the release: {name}" for name in verified.beside),
        *(f"Not compared: {what}." for what in verified.not_compared),
        f"Root digest: {verified.digest}",
        NOT_SHOWN + (COMPARED if compared else COMPARE),
    )
    for line in lines:
        say(console, line)


def _json(verified: "VerifiedRelease | None", difference: Difference | None) -> str:
    place = difference and {
        "where": difference.where,
        "what": difference.what,
        "fix": difference.fix,
    }
    whole = verified and verified.model_dump(mode="json")
    return json.dumps({"verified": whole, "difference": place}, indent=2)
