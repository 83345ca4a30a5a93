"""What `release` prints at its end."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.assets import DOCS
from pairwright.cli.printing import say
from pairwright.cli.shell import command, print_commands
from pairwright.release.run_notes import ERRATA_FILE as ERRATA
from pairwright.release.summary import Summary
from pairwright.settings.rules import ReleaseInfo
from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.workflows.new_release import ReleaseResult

FAILED = 8
"""Failed checks that are named."""


def print_release(console: Console, run: Path, result: "ReleaseResult") -> None:
    """Print what was released, what was not and why, and what to do next."""
    provenance = result.provenance
    if provenance.kind == "trial":
        because = "; ".join(provenance.trial_because)
        console.print(f"A trial, not a benchmark: {because}.", style="bold red", markup=False)
    console.print(_released(result))
    if result.left_out:
        console.print(_left_out(result))
    for line in _notes(result, run):
        say(console, line, "yellow")
    config, out = result.summary.configs[0].config, result.folder
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
        title_justify="left", caption="released, of: twins and pairs; then rows by split",
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


def _notes(result: "ReleaseResult", run: Path) -> Iterator[str]:
    if result.failed_units:
        yield (
            f"{number_of(result.failed_units, 'unit')} of the build failed, and the release says"
            " that it is short: build again to ask for them."
        )
    share, splits = (
        result.provenance.validation_share,
        {part.split for part in result.summary.parts},
    )
    if share and "validation" not in splits:
        yield "No user is in the split `validation`: it takes users by hash, and they are few."
    if share and "test" not in splits:
        yield (
            "No user is left in the split `test`, on which results are compared: `validation` takes"
            " users by hash, and they are few. A smaller --validation leaves more of them."
        )
    if result.errata_left_out:
        errata = number_of(result.errata, "erratum", "errata")
        yield (
            f"{result.errata_left_out:,} of {errata} left out: no pair that may be"
            f" named, of this release or the one before, has their id. See {run / ERRATA}."
        )
    before = result.previous
    if before and share < before.validation_share:
        earlier = f"{before.validation_share:.12g}"
        yield (
            f"{before.name} {before.version} had a share of {earlier} of its users in the split"
            f" `validation`, and this has {share:.12g}: some of them are now in `test`, where"
            f" scorers that were tuned on them should not be tested. --validation {earlier} leaves"
            " them."
        )
    if failed := result.failed_checks:
        checks = number_of(len(failed), "check")
        more = len(failed) - FAILED
        named = "; ".join(failed[:FAILED]) + (f"; and {more:,} more" if more > 0 else "")
        yield f"{checks} of its audit failed: {named}. audit/report.html says where and what to do."
    if empty := not_stated(result.provenance.info, result.summary):
        yield (
            f'The pages say "Not stated." of {", ".join(empty)}: state them in [release] of'
            f" {run / 'config.toml'}."
        )


def not_stated(info: ReleaseInfo, summary: Summary) -> list[str]:
    """The fields that are empty, in their order. A licence is needed where a post has none."""
    needless = {"licence"} - summary.licences.keys() if "unknown" not in summary.licences else set()
    return [name for name, value in info if not value and name not in needless]
