"""`pairwright downstream policy`."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.errors import on_disk
from pairwright.models.store import Store
from pairwright.workflows.output import output_folder

if TYPE_CHECKING:
    from pairwright.evaluate.guided.records import GuidedResult, PolicyAccuracy
    from pairwright.evaluate.results import ResultSummary
    from pairwright.evaluate.scorers.spec import Scorers


def policy_command(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release's folder.")],
    scorers: Annotated[
        Path,
        typer.Option(
            "--scorers", metavar="FILE.toml", help="Guided policies, their policies and rewards."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="Folder of the results; one of `evaluate` will do.",
            callback=output_folder,
        ),
    ],
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
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this split's pairs [all].")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N subjects, to try it.")
    ] = None,
    coverage: Annotated[
        float, typer.Option(min=0, max=1, help="Least share of twins and other pairs to score.")
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
    from pairwright.cli.evaluate.command import conditions_named, end
    from pairwright.cli.evaluate.session import Session, Wanted
    from pairwright.cli.evaluate.shown import tell
    from pairwright.cli.scorers import prompts_of
    from pairwright.evaluate.guided.page import policy_page
    from pairwright.evaluate.guided.readings import both_readings, guided_names, parts
    from pairwright.evaluate.release import Release
    from pairwright.evaluate.scorers.spec import load_scorers
    from pairwright.models.client import Meter
    from pairwright.workflows.output import write_report

    read = load_scorers(scorers)
    settings, guided = both_readings(read, guided_names(read, scorer or ()))
    conditions = conditions_named(condition or ["none", "profile"])
    prompts = prompts_of(settings, scorers.resolve().parent)
    # The parts first: then what a guided policy adds up is stored, and no two models are loaded.
    names = (*parts(settings, guided), *guided)
    wanted = Wanted(Release(release, split), names, conditions, limit)
    console = Console(stderr=True)
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with closing(Store(out / "calls.sqlite")) as store:
        session = Session(wanted, settings, prompts, out, store, Meter(), console)
        made = asyncio.run(session.run(tell))
    found = _found(out, made, settings, guided)
    report = policy_page(found)
    write_report(out, "policy", report, found)
    _tell(Console(), found, out)
    end(made, coverage, console)


def _found(
    out: Path, made: "list[ResultSummary]", settings: "Scorers", guided: tuple[str, ...]
) -> "PolicyAccuracy":
    from pairwright.evaluate.guided.accuracy import guided_results, taus
    from pairwright.evaluate.guided.records import PolicyAccuracy
    from pairwright.evaluate.results import Result

    found: list[GuidedResult] = []
    for condition in dict.fromkeys(of.condition for of in made):
        decided = {
            of.scorer.name: list(Result(out / f"{of.stem}.json").decisions())
            for of in made
            if of.condition == condition
        }
        for name in guided:
            found += guided_results(name, settings, condition, decided)
    first = made[0]
    return PolicyAccuracy(
        release=first.release,
        limit=first.limit,
        split=first.split,
        simulated=any(of.simulated for of in made),
        seed=settings.seed,
        lines=tuple(found),
        taus=taus(found, settings.seed),
    )


# In 80 columns: the policy alone stands on the page, and what is in brackets on a second line.
_ACCURACIES = ("guided policy", "policy accuracy", "gain", "reward alone", "pairs (clusters)")
_TAUS = ("policy", "shown,\npairs of", "tau", "chance", "p", "rewards")


def _tell(console: Console, of: "PolicyAccuracy", out: Path) -> None:
    from pairwright.evaluate.guided.page import claims, rows, tau_rows, warnings

    tables: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for name, shown, pairs, accuracy, _, gain, reward, n, clusters in rows(of):
        row = (name, accuracy, gain, reward, f"{n} ({clusters})")
        tables.setdefault((shown, pairs), []).append(row)
    for (shown, pairs), found in tables.items():
        console.print(_table(f"shown: {shown}; pairs of: {pairs}", _ACCURACIES, found), "")
    known: list[tuple[str, ...]] = [
        (f"{policy}\n{beta}", f"{shown},\n{pairs}", f"{tau} ({interval})", chance, p, n)
        for (policy, beta, shown, pairs, tau, interval, chance, p, n), tau_of in zip(
            tau_rows(of), of.taus, strict=True
        )
        if tau_of.value is not None
    ]
    if known:
        console.print(_table("Do rewards that rank well guide well?", _TAUS, known), "")
    if tables:
        console.print(
            "In brackets: 95 % intervals; of pairs, clusters. Gain: over the policy alone.",
            highlight=False,
        )
    for line in (*warnings(of), *claims(of)):
        console.print(line, style="yellow", markup=False, highlight=False)
    console.print(f"Open: {out / 'policy.html'}", markup=False, highlight=False)


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
