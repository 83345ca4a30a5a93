"""People who withdraw from a study, with all their answers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument

from pairwright.dataset import write_lines
from pairwright.errors import InputError, near
from pairwright.options import RunPath
from pairwright.progress import Progress, log_notes
from pairwright.workflows.annotation_server import drop_projects
from pairwright.workflows.decision_report import decide
from pairwright.workflows.study import open_study
from pairwright_human_eval.answers import scrub
from pairwright_human_eval.folder import Withdrawal, read_withdrawals
from pairwright_human_eval.second_round import drop_adjudications


@dataclass(frozen=True, slots=True)
class WithdrawnPerson:
    """What went with a person who withdrew."""

    annotator: str
    answers: int
    """Tasks whose answers were removed, from every raw file."""
    adjudications: int
    """Tasks of the second round that showed some of them, and are gone, too."""
    pushed: bool
    """Whether a server may hold more: it is to be deleted there by hand."""
    dealt_out: bool
    """Whether there were tasks of a second round, which others are given when it is made again."""


def withdraw_person(
    run: RunPath,
    person: Annotated[str, Argument(help="A pseudonym such as annotator-04.", metavar="PERSON")],
    *,
    progress: Progress = log_notes,
) -> WithdrawnPerson:
    """Take everything that a person answered out of the study, for good.

    Raw files, answers, decisions and the report are as if they had not answered, and what is
    pulled or imported later is not kept either. Tasks of the second round that show their answers
    go, too: run adjudicate again. Releases that were made before keep the answers: make and publish
    a new one.

    Raises InputError where there is no study or no such person.

    Examples::

        pairwright human withdraw runs/first annotator-04
    """
    with open_study(Path(run)) as study:
        folder, fixed = study.folder, study.fixed
        names = {keyed.annotator for keyed in fixed.key.values()} | set(fixed.study.annotators)
        if person not in names:
            raise InputError(
                f"{person!r} is nobody in this study.{near(person, sorted(names))}",
                where="PERSON",
                fix="`pairwright human status RUN` lists everybody.",
            )
        own = [keyed for keyed in fixed.key.values() if keyed.annotator == person]
        given = [one for one in study.answers() if one.annotator == person]
        shown = {one.unit for one in given if one.round == 1}
        # First the record, so that nothing comes back.
        withdrawal = Withdrawal(annotator=person, tasks=tuple(keyed.task for keyed in own))
        write_lines(folder.withdrawn, (*read_withdrawals(folder), withdrawal))
        scrub(folder)
        adjudications = drop_adjudications(folder, shown)
        for round in (1, 2):
            folder.sheet(person, round).unlink(missing_ok=True)
        pushed = folder.server.exists()
        if pushed:
            drop_projects(folder, person)
        reported = folder.decisions.exists()
    with open_study(Path(run)) as study:
        study.write_answers()
    if reported:
        decide(run, progress=progress)
    return WithdrawnPerson(
        annotator=person,
        answers=len({one.task for one in given}),
        adjudications=adjudications,
        pushed=pushed,
        dealt_out=any(keyed.round == 2 for keyed in own),
    )
