"""What commands print of a run: what it made, what failed, and what its source lacks."""

from collections import Counter
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.cli.printing import say
from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.workflows.run_status import RunStatus


def print_run(console: Console, status: "RunStatus", sent: int | None = None) -> None:
    """Print what a build made: items in, pairs kept, units refused by reason, calls and tokens.

    `sent` is the number of calls that were sent just now.
    """
    table = Table(
        title=escape(str(status.run)), box=box.SIMPLE, title_justify="left", show_header=False
    )
    table.add_column(style="bold", no_wrap=True, min_width=10)
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    _add_outcomes(table, status)
    table.add_section()
    _add_funnel(table, status)
    table.add_section()
    _add_checks(table, status)
    table.add_section()
    _add_costs(table, status, sent)
    console.print(table)
    if status.simulated:
        console.print(
            "[bold]Simulated:[/bold] the embedded model answered. This shows how the tool works"
            " and is not a benchmark; every pair is marked so."
        )
    if status.recorded:
        console.print(
            f"[bold]Recorded:[/bold] replies written by {escape(recorded_models(status))} were"
            " recorded in an earlier run; this one took them from the recording."
        )


def _add_outcomes(table: Table, status: "RunStatus") -> None:
    """Add what came in, and what came of it."""
    counted = status.tally
    for mode in status.config.modes:
        table.add_row("items in", mode, f"{counted.of_mode(mode):,}")
    for mode in status.config.modes:
        twins = f" ({number_of(counted.kept[mode], 'twin')})" if mode == "twin" else ""
        table.add_row("pairs kept", mode + twins, f"{counted.pairs[mode]:,}")
    if status.surveyed and not status.finished:
        table.add_row("surveyed", "items; twins follow when all are", f"{status.surveyed:,}")
    if target := status.target:
        left = number_of(target.items_left, "item")
        table.add_row("target", f"{target.mode}s; {left} not needed", f"{target.n:,}")
    if not counted.rejected:
        table.add_row("refused", "", "0")
    for (where, _, reason), n in counted.rejected.most_common():
        table.add_row("refused", f"{where}: {reason}", f"{n:,}")
    for gate, n in counted.drafts.most_common():
        table.add_row("drafts", f"refused: {gate}", f"{n:,}")
    if not counted.failed:
        table.add_row("failed", "", "0")
    for (where, reason), n in counted.failed.most_common():
        table.add_row("failed", f"{where}: {reason}", f"{n:,}", style="red")
    for (where, purpose), n in counted.waiting.most_common():
        table.add_row("waiting", f"{where}: for {purpose}", f"{n:,}")


def _add_funnel(table: Table, status: "RunStatus") -> None:
    """Add how many units reached each stage of their mode, the first one left out."""
    # What reads outcomes takes a while to import, and other commands do without.
    from pairwright.construct.funnel import funnel_rows
    from pairwright.modes import STAGES

    for mode in status.config.modes:
        for stage, reached in funnel_rows(status.tally.reached, mode)[1:]:
            if reached.n:
                table.add_row("funnel", f"{mode}: {STAGES[stage]}", str(reached))


def _add_checks(table: Table, status: "RunStatus") -> None:
    """Add what is known of the models: signals by length of history, controls, odd replies."""
    counted = status.tally
    for posts, share in counted.no_signal_by_length():
        table.add_row("no signal", f"of {posts} posts", str(share))
    for check in status.checks:
        if check.found.n:
            table.add_row("check", check.meaning, str(check.found))
    for kind, n in counted.lenient.most_common():
        of_replies = f"{n:,} of {counted.json_replies:,}"
        table.add_row("lenient", f"replies read in spite of: {kind.replace('_', ' ')}", of_replies)


def _add_costs(table: Table, status: "RunStatus", sent: int | None) -> None:
    """Add calls and tokens: of all, and for one kept pair."""
    from pairwright.construct.funnel import kept_costs

    counted, totals = status.tally, status.stored
    now = "" if sent is None else f"; {sent:,} sent now"
    table.add_row("calls", f"stored{now}", f"{totals.calls:,}")
    table.add_row("tokens", "of prompts", f"{totals.prompt_tokens:,}")
    if totals.cached_tokens:
        table.add_row("tokens", "of them from caches", f"{totals.cached_tokens:,}")
    table.add_row("tokens", "of replies", f"{totals.completion_tokens:,}")
    if status.cost:
        table.add_row("cost", "by the config's prices", f"{status.cost:,.2f}")
    for one in kept_costs(counted.pairs, counted.kept, totals, status.cost):
        if one.kept:
            table.add_row("each", f"for one of {number_of(one.kept, f'kept {one.what}')}", str(one))


def recorded_models(status: "RunStatus") -> str:
    """The models that wrote the recorded replies, as a phrase."""
    what = "the embedded model" if status.simulated else "a language model"
    return f"{what} ({', '.join(status.recorded)})"


SHORT = 0.05
"""The share of failed units above which a run is called short in plain words."""


def print_failures(console: Console, status: "RunStatus") -> None:
    """Print how many units failed and why; nothing where none did."""
    if not status.failed:
        return
    reasons: Counter[str] = Counter()
    for (_, reason), n in status.tally.failed.items():
        reasons[reason] += n
    units, most = status.tally.units, ", ".join(f"{why} {n:,}" for why, n in reasons.most_common(3))
    if status.failed / units > SHORT:
        console.print(
            f"This run is short: {status.failed / units:.0%} of its units have no outcome, and no"
            " figure of it speaks for them.",
            style="bold red",
            highlight=False,
        )
    say(
        console,
        f"{status.failed:,} of {number_of(units, 'unit')} failed ({most});"
        f" {status.run / 'failed.jsonl'} says why.",
        "yellow",
    )


def print_source_problems(console: Console, status: "RunStatus") -> None:
    """Print why rows and posts of the source were refused or repaired; nothing where none was."""
    if not status.source_problems:
        return
    from pairwright.construct.folder import RunFolder

    console.print("Rows and posts of the source:", style="yellow")
    every = f"{RunFolder(status.run).problems} names every one."
    for line in (*status.source_problems, every):
        say(console, f"  {line}", "yellow")
