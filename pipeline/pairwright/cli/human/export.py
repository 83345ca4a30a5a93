"""`pairwright human export`: blind tasks for people."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from pairwright.cli.human.options import RunPath, ToolOption, share_of
from pairwright.cli.printing import command, counts_of, print_commands, say, table_of, warn
from pairwright.modes import MODES
from pairwright.text import number_of
from pairwright.text.languages import LANGUAGES
from pairwright_human_eval import SERVER_TOOL
from pairwright_human_eval.records import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pairwright.workflows.tasks import TaskExport
    from pairwright.workflows.text_screening import Screened


def export_command(
    run: RunPath,
    annotators: Annotated[
        int, typer.Option(min=1, max=999, metavar="N", help="How many people there are.")
    ] = 11,
    overlap: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="People who answer each question; [human] may ask for more votes.",
        ),
    ] = 3,
    sample_size: Annotated[
        int | None, typer.Option("--sample", min=1, metavar="N", help="Only N twins and pairs.")
    ] = None,
    checks: Annotated[
        float,
        typer.Option(
            parser=share_of,
            metavar="SHARE",
            help="Attention checks by votes, such as 5%, or as many more as it takes so that who"
            " does not read the posts passes in 10 % at most; 0: none.",
        ),
    ] = 0.05,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Not drawn at random: for a demo, not for a study."),
    ] = None,
    tool: ToolOption = SERVER_TOOL,
    language: Annotated[
        str, typer.Option(metavar="CODE", help="Of the forms and guidelines: en or de.")
    ] = "en",
    looks: Annotated[
        int, typer.Option(min=1, metavar="N", help="Reports by which the study may stop, in all.")
    ] = 1,
    floor: Annotated[
        float,
        typer.Option(
            parser=share_of,
            metavar="SHARE",
            help="Of the votes for the chosen response: surely above or below it, it may stop.",
        ),
    ] = 0.5,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="Keep twins and pairs out whose texts hold personal data (personal), or are on"
            " health, belief, politics, sexuality or the law (sensitive). May be given twice.",
        ),
    ] = None,
    qualified: Annotated[
        bool,
        typer.Option("--qualified", help="The people passed `human qualify`: other checks."),
    ] = False,
) -> None:
    """Write blind tasks, one file for each annotator and kind, the guidelines, and the private key.

    The files under RUN/human/ load into any Label Studio; RUN/human/private/ is not for
    annotators. The rule that verifies a pair is [human] of RUN/config.toml, fixed from here on.

    Examples:

      pairwright human export runs/first

      pairwright human export runs/first --annotators 11 --overlap 3 --sample 200 --checks 5%

      pairwright human export runs/first --tool spreadsheet --language de

      pairwright human export runs/first --looks 3 --floor 60%
    """
    # What assigns tasks takes a while to import, and other commands do without.
    from pairwright.workflows.tasks import export_tasks

    made = export_tasks(
        run,
        annotators=annotators,
        overlap=overlap,
        sample=sample_size,
        checks=checks,
        seed=seed,
        tool=tool,
        language=language,
        looks=looks,
        floor=floor,
        leave_out=_screened(leave_out or ()),
        qualified=qualified,
    )
    _print(Console(), run, made)


def _screened(given: "Iterable[str]") -> "list[Screened]":
    found: list[Screened] = []
    for what in given:
        if what == "personal":
            found.append("personal")
        elif what == "sensitive":
            found.append("sensitive")
        else:
            raise typer.BadParameter(f"{what!r} is neither personal nor sensitive")
    return found


def _print(console: Console, run: Path, made: "TaskExport") -> None:
    if not made.new:
        console.print("Exported before, and nothing has changed.")
    console.print(_table(made))
    if made.signs:
        checks = made.tasks["preference", "attention"]
        asked = sum(n for (kind, _), n in made.tasks.items() if kind == "preference")
        console.print(
            table_of(
                ("sign", "AUC"),
                [(sign.name, f"{sign.auc:.2f}") for sign in made.signs],
                title=f"Can {checks:,} checks be told from {asked - checks:,} other preference"
                " tasks? 0.5: not at all; 0 or 1: every one",
            )
        )
    console.print(
        f"Reading is counted at {made.rate}; thinking and answering come on"
        " top: time a pilot. Quality is done first, then preference, then rubric, on a computer:"
        " a phone is too small for the form.",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    for warning in _warnings(made):
        warn(console, warning)
    say(console, f"Fill in the end of {made.guidelines}, and send it to every annotator.")
    if made.screened:
        counts = ", ".join(f"{kind} {n:,}" for kind, n in sorted(made.screened.items()))
        say(
            console,
            f"Of the run's twins and pairs, texts hold or are about: {counts}. Left out:"
            f" {made.left_out:,} (--leave-out). They are listed in"
            f" {made.folder}/private/screened.jsonl",
        )
    if made.study.simulated_pairs:
        console.print("The pairs come from a simulated model: this shows how the tool works.")
    if made.sheets:
        say(
            console,
            f"Send each annotator the guidelines and only their own file of {made.sheets[0].parent}"
            f" ({number_of(len(made.sheets), 'file')}). What comes back is imported.",
        )
    print_commands(
        console,
        "Next, one of:",
        (
            command("human", "serve", run),
            command("human", "push", run, "--url") + " http://...",
            command("human", "import", run) + " FILE...",
            command("human", "simulate", run),
        ),
    )


def _warnings(made: "TaskExport") -> "Iterator[str]":
    """What this study cannot stand or will not tell."""
    study = made.study
    needed = max(study.policy.votes, study.policy.quality_votes, study.policy.rubric_votes)
    if study.overlap <= needed:
        yield (
            f"Each question gets the {needed} answers that the rule needs: there is no reserve."
            " Where somebody drops out or fails the checks, what they had waits until `human"
            " replace` gives it to somebody else. A greater --overlap is a reserve."
        )
    if telling := [sign.name for sign in made.signs if sign.tells]:
        yield (
            f"Checks are known by: {', '.join(telling)}. Whoever notices can read for the checks"
            " alone, so a person who passes them has not read all: look at the repeats and the time"
            " of tasks in the report, too. Checks in human_eval/checks.toml with texts like the"
            " run's take these signs away."
        )
    if made.texts and made.texts != study.language:
        texts, forms = (LANGUAGES[code].name for code in (made.texts, study.language))
        yield (
            f"The texts are in {texts}, and forms, guidelines and attention checks in {forms}:"
            " everybody must read both, and the checks are known by their language. Where there is"
            f" none for {texts}, write forms and checks in it, or export with --checks 0."
        )


def _table(made: "TaskExport") -> Table:
    """Tasks by kind and purpose, the time that reading takes, and the load of each annotator."""
    table = counts_of(str(made.folder))
    for mode, n in made.units.items():
        table.add_row("verified as one", MODES[mode].units, f"{n:,}")
    for (kind, purpose), n in sorted(
        made.tasks.items(), key=lambda row: (KINDS.index(row[0][0]), row)
    ):
        table.add_row("tasks", f"{kind}: {purpose}", f"{n:,}")
    for reading in made.reading:
        one = f"{reading.words:,.0f} words in the median task, {reading.seconds:,.0f} s"
        table.add_row("reading once", f"{reading.kind}: {one}", f"{reading.minutes / 60:,.1f} h")
    tasks = [load.tasks for load in made.workloads.values()]
    hours = [load.hours for load in made.workloads.values()]
    table.add_row("annotators", "tasks each", f"{min(tasks):,} to {max(tasks):,}")
    table.add_row("annotators", "hours of reading each", f"{min(hours):,.1f} to {max(hours):,.1f}")
    table.add_row("annotators", "", f"{len(made.workloads):,}")
    _add_powers(table, made)
    return table


def _add_powers(table: Table, made: "TaskExport") -> None:
    """What the attention checks notice, and what the control with strangers' posts shows."""
    if attention := made.attention:
        few, most = attention.fewest, attention.most
        each = f"{few:,} to {most:,}" if most > few else f"{few:,}"
        table.add_row("attention checks", "each", each)
        table.add_row("attention checks", "passed without reading", f"{attention.nonreader:.1%}")
        table.add_row("attention checks", "passed if 95 % are right", f"{attention.reader:.1%}")
    if stranger := made.stranger:
        table.add_row("strangers' posts", "violate pairs shown with them", f"{stranger.subjects:,}")
        table.add_row(
            "strangers' posts", "power to show that they tell nothing", f"{stranger.power:.1%}"
        )
