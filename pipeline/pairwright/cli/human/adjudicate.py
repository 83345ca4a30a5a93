"""`pairwright human adjudicate`: a second round for what the first left disputed."""

from collections import Counter
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.human.opened import Opened, opened
from pairwright.cli.human.options import RunPath
from pairwright.errors import InputError
from pairwright_human_eval.adjudication import adjudication_tasks
from pairwright_human_eval.records import Verdict, pseudonyms
from pairwright_human_eval.study_files import add_adjudication, not_given


def adjudicate_command(
    run: RunPath,
    adjudicators: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=99,
            metavar="N",
            help="How many adjudicators there are who took no part in the first round.",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="An annotator of the first round who adjudicates what others were asked; may be"
            " given more than once.",
        ),
    ] = None,
) -> None:
    """Write tasks of the disputed pairs, with the first round's anonymous answers shown.

    Importing or pulling their answers closes the disputes. Running it again adds what has become
    disputed since, and leaves the tasks that are there as they are. What somebody says about a
    twin or pair that they answered in the first round is set aside; it is given to another
    adjudicator when this runs again. Without an option there is one adjudicator.

    Examples:

      pairwright human adjudicate runs/first && pairwright human push runs/first --round 2 --url URL

      pairwright human adjudicate runs/first --adjudicators 2 --by annotator-03
    """
    with opened(run) as study:
        subjects, answers = study.subjects(), study.answers()
        verdicts = answers.verdicts
        decisions, excluded = study.decide(subjects, verdicts), study.excluded(verdicts)
        names = _adjudicators(study, adjudicators, by or [], excluded)
        voted = dict(answers.voted)
        for name, assigned in _assigned(study, by or []).items():
            voted[name] = voted.get(name, frozenset()) | assigned
        first: dict[str, list[Verdict]] = {}
        for verdict in verdicts:
            first.setdefault(verdict.subject, []).append(verdict)
        tasks = adjudication_tasks(
            subjects, decisions, first, study.fixed.study, study.config.planner, names, excluded,
            voted,
        )  # fmt: skip
        added = add_adjudication(study.folder, study.fixed.study, tasks, voted)
        disputed = [d.subject for d in decisions.values() if d.state == "disputed"]
        left = not_given(disputed, study.folder, voted)
        states = Counter(decision.state for decision in decisions.values())
        console = Console()
        console.print(
            f"Disputed: {states['disputed']}. Tasks added: {added}, for"
            f" {', '.join(who for who, given in tasks.items() if given)}."
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
        if left:
            console.print(
                "Left, because every adjudicator answered on them in the first round:"
                f" {len(left):,}, such as {left[0]}."
                " Take somebody who took no part (--adjudicators).",
                highlight=False, markup=False, soft_wrap=True,
            )  # fmt: skip
            raise typer.Exit(1)


def _adjudicators(
    study: Opened, outside: int | None, by: list[str], excluded: frozenset[str]
) -> tuple[str, ...]:
    """Their pseudonyms. Raises InputError for one who cannot adjudicate."""
    known = study.fixed.study.annotators
    for name in by:
        if name not in known:
            raise InputError(
                f"{name!r} is no annotator of this study",
                where="--by",
                fix=f"Name one of {', '.join(known)}.",
            )
        if name in excluded:
            raise InputError(
                f"{name} is excluded by attention checks, and no answer of theirs counts",
                where="--by",
                fix="Name somebody else.",
            )
    if outside is None:
        outside = 0 if by else 1
    return (*pseudonyms(outside, "adjudicator"), *dict.fromkeys(by))


def _assigned(study: Opened, annotators: list[str]) -> dict[str, frozenset[str]]:
    """By annotator: the subjects that they were given in the first round, answered or not."""
    return {
        name: frozenset(
            keyed.subject
            for keyed in study.fixed.key.values()
            if keyed.round == 1 and keyed.annotator == name
        )
        for name in annotators
    }
