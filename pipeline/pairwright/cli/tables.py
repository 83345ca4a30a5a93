"""The tables that commands print."""

from collections import Counter
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.construct.estimate import BuildEstimate
    from pairwright.construct.pilot import PilotEstimate
    from pairwright.workflows.run_status import RunStatus


def result_table(console: Console, status: "RunStatus", sent: int | None = None) -> None:
    """Print what a build made: items in, pairs kept, units refused by reason, calls and tokens.

    `sent` is the number of calls that were sent just now.
    """
    # What reads outcomes takes a while to import, and other commands do without.
    from pairwright.construct.funnel import funnel_rows, kept_costs
    from pairwright.modes import STAGES

    counted = status.tally
    table = Table(
        title=escape(str(status.run)), box=box.SIMPLE, title_justify="left", show_header=False
    )
    table.add_column(style="bold", no_wrap=True, min_width=10)
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    for mode in status.config.modes:
        table.add_row("items in", mode, f"{counted.of_mode(mode):,}")
    for mode in status.config.modes:
        twins = f" ({number_of(counted.kept[mode], 'twin')})" if mode == "twin" else ""
        table.add_row("pairs kept", mode + twins, f"{counted.pairs[mode]:,}")
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
    table.add_section()
    for mode in status.config.modes:
        for stage, found in funnel_rows(counted.reached, mode)[1:]:
            table.add_row("funnel", f"{mode}: {STAGES[stage]}", str(found))
    table.add_section()
    for posts, found in counted.no_signal_by_length():
        table.add_row("no signal", f"of {posts} posts", str(found))
    for check in status.checks:
        if check.found.n:
            table.add_row("check", check.meaning, str(check.found))
    for kind, n in counted.lenient.most_common():
        share = f"{n:,} of {counted.json_replies:,}"
        table.add_row("lenient", f"replies read in spite of: {kind.replace('_', ' ')}", share)
    table.add_section()
    totals = status.stored
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


def recorded_models(status: "RunStatus") -> str:
    """Who wrote the recorded replies, as a phrase."""
    what = "the embedded model" if status.simulated else "a language model"
    return f"{what} ({', '.join(status.recorded)})"


def estimate_tables(console: Console, expected: "BuildEstimate") -> None:
    """What a build would cost at the least and at the most."""
    for title, lines in (
        ("if every first draft is accepted", expected.first_draft),
        ("at most, if every draw is used", expected.at_most),
    ):
        table = Table(
            title=f"{number_of(expected.items, 'item')}, {title}",
            box=box.SIMPLE,
            title_justify="left",
        )
        for name in ("role", "model", "calls", "prompt tokens", "reply tokens", "cost"):
            table.add_column(name, justify="left" if name in ("role", "model") else "right")
        for line in lines:
            table.add_row(
                line.role,
                f"{line.model} ({line.endpoint})",
                f"{line.calls:,}",
                f"{line.prompt_tokens:,}",
                f"{line.completion_tokens:,}",
                _range(line.cost_with_cache, line.cost),
            )
        sums = (
            sum(getattr(line, name) for line in lines)
            for name in ("calls", "prompt_tokens", "completion_tokens")
        )
        dearest = sum(line.cost for line in lines)
        price = _range(sum(line.cost_with_cache for line in lines), dearest)
        table.add_row("all", "", *(f"{total:,}" for total in sums), price, style="bold")
        console.print(table)
    console.print(
        "Nothing was sent. Items that show no personal signal stop early and cost less;"
        " reply lengths are assumptions."
    )
    cached = [sum(line.cached_tokens for line in lines) for lines in expected[2:]]
    if any(cached):
        least, most = (f"{tokens:,}" for tokens in cached)
        console.print(
            f"Up to {least if least == most else f'{least} to {most}'} of the prompt tokens are"
            " histories that were sent before, which an endpoint's cache may hold; price_cached"
            " of an endpoint is their price."
        )


def _range(low: float, high: float) -> str:
    """Two amounts of money, or one where they are the same."""
    return f"{high:,.2f}" if low == high else f"{low:,.2f} to {high:,.2f}"


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
    console.print(
        f"{status.failed:,} of {number_of(units, 'unit')} failed ({most});"
        f" {status.run / 'failed.jsonl'} says why.",
        style="yellow",
        highlight=False,
        soft_wrap=True,
        markup=False,
    )


def pilot_table(console: Console, expected: "PilotEstimate", n: int) -> None:
    """What a build will take by what a pilot came to: `n` kept units or items are given."""
    from pairwright.construct.pilot import kept_word

    kept = kept_word(expected.mode)
    table = Table(
        title=f"By the pilot: {n:,} {kept if expected.given == 'kept' else 'items'}",
        box=box.SIMPLE,
        title_justify="left",
    )
    for name in ("", "expected", "95 % interval"):
        table.add_column(name, justify="right" if name else "left")
    words = {"kept": f"{kept} kept", "prompt_tokens": "prompt tokens",
             "completion_tokens": "reply tokens"}  # fmt: skip
    for one in expected.expected:
        places = 2 if one.name == "cost" else 0
        high = f"{one.high:,.{places}f}" if one.high < float("inf") else "no upper end"
        table.add_row(
            words.get(one.name, one.name),
            f"{one.value:,.{places}f}",
            f"{one.low:,.{places}f} to {high}",
        )
    console.print(table)
    console.print(
        f"Of {number_of(expected.users, 'user')} of the pilot with"
        f" {number_of(expected.items, 'item')} and {expected.kept:,} {kept} kept; intervals are of"
        " bootstrap draws of users. It holds for users like those of the pilot."
    )
    if expected.simulated:
        console.print("[bold]Simulated:[/bold] the embedded model answered in the pilot.")


def print_source_problems(console: Console, status: "RunStatus") -> None:
    """Print why rows and posts of the source were refused or repaired; nothing where none was."""
    if not status.source_problems:
        return
    from pairwright.construct.folder import RunFolder

    console.print("Rows and posts of the source:", style="yellow")
    every = f"{RunFolder(status.run).problems} names every one."
    for line in (*status.source_problems, every):
        console.print(f"  {line}", style="yellow", markup=False, highlight=False, soft_wrap=True)
