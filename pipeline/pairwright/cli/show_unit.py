"""What `show` prints of a unit: in brief, or everything."""

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.rule import Rule

from pairwright.cli.printing import command, print_commands, say
from pairwright.construct.outcome_lines import Box, Detail, Heading, summary_lines
from pairwright.construct.outcomes import Outcome
from pairwright.text import visible


def print_summary(console: Console, outcome: Outcome, run: Path, name: str) -> None:
    """Print the result in brief, and how to see the rest."""
    for line in summary_lines(outcome):
        say(console, visible(line), wrap=True)
    rest = "This is a summary. All posts, texts, drafts, prompts and raw replies:"
    print_commands(console, rest, [visible(command("show", run, name, "--full"))])


def print_details(console: Console, details: Iterable[Detail]) -> None:
    """Print headings, lines and boxes."""
    for part in details:
        if isinstance(part, Heading):
            console.print(Rule(escape(part.text)))
        elif isinstance(part, Box):
            console.print(Panel(escape(part.text), title=escape(part.title)))
        elif part.label:
            label = f"[{part.style}]{escape(part.label)}[/{part.style}]"
            console.print(f"{part.indent}{label}{escape(part.rest)}")
        else:
            console.print(escape(part.rest))
