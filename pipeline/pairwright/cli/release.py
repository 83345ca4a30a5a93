"""`pairwright release`, and what it prints at its end."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.assets import DOCS
from pairwright.cli.human.options import RunPath, share_of
from pairwright.cli.printing import command, print_commands, say
from pairwright.cli.progress import display
from pairwright.cli.scoring import new_folder
from pairwright.cli.verify import Public, Push, push_release
from pairwright.workflows import collector

if TYPE_CHECKING:
    from pairwright.workflows.new_release import ReleaseResult


def release_command(
    run: RunPath,
    out: Annotated[Path, new_folder("A new folder, for the release.")],
    version: Annotated[
        str, typer.Option(metavar="X.Y.Z", help="The version, higher than any before.")
    ],
    previous: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The release before this one; none for the first."),
    ] = None,
    trial: Annotated[
        bool,
        typer.Option(
            "--trial",
            help="For trying out: simulated and unverified pairs, too. Not a benchmark.",
        ),
    ] = False,
    validation: Annotated[
        float,
        typer.Option(
            parser=share_of,
            metavar="SHARE",
            help="Share of users, such as 10%, whose pairs are in the split `validation`.",
        ),
    ] = 0.0,
    push: Push = None,
    public: Public = False,
) -> None:
    """Release what people verified, as a dataset folder that proves what it says.

    Holds the pairs as Parquet and as message lists, raw verdicts by pseudonym, the audit, card,
    datasheet, Croissant, licences, manifest, changelog and checksums. The rule is [human] of
    RUN/config.toml; what the pages say of the dataset is [release]. Nothing simulated and nothing
    unverified is in it, unless it is a --trial, which says so everywhere.

    The same run, version and previous release give the same bytes.

    Examples:

      pairwright release runs/first --out releases/1.0.0 --version 1.0.0

      pairwright release runs/first --out releases/1.1.0 --version 1.1.0 --previous releases/1.0.0

      pairwright release runs/demo --out releases/demo --version 0.1.0 --trial
    """
    # Statistics and plots take a while to import, and other commands do without.
    from pairwright.workflows.new_release import release
    from pairwright.workflows.releases import check_publication

    collector.ease()
    if push:
        check_publication(push, trial=trial)
    with display() as progress:
        result = release(
            run, out, version, previous=previous, trial=trial, validation_share=validation,
            progress=progress,
        )  # fmt: skip
    _print(Console(), run, result)
    if push:
        push_release(out, push, public=public)


def _print(console: Console, run: Path, result: "ReleaseResult") -> None:
    """Print what was released, what was not and why, and what to do next."""
    from pairwright.workflows.release_advice import advise

    provenance = result.provenance
    if provenance.kind == "trial":
        because = "; ".join(provenance.trial_because)
        console.print(f"A trial, not a benchmark: {because}.", style="bold red", markup=False)
    console.print(_released(result))
    if result.left_out:
        console.print(_left_out(result))
    for line in advise(result, run):
        say(console, line, "yellow")
    config, out = result.summary.configs[0].config, result.folder
    say(console, f"The pages state what [release] of {run / 'config.toml'} says.")
    say(console, f"Root digest: {result.digest}")
    print_commands(
        console,
        "Next:",
        (
            command("verify", out, "--digest", result.digest),
            str(out / "audit" / "report.html"),
            command("evaluate", out, "--out", "results")
            + f"   # the baselines; {DOCS / 'evaluate.md'} has more",
            f"datasets.load_dataset({json.dumps(str(out))}, {json.dumps(config)})   # in Python",
        ),
    )


def _released(result: "ReleaseResult") -> Table:
    """By configuration: twins and pairs, of those in the run; rows by split; users."""
    splits = Counter[tuple[str, str]]()
    for part in result.summary.parts:
        splits[part.config, part.split] += part.rows
    names = sorted({split for _, split in splits})
    table = Table(
        box=box.SIMPLE, title=escape(f"{result.provenance.name} {result.provenance.version}"),
        title_justify="left",
        caption="released: twins and pairs, of those in the run; then rows by split, and users",
        caption_justify="left",
    )  # fmt: skip
    table.add_column("configuration", overflow="fold")
    for head in ("released", "of", *names, "users"):
        table.add_column(head, justify="right", no_wrap=True)
    summaries = {summary.config: summary for summary in result.summary.configs}
    for config, n in sorted(result.subjects.items()):
        summary = summaries.get(config)
        rows = (f"{splits[config, name]:,}" for name in names)
        subjects, users = (summary.subjects, summary.users) if summary else (0, 0)
        table.add_row(escape(config), f"{subjects:,}", f"{n:,}", *rows, f"{users:,}")
    return table


def _left_out(result: "ReleaseResult") -> Table:
    """Subjects by the reason why they are not released."""
    table = Table(
        box=box.SIMPLE, title="not released (twins and pairs)", title_justify="left",
        show_header=False,
    )  # fmt: skip
    for reason, n in sorted(result.left_out.items(), key=lambda row: (-row[1], row[0])):
        table.add_row(escape(reason), f"{n:,}")
    return table
