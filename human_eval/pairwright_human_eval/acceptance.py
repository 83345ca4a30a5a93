"""All annotations of a study together: who gave each, and which one of several counts.

Every run reads all raw files, so importing or pulling twice leaves the same files, byte for byte.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from pairwright.dataset import write_lines, write_one
from pairwright_human_eval.annotation import Account, Export, Objection
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.form import FormAnswers, skip_remark
from pairwright_human_eval.people import (
    People,
    TaskAnnotation,
    Voters,
    bind,
    read_annotations,
    read_given,
)
from pairwright_human_eval.raw_files import stored_exports
from pairwright_human_eval.records import AskedTask, KeyedTask, SetAside, Study, Verdict, digest
from pairwright_human_eval.study_files import closed_tasks

_TASK_ID = re.compile("task-[0-9a-f]{16}")


class Acceptance(NamedTuple):
    """What came of all annotations: each is a verdict, set aside, or a copy of another."""

    verdicts: tuple[Verdict, ...]
    """By task."""
    set_aside: tuple[SetAside, ...]
    people: People
    copies: int
    """Annotations that are in one file or several more than once: those beyond the first."""
    voted: Mapping[str, frozenset[str]]
    """By pseudonym, an adjudicator's too: the subjects that somebody who worked under it has
    answered in the first round, as far as accounts show."""


def accept(
    exports: Iterable[Export],
    key: Mapping[str, KeyedTask],
    study: Study,
    given: Mapping[str, tuple[str, ...]],
    closed: Container[str] = (),
) -> Acceptance:
    """Judge every annotation. `given` are the accounts that the study lead named.

    One person's answers on one task count once: the last one given (by `updated_at`, then by the
    annotation's number), be it on the task or on a copy of it on the server. A later skip takes
    an answer back. Anything that cannot be a verdict anyway takes nothing back. What somebody says
    in the second round about a subject that they answered in the first is set aside.
    """
    read: list[TaskAnnotation] = []
    drafts: dict[str, SetAside] = {}
    for export in exports:
        read += read_annotations(export, key, study, closed)
        drafts |= {line.task or "": line for line in _drafts(export)}
    annotations = _once(read)
    first = (one for one in annotations if one.keyed and one.keyed.round == 1)
    voters = Voters(annotations, bind(_work(first), given))
    barred = [one for one in annotations if voters.bars(one)]
    people = bind(_work(one for one in annotations if not voters.bars(one)), given)
    verdicts: list[Verdict] = []
    set_aside: list[SetAside] = []
    last: dict[tuple[str, str], list[TaskAnnotation]] = defaultdict(list)
    for one in annotations:
        if objection := _objection(one, people, voters):
            set_aside.append(_aside(one, objection, people))
        elif one.keyed:
            last[one.keyed.task, one.keyed.annotator].append(one)
    for several in last.values():
        *before, latest = sorted(
            several,
            key=lambda one: (one.annotation.at, one.annotation.number or 0, one.annotation.raw),
        )
        set_aside += (_aside(one, _overtaken(one, latest), people) for one in before)
        if latest.keyed and isinstance(latest.answers, FormAnswers):
            verdicts.append(_verdict(latest, latest.keyed, latest.answers))
        else:
            set_aside.append(
                _aside(latest, Objection("skipped", skip_remark(latest.annotation.entries)), people)
            )
    answered = {one.task for one in annotations}
    set_aside += (line for line in drafts.values() if line.task not in answered)
    return Acceptance(
        tuple(sorted(verdicts, key=lambda v: (v.task, v.annotator))),
        tuple(sorted(set_aside, key=lambda s: (s.file, s.task or "", s.annotation or 0, s.raw))),
        people,
        len(read) - len(annotations),
        voters.by_name(people, {keyed.annotator for keyed in key.values()}, barred),
    )


def _once(read: list[TaskAnnotation]) -> list[TaskAnnotation]:
    """Every annotation once, as last updated.

    Where files differ about one state, the copy counts that still names the annotator, and then
    the one in which something is wrong: only a pull notices a changed configuration.
    """
    together: dict[tuple[str | None, str], list[TaskAnnotation]] = defaultdict(list)
    for one in read:
        together[one.task, one.annotation.identity].append(one)
    found = []
    for copies in together.values():
        accounts = {one.account.id for one in copies if one.account}
        if len(accounts) <= 1:
            found.append(max(copies, key=_state))
            continue
        # One an account: an id that two people use is forged or mistaken, and takes nobody's
        # answer away.
        for account in sorted(accounts):
            own = [one for one in copies if one.account and one.account.id == account]
            found.append(max(own, key=_state))
    return found


def _state(one: TaskAnnotation) -> tuple[bool, datetime, bool, bool, int, str]:
    problem, number = one.problem, one.annotation.number or 0
    deleted = problem is not None and problem.reason == "deleted"
    named = one.account is not None
    return deleted, one.annotation.at, named, problem is not None, number, one.file


def _work(annotations: Iterable[TaskAnnotation]) -> Counter[tuple[Account, tuple[int, str]]]:
    """Tasks of each slot by account. What another account wrote is nobody's work."""
    done = {
        (one.account, (one.keyed.round, one.keyed.annotator), one.keyed.task)
        for one in annotations
        if one.account and one.keyed and not one.annotation.edited
    }
    return Counter((account, slot) for account, slot, _ in done)


