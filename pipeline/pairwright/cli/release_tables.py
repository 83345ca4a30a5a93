"""What `release` prints at its end."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.workflows.release_content import Gathered
from pairwright.workflows.new_release import Made
from pairwright.cli.program import program
from pairwright.release.errata import FILE as ERRATA
from pairwright.release.summary import Summary
from pairwright.settings.rules import ReleaseInfo
from pairwright.text import number_of

FAILED = 8
"""Failed checks that are named."""


def tell(console: Console, run: Path, out: Path, made: Made) -> None:
    """What was released, what was not and why, and what to do next."""
    gathered, summary = made.gathered, made.summary
    stated = gathered.content.stated
    if stated.kind == "trial":
        because = "; ".join(stated.trial_because)
        console.print(f"A trial, no benchmark: {because}.", style="bold red", markup=False)
    console.print(_released(f"{stated.name} {stated.version}", gathered, summary))
    if any(gathered.why.values()):
        console.print(_left_out(gathered))
    for line in _notes(made, run):
        console.print(line, style="yellow", markup=False, highlight=False, soft_wrap=True)
    config = summary.configs[0].config
    for line in (
        f"Root digest: {made.digest}",
        "Next:",
        f"  {program()} verify {out} --digest {made.digest}",
        f"  {out / 'audit' / 'report.html'}",
        f"  {program()} evaluate {out} --out results   # the baselines; docs/evaluate.md has more",
        f'  datasets.load_dataset("{out}", "{config}")   # in Python',
    ):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _released(title: str, gathered: Gathered, summary: Summary) -> Table:
    """By configuration: twins and pairs, of those in the run; rows by split; users."""
    of = Counter(entry.config for entry in gathered.entries)
    splits = Counter[tuple[str, str]]()
    for part in summary.parts:
        splits[part.config, part.split] += part.rows
    names = sorted({split for _, split in splits})
    caption = "released, of: twins and pairs; then rows by split"
    table = Table(
        box=box.SIMPLE, title=escape(title), title_justify="left", caption=caption,
        caption_justify="left",
    )  # fmt: skip
    table.add_column("configuration", overflow="fold")
    for head in ("released", "of", *names, "users"):
        table.add_column(head, justify="right", no_wrap=True)
    there = {config.config: config for config in summary.configs}
    for config in sorted(of):
        told = there.get(config)
        rows = (f"{splits[config, name]:,}" for name in names)
        subjects, users = (told.subjects, told.users) if told else (0, 0)
        table.add_row(escape(config), f"{subjects:,}", f"{of[config]:,}", *rows, f"{users:,}")
    return table


def _left_out(gathered: Gathered) -> Table:
    """Subjects by why they are not released."""
    table = Table(
        box=box.SIMPLE, title="not released (twins and pairs)", title_justify="left",
        show_header=False,
    )  # fmt: skip
    counts = Counter(reason for reason in gathered.why.values() if reason)
    for reason, n in sorted(counts.items(), key=lambda of: (-of[1], of[0])):
        table.add_row(escape(reason), f"{n:,}")
    return table


def _notes(made: Made, run: Path) -> Iterator[str]:
    gathered, failed_checks = made.gathered, made.failed_checks
    if gathered.failed:
        yield (
            f"{number_of(gathered.failed, 'unit')} of the build failed, and the release says that"
            " it is short: build again to ask for them."
        )
    stated, splits = gathered.content.stated, {part.split for part in made.summary.parts}
    if stated.validation_share and "validation" not in splits:
        yield "Nobody came into the split `validation`: it takes users by hash, and they are few."
    if stated.validation_share and "test" not in splits:
        yield (
            "Nobody is left in the split `test`, on which results are compared: `validation` takes"
            " users by hash, and they are few. A smaller --validation leaves more of them."
        )
    if lost := made.errata_left_out:
        errata = number_of(len(gathered.content.errata), "erratum", "errata")
        yield (
            f"{lost:,} of {errata} left out: no pair that may be"
            f" named, of this release or the one before, has their id. See {run / ERRATA}."
        )
    before = gathered.content.previous
    if before and stated.validation_share < before.stated.validation_share:
        share = f"{before.stated.validation_share:.12g}"
        yield (
            f"{before.name} had a share of {share} of its users in the split `validation`, and this"
            f" has {stated.validation_share:.12g}: some of them are now in `test`, where scorers"
            f" that were tuned on them should not be tested. --validation {share} leaves them."
        )
    if failed_checks:
        checks = number_of(len(failed_checks), "check")
        more = len(failed_checks) - FAILED
        named = "; ".join(failed_checks[:FAILED]) + (f"; and {more:,} more" if more > 0 else "")
        yield f"{checks} of its audit failed: {named}. audit/report.html says where and what to do."
    if empty := not_stated(stated.info, made.summary):
        yield (
            f'The pages say "Not stated." of {", ".join(empty)}: [release] in'
            f" {run / 'config.toml'} is the place."
        )


def not_stated(info: ReleaseInfo, summary: Summary) -> list[str]:
    """The fields that are empty, in their order. A licence is wanted where a post has none."""
    known = {"licence"} - summary.licences.keys() if "unknown" not in summary.licences else set()
    return [name for name, value in info if not value and name not in known]
