"""People who leave a study: one is replaced by somebody new, or withdraws with all answers."""

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from pairwright.dataset import write_lines, write_one
from pairwright.errors import InputError
from pairwright.options import Doc, RunPath
from pairwright.workflows.annotation_server import drop_projects
from pairwright.workflows.decision_report import decide
from pairwright.workflows.progress import Progress, log_notes
from pairwright.workflows.study import OpenStudy, open_study
from pairwright_human_eval.annotation import Account, account_of
from pairwright_human_eval.folder import ROUNDS, HumanFolder
from pairwright_human_eval.own_choices import forget_seat
from pairwright_human_eval.pages import start_page_name
from pairwright_human_eval.people import (
    People,
    Roster,
    annotator_named,
    check_id,
    read_roster,
    write_roster,
)
from pairwright_human_eval.raw_files import scrub
from pairwright_human_eval.second_round import drop_adjudications
from pairwright_human_eval.study_files import (
    Withdrawal,
    account_hash,
    closed_key,
    hand_over,
    open_again,
    read_own,
    read_replacements,
    read_tasks,
    read_withdrawals,
    replace,
    withdrawn_people,
)
from pairwright_human_eval.tools import SHEETS, sheets_of, tools_with_sheets, write_sheets

Person: TypeAlias = Annotated[
    str, Doc("A pseudonym such as annotator-04, or an id you gave.", "PERSON")
]


@dataclass(frozen=True, slots=True)
class ReplacedPerson:
    """Who took over from whom."""

    left: str
    annotator: str
    """The newcomer's pseudonym."""
    tasks: int
    """Tasks the newcomer has."""
    kept: int
    """Answers of the person who left."""
    excluded: bool
    """Whether none of them counts now, by the attention checks, and all is done again."""
    folder: Path
    """The newcomer's files of tasks."""
    sheets: tuple[Path, ...]
    """The newcomer's files to fill in, where people of the study have such."""


def replace_person(
    run: RunPath,
    person: Person,
    *,
    by: Annotated[str | None, Doc("The newcomer's id, where people have one.", "ID")] = None,
) -> ReplacedPerson:
    """Give what a person has left undone to somebody new, who gets a seat of their own.

    `person` is a pseudonym or an id from outside, `by` the newcomer's id from outside. Answers that
    are there stay and count, unless the person failed the attention checks or has withdrawn: then
    all of the work is done again. Answers to handed-over tasks that come later are set aside.

    Raises InputError where there is no study or no such person, or nothing is left to do.

        >>> replace_person("runs/first", "annotator-04").annotator
        'annotator-10'
    """
    with open_study(Path(run)) as study:
        folder, fixed = study.folder, study.fixed
        roster = read_roster(folder)
        authors = _authors(folder)
        left = annotator_named(person, roster, (*fixed.study.annotators, *sorted(authors)))
        if left in authors:
            raise InputError(
                f"{left} judges pairs of their own posts, which nobody else can do",
                where="PERSON",
                fix="Ask other users of the data: a longer file of `human export --own` adds them.",
            )
        own = [k for k in fixed.key.values() if k.annotator == left and k.round == 1]
        withdrawn = left in withdrawn_people(folder)
        if before := [one for one in read_replacements(folder) if one.left == left]:
            # What they had answered is open again once they have withdrawn, and only then.
            own = open_again(own, before) if withdrawn else []
        if before and not own:
            raise InputError(
                f"{left} was replaced before", where="PERSON", fix="Name the one who took over."
            )
        verdicts = study.answers().verdicts
        newcomer = f"annotator-{len(fixed.study.annotators) + 1:02}"
        if by is not None:
            check_id(by, "--by")
            if by in roster.participants.values():
                raise InputError(
                    f"{by!r} is in the study already", where="--by", fix="Name somebody else."
                )
            roster = Roster(participants=roster.participants | {newcomer: by})
        answered = {verdict.task for verdict in verdicts}
        record, tasks = hand_over(
            left,
            own,
            read_tasks(folder, own),
            answered,
            newcomer,
            fixed.study.seed,
            everything=(excluded := left in study.excluded(verdicts)),
        )
        # Only now: an id that a refusal left behind would have a seat that is not there.
        if by is not None:
            write_roster(folder, roster)
        replace(folder, record, tasks)
        sheets = [
            path
            for tool in tools_with_sheets(folder)
            for path in write_sheets(tool, folder, only=newcomer)
        ]
        return ReplacedPerson(
            left=left,
            annotator=newcomer,
            tasks=len(tasks),
            kept=sum(keyed.task in answered for keyed in own),
            excluded=excluded,
            folder=folder.path / "tasks" / newcomer,
            sheets=tuple(sheets),
        )


