"""Who gave an annotation: its task, its account, and the person behind the account.

`human/private/people.json` says which account is which annotator, `participants.json` which id of a
platform for paid work sits where. Nothing else of a study knows an id from outside. An account is a
number, never an e-mail.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from pydantic import Field

from pairwright.errors import InputError, near
from pairwright.files import write_whole
from pairwright.records import Record, draw_id
from pairwright.text import number_of
from pairwright_human_eval.annotation import (
    BY_HAND,
    Account,
    Annotation,
    Export,
    ExportedTask,
    Objection,
)
from pairwright_human_eval.folder import ROUNDS, HumanFolder, record_in
from pairwright_human_eval.form import FormAnswers, read_answers
from pairwright_human_eval.raw_files import annotations_of
from pairwright_human_eval.records import KeyedTask, Study


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAnnotation:
    """One annotation of one file."""

    annotation: Annotation
    file: str
    task: str | None
    keyed: KeyedTask | None
    """The task's line of the key; None where its data names no task of the study."""
    place: tuple[str, int | None]
    """Source and the server's id of the task: one imported twice is there under two."""
    simulated: bool
    account: Account | None
    problem: Objection | None
    """Why it cannot be a verdict, regardless of who gave it."""
    answers: FormAnswers | Objection | None
    """None where there is a problem, and for what is skipped."""


def read_annotations(
    export: Export, key: Mapping[str, KeyedTask], study: Study, closed: Container[str] = ()
) -> Iterator[TaskAnnotation]:
    """Every annotation of an export, those that are gone included. `closed` are tasks that were
    handed over to somebody else."""
    deleted = Objection("deleted", "an earlier pull had it, and the server has it no more")
    for n, task in enumerate((*export.tasks, *export.gone)):
        keyed = key.get(task.task or "")
        is_there = n < len(export.tasks)
        wrong = _problem(task, export, keyed, study, closed) if is_there else deleted
        for one in annotations_of(task, export):
            problem, answers = wrong or one.problem, None
            if keyed and not problem and not one.skipped:
                answers = read_answers(one.entries, keyed, study.scales)
            yield TaskAnnotation(
                annotation=one,
                file=export.file,
                task=task.task,
                keyed=keyed,
                place=(export.source, task.id),
                simulated=export.simulated,
                account=None if one.account is None else Account(export.source, one.account),
                problem=problem,
                answers=answers,
            )


def _problem(
    task: ExportedTask,
    export: Export,
    keyed: KeyedTask | None,
    study: Study,
    closed: Container[str],
) -> Objection | None:
    """Why no annotation of the task can be a verdict."""
    if keyed is None and task.task in closed:
        return Objection("handed_over", "somebody else was given the task before")
    if keyed is None:
        return Objection("unknown_task", "its data names no task of this study")
    if task.data_hash != keyed.data_hash:
        return Objection("data_changed", "the task's data is not as exported")
    form = f"{keyed.kind}{ROUNDS[keyed.round].form}"
    if export.config_hash and export.config_hash != study.config_hashes[form]:
        return Objection("config_changed", "the project's labelling configuration was changed")
    return None


_ACCOUNT = re.compile("[^\n]+:[0-9]+")


class People(Record):
    """Annotators by account, written `SOURCE:ID`; an account may have one in each round."""

    given: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """As the study lead says: written by hand, and followed."""
    found: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """As the answers say: written again at each import."""

    def of(self, account: Account) -> tuple[str, ...]:
        """None, for an account that nobody has."""
        return self.given.get(str(account)) or self.found.get(str(account), ())


def bind(
    work: Mapping[tuple[Account, tuple[int, str]], int], given: Mapping[str, tuple[str, ...]]
) -> People:
    """Find who is who from `work`: how many tasks of each slot, a round and an annotator, an
    account has answered. Who annotates may adjudicate as well: the rounds are apart.

    An account is the annotator in whose tasks it has most answers (of two, the first by name).
    If several claim one slot, it goes to the one with most there, then to the lowest number; the
    others stay unbound, so that somebody who strays into a colleague's tasks is not taken for the
    colleague. Accounts in `given` are as they are there, and nobody else gets their slots. Every
    source has its own accounts, so one person may be bound once in each.
    """
    claims: dict[tuple[Account, int], list[tuple[int, str]]] = defaultdict(list)
    for (account, (round, annotator)), answers in work.items():
        if str(account) not in given:
            claims[account, round].append((-answers, annotator))
    best = {claimant: min(claimed) for claimant, claimed in claims.items()}
    reserved = {
        (account.rpartition(":")[0], name) for account, names in given.items() for name in names
    }
    taken = {
        (account.source, slot) for account, slot in work if (account.source, slot[1]) in reserved
    }
    found: dict[str, tuple[str, ...]] = {}
    for (account, round), (_, annotator) in sorted(
        best.items(), key=lambda claim: (claim[1][0], claim[0])
    ):
        place = (account.source, (round, annotator))
        if place not in taken:
            taken.add(place)
            names = (*found.get(str(account), ()), annotator)
            found[str(account)] = tuple(dict.fromkeys(names))
    return People(given=dict(given), found=dict(sorted(found.items())))


