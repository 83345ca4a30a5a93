"""A person who has left the study, and who does what they left undone.

What the person answered stays theirs and counts. What is open goes to somebody new, as tasks with
new ids, so that nothing is answered twice. A newcomer gets all attention checks, for these measure
the person; a repeat goes along only with the vote that it repeats.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from pairwright.dataset import read_lines
from pairwright.errors import InputError
from pairwright.records import Record, content_id
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import Data, KeyedTask, digest
from pairwright_human_eval.tasks import Task


class Replacement(Record):
    """A line of private/replacements.jsonl: who took over what from whom."""

    left: str
    """The pseudonym of the person who has left."""
    annotator: str
    """That of the newcomer."""
    closed: tuple[str, ...]
    """Tasks of the one who left that nobody is asked any more."""
    tasks: tuple[KeyedTask, ...]
    """Those of the newcomer."""


class HandOver(NamedTuple):
    """What goes from one person to another."""

    record: Replacement
    tasks: tuple[Task, ...]


def read_replacements(folder: HumanFolder) -> tuple[Replacement, ...]:
    """The oldest first. Raises InputError for a damaged line."""
    if not folder.replacements.exists():
        return ()
    fix = "The file was changed: restore it from a copy."
    return tuple(read_lines(folder.replacements, Replacement, fix=fix))


def not_redone(own: Sequence[KeyedTask], before: Sequence[Replacement]) -> list[KeyedTask]:
    """The `own` tasks of a person that nobody who took over from them `before` has, and all
    attention checks."""
    redone = {_asked(keyed) for replacement in before for keyed in replacement.tasks}
    return [k for k in own if k.purpose == "attention" or _asked(k) not in redone]


def with_all_checks(
    own: Sequence[KeyedTask], before: Sequence[Replacement], key: Mapping[str, KeyedTask]
) -> list[KeyedTask]:
    """The `own` tasks with every attention check that the person had.

    Checks that were open when somebody took over `before` are closed, and have no text any more.
    Those of that newcomer, who got all of them, are taken in their place while they are in the
    `key`.
    """
    checks = [
        keyed
        for replacement in before
        for keyed in replacement.tasks
        if keyed.purpose == "attention" and keyed.task in key
    ]
    there = [keyed for keyed in own if keyed.purpose == "attention"]
    if len(checks) <= len(there):
        return list(own)
    rest = [keyed for keyed in own if keyed.purpose != "attention"]
    for n, check in enumerate(checks):
        # One in each stretch of the work.
        rest.insert((n + 1) * len(rest) // (len(checks) + 1), check)
    return rest


def _asked(keyed: KeyedTask) -> tuple[str, str, str, str | None]:
    return keyed.kind, keyed.purpose, keyed.subject, keyed.pair


def hand_over(
    left: str,
    own: Sequence[KeyedTask],
    shown: Mapping[str, Data],
    answered: Set[str],
    newcomer: str,
    seed: int,
    *,
    everything: bool,
) -> HandOver:
    """What is left of the `own` tasks of the person who has `left`, in their order, for a newcomer.

    `answered` are tasks with an answer that counts; with `everything` none of them counts, because
    the person failed the checks. `shown` is what the tasks show. Raises InputError where nothing
    is left to do.
    """
    # A check may be another newcomer's, to be copied and not to be closed.
    waiting = [k for k in own if k.task not in answered and k.annotator == left]
    undone = list(own) if everything else waiting
    votes = {(k.subject, k.pair) for k in undone if k.purpose == "vote" and k.kind == "preference"}
    passed_on = [keyed for keyed in own if keyed.purpose == "attention" or keyed in undone]
    passed_on = [k for k in passed_on if k.purpose != "repeat" or (k.subject, k.pair) in votes]
    if all(keyed.purpose == "attention" for keyed in passed_on):
        raise InputError(
            f"{left} has left nothing undone", where="PERSON", fix="Nobody needs to take over."
        )
    tasks = tuple(_renamed(keyed, shown[keyed.task], newcomer, seed) for keyed in passed_on)
    record = Replacement(
        left=left,
        annotator=newcomer,
        closed=tuple(keyed.task for keyed in waiting),
        tasks=tuple(task.keyed for task in tasks),
    )
    return HandOver(record, tasks)


def key_after(
    key: Mapping[str, KeyedTask], replacements: Sequence[Replacement]
) -> dict[str, KeyedTask]:
    """The key without what was closed, and with what newcomers have."""
    changed = dict(key)
    for replacement in replacements:
        for task in replacement.closed:
            changed.pop(task, None)
        changed |= {keyed.task: keyed for keyed in replacement.tasks}
    return changed


def closed_tasks(replacements: Sequence[Replacement]) -> Iterator[str]:
    """Tasks that were handed over: an answer to one of them comes too late."""
    for replacement in replacements:
        yield from replacement.closed


def _renamed(keyed: KeyedTask, data: Data, annotator: str, seed: int) -> Task:
    name = content_id("task", str(seed), keyed.task, "replacement", annotator)
    own: Data = {**data, "task": name}
    changes = {"task": name, "annotator": annotator, "data_hash": digest(own)}
    return Task(own, keyed.model_copy(update=changes))
