"""Own choices: people judge the pairs that were made of their own posts.

A seat belongs to a user of the data. Each person gets the twins and placebos that are theirs, as
preference tasks without posts: the person is the profile. With every twin of theirs comes a *yoked*
one, a twin of two other users on the same kind of question. Who says yes to whatever looks tailored
agrees with the labels of both alike, so that the difference is what is personal. Twins of their own
come again on a later day, with the responses changed about: how steady a person is limits what any
label can reach.
"""

import random
from collections.abc import Mapping, Sequence, Set
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import InputError, near, on_disk
from pairwright.files import write_whole
from pairwright.modes import PLACEBO, TWIN
from pairwright.records import Pair, Post, content_id, draw_id
from pairwright.retrieve import by_bm25
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.files import config_hash, labelling_config
from pairwright_human_eval.language import load_language, page_text
from pairwright_human_eval.people import Roster, check_id, read_roster, write_roster
from pairwright_human_eval.records import LATER, OWN, OwnStudy, Purpose, Study
from pairwright_human_eval.spreadsheets import sheet_rows
from pairwright_human_eval.study_files import (
    key_lines,
    read_key,
    read_own,
    write_changed,
    write_forms,
    write_new,
    write_tasks,
)
from pairwright_human_eval.subjects import Subject
from pairwright_human_eval.tasks import Task, own_task, page_of, repeated

COLUMNS = USER, PERSON = "user", "person"
"""The head of the file of people: a user's id in the source, and an address or code."""
NEAREST_OF = 200
"""Twins that a yoked one is chosen from."""


def read_people(path: Path, users: Set[str], with_twins: Set[str]) -> dict[str, str]:
    """By the user's id in the source: an address or code. `users` are those of the data.

    Raises InputError, with file and line, for anything that cannot be meant.
    """
    rows, _ = sheet_rows(path)
    if not rows or [cell.strip().casefold() for cell in rows[0]] != list(COLUMNS):
        raise InputError(
            f"the first line must be `{USER},{PERSON}`",
            where=path,
            fix="Write a CSV file with a line for each person: the id that the user has in the"
            " source, and an address or a code of yours.",
        )
    found: dict[str, str] = {}
    for line, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        where = f"{path}:{line}"
        user, person = (cell.strip() for cell in row) if len(row) == len(COLUMNS) else ("", "")
        if wrong := _wrong(user, person, found, users, with_twins):
            raise InputError(wrong[0], where=where, fix=wrong[1])
        check_id(person, where)
        found[user] = person
    return found


def _wrong(
    user: str, person: str, found: Mapping[str, str], users: Set[str], with_twins: Set[str]
) -> tuple[str, str] | None:
    """What is wrong with a line, and what to do."""
    if not (user and person):
        return "is not a user and a person", "Write both, with a comma between them."
    if user not in users:
        return (
            f"{user!r} is not a user of this run.{near(user, users)}",
            "Give the source's own id.",
        )
    if user not in with_twins:
        return f"{user!r} has no twin in this run", "Leave the person out, or build more twins."
    if user in found:
        return f"{user!r} is there twice", "Keep one line for each user."
    if person in found.values():
        return f"{person!r} is there for two users", "Give everybody a code of their own."
    return None


def own_tasks(
    seat: str, user: str, subjects: Sequence[Subject], seed: int
) -> tuple[list[Task], int]:
    """The tasks of the user in the seat, those of round `LATER` at the end, and how many twins of
    theirs no other twin could be yoked to; which response of a task is the chosen one is balanced
    within twins of their own, and within yoked ones."""
    chance = random.Random(content_id("own", str(seed), seat))
    theirs = [(s, pair) for s in subjects for pair in s.pairs if pair.user == user]
    twins = [one for one in theirs if one[0].mode == TWIN.name]
    placebos = [one for one in theirs if one[0].mode == PLACEBO.name]
    chance.shuffle(twins)
    yoked = _yoked(user, twins, placebos, subjects, chance)
    roles: tuple[tuple[Purpose, list[tuple[Subject, Pair]]], ...] = (
        ("own", twins),
        ("own", placebos),
        ("yoked", yoked),
    )
    tasks = []
    for purpose, asked in roles:
        first = chance.random() < 0.5
        for n, (subject, pair) in enumerate(asked):
            # With the chosen response as A in every second task.
            swap = (pair.chosen == subject.first) != ((n % 2 == 0) == first)
            tasks.append(own_task(page_of(subject, seed, swap), pair, seat, purpose))
    again = [repeated(task, seed) for task in tasks[: len(twins)]]
    chance.shuffle(tasks)
    chance.shuffle(again)
    return [*tasks, *again], len(twins) - len(yoked)


