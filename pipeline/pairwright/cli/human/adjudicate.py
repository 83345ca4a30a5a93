"""`pairwright human adjudicate`: a second round for what the first left disputed."""

from collections import Counter
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.human.opened import opened
from pairwright.cli.human.options import RunPath
from pairwright_human_eval.adjudicate import adjudication_tasks
from pairwright_human_eval.records import Verdict, pseudonyms
from pairwright_human_eval.write import add_adjudication


def adjudicate_command(
    run: RunPath,
    adjudicators: Annotated[
        int, typer.Option(min=1, max=99, metavar="N", help="How many adjudicators there are.")
    ] = 1,
) -> None:
    """Write tasks of the disputed pairs, with the first round's anonymous answers shown.

    Importing or pulling their answers closes the disputes. Running it again adds what has become
    disputed since, and leaves the tasks that are there as they are.

    Example:

      pairwright human adjudicate runs/first && pairwright human push runs/first --round 2 --url URL
    """
    with opened(run) as study:
        subjects, verdicts = study.subjects(), study.answers().verdicts
        decisions = study.decide(subjects, verdicts)
        first: dict[str, list[Verdict]] = {}
        for verdict in verdicts:
            first.setdefault(verdict.subject, []).append(verdict)
        tasks = adjudication_tasks(
            subjects, decisions, first, study.fixed.study, study.config.planner,
            pseudonyms(adjudicators, "adjudicator"),
            study.excluded(verdicts),
        )  # fmt: skip
        added = add_adjudication(study.folder, study.fixed.study, tasks)
        states = Counter(decision.state for decision in decisions.values())
        console = Console()
        console.print(
            f"Disputed: {states['disputed']}. Tasks added: {added}, for"
            f" {', '.join(pseudonyms(adjudicators, 'adjudicator'))}."
            if added
            else f"Disputed: {states['disputed']}. Nothing new to adjudicate."
        )
        if states["waiting"]:
            console.print(f"Waiting for answers of the first round: {states['waiting']}.")
        if added:
            console.print(
                f"Next, one of:\n  pairwright human push {run} --round 2 --url http://...\n"
                f"  pairwright human serve {run}\n"
                f"  load {study.folder.path}/adjudication/ by hand",
                highlight=False, markup=False, soft_wrap=True,
            )  # fmt: skip