@dataclass(frozen=True, slots=True)
class WithdrawnPerson:
    """What went with a person who withdrew."""

    annotator: str
    answers: int
    """Answers that were removed, from every raw file."""
    adjudications: int
    """Tasks of the second round that showed some of them, and are gone, too."""
    pushed: bool
    """Whether a server may hold more: it is to be deleted there by hand."""
    replaceable: bool
    """Whether somebody else can take over tasks of the first round."""
    dealt_out: bool
    """Whether there were tasks of a second round, which others are given when it is made again."""


def withdraw_person(
    run: RunPath, person: Person, *, progress: Progress = log_notes
) -> WithdrawnPerson:
    """Take a person's answers out of a study: raw files, verdicts, decisions and report.

    `person` is a pseudonym or an id from outside. What is written down of it names the seat and no
    person; answers of theirs that are pulled or imported later are not kept. Releases that were
    made before hold what they hold.

    Raises InputError where there is no study or no such person.

        >>> withdraw_person("runs/first", "annotator-04").answers
        61
    """
    with open_study(Path(run)) as study:
        folder, fixed = study.folder, study.fixed
        roster = read_roster(folder)
        names = {keyed.annotator for keyed in fixed.key.values()} | set(fixed.study.annotators)
        name = annotator_named(person, roster, sorted(names))
        rounds = {keyed.round for keyed in fixed.key.values() if keyed.annotator == name}
        answers = study.answers()
        shown = {v.subject for v in answers.verdicts if v.annotator == name and v.round == 1}
        _record(study, name, answers.people)
        removed = scrub(folder)
        adjudications = drop_adjudications(folder, shown)
        left = {one: id for one, id in roster.participants.items() if one != name}
        write_roster(folder, Roster(participants=left))
        forget_seat(folder, fixed.study, name)
        for path in (
            *sheets_of(folder, name), folder.payout,
            *(folder.preview / f"{name}{end.person}.html" for end in ROUNDS.values()),
            folder.start / start_page_name(fixed.study.seed, name),
        ):  # fmt: skip
            path.unlink(missing_ok=True)
        pushed = folder.server.exists()
        if pushed:
            drop_projects(folder, name)
        reported = folder.decisions.exists()
    with open_study(Path(run)) as study:
        study.answers()
    if reported:
        decide(run, progress=progress)
    return WithdrawnPerson(
        annotator=name,
        answers=removed,
        adjudications=adjudications,
        pushed=pushed,
        replaceable=1 in rounds and not fixed.study.qualification,
        dealt_out=2 in rounds,
    )


def _authors(folder: HumanFolder) -> set[str]:
    """The seats of people who judge pairs of their own posts, of those who have withdrawn, too."""
    if not folder.own.exists():
        return set()
    own = read_own(folder)
    return {*own.seats, *own.left}


def _record(study: OpenStudy, name: str, people: People) -> None:
    """Write down that the person withdrew, before anything is removed; and forget the accounts."""
    folder, salt = study.folder, secrets.token_hex(16)
    # Files with answers to tasks that were handed over may come yet.
    given = closed_key(folder) | study.fixed.key
    named = [account for account, names in (people.found | people.given).items() if name in names]
    accounts = [Account(source, int(id)) for source, _, id in (a.rpartition(":") for a in named)]
    accounts += [Account(tool, account_of(name)) for tool in SHEETS]
    withdrawal = Withdrawal(
        annotator=name,
        salt=salt,
        accounts=tuple(sorted({account_hash(one, salt) for one in accounts})),
        tasks=tuple(k.task for k in given.values() if k.annotator == name),
    )
    write_lines(folder.withdrawn, (*read_withdrawals(folder), withdrawal))
    others = {account: names for account, names in people.given.items() if name not in names}
    write_one(folder.people, People(given=others))