def _objection(one: TaskAnnotation, people: People, voters: Voters) -> Objection | None:
    """Why it cannot be a verdict, regardless of what else this person gave."""
    if one.problem:
        return one.problem
    if one.account is None:
        return Objection("unknown_annotator", "its account was deleted")
    if voters.bars(one):
        return Objection("voted_before", "this person answered on it in the first round")
    annotators = people.of(one.account)
    if not annotators:
        return Objection("unknown_annotator", f"account {one.account.id} is bound to nobody")
    if one.annotation.edited:
        return one.annotation.edited
    if one.keyed and one.keyed.annotator not in annotators:
        return Objection("other_annotators_task", f"given to {one.keyed.annotator}")
    return one.answers if isinstance(one.answers, Objection) else None


def _overtaken(one: TaskAnnotation, latest: TaskAnnotation) -> Objection:
    by = f"by annotation {latest.annotation.number}" + (
        ", a skip" if latest.annotation.skipped else ""
    )
    if one.place[0] == latest.place[0] and one.place != latest.place:
        return Objection("task_copied", f"overtaken {by} on a copy of the task")
    return Objection("superseded", by)


def _aside(one: TaskAnnotation, objection: Objection, people: People) -> SetAside:
    annotators = people.of(one.account) if one.account else ()
    own = one.keyed.annotator if one.keyed and one.keyed.annotator in annotators else None
    return SetAside(
        reason=objection.reason,
        detail=objection.detail,
        file=one.file,
        task=one.task if one.task and _TASK_ID.fullmatch(one.task) else None,
        annotator=own or next(iter(annotators), None),
        annotation=one.annotation.number,
        raw=one.annotation.raw,
    )


def _verdict(one: TaskAnnotation, keyed: KeyedTask, answers: FormAnswers) -> Verdict:
    given = one.annotation
    return Verdict(
        **{name: getattr(keyed, name) for name in AskedTask.model_fields},
        answers=answers.answers, comment=answers.comment, created=given.created,
        updated=given.updated, seconds=given.seconds, raw=given.raw, simulated=one.simulated,
    )  # fmt: skip


def _drafts(export: Export) -> Iterator[SetAside]:
    """Tasks that somebody began and did not submit. What they began is not kept."""
    for task in export.tasks:
        if task.drafts and not task.annotations:
            yield SetAside(
                reason="draft",
                detail="begun and not submitted",
                file=export.file,
                task=task.task,
                annotator=None,
                annotation=None,
                raw=digest({"task": task.task, "drafts": task.drafts}),
            )


def derive(
    folder: HumanFolder, key: Mapping[str, KeyedTask], study: Study, *, write: bool = True
) -> Acceptance:
    """Read every raw file, find who is who, judge, and `write` people.json, verdicts.jsonl and
    set_aside.jsonl. Raises InputError for a raw file or people.json that was damaged."""
    given = read_given(folder, {task.annotator for task in key.values()})
    acceptance = accept(stored_exports(folder), key, study, given, closed_tasks(folder))
    if write:
        write_one(folder.people, acceptance.people)
        write_lines(folder.verdicts, acceptance.verdicts)
        write_lines(folder.set_aside, acceptance.set_aside)
    return acceptance
