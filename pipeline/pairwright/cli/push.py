"""`pairwright push`: a verified release to the Hugging Face Hub. `release --push` is the same."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.progress import display
from pairwright.cli.verify import print_verified
from pairwright.workflows import collector

Public = Annotated[
    bool,
    typer.Option(
        "--public", help="Make a dataset that does not exist yet public, instead of private."
    ),
]


def push_command(
    release: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release.")],
    name: Annotated[str, typer.Argument(metavar="ORG/NAME", help="Where on the Hub.")],
    public: Public = False,
) -> None:
    """Verify a release and publish it on the Hugging Face Hub, tagged with its version.

    Needs the extra [hub] and your own login: `hf auth login`, or HF_TOKEN. A new dataset is
    private, so that it can be looked at first; one that exists stays as visible as it is.

    Example:

      pairwright push releases/1.0.0 my-lab/my-pairs
    """
    collector.ease()
    push_and_print(release, name, public=public)


def push_and_print(release: Path, name: str, *, public: bool) -> None:
    """Publish a release, and print what was verified and where it is now."""
    from pairwright.workflows.releases import publish

    with display() as progress:
        published = publish(release, name, public=public, progress=progress)
    console, place = Console(), published.place
    print_verified(console, published.release)
    access = "private: make it public on its settings page" if place.private else "public"
    console.print(
        f"Published as {place.tag}, {access}: {place.url}",
        highlight=False, markup=False, soft_wrap=True,
    )  # fmt: skip