def _yoked(
    user: str,
    twins: Sequence[tuple[Subject, Pair]],
    placebos: Sequence[tuple[Subject, Pair]],
    subjects: Sequence[Subject],
    chance: random.Random,
) -> list[tuple[Subject, Pair]]:
    """For each of the `twins` another one, that the user has no part in, on a question of the same
    category where there is one, and of these the nearest: the half of the user who asked. No
    question comes twice."""
    questions = {subject.asked.item_id for subject, _ in (*twins, *placebos)}
    found = []
    for _, pair in twins:
        free = [
            other
            for other in subjects
            if other.mode == TWIN.name
            and other.domain == pair.domain
            and other.asked.item_id not in questions
            and all(half.user != user for half in other.pairs)
        ]
        alike = [other for other in free if other.asked.category == pair.category] or free
        some = chance.sample(alike, min(len(alike), NEAREST_OF))
        texts = tuple(Post(id=str(n), text=one.asked.question) for n, one in enumerate(some))
        if texts:
            nearest = some[int(by_bm25(pair.question, texts)[0].id)]
            questions.add(nearest.asked.item_id)
            found.append((nearest, nearest.asked))
    return found


class OwnExport(NamedTuple):
    """Tasks that people were given on pairs of their own posts."""

    tasks: dict[str, list[Task]]
    """By seat; of those who were there before, too."""
    added: int
    """People who were not there before."""
    unyoked: int
    later: date
    """The day before which nobody is asked again."""


def add_people(
    folder: HumanFolder,
    study: Study,
    people: Mapping[str, str],
    subjects: Sequence[Subject],
    days: int,
) -> OwnExport:
    """Give everybody who has none yet a seat, and write their tasks. Who is there keeps theirs, and
    `days` until they are asked again are those of the first export.

    Raises InputError for somebody who has withdrawn.
    """
    language, there = load_language(study.language), folder.own.exists()
    if there:
        own, before = read_own(folder), read_key(folder.own_key)
    else:
        form = labelling_config("preference", study.scales, own=True, language=language)
        later = date.today() + timedelta(days=days)
        own = OwnStudy(seats={}, days=days, later=later, config_hash=config_hash(form))
        before = ()
    seats = _seats(own, people, study)
    roster = _roster(folder, seats, people)
    made = {seat: own_tasks(seat, user, subjects, study.seed) for seat, user in seats.items()}
    keyed = {task.keyed.task: task.keyed for tasks, _ in made.values() for task in tasks}
    if any(keyed.get(one.task) != one for one in before if one.annotator in seats):
        raise InputError(
            "people who are there would be given other tasks",
            where=folder.own_key,
            fix="Export with the options, and the version of Pairwright, that theirs were made"
            " with.",
        )
    left = tuple(one for one in before if one.annotator not in seats)
    with on_disk(folder.path):
        write_forms(folder, study, round=OWN)
        for page in folder.pages("author-01"):
            write_new(page, page_text(page.stem, language))
        for seat, (tasks, _) in made.items():
            write_tasks(folder, seat, tasks)
        write_changed(folder.own_key, key_lines((*left, *keyed.values())))
        write_roster(folder, roster)
        write_own(folder, own.model_copy(update={"seats": seats}))
    return OwnExport(
        {seat: tasks for seat, (tasks, _) in made.items()},
        len(seats) - len(own.seats),
        sum(unyoked for _, unyoked in made.values()),
        own.later,
    )


def _seats(own: OwnStudy, people: Mapping[str, str], study: Study) -> dict[str, str]:
    """Everybody's seat, by pseudonym; new ones in an order of chance, so that a number says nothing
    of the file. Raises InputError for somebody who has withdrawn."""
    if gone := [user for user in people if user_hash(user, study) in own.left.values()]:
        raise InputError(
            f"{people[gone[0]]!r} has withdrawn from this study",
            where="--own",
            fix="Take the line out of the file.",
        )
    fresh = people.keys() - set(own.seats.values())
    order = sorted(fresh, key=lambda user: draw_id("seat", str(study.seed), user))
    first = len(own.seats) + len(own.left) + 1
    return own.seats | {f"author-{n:02}": user for n, user in enumerate(order, start=first)}


def _roster(folder: HumanFolder, seats: Mapping[str, str], people: Mapping[str, str]) -> Roster:
    """Who sits where, as the file says now. Raises InputError for a person of another seat."""
    named = {seat: people[user] for seat, user in seats.items() if user in people}
    others = {n: who for n, who in read_roster(folder).participants.items() if n not in named}
    if twice := set(named.values()) & set(others.values()):
        raise InputError(
            f"{min(twice)!r} has another seat in this study",
            where="--own",
            fix="Give everybody a code of their own.",
        )
    return Roster(participants=others | named)


def write_own(folder: HumanFolder, own: OwnStudy) -> None:
    write_whole(folder.own, own.model_dump_json(indent=1) + "\n", mode=0o600)


def user_hash(user: str, study: Study) -> str:
    """A user's hash, which says nothing without the study's seed."""
    return content_id("left", str(study.seed), user)


def forget_seat(folder: HumanFolder, study: Study, seat: str) -> None:
    """Of a person who has withdrawn keep a hash of the user's id: nobody is to seat them again."""
    if not folder.own.exists():
        return
    own = read_own(folder)
    if seat in own.seats:
        seats = {name: user for name, user in own.seats.items() if name != seat}
        left = own.left | {seat: user_hash(own.seats[seat], study)}
        write_own(folder, own.model_copy(update={"seats": seats, "left": left}))


def is_due(folder: HumanFolder, round: int, today: date) -> bool:
    """Whether the tasks of a round may be handed out."""
    return round != LATER or not folder.own.exists() or read_own(folder).later <= today
