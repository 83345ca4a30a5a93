"""`pairwright release`, `audit`, `check`, `diff` and `forget`: what a dataset is and became."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from typer import Option

from pairwright.audits.checks import DEFINITIONS
from pairwright.audits.page.verdict import QUESTION, audit_verdict, guess_table, short, warnings
from pairwright.audits.run import AuditResult
from pairwright.cli.printing import print_table, print_words
from pairwright.cli.progress import display
from pairwright.modes import title_of
from pairwright.pairs.address import TOMBSTONES_FILE
from pairwright.releases.check import CheckedRelease
from pairwright.releases.diff import ReleaseDiff
from pairwright.releases.forget import Removal
from pairwright.releases.write import ReleaseResult

LISTED = 20
"""Subjects that the terminal names."""

Push = Annotated[
    str | None,
    Option(help="Publish the checked release on the Hugging Face Hub.", metavar="ORG/NAME"),
]


def print_release(work: Callable[[], ReleaseResult], run: Path) -> None:
    """Print what was released, what was not and why, and what to do next."""
    print_words("release", result=work(), run=run, title_of=title_of, definitions=DEFINITIONS)


def print_check(
    work: Callable[[], CheckedRelease],
    release: Path,
    digest: str | None = None,
    push: Push = None,
) -> None:
    """Print what was checked; with `push` publish it, too, and print where it is now."""
    if not push:
        print_words("check", checked=work(), digest=digest)
        return
    from pairwright.releases.hub import publish

    with display() as progress:
        checked, url, private = publish(release, push, digest=digest, progress=progress)
    print_words("check", checked=checked, digest=digest, url=url, private=private)


def print_diff(
    result: ReleaseDiff,
    as_json: Annotated[bool, Option("--json", help="Print every twin and pair, as JSON.")] = False,
) -> None:
    """Print how many pairs were added, removed and changed, and why, and name the first ones."""
    if as_json:
        names = (f"{one.name} {one.version}" for one in (result.before, result.after))
        changes = [change._asdict() for change in result.changes]
        typer.echo(json.dumps({"releases": [*names], "changes": changes}, indent=2))
    else:
        print_words("diff", comparison=result, most=LISTED)


def print_removals(result: tuple[tuple[Removal, ...], tuple[str, ...]], run: Path) -> int:
    """Print what of the run is to be forgotten, and what is nowhere in it."""
    removals, missing = result
    print_words("forget", removals=removals, file=run / TOMBSTONES_FILE)
    if missing:
        print_words("nowhere", err=True, missing=missing)
    return int(bool(missing))


def print_audit(
    result: AuditResult,
    as_json: Annotated[
        bool, Option("--json", help="Print audit.json instead of the table.")
    ] = False,
) -> int:
    """Print an audit: what failed, why it matters and what to do; then the accuracies."""
    if as_json:
        typer.echo((result.folder / "audit.json").read_text(encoding="utf-8"), nl=False)
    else:
        audit = result.audit
        if (table := guess_table(audit)).rows:
            print_table(Console(), table)
        print_words(
            "audit", audit=audit, warnings=warnings(audit), verdict=audit_verdict(audit),
            folder=result.folder, question=QUESTION, short=short,
        )  # fmt: skip
    return int(not result.passed)
