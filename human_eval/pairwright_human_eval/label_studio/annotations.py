"""An annotation in the form in which Label Studio exports it, and as a neutral record."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation, ValidationError

from pairwright_human_eval.annotation import (
    Annotation,
    Choice,
    Entry,
    Objection,
    Remark,
)
from pairwright_human_eval.form import COMMENT
from pairwright_human_eval.raw_export import Export, ExportedTask
from pairwright_human_eval.records import digest

LONGEST_S = 366 * 86_400.0
"""Nobody has a task open for a year."""


class _ExportedAnnotation(BaseModel):
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


def read_annotation(content: JsonValue, task: ExportedTask, n: int) -> Annotation:
    """Read the `n`th annotation that is listed under a task."""
    raw = digest(content)
    try:
        row = _ExportedAnnotation.model_validate(content)
        created, updated = _time(row.created_at), _time(row.updated_at)
    except ValueError as error:
        return Annotation(
            raw=raw,
            identity=f"{task.id} {n} {raw}",
            problem=Objection("malformed", _first_error(error)),
        )
    return Annotation(
        raw=raw,
        identity=row.unique_id or raw,
        number=row.id,
        account=row.completed_by,
        skipped=row.was_cancelled,
        created=row.created_at,
        updated=row.updated_at,
        at=updated,
        seconds=row.lead_time,
        entries=tuple(_entries(row.result)),
        problem=_moved(row, task) or _impossible(row, created, updated),
        edited=_edited(row),
    )


def _entries(result: list[JsonValue]) -> Iterator[Entry]:
    for row in result:
        if not isinstance(row, dict):
            yield Objection("malformed", "a result that is not an object")
            continue
        name, value = row.get("from_name"), row.get("value")
        if name == COMMENT:
            yield Remark(_text(row, value))
        elif isinstance(name, str):
            yield Choice(name, _choice(name, row, value))
        else:
            yield Choice(None, "")


def _choice(name: str, row: dict[str, JsonValue], value: JsonValue) -> str | Objection:
    choices = value.get("choices") if isinstance(value, dict) else None
    if row.get("type") != "choices" or not isinstance(choices, list):
        return Objection("wrong_type", name)
    if not choices:
        return Objection("missing_answer", name)
    if len(choices) > 1:
        return Objection("duplicate_answer", name)
    return choices[0] if isinstance(choices[0], str) else Objection("wrong_type", name)


def _text(row: dict[str, JsonValue], value: JsonValue) -> str | Objection:
    text = value.get("text") if isinstance(value, dict) else None
    lines = [text] if isinstance(text, str) else text
    if row.get("type") != "textarea" or not isinstance(lines, list):
        return Objection("wrong_type", COMMENT)
    if not all(isinstance(line, str) for line in lines):
        return Objection("wrong_type", COMMENT)
    return "\n".join(map(str, lines))


def _edited(row: _ExportedAnnotation) -> Objection | None:
    if "updated_by" not in row.model_fields_set or row.updated_by == row.completed_by:
        return None
    if row.updated_by is None:
        what = "nobody is named as its last editor: imported with its task, or by a deleted account"
    else:
        what = "another account changed it, or gave it in this one's name"
    return Objection("edited_by_another", what)


def _moved(row: _ExportedAnnotation, task: ExportedTask) -> Objection | None:
    """An annotation names the task that it was given on: under another one it is not an answer."""
    if row.task is None or row.task == task.id:
        return None
    return Objection("other_task", f"given on task {row.task}, but listed under task {task.id}")


def _impossible(row: _ExportedAnnotation, created: datetime, updated: datetime) -> Objection | None:
    """Label Studio takes any lead time that it is sent, in seconds; a file may have been edited."""
    if updated < created:
        return Objection("impossible_time", "updated_at is before created_at")
    if row.lead_time is not None and not 0 <= row.lead_time < LONGEST_S:
        return Objection("impossible_time", f"lead_time is {row.lead_time}")
    return None


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("no zone")
    return time


def _first_error(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return "created_at or updated_at is not a time with its zone"
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'][:1])) or 'annotation'}: {first['msg']}"


def with_earlier(now: Export, before: Export) -> Export:
    """A pull of a project, with what an earlier pull of it has and the server has lost.

    Annotations that are no longer on the server are kept as `gone`. Those that have lost their
    annotator, because the account was deleted, and are otherwise the same are kept as they were.
    """
    tasks, gone = tuple(_with_authors(now, before)), tuple(_gone(before, now))
    return now.model_copy(update={"tasks": tasks, "gone": gone})


def _gone(before: Export, now: Export) -> Iterator[ExportedTask]:
    there = {_identity(a) for task in now.tasks for a in task.annotations}
    for task in (*before.tasks, *before.gone):
        lost = tuple(a for a in task.annotations if _identity(a) not in there)
        if lost:
            there.update(map(_identity, lost))
            yield task.model_copy(update={"annotations": lost, "drafts": 0})


def _with_authors(now: Export, before: Export) -> Iterator[ExportedTask]:
    authored = {
        (_identity(a), a.get("updated_at")): a
        for task in before.tasks
        for a in task.annotations
        if isinstance(a, dict) and a.get("completed_by") is not None
    }
    for task in now.tasks:
        annotations = tuple(
            authored.get((_identity(a), a.get("updated_at")), a)
            if isinstance(a, dict) and a.get("completed_by") is None
            else a
            for a in task.annotations
        )
        yield task.model_copy(update={"annotations": annotations})


def _identity(annotation: JsonValue) -> JsonValue:
    return annotation.get("unique_id") if isinstance(annotation, dict) else None
