"""Answers in, from exported files and filled-in sheets; and out, if a person withdraws."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option, confirm

from pairwright.errors import InputError, near
from pairwright.lines import write_lines
from pairwright.options import RunPath
from pairwright.progress import Note, Progress, log_notes
from pairwright_human_eval.answers import Answered, Imported, import_raw, scrub
from pairwright_human_eval.folder import Withdrawal, read_withdrawals
from pairwright_human_eval.study import open_study, read_open_study


@dataclass(frozen=True, slots=True)
class ImportedAnswers:
    """What became of files or projects that were taken in, and the study's answers after that."""

    files: Imported
    answers: Answered


def import_answers(
    run: RunPath,
    files: Annotated[
        Iterable[Path | str], Argument(help="Exports, or filled-in CSV files.", metavar="FILE")
    ] = (),
    *,
    progress: Progress = log_notes,
) -> ImportedAnswers:
    """Import annotations: JSON that was exported from Label Studio, or filled-in spreadsheets.

    Every annotation is an answer or set aside with its reason. Importing a file again changes
    nothing. A file that cannot be read, or has no task of this study, is named and not kept, and
    the others are imported (exit code 1).

    Without a file, answers.jsonl and set_aside.jsonl are made again from RUN/human/private/raw: to
    take an import back, delete its file there first. The decisions and the report stay as they are
    until `human report` runs again; tasks of a second round stay.

    Raises InputError if there is no study, if simulated answers are in it, or if no file at all can
    be imported.

        >>> taken = import_answers("runs/first", ["project-1.json", "project-2.json"])
        >>> taken.answers.open_tasks, taken.answers.set_aside
        (0, ())

    Examples::

        pairwright human import runs/first project-1.json project-2.json
        pairwright human import runs/first annotator-01.csv annotator-02.csv
        pairwright human import runs/first
    """
    with open_study(Path(run)) as study:
        taken = import_raw(map(Path, files), study.folder, study.fixed)
        nothing = bool(taken.refused) and not taken.added and not taken.repeated
        for error in taken.refused[: -1 if nothing else None]:
            progress(Note(str(error)))
        if nothing:
            raise taken.refused[-1]
        return ImportedAnswers(taken, study.write_answers())


@dataclass(frozen=True, slots=True)
class WithdrawnPerson:
    """What went with a person who withdrew."""

    annotator: str
    answers: int
    """Annotated tasks that were removed, from every raw file."""
    pushed: bool
    """Whether a server may hold more, which is to be deleted there by hand."""
    dealt_out: bool
    """Whether there were tasks of a second round, which `adjudicate` gives to others."""


def withdraw_person(
    run: RunPath,
    person: Annotated[str, Argument(help="A pseudonym such as annotator-04.", metavar="PERSON")],
    *,
    yes: Annotated[bool, Option(help="Remove without asking.")] = False,
    progress: Progress = log_notes,
) -> WithdrawnPerson:
    """Remove everything that a person answered from the study, for good.

    Raw files, answers, decisions and the report are as if they had not answered, and what is
    pulled or imported later is not kept either. Releases that were made before keep the answers:
    make and publish a new one.

    Raises InputError if there is no study or no such person, or if nobody confirms what will be
    removed: by `--yes`, or on a terminal by an answer.

    Examples::

        pairwright human withdraw runs/first annotator-04 --yes
    """
    with open_study(Path(run)) as study:
        folder, key = study.folder, study.fixed.key
        names = {keyed.annotator for keyed in key.values()} | set(study.fixed.study.annotators)
        if person not in names:
            raise InputError(
                f"{person!r} is nobody in this study.{near(person, sorted(names))}",
                where="PERSON",
                fix="`pairwright human status RUN` lists everybody.",
            )
        own = [keyed for keyed in key.values() if keyed.annotator == person]
        answered = {one.task for one in study.answers() if one.annotator == person}
        if not yes:
            what = f"removes {len(answered)} annotated tasks of {person} for good, and the sheet"
            if not sys.stdin.isatty() or not confirm(f"This {what}. Go on?"):
                raise InputError(what, where=person, fix="Add --yes if that is meant.")
        # First the record, so that nothing comes back.
        withdrawal = Withdrawal(annotator=person, tasks=tuple(keyed.task for keyed in own))
        write_lines(folder.withdrawn, (*read_withdrawals(folder), withdrawal))
        scrub(folder)
        for round in (1, 2):
            folder.sheet(person, round).unlink(missing_ok=True)
        pushed, reported = folder.server.exists(), folder.decisions.exists()
        read_open_study(Path(run)).write_answers()
    if reported:
        # pandas and matplotlib take half of the time of every other command.
        from pairwright_human_eval.report import decide

        decide(run, progress=progress)
    dealt_out = any(keyed.round == 2 for keyed in own)
    return WithdrawnPerson(person, len(answered), pushed, dealt_out)
