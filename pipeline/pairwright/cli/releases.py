"""`pairwright release`, `verify`, `diff` and `forget`: datasets, and what became of their pairs."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.assets import DOCS
from pairwright.cli.command import Command
from pairwright.cli.printing import print_words, say, warn
from pairwright.cli.progress import display
from pairwright.errors import Difference, InputError
from pairwright.options import Doc
from pairwright.releases.primary import Provenance
from pairwright.releases.run_notes import TOMBSTONES_FILE
from pairwright.releases.verify import VerifiedRelease
from pairwright.workflows.new_release import ReleaseResult, release
from pairwright.workflows.progress import Progress
from pairwright.workflows.releases import (
    ReleaseDiff,
    Removal,
    check_publication,
    diff,
    forget,
    publish,
    verify,
)

LISTED = 20
"""Subjects that the terminal names."""

Push = Annotated[
    str | None,
    Doc("Publish it there on the Hugging Face Hub once it is verified.", "ORG/NAME"),
]
Public = Annotated[bool, Doc("Make a dataset that does not exist yet public, instead of private.")]


def check_push(push: Push = None, trial: bool = False) -> None:
    """Raise InputError where the release that is to be made cannot be published."""
    if push:
        check_publication(push, trial=trial)


def print_release(
    result: ReleaseResult, run: Path, out: Path, push: Push = None, public: Public = False
) -> None:
    """Print what was released, what was not and why, and what to do next; publish it if asked."""
    console, folder = Console(), str(result.folder)
    _warn_of_trial(console, result.provenance)
    print_words("release", result=result, run=run)
    load = f"datasets.load_dataset({json.dumps(folder)}, "
    load += f"{json.dumps(result.summary.configs[0].config)})"
    print_words("release_next", wrap=False, result=result, run=run, docs=DOCS, load=load)
    if push:
        _publish(out, push, digest=None, public=public)


def _warn_of_trial(console: Console, release: Provenance | VerifiedRelease) -> None:
    if release.kind == "trial":
        because = "; ".join(release.trial_because)
        say(console, f"A trial, not a benchmark: {because}.", "bold red", wrap=True)


def _publish(folder: Path, name: str, *, digest: str | None, public: bool) -> None:
    """Verify and publish a release, and print what was verified and where it is now."""
    with display() as progress:
        verified, url, private = publish(
            folder, name, digest=digest, public=public, progress=progress
        )
    print_verified(verified, digest)
    access = "private: make it public on its settings page" if private else "public"
    say(Console(), f"Published as {verified.version}, {access}: {url}")


def verify_otherwise(
    release: Path,
    progress: Progress,
    digest: str | None = None,
    as_json: Annotated[bool, Doc("Print the outcome as JSON.", name="--json")] = False,
    push: Push = None,
    public: Public = False,
) -> int | None:
    """With --json verify and print JSON, also of a difference; with --push publish, too."""
    if push and as_json:
        raise InputError(
            "does not go with --push", where="--json", fix="Verify and publish one after the other."
        )
    if public and not push:
        raise InputError(
            "is only for --push", where="--public", fix="Name the dataset with --push ORG/NAME."
        )
    if push:
        _publish(release, push, digest=digest, public=public)
        return 0
    if not as_json:
        return None
    verified, place, code = None, None, 0
    try:
        verified = verify(release, digest, progress=progress).model_dump(mode="json")
    except Difference as found:
        place = {"where": found.where, "what": found.what, "fix": found.fix}
        code = found.exit_code
    typer.echo(json.dumps({"verified": verified, "difference": place}, indent=2))
    return code


def print_verified(verified: VerifiedRelease, digest: str | None = None) -> None:
    """Print what was checked, and what that cannot show; `digest` is the root digest that the user
    gave."""
    _warn_of_trial(Console(), verified)
    print_words("verify", wrap=False, verified=verified, digest=digest or "")


def print_diff(
    comparison: ReleaseDiff,
    as_json: Annotated[bool, Doc("Print every twin and pair, as JSON.", name="--json")] = False,
) -> None:
    """Print how many pairs were added, removed and changed, and why, and name the first ones."""
    if as_json:
        names = (f"{one.name} {one.version}" for one in (comparison.before, comparison.after))
        changes = [change._asdict() for change in comparison.changes]
        typer.echo(json.dumps({"releases": [*names], "changes": changes}, indent=2))
        return
    if comparison.before.info.name != comparison.after.info.name:
        warn(Console(), "These are releases of two datasets, not two of one.")
    print_words("diff", comparison=comparison, most=LISTED)


def print_removals(result: tuple[tuple[Removal, ...], tuple[str, ...]], run: Path) -> int:
    """Print what of the run is to be forgotten, and what is nowhere in it."""
    removals, missing = result
    print_words("forget", removals=removals, file=run / TOMBSTONES_FILE)
    if missing:
        names = ", ".join(map(repr, missing))
        typer.echo(
            f"Nowhere in this run, perhaps misspelt: {names}. Recorded all the same.", err=True
        )
    return int(bool(missing))


COMMANDS = {
    "release": Command(release, print_release, first=check_push),
    "verify": Command(verify, print_verified, first=verify_otherwise),
    "diff": Command(diff, print_diff),
    "forget": Command(forget, print_removals),
}
