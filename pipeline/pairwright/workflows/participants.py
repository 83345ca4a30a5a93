"""The people of a study: who joins, what each has done, and what each is paid."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pairwright.files import write_whole
from pairwright.options import Doc, RunPath
from pairwright.workflows.study import OpenStudy, open_study
from pairwright_human_eval import LONGEST_MINUTES
from pairwright_human_eval.acceptance import Acceptance
from pairwright_human_eval.people import (
    completion_code,
    read_roster,
    seat,
    time_spent,
    write_roster,
)
from pairwright_human_eval.raw_files import stored_exports
from pairwright_human_eval.spreadsheets import guarded
from pairwright_human_eval.study_files import read_replacements, withdrawn_people

PAYOUT = (
    "annotator", "participant", "state", "tasks", "answered", "skipped", "checks", "checks_right",
    "passed", "hours", "pay", "code",
)  # fmt: skip
"""The columns of payout.csv."""


@dataclass(frozen=True, slots=True)
class Participant:
    """One person of a study."""

    annotator: str
    participant: str
    """The id from outside; empty where there is none."""
    state: str
    """`open`, `finished`, `replaced` or `withdrawn`."""
    tasks: int
    """Tasks the person has, or had."""
    answered: int
    skipped: int
    checks: int
    """Attention checks met."""
    checks_right: int
    passed: bool | None
    """Whether the checks reach the floor. None as long as answers may change it, which in a study
    are those of others, too, and of a person who met too few to be excluded."""
    hours: float | None
    """Of work, as far as it is known; None where no time was noted."""
    timed: int
    """Tasks whose time is known; 0 where the person noted it for the whole work, or not at all."""
    pay: float | None
    """For the hours, at the rate that was asked for."""
    code: str
    """The completion code of a person who has finished; else empty."""


def list_participants(
    run: RunPath,
    *,
    join: Annotated[
        Iterable[str],
        Doc(
            "A person's id on the platform that they come from, for the next free seat. May be"
            " given more than once.",
            "ID",
        ),
    ] = (),
    hourly: Annotated[
        float | None, Doc("Pay of an hour, in your currency.", "RATE", least=0)
    ] = None,
    longest_minutes: Annotated[
        float, Doc("What a task counts for at most.", "MINUTES", name="--longest", least=0)
    ] = LONGEST_MINUTES,
) -> tuple[Participant, ...]:
    """List the people of a study with their work, time, pay and completion codes, and write the
    list to RUN/human/private/payout.csv.

    `join` gives ids from outside, such as those of a platform for paid work, the next free seats.
    `hourly` is the pay of an hour, in any currency. A task counts for `longest_minutes` at most.

    Raises InputError where there is no study, or more people join than there are seats.

        >>> [one.code for one in list_participants("runs/first") if one.code]
        ['4F0C9D1E77']
    """
    with open_study(Path(run)) as study:
        folder, fixed = study.folder, study.fixed
        replaced = {replacement.left for replacement in read_replacements(folder)}
        withdrawn = withdrawn_people(folder)
        names = tuple(dict.fromkeys(keyed.annotator for keyed in fixed.key.values()))
        everybody = tuple(dict.fromkeys((*fixed.study.annotators, *names, *sorted(withdrawn))))
        roster = read_roster(folder)
        joining = tuple(join)
        if joining:
            free = (name for name in everybody if name not in replaced | withdrawn)
            roster = seat(roster, joining, free)
            write_roster(folder, roster)
        answers = study.answers()
        tasks = Counter(keyed.annotator for keyed in fixed.key.values())
        answered = Counter(verdict.annotator for verdict in answers.verdicts)
        skipped = _skipped(study, answers)
        met, failed = study.checks(answers.verdicts), study.excluded(answers.verdicts)
        codes = completion_codes(study, answers)
        fewest = study.fixed.study.fewest_checks
        settled = fewest is None or _first_round_done(study, answers, withdrawn)
        rounds = {keyed.task: keyed.round for keyed in fixed.key.values()}
        times = time_spent(
            tuple(stored_exports(folder)), answers.people, longest_minutes * 60, rounds
        )
        people = []
        for name in everybody:
            state = "finished" if name in codes else "open"
            state = "replaced" if name in replaced else state
            state = "withdrawn" if name in withdrawn else state
            seconds, timed = times.get(name, (None, 0))
            hours = None if seconds is None else seconds / 3600
            people.append(
                Participant(
                    annotator=name,
                    participant=roster.participants.get(name, ""),
                    state=state,
                    tasks=tasks[name],
                    answered=answered[name],
                    skipped=skipped[name],
                    checks=met[name].n if name in met else 0,
                    checks_right=met[name].k if name in met else 0,
                    passed=name not in failed
                    if name in met and met[name].n >= (fewest or 1) and name in codes and settled
                    else None,
                    hours=hours,
                    timed=timed,
                    pay=None if hours is None or hourly is None else round(hours * hourly, 2),
                    code=codes[name] if state == "finished" else "",
                )
            )
        write_whole(folder.payout, _payout(people), mode=0o600)
        return tuple(people)


def completion_codes(study: OpenStudy, answers: Acceptance) -> dict[str, str]:
    """By pseudonym, the completion code of everybody who has answered or skipped everything."""
    tasks = Counter(keyed.annotator for keyed in study.fixed.key.values())
    answered = Counter(verdict.annotator for verdict in answers.verdicts)
    done = answered + _skipped(study, answers)
    finished = (name for name, n in sorted(tasks.items()) if done[name] >= n)
    return {name: completion_code(study.fixed.study.seed, name) for name in finished}


def _first_round_done(study: OpenStudy, answers: Acceptance, withdrawn: Set[str]) -> bool:
    """Whether everybody who has not withdrawn has answered or skipped the whole first round."""
    done = {verdict.task for verdict in answers.verdicts}
    done |= {aside.task for aside in answers.set_aside if aside.reason == "skipped" and aside.task}
    asked = (k for k in study.fixed.key.values() if k.round == 1 and k.annotator not in withdrawn)
    return all(keyed.task in done for keyed in asked)


def _skipped(study: OpenStudy, answers: Acceptance) -> Counter[str]:
    """Tasks that were skipped, by pseudonym."""
    key = study.fixed.key
    return Counter(
        key[aside.task].annotator
        for aside in answers.set_aside
        if aside.reason == "skipped" and aside.task in key
    )


def _payout(people: Iterable[Participant]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(PAYOUT)
    for one in people:
        hours = "" if one.hours is None else f"{one.hours:.3f}"
        pay = "" if one.pay is None else f"{one.pay:.2f}"
        passed = {None: "", True: "yes", False: "no"}[one.passed]
        cells = asdict(one) | {"passed": passed, "hours": hours, "pay": pay}
        writer.writerow(guarded(str(cells[name])) for name in PAYOUT)
    return text.getvalue()
