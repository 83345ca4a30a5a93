"""An annotation on its own: is it about a task of ours, as we wrote it, and what does it say?"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation, ValidationError

from pairwright_human_eval.accept.answers import Controls, FormAnswers, read_answers, remark
from pairwright_human_eval.accept.reasons import Objection
from pairwright_human_eval.exports import Export, ExportedTask
from pairwright_human_eval.forms import controls
from pairwright_human_eval.people import Account
from pairwright_human_eval.records import KeyedTask, Kind, Study, digest

_NEVER = datetime.min.replace(tzinfo=UTC)


class _Shape(BaseModel):
    """What every annotation of Label Studio has."""

    model_config = ConfigDict(frozen=True, strict=True)

    id: int
    task: int | None = None
    """The server's number of the task that it was given on."""
    unique_id: str | None = None
    completed_by: int | None
    updated_by: int | None = None
    was_cancelled: bool
    created_at: str
    updated_at: str
    lead_time: float | None = None
    result: list[Annotated[JsonValue, SkipValidation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One annotation of one file. What a malformed one does not tell is left at its default."""

    file: str
    task: str | None
    keyed: KeyedTask | None
    place: tuple[str, int | None]
    """Source and the server's id of the task: one imported twice is there under two."""
    raw: str
    simulated: bool
    identity: str
    """Label Studio's own, the same in every export; its hash where it has none."""
    number: int | None = None
    account: Account | None = None
    skipped: bool = False
    created: str = ""
    updated: str = ""
    at: datetime = _NEVER
    """`updated`, to compare by."""
    seconds: float | None = None
    problem: Objection | None = None
    """Why it is no verdict, whoever gave it."""
    edited: Objection | None = None
    """That it is not as its annotator left it."""
    remark: str = ""
    """What its annotator wrote about skipping it."""
    said: FormAnswers | Objection | None = None
    """None where there is a problem, and for what is skipped."""


class Reader:
    """Reads the annotations of one study."""

    def __init__(self, key: Mapping[str, KeyedTask], study: Study) -> None:
        self._key = key
        self._study = study
        self._controls = cache(self._controls_of)

    def annotations(self, export: Export) -> Iterator[Seen]:
        """Every annotation of an export, those that are gone included."""
        for task in export.tasks:
            problem = self._problem(export, task)
            for n, annotation in enumerate(task.annotations):
                yield self._seen(export, task, annotation, problem, n)
        deleted = Objection("deleted", "an earlier pull had it, and the server has it no more")
        for task in export.gone:
            for n, annotation in enumerate(task.annotations):
                yield self._seen(export, task, annotation, deleted, n)

    def _seen(
        self,
        export: Export,
        task: ExportedTask,
        annotation: JsonValue,
        problem: Objection | None,
        n: int,
    ) -> Seen:
        keyed = self._key.get(task.task or "")
        raw = digest(annotation)
        try:
            shape = _Shape.model_validate(annotation)
            created, at = _time(shape.created_at), _time(shape.updated_at)
        except ValueError as error:
            return Seen(
                file=export.file,
                task=task.task,
                keyed=keyed,
                place=(export.source, task.id),
                raw=raw,
                simulated=export.simulated,
                identity=f"{task.id} {n} {raw}",
                problem=problem or Objection("malformed", _told(error)),
            )
        account = shape.completed_by
        problem = problem or _moved(shape, task) or _impossible(shape, created, at)
        return Seen(
            file=export.file,
            task=task.task,
            keyed=keyed,
            place=(export.source, task.id),
            raw=raw,
            simulated=export.simulated,
            identity=shape.unique_id or raw,
            number=shape.id,
            account=None if account is None else Account(export.source, account),
            skipped=shape.was_cancelled,
            remark=remark(shape.result) if shape.was_cancelled else "",
            created=shape.created_at,
            updated=shape.updated_at,
            at=at,
            seconds=shape.lead_time,
            problem=problem,
            edited=_edited(shape),
            said=None if problem or shape.was_cancelled else self._said(shape, keyed),
        )

    def _said(self, shape: _Shape, keyed: KeyedTask | None) -> FormAnswers | Objection | None:
        if keyed is None:
            return None
        allowed = self._controls(keyed.kind, len(keyed.aspects))
        return read_answers(shape.result, keyed, allowed, self._study.scales)

    def _problem(self, export: Export, task: ExportedTask) -> Objection | None:
        keyed = self._key.get(task.task or "")
        if keyed is None:
            return Objection("unknown_task", "its data names no task of this study")
        if task.data_hash != keyed.data_hash:
            return Objection("data_changed", "the task's data is not as exported")
        form = keyed.kind if keyed.round == 1 else f"{keyed.kind}_adjudication"
        if export.config_hash and export.config_hash != self._study.config_hashes[form]:
            return Objection("config_changed", "the project's labelling configuration was changed")
        return None

    def _controls_of(self, kind: Kind, aspects: int) -> Controls:
        return controls(kind, self._study.scales, aspects)


def _edited(shape: _Shape) -> Objection | None:
    if "updated_by" not in shape.model_fields_set or shape.updated_by == shape.completed_by:
        return None
    if shape.updated_by is None:
        what = "nobody is named as its last editor: imported with its task, or by a deleted account"
    else:
        what = "another account changed it, or gave it in this one's name"
    return Objection("edited_by_another", what)


def _moved(shape: _Shape, task: ExportedTask) -> Objection | None:
    """An annotation names the task that it was given on: under another one it is not an answer."""
    if shape.task is None or shape.task == task.id:
        return None
    return Objection("other_task", f"given on task {shape.task}, but listed under task {task.id}")


def _impossible(shape: _Shape, created: datetime, updated: datetime) -> Objection | None:
    """Label Studio takes any lead time that it is sent; a file may have been edited."""
    if updated < created:
        return Objection("impossible_time", "updated_at is before created_at")
    if shape.lead_time is not None and not 0 <= shape.lead_time < math.inf:
        return Objection("impossible_time", f"lead_time is {shape.lead_time}")
    return None


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("no zone")
    return time


def _told(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return "created_at or updated_at is no time with its zone"
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'][:1])) or 'annotation'}: {first['msg']}"
