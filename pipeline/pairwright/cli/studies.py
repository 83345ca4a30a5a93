"""`pairwright human plan`, `qualify`, `export`, `adjudicate` and `report`: a study from its hours
to what it decides."""

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pairwright.cli.answers import decision_table
from pairwright.cli.command import Command
from pairwright.cli.printing import (
    command,
    counts_of,
    print_commands,
    print_page,
    say,
    table_of,
    warn,
)
from pairwright.modes import MODES
from pairwright.text import number_of
from pairwright.text.languages import LANGUAGES
from pairwright.workflows.adjudication import AdjudicationExport, export_adjudication
from pairwright.workflows.decision_report import DecisionReport, decide
from pairwright.workflows.qualification import Qualification, export_qualification
from pairwright.workflows.study_plan import StudyEstimate, plan_study
from pairwright.workflows.study_plan.page import plan_page
from pairwright.workflows.tasks import TaskExport, export_tasks
from pairwright_human_eval.check_tasks import TaskSign
from pairwright_human_eval.records import KINDS
from pairwright_human_eval.report.page import page_of


def print_plan(plan: StudyEstimate, run: Path) -> None:
    """Print what each size takes, and what it shows."""
    console = Console()
    print_page(console, plan_page(plan, drawn=False), run / "human" / "plan.html")
    if not plan.pilot:
        print_commands(
            console,
            "For a pilot, copy the run folder, export a few, and plan with --pilot:",
            (command("human", "export", f"{run}-pilot", "--sample", "10"),),
        )


def print_qualification(made: Qualification, run: Path) -> None:
    """Print what passes a qualification, and what comes next."""
    console, tasks = Console(), number_of(made.checks, "task")
    say(console, f"{number_of(len(made.people), 'person', 'people')}, {tasks} each.")
    say(
        console,
        f"{100 * made.floor:.0f} % right passes: {100 * made.nonreader:.1f} % of those who do not"
        " read do.",
        wrap=True,
    )
    steps = ("start", "people") if made.sheets else ("serve", "start", "people")
    print_commands(console, "Next:", [command("human", step, made.folder) for step in steps])
    again = command("human", "export", run, "--qualified")
    say(console, f"Afterwards, with those who passed: {again}")


def print_tasks(made: TaskExport, run: Path) -> None:
    """Print what was written, what the study cannot stand, and what comes next."""
    console = Console()
    if not made.new:
        console.print("Exported before, and nothing has changed.")
    console.print(_task_table(made))
    if made.signs:
        checks = made.tasks["preference", "attention"]
        asked = sum(n for (kind, _), n in made.tasks.items() if kind == "preference")
        _print_signs(
            console,
            f"{number_of(checks, 'check')} be told from {asked - checks:,} other preference tasks",
            made.signs,
        )
    if found := made.foils:
        _print_signs(
            console,
            f"{number_of(found.foils, 'foil')} be told from the"
            f" {number_of(found.aspects, 'aspect')} beside them",
            found.signs,
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


def _print_signs(console: Console, what: str, signs: tuple[TaskSign, ...]) -> None:
    rows = [(sign.name, f"{sign.auc:.2f}") for sign in signs]
    title = f"Can {what}? 0.5: not at all; 0 or 1: every one"
    console.print(table_of(("sign", "AUC"), rows, title=title))


def _warnings(made: TaskExport) -> Iterator[str]:
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


def _task_table(made: TaskExport) -> Table:
    """Tasks by kind and purpose, the time that reading takes, the load of each annotator, and what
    the attention checks and the control with strangers' posts can show."""
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
    return table


def print_adjudication(made: AdjudicationExport, run: Path) -> int:
    """Print what a second round has to decide, who does, and what comes next."""
    console = Console()
    added = f"Tasks added: {made.added}, for {', '.join(made.adjudicators)}."
    added = added if made.added else "Nothing new to adjudicate."
    say(console, f"Disputed: {made.disputed}. {added}", wrap=True)
    if made.waiting:
        console.print(f"Waiting for answers of the first round: {made.waiting}.")
    if made.added:
        print_commands(
            console,
            "Next, one of:",
            (
                command("human", "push", run, "--round", 2, "--url") + " http://...",
                command("human", "serve", run),
                f"load {made.folder}/ by hand",
            ),
        )
    if made.left:
        say(
            console,
            "Too few adjudicators, who did not answer in the first round, for:"
            f" {len(made.left):,}, such as {made.left[0]}."
            " Add people who took no part (--adjudicators).",
        )
    return int(bool(made.left))


def print_report(found: DecisionReport, run: Path) -> None:
    """Print decisions and agreement, what the report opens with, and what follows from it."""
    console, page = Console(), page_of(found.report, brief=True)
    console.print(decision_table(found.decisions.values(), "decisions"))
    agreement = tuple(table for table in page.tables if table.note == "Agreement")
    print_page(console, page._replace(tables=agreement))
    console.print("Look further:")
    for name in ("report.html", "report.md", "report.json", "decisions.jsonl"):
        say(console, f"  {found.folder / name}")
    if found.to_adjudicate:
        say(console, f"  {command('human', 'adjudicate', run)}   # {found.to_adjudicate} disputed")


COMMANDS = {
    "human plan": Command(plan_study, print_plan),
    "human qualify": Command(export_qualification, print_qualification),
    "human export": Command(export_tasks, print_tasks),
    "human adjudicate": Command(export_adjudication, print_adjudication),
    "human report": Command(decide, print_report),
}
