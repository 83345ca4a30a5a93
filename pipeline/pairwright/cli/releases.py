"""`pairwright release`, `verify`, `diff` and `forget`: datasets, and what became of their pairs."""

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from pairwright.assets import DOCS
from pairwright.cli.command import Command
from pairwright.cli.printing import command, print_commands, say, table_of
from pairwright.cli.progress import display
from pairwright.errors import Difference, InputError
from pairwright.options import Doc
from pairwright.releases.changes import EITHER
from pairwright.releases.verify import VerifiedRelease
from pairwright.text import number_of, visible
from pairwright.workflows.new_release import ReleaseResult, advise, release
from pairwright.workflows.progress import Progress
from pairwright.workflows.releases import ReleaseDiff, check_publication, diff, publish, verify
from pairwright.workflows.removal import Removals, forget

CAPTION = "released: twins and pairs, of those in the run; then rows by split, and users"
LISTED = 20
"""Subjects that the terminal names."""
NOT_SHOWN = (
    "What this cannot show: stated.json is what the run says of itself, and anyone who can rewrite"
    " the whole folder\ncan make it agree with itself"
)
COMPARE = ": compare the root digest with the published one, or give it as --digest."
COMPARED = ", but not with this root digest: it is the one you gave."

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
    console, provenance = Console(), result.provenance
    if provenance.kind == "trial":
        because = "; ".join(provenance.trial_because)
        console.print(f"A trial, not a benchmark: {because}.", style="bold red", markup=False)
    console.print(_released(result))
    if result.left_out:
        # Subjects by the reason why they are not released.
        reasons = sorted(result.left_out.items(), key=lambda row: (-row[1], row[0]))
        rows = [(reason, f"{n:,}") for reason, n in reasons]
        console.print(table_of(("", "n"), rows, title="not released (twins and pairs)"))
    for line in advise(result, run):
        say(console, line, "yellow")
    config, folder = result.summary.configs[0].config, result.folder
    say(console, f"The pages state what [release] of {run / 'config.toml'} says.")
    say(console, f"Root digest: {result.digest}")
    print_commands(
        console,
        "Next:",
        (
            command("verify", folder, "--digest", result.digest),
            str(folder / "audit" / "report.html"),
            command("evaluate", folder, "--out", "results")
            + f"   # the baselines; {DOCS / 'evaluate.md'} has more",
            f"datasets.load_dataset({json.dumps(str(folder))}, {json.dumps(config)})   # in Python",
        ),
    )
    if push:
        _publish(out, push, digest=None, public=public)


def _released(result: ReleaseResult) -> Table:
    """By configuration: twins and pairs, of those in the run; rows by split; users."""
    splits = Counter[tuple[str, str]]()
    for part in result.summary.parts:
        splits[part.config, part.split] += part.rows
    names = sorted({split for _, split in splits})
    summaries = {summary.config: summary for summary in result.summary.configs}
    rows = []
    for config, n in sorted(result.subjects.items()):
        summary = summaries.get(config)
        counts = [splits[config, name] for name in names]
        released, users = (summary.subjects, summary.users) if summary else (0, 0)
        rows.append((config, *(f"{count:,}" for count in (released, n, *counts, users))))
    heads = ("configuration", "released", "of", *names, "users")
    title = f"{result.provenance.name} {result.provenance.version}"
    table = table_of(heads, rows, title=title)
    table.caption, table.caption_justify = CAPTION, "left"
    return table


def _publish(folder: Path, name: str, *, digest: str | None, public: bool) -> None:
    """Verify and publish a release, and print what was verified and where it is now."""
    with display() as progress:
        published = publish(folder, name, digest=digest, public=public, progress=progress)
    place = published.place
    print_verified(published.release, digest)
    access = "private: make it public on its settings page" if place.private else "public"
    say(Console(), f"Published as {place.tag}, {access}: {place.url}")


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
    console = Console()
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
        NOT_SHOWN + (COMPARE if digest is None else COMPARED),
    )
    for line in lines:
        say(console, line)


def print_diff(
    comparison: ReleaseDiff,
    as_json: Annotated[bool, Doc("Print every subject, as JSON.", name="--json")] = False,
) -> None:
    """Print how many pairs were added, removed and changed, and why, and name the first ones."""
    if as_json:
        typer.echo(json.dumps(comparison.as_json(), indent=2))
        return
    console = Console()
    names = (
        f"{release.name} {release.version}" for release in (comparison.before, comparison.after)
    )
    say(console, visible(" to ".join(names)), "bold", wrap=True)
    if not comparison.same_dataset:
        console.print("These are releases of two datasets, not two of one.", style="yellow")
    if comparison.reversed:
        console.print("A is the later one: what is called added here was removed.", style="yellow")
    if not comparison.subjects:
        console.print("No pair was added, removed or changed.")
        return
    rows = (
        (*map(visible, (change.config, change.what, change.reason)), f"{change.pairs:,}")
        for change in comparison.counts
    )
    console.print(table_of(("configuration", "what", "reason", "pairs"), rows, left=3))
    for subject in comparison.subjects[:LISTED]:
        say(console, visible(f"{subject.subject}  {subject.what}: {subject.reason}"))
    if len(comparison.subjects) > LISTED:
        console.print(f"... and {len(comparison.subjects) - LISTED:,} more; --json has them all.")
    if any(subject.reason == EITHER for subject in comparison.subjects):
        console.print(
            f"{EITHER}: a release names nobody who is to be forgotten, so which of the two it is"
            " cannot be known for one twin or pair.",
            highlight=False,
        )


def print_removals(removals: Removals) -> int:
    """Print what of the run is to be forgotten, and what is nowhere in it."""
    rows = [
        (
            removal.given,
            "recorded" if removal.new else "was recorded before",
            *(f"{n:,}" for n in (removal.items, removal.posts, removal.pairs, 2 * removal.twins)),
        )
        for removal in removals.removals
    ]
    heads = ("to be forgotten", "", "items", "posts", "pairs", "of them in twins")
    console = Console()
    console.print(table_of(heads, rows, left=2, title=str(removals.file)))
    console.print("The next release of this run goes without them.")
    if removals.missing:
        names = ", ".join(map(repr, removals.missing))
        typer.echo(
            f"Nowhere in this run, perhaps misspelt: {names}. Recorded all the same.", err=True
        )
    return int(bool(removals.missing))


COMMANDS = {
    "release": Command(release, print_release, first=check_push),
    "verify": Command(verify, print_verified, first=verify_otherwise),
    "diff": Command(diff, print_diff),
    "forget": Command(forget, print_removals),
}
