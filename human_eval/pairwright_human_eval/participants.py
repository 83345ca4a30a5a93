"""The people of a study as a platform for paid work knows them: ids from outside, time, and codes.

Everything here is in `human/private/`. Nothing else of a study knows an id from outside.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field, ValidationError

from pairwright.errors import InputError, near
from pairwright.files import write_whole
from pairwright.records import Record, draw_id
from pairwright_human_eval.accept.people import People
from pairwright_human_eval.annotation import Account, AnnotationFile
from pairwright_human_eval.folder import HumanFolder


class Roster(Record):
    """private/participants.json: who sits where."""

    participants: dict[str, str] = Field(default_factory=dict)
    """The id from outside, by pseudonym."""


class TimeSpent(NamedTuple):
    """How long a person worked, as far as a tool noted it."""

    seconds: float
    tasks: int
    """Tasks whose time is known; 0 where the person noted the time of the whole work."""


def read_roster(folder: HumanFolder) -> Roster:
    """Raises InputError where the file was damaged."""
    if not folder.participants.exists():
        return Roster()
    try:
        return Roster.model_validate_json(folder.participants.read_bytes())
    except ValidationError as error:
        raise InputError(
            str(error.errors(include_url=False)[0]["msg"]),
            where=folder.participants,
            fix="The file was changed: restore it from a copy.",
        ) from None


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
            f"{len(fresh)} people join, and {len(free)} seats are free",
            where="--join",
            fix="Where somebody has dropped out, `human replace` makes a new seat.",
        )
    return Roster(participants=taken | dict(zip(free, fresh, strict=False)))


def check_id(participant: str, option: str) -> None:
    """Raise InputError for an id that names nobody, or that could be taken for a pseudonym."""
    if not participant.strip() or re.fullmatch(r"(annotator|adjudicator)-\d+", participant):
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


def task_times(
    files: Iterable[AnnotationFile], people: People, longest: float
) -> dict[tuple[str, str | None, str], float]:
    """By pseudonym, task and annotation: the seconds of everything that people did, skips and
    changed answers too. Each counts for `longest` at most: the task was open, and nobody may have
    been there."""
    return {
        (name, task.task, one.identity): min(one.seconds, longest)
        for file in files
        for task in file.tasks
        for one in task.annotations
        if one.account is not None and not one.problem and one.seconds is not None
        for name in people.of(Account(file.source, one.account))
    }


def time_spent(
    files: Sequence[AnnotationFile], people: People, longest: float, rounds: Mapping[str, int]
) -> dict[str, TimeSpent]:
    """By pseudonym: the time of everything that a person did, with `longest` as in `task_times`.

    Where a person noted the time of the whole work, the last such note of each round counts.
    `rounds` are those of the tasks, by id.
    """
    noted: dict[tuple[str, int], tuple[int, float]] = {}
    for file in files:
        for task in file.tasks:
            for one in task.annotations:
                if one.account is None or one.problem or file.seconds is None:
                    continue
                for name in people.of(Account(file.source, one.account)):
                    part = name, rounds.get(task.task or "", 1)
                    noted[part] = max(noted.get(part, (0, 0.0)), (file.sequence, file.seconds))
    times: dict[str, list[float]] = defaultdict(list)
    for (name, _, _), seconds in task_times(files, people, longest).items():
        times[name].append(seconds)
    found = {name: TimeSpent(sum(own), len(own)) for name, own in times.items()}
    whole: dict[str, float] = defaultdict(float)
    for (name, _), (_, seconds) in noted.items():
        whole[name] += seconds
    return found | {name: TimeSpent(seconds, 0) for name, seconds in whole.items()}


def finished(tasks: Mapping[str, int], done: Mapping[str, int]) -> frozenset[str]:
    """Who has answered or skipped everything."""
    return frozenset(name for name, n in tasks.items() if done.get(name, 0) >= n)
