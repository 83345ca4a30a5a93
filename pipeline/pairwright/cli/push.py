"""`pairwright push`: a verified release to the Hugging Face Hub. `release --push` is the same."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.verify import tell, verify_shown
from pairwright.errors import InputError
from pairwright.extras import install
from pairwright.workflows import collector

Public = Annotated[
    bool, typer.Option("--public", help="Make a dataset that is not there yet public, not private.")
]


def push_command(
    release: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release.")],
    name: Annotated[str, typer.Argument(metavar="ORG/NAME", help="Where on the Hub.")],
    public: Public = False,
) -> None:
    """Verify a release and publish it on the Hugging Face Hub, tagged with its version.

    Needs the extra [hub] and your own login: `hf auth login`, or HF_TOKEN. A new dataset is
    private, so that it can be looked at first; one that is there stays as visible as it is.

    Example:

      pairwright push releases/1.0.0 my-lab/my-pairs
    """
    collector.ease()
    publish(release, name, public=public)


def check_push(name: str, *, trial: bool) -> None:
    """Before any work: raise InputError where a release of this kind cannot go to this name, or
    the extra is missing."""
    try:
        from pairwright.release.push import check_name
    except ModuleNotFoundError as error:
        if error.name != "huggingface_hub":
            raise
        raise InputError(
            "to push, `huggingface_hub` is missing",
            where=name,
            fix=f"Run {install('hub')}.",
        ) from None
    check_name(name, trial=trial)


def publish(release: Path, name: str, *, public: bool = False) -> None:
    """Verify, push, and tell where it is. Raises Difference and InputError."""
    check_push(name, trial=name.endswith("-trial"))
    from pairwright.release.push import push

    verified = verify_shown(release)
    pushed = push(release, name, verified, public=public)
    console = Console()
    tell(console, verified)
    seen = "private: make it public on its settings page" if pushed.private else "public"
    console.print(
        f"Published as {pushed.tag}, {seen}: {pushed.url}",
        highlight=False, markup=False, soft_wrap=True,
    )  # fmt: skip
