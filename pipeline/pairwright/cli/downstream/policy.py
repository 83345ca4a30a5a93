"""`pairwright downstream policy`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.cli.printing import say, warn
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import (
    PairSplit,
    ReleasePath,
    SubjectLimit,
    end_by_coverage,
    least_share,
    new_folder,
    print_result,
    scorers_file,
)

if TYPE_CHECKING:
    from pairwright.evaluate.guided.accuracy import PolicyAccuracy


def policy_command(
    release: ReleasePath,
    scorers: Annotated[Path, scorers_file("Guided policies, their policies and rewards.")],
    out: Annotated[Path, new_folder("Folder of the results; one of `evaluate` will do.")],
    scorer: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A guided policy; again for more [all of the file]."),
    ] = None,
    condition: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COND",
            help="none, profile, ... as in evaluate; again for more [none, profile].",
        ),
    ] = None,
    split: PairSplit = None,
    limit: SubjectLimit = None,
    coverage: Annotated[
        float, least_share("Least share of twins and other pairs to score.")
    ] = 0.95,
) -> None:
    """Policy accuracy: whether what reward-guided decoding adds up prefers the chosen response.

    Scores each guided policy, its policy alone and its reward alone, summed over tokens and per
    token, and says by Kendall's tau over rewards whether those that rank pairs well guide well.
    Scores are stored as they come: running the same command again goes on, and what `evaluate`
    scored in the same folder is not scored again. Writes policy.json, .md and .html, and results
    that `leaderboard` reads.
    Exit code 1: a scorer left more pairs without a score than --coverage allows.

    Examples:

      pairwright downstream policy releases/1.0.0 --scorers scorers.toml --out results

      pairwright downstream policy releases/1.0.0 --scorers scorers.toml --out results --scorer arm
      --scorer args --condition profile --limit 50
    """
    # What reads, retrieves and draws takes a while to import, and other commands do without.
    from pairwright.workflows.guided_policies import policy_accuracy

    with display() as progress, interruptible() as stop:
        result = policy_accuracy(
            release,
            scorers,
            out,
            names=scorer or (),
            conditions=condition or ("none", "profile"),
            split=split,
            limit=limit,
            progress=progress,
            stop=stop,
            on_result=print_result,
        )
    _print(Console(), result.accuracy, out)
    end_by_coverage(result.evaluation, coverage, Console(stderr=True))


# In 80 columns: the policy alone is on the page only, and brackets are on a second line.
_ACCURACIES = ("guided policy", "policy accuracy", "gain", "reward alone", "pairs (clusters)")
_TAUS = ("policy", "shown,\npairs of", "tau", "chance", "p", "rewards")


def _print(console: Console, accuracy: "PolicyAccuracy", out: Path) -> None:
    from pairwright.evaluate.guided.page import claims, rows, tau_rows, warnings

    tables: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for name, shown, pairs, share, _, gain, reward, n, clusters in rows(accuracy):
        row = (name, share, gain, reward, f"{n} ({clusters})")
        tables.setdefault((shown, pairs), []).append(row)
    for (shown, pairs), found in tables.items():
        console.print(_table(f"shown: {shown}; pairs of: {pairs}", _ACCURACIES, found), "")
    defined: list[tuple[str, ...]] = [
        (f"{policy}\n{beta}", f"{shown},\n{pairs}", f"{tau} ({interval})", chance, p, n)
        for (policy, beta, shown, pairs, tau, interval, chance, p, n), tau_of in zip(
            tau_rows(accuracy), accuracy.taus, strict=True
        )
        if tau_of.value is not None
    ]
    if defined:
        console.print(_table("Do rewards that rank well guide well?", _TAUS, defined), "")
    if tables:
        console.print(
            "In brackets: 95 % intervals; of pairs, clusters. Gain: over the policy alone.",
            highlight=False,
        )
    for line in (*warnings(accuracy), *claims(accuracy)):
        warn(console, line)
    say(console, f"Open: {out / 'policy.html'}", wrap=True)


def _table(title: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    table = Table(
        box=None, padding=(0, 1, 0, 0), title=title, title_justify="left", title_style="italic"
    )
    for n, head in enumerate(heads):
        justify: Literal["right", "left"] = "right" if n else "left"
        table.add_column(_in_two(head), justify=justify, no_wrap=n > 0, overflow="fold")
    for row in rows:
        table.add_row(escape(row[0]), *map(_in_two, row[1:]))
    return table


def _in_two(cell: str) -> str:
    return cell.replace(" (", "\n(", 1)