def read_given(folder: HumanFolder, annotators: Set[str]) -> dict[str, tuple[str, ...]]:
    """What the study lead says; raises InputError where it cannot be meant."""
    fix = 'Write {"given": {"SOURCE:ID": ["annotator-01"]}}, or remove the file.'
    given = (record_in(folder.people, People, fix) or People()).given
    for account, names in given.items():
        if not _ACCOUNT.fullmatch(account):
            raise InputError(
                f"{account!r} is not an account",
                where=folder.people,
                fix="Write SOURCE:ID, with the number that the annotation tool gives the account.",
            )
        for name in names:
            if name not in annotators:
                raise InputError(
                    f"{account} is given {name!r}, who is not in the study",
                    where=folder.people,
                    fix=f"Name one of {', '.join(sorted(annotators))}.",
                )
    return given


class Voters:
    """The subjects that each person has answered tasks of in the first round.

    A person is every account that shares an annotator's name with another, and, because a file
    does not say which server it comes from, an account of a file and the account of that number on
    a server, unless the study lead has named either.
    """

    def __init__(self, annotations: Sequence[TaskAnnotation], people: People) -> None:
        """`people` are bound by the first round's work, or as the study lead says."""
        accounts = sorted({one.account for one in annotations if one.account})
        self._person: dict[str, str] = {}
        for account in accounts:
            for name in people.of(account):
                self._join(str(account), name)
        for named, names in people.given.items():
            for name in names:
                self._join(named, name)
        for account in accounts:
            by_hand = Account(BY_HAND, account.id)
            if by_hand in accounts and not people.given.keys() & {str(account), str(by_hand)}:
                self._join(str(account), str(by_hand))
        self._subjects: defaultdict[str, set[str]] = defaultdict(set)
        for one in annotations:
            if one.account and one.keyed and one.keyed.round == 1 and not one.annotation.skipped:
                self._subjects[self._find(str(one.account))].add(one.keyed.subject)

    def bars(self, one: TaskAnnotation) -> bool:
        """Whether an annotation of the second round is by somebody who voted on its subject."""
        if one.account is None or one.keyed is None or one.keyed.round != 2:
            return False
        return one.keyed.subject in self._subjects[self._find(str(one.account))]

    def by_name(
        self, people: People, names: Set[str], barred: Iterable[TaskAnnotation]
    ) -> dict[str, frozenset[str]]:
        """By pseudonym: what the person behind it has voted on, and what was `barred` under it.
        `people` are bound by the work of both rounds."""
        accounts = {**people.found, **people.given}
        found: dict[str, frozenset[str]] = {}
        for name in sorted(names):
            persons = {self._find(account) for account, named in accounts.items() if name in named}
            subjects = (self._subjects[person] for person in (*persons, self._find(name)))
            found[name] = frozenset[str]().union(*subjects)
        for one in barred:
            if one.keyed:
                found[one.keyed.annotator] |= {one.keyed.subject}
        return found

    def _find(self, member: str) -> str:
        while (person := self._person.get(member, member)) != member:
            member = person
        return member

    def _join(self, one: str, other: str) -> None:
        first, second = sorted((self._find(one), self._find(other)))
        if first != second:
            self._person[second] = first


class Roster(Record):
    """private/participants.json: who sits where."""

    participants: dict[str, str] = Field(default_factory=dict)
    """The id from outside, by pseudonym."""


def read_roster(folder: HumanFolder) -> Roster:
    """Raises InputError where the file was damaged."""
    return record_in(folder.participants, Roster) or Roster()


