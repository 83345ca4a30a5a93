"""The tables of a dry run: what a build would cost, by its config and by a pilot."""

from typing import TYPE_CHECKING

from rich.console import Console

from pairwright.cli.printing import table_of
from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.construct.estimate import BuildEstimate
    from pairwright.construct.pilot import PilotEstimate


def print_estimate(console: Console, expected: "BuildEstimate") -> None:
    """Print what a build would cost at the least and at the most."""
    for title, lines in (
        ("if every first draft is accepted", expected.first_draft),
        ("at most, if every draw is used", expected.at_most),
    ):
        rows = [
            (
                line.role,
                f"{line.model} ({line.endpoint})",
                *(f"{n:,}" for n in (line.calls, line.prompt_tokens, line.completion_tokens)),
                _range(line.cost_with_cache, line.cost),
            )
            for line in lines
        ]
        heads = ("role", "model", "calls", "prompt tokens", "reply tokens", "cost")
        items = number_of(expected.items, "item")
        table = table_of(heads, rows, left=2, title=f"{items}, {title}")
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


def print_pilot_estimate(console: Console, expected: "PilotEstimate", n: int) -> None:
    """Print what a build will take by a pilot's outcome, for `n` kept units or `n` items."""
    from pairwright.construct.pilot import kept_word

    kept = kept_word(expected.mode)
    words = {"kept": f"{kept} kept", "prompt_tokens": "prompt tokens",
             "completion_tokens": "reply tokens"}  # fmt: skip
    rows = []
    for one in expected.expected:
        places = 2 if one.name == "cost" else 0
        high = f"{one.high:,.{places}f}" if one.high < float("inf") else "no upper end"
        value, interval = f"{one.value:,.{places}f}", f"{one.low:,.{places}f} to {high}"
        rows.append((words.get(one.name, one.name), value, interval))
    title = f"By the pilot: {n:,} {kept if expected.given == 'kept' else 'items'}"
    console.print(table_of(("", "expected", "95 % interval"), rows, title=title))
    console.print(
        f"Of {number_of(expected.users, 'user')} of the pilot with"
        f" {number_of(expected.items, 'item')} and {expected.kept:,} {kept} kept; intervals are of"
        " bootstrap draws of users. It holds for users like those of the pilot."
    )
    if expected.simulated:
        console.print("[bold]Simulated:[/bold] the embedded model answered in the pilot.")
