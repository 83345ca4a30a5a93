"""Answers in: from exported files and filled-in sheets; and people who withdraw with theirs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument

from pairwright.errors import InputError, near
from pairwright.lines import write_lines
from pairwright.options import RunPath
from pairwright.progress import Note, Progress, log_notes
from pairwright_human_eval.answers import Imported, import_raw, scrub
from pairwright_human_eval.folder import Withdrawal, read_withdrawals
from pairwright_human_eval.projects import drop_projects
from pairwright_human_eval.records import Kind
from pairwright_human_eval.second_round import drop_adjudications
from pairwright_human_eval.study import OpenStudy, open_study


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """The annotations of a study, counted by what became of them."""

    folder: Path
    """RUN/human."""
    annotations: int
    """All of them: tasks answered, those set aside, and copies."""
    copies: int
    """The number of answers that are counted."""
    answered: Mapping[tuple[Kind, str], int]
    """Tasks with an answer, by their kind and purpose."""
    set_aside: Mapping[str, int]
    """Annotations that were set aside, by reason."""
    open_tasks: int
    """Tasks without an answer."""
    simulated: bool
    """Whether simulated annotators answered, which verifies nothing."""


def count_answers(study: OpenStudy) -> AnswerCounts:
    """Make answers.jsonl and set_aside.jsonl from the raw files, and count."""
    found, key = study.write_answers(), study.fixed.key
    return AnswerCounts(
        folder=study.folder.path,
        annotations=len(found.tasks) + len(found.set_aside) + found.copies,
        copies=found.copies,
        answered=Counter((key[task].kind, key[task].purpose) for task in found.tasks),
        set_aside=Counter(answer.reason for answer in found.set_aside),
        open_tasks=len(key.keys() - found.tasks),
        simulated=found.simulated,
    )


@dataclass(frozen=True, slots=True)
class ImportedAnswers:
    """What became of files that were imported, and the study's answers after that."""

    files: Imported
    answers: AnswerCounts


def import_answers(
    run: RunPath,
    files: Annotated[
        Iterable[Path | str], Argument(help="Exports, or filled-in CSV files.", metavar="FILE")
    ] = (),
    *,
    progress: Progress = log_notes,
) -> ImportedAnswers:
    """Take in annotations: JSON that was exported from Label Studio, or filled-in spreadsheets.

    Every annotation is an answer or set aside with its reason. Importing a file again changes
    nothing. A file that cannot be read, or has no task of this study, is named and not kept, and
    the others are taken in (exit code 1).

    Without a file, answers.jsonl and set_aside.jsonl are made again from RUN/human/private/raw: to
    take an import back, delete its file there first. The decisions and the report stay as they are
    until `human report` runs again; tasks of a second round stay.

    Raises InputError if there is no study, if simulated answers are in it, or if no file at all can
    be taken in.

        >>> taken = import_answers("runs/first", ["project-1.json", "project-2.json"])
        >>> taken.answers.open_tasks, taken.answers.set_aside
        (0, Counter())

    Examples::

        pairwright human import runs/first project-1.json project-2.json
        pairwright human import runs/first annotator-01.csv annotator-02.csv
        pairwright human import runs/first
    """
    paths = [Path(file) for file in files]
    with open_study(Path(run)) as study:
        taken = import_raw(paths, study.folder, study.fixed)
        nothing = bool(taken.refused) and not taken.added and not taken.repeated
        for error in taken.refused[: -1 if nothing else None]:
            progress(Note(str(error)))
        if nothing:
            raise taken.refused[-1]
        return ImportedAnswers(taken, count_answers(study))


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
        # pandas and matplotlib take half of the time of every other command.
        from pairwright_human_eval.report import decide

        decide(run, progress=progress)
    return WithdrawnPerson(
        annotator=person,
        answers=len({one.task for one in given}),
        adjudications=adjudications,
        pushed=pushed,
        dealt_out=any(keyed.round == 2 for keyed in own),
    )
