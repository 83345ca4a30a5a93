"""All answers of a study together: which one of several counts.

Every task is one annotator's, so a task says who answered it. All raw files are read, so importing
or pulling twice leaves the same files, byte for byte.
"""

from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from pairwright.dataset import write_lines
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.raw_files import stored_exports
from pairwright_human_eval.records import (
    Answer,
    AskedTask,
    Export,
    KeyedTask,
    Objection,
    SetAside,
    Verdict,
)


class Acceptance(NamedTuple):
    """What came of all annotations: each is a verdict, set aside, or a copy of another."""

    verdicts: tuple[Verdict, ...]
    """By task."""
    set_aside: tuple[SetAside, ...]
    copies: int
    """Annotations that are in one file or several more than once: those beyond the first."""


class _Given(NamedTuple):
    """An answer with the file that it is in."""

    answer: Answer
    file: str
    export: Export

    @property
    def order(self) -> tuple[datetime, int, int, str]:
        """By the time of the answer, where it is known, then by the file and the tool's number."""
        updated = self.answer.updated
        at = datetime.fromisoformat(updated) if updated else datetime.min.replace(tzinfo=UTC)
        return at, self.export.sequence, self.answer.number or 0, self.answer.raw


def accept(exports: Mapping[str, Export], key: Mapping[str, KeyedTask]) -> Acceptance:
    """Judge every annotation of the raw files, by their names.

    The last answer to a task counts. A later skip takes an answer back. Anything that cannot be a
    verdict anyway takes nothing back, and what was begun on a task with an answer is no answer.
    """
    read = [
        _Given(answer, name, export)
        for name, export in exports.items()
        for answer in export.answers
    ]
    once: dict[tuple[str | None, str], _Given] = {}
    for one in sorted(read, key=lambda one: one.order):
        once[one.answer.task, one.answer.identity] = one
    set_aside: list[SetAside] = []
    by_task: dict[str, list[_Given]] = defaultdict(list)
    drafts: dict[str | None, SetAside] = {}
    for one in once.values():
        keyed, objection = key.get(one.answer.task or ""), one.answer.objection
        if keyed is None:
            objection = objection or Objection("unknown_task", "names no task of this study")
        if objection and objection.reason == "draft":
            drafts[one.answer.task] = _aside(one, objection, keyed)
        elif objection:
            set_aside.append(_aside(one, objection, keyed))
        elif keyed:
            by_task[keyed.task].append(one)
    verdicts: list[Verdict] = []
    for name, several in by_task.items():
        *before, latest = sorted(several, key=lambda one: one.order)
        by = ", a skip" if latest.answer.skipped else ""
        superseded = Objection("superseded", f"by a later answer{by}")
        set_aside += (_aside(one, superseded, key[name]) for one in before)
        if latest.answer.answers is None:
            set_aside.append(_aside(latest, Objection("skipped", latest.answer.comment), key[name]))
        else:
            verdicts.append(_verdict(latest, key[name]))
    answered = {one.task for one in verdicts} | {one.task for one in set_aside}
    set_aside += (line for task, line in drafts.items() if task not in answered)
    return Acceptance(
        tuple(sorted(verdicts, key=lambda v: v.task)),
        tuple(sorted(set_aside, key=lambda s: (s.file, s.task or "", s.annotation or 0, s.raw))),
        len(read) - len(once),
    )


def _aside(one: _Given, objection: Objection, keyed: KeyedTask | None) -> SetAside:
    return SetAside(
        reason=objection.reason,
        detail=objection.detail,
        file=one.file,
        task=keyed and keyed.task,
        annotator=keyed and keyed.annotator,
        annotation=one.answer.number,
        raw=one.answer.raw,
    )


def _verdict(one: _Given, keyed: KeyedTask) -> Verdict:
    given = one.answer
    return Verdict(
        **{name: getattr(keyed, name) for name in AskedTask.model_fields},
        answers=given.answers, comment=given.comment, created=given.created,
        updated=given.updated, seconds=given.seconds, raw=given.raw,
        simulated=one.export.source == "simulated",
    )  # fmt: skip


def read_acceptance(folder: HumanFolder, key: Mapping[str, KeyedTask]) -> Acceptance:
    """Read every raw file, and judge. Raises InputError for one that was damaged."""
    return accept(stored_exports(folder), key)


def derive(folder: HumanFolder, key: Mapping[str, KeyedTask]) -> Acceptance:
    """The same, and write verdicts.jsonl and set_aside.jsonl."""
    found = read_acceptance(folder, key)
    write_lines(folder.verdicts, found.verdicts)
    write_lines(folder.set_aside, found.set_aside)
    return found
