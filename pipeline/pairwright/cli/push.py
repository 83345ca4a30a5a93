"""A verified release to the Hugging Face Hub, for `verify --push` and `release --push`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.errors import InputError
from pairwright.extras import install

Push = Annotated[
    str | None,
    typer.Option(
        "--push",
        metavar="ORG/NAME",
        help="Publish it there on the Hugging Face Hub once it is verified.",
    ),
]
Public = Annotated[
    bool, typer.Option("--public", help="Make a dataset that is not there yet public, not private.")
]


def check_push(name: str, *, trial: bool) -> None:
    """Before any work: raise InputError where a release of this kind cannot go to this name, or
    the extra is missing."""
    try:
        from pairwright.release.hub import check_name
    except ModuleNotFoundError as error:
        if error.name != "huggingface_hub":
            raise
        raise InputError(
            "to push, `huggingface_hub` is missing",
            where=name,
            fix=f"Run {install('hub')}.",
        ) from None
    check_name(name, trial=trial)


def publish(release: Path, name: str, *, digest: str | None = None, public: bool = False) -> None:
    """Verify, push, and tell where it is. Raises Difference and InputError."""
    check_push(name, trial=name.endswith("-trial"))
    from pairwright.cli.verify import tell, verify_shown
    from pairwright.release.hub import push

    verified = verify_shown(release, digest)
    pushed = push(release, name, verified, public=public)
    console = Console()
    tell(console, verified, held=digest is not None)
    seen = "private: make it public on its settings page" if pushed.private else "public"
    console.print(
        f"Published as {pushed.tag}, {seen}: {pushed.url}",
        highlight=False, markup=False, soft_wrap=True,
    )  # fmt: skip