def write_roster(folder: HumanFolder, roster: Roster) -> None:
    write_whole(folder.participants, roster.model_dump_json(indent=1) + "\n", mode=0o600)


def seat(roster: Roster, ids: Sequence[str], seats: Iterable[str]) -> Roster:
    """Give each new id the next free of the `seats`. An id that has one keeps it.

    Raises InputError where there are more people than seats.
    """
    for one in ids:
        check_id(one, "--join")
    taken = dict(roster.participants)
    free = [name for name in seats if name not in taken]
    fresh = [one for one in dict.fromkeys(ids) if one not in taken.values()]
    if len(fresh) > len(free):
        raise InputError(
            f"{number_of(len(fresh), 'person joins', 'people join')}, and"
            f" {number_of(len(free), 'seat is', 'seats are')} free",
            where="--join",
            fix="Where somebody has dropped out, `human replace` makes a new seat.",
        )
    return Roster(participants=taken | dict(zip(free, fresh, strict=False)))


def check_id(participant: str, option: str) -> None:
    """Raise InputError for an id that names nobody, that could be taken for a pseudonym, or that
    has signs that no table shows, such as the end of a line."""
    if not participant.isprintable():
        raise InputError(
            f"{participant!r} cannot be the id of a person: it has signs that do not print",
            where=option,
            fix="Write it with letters, digits and signs that are seen.",
        )
    if not participant.strip() or re.fullmatch(r"(annotator|adjudicator|author)-\d+", participant):
        raise InputError(
            f"{participant!r} cannot be the id of a person",
            where=option,
            fix="Give the id that the platform has, which is not empty and is no pseudonym.",
        )


def annotator_named(person: str, roster: Roster, annotators: Iterable[str]) -> str:
    """The pseudonym of a person who is named by it or by an id from outside; raises InputError."""
    known = list(annotators)
    if person in known:
        return person
    for name, participant in roster.participants.items():
        if participant == person:
            return name
    raise InputError(
        f"{person!r} is nobody in this study.{near(person, known)}",
        where="PERSON",
        fix="`pairwright human people RUN` lists everybody.",
    )


def completion_code(seed: int, annotator: str) -> str:
    """Ten signs that only the study lead can compute, to show that somebody has finished. Nothing
    that a person sees before has them: the name of their page is of the same parts."""
    return draw_id("completion", str(seed), annotator).rpartition("-")[2][:10].upper()


def _done(
    exports: Iterable[Export], people: People
) -> Iterator[tuple[str, Export, ExportedTask, Annotation]]:
    """Everything that people did, skips and changed answers too, by pseudonym."""
    for export in exports:
        for task in export.tasks:
            for one in annotations_of(task, export):
                if one.account is not None and not one.problem:
                    for name in people.of(Account(export.source, one.account)):
                        yield name, export, task, one


def task_times(
    exports: Iterable[Export], people: People, longest: float
) -> dict[tuple[str, str | None, str], float]:
    """By pseudonym, task and annotation: the seconds of everything that people did. Each counts for
    `longest` at most: the task was open, and nobody may have been there."""
    return {
        (name, task.task, one.identity): min(one.seconds, longest)
        for name, _, task, one in _done(exports, people)
        if one.seconds is not None
    }


def time_spent(
    exports: Sequence[Export], people: People, longest: float, rounds: Mapping[str, int]
) -> dict[str, tuple[float, int]]:
    """By pseudonym: the seconds of everything that a person did, with `longest` as in `task_times`,
    and the tasks whose time is known, 0 where the person noted the time of the whole work.

    Where a person noted the time of the whole work, the last such note of each round counts.
    `rounds` are those of the tasks, by id.
    """
    noted: dict[tuple[str, int], tuple[int, float]] = {}
    for name, export, task, _ in _done(exports, people):
        if export.seconds is not None:
            part = name, rounds.get(task.task or "", 1)
            noted[part] = max(noted.get(part, (0, 0.0)), (export.sequence, export.seconds))
    times: dict[str, list[float]] = defaultdict(list)
    for (name, _, _), seconds in task_times(exports, people, longest).items():
        times[name].append(seconds)
    found = {name: (sum(own), len(own)) for name, own in times.items()}
    whole: dict[str, float] = defaultdict(float)
    for (name, _), (_, seconds) in noted.items():
        whole[name] += seconds
    return found | {name: (seconds, 0) for name, seconds in whole.items()}
