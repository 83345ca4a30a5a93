"""Label Studio's exports: what each annotation says, or why it cannot be an answer.

A server stores everything that is posted, so nothing of an export is taken for granted.
"""

import codecs
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation, ValidationError

from pairwright.errors import InputError, first_invalid
from pairwright.settings.domains import Scale
from pairwright_human_eval.forms import COMMENT, nameless, quoted, read_choices
from pairwright_human_eval.records import Given, KeyedTask, Objection, RawTask, digest

LONGEST_S = 366 * 86_400.0
"""Nobody has a task open for a year."""


class _Annotation(BaseModel):
    """What every annotation of Label Studio has."""

    model_config = ConfigDict(frozen=True, strict=True)

    id: int
    unique_id: str | None = None
    was_cancelled: bool
    created_at: str
    updated_at: str
    lead_time: float | None = None
    completed_by: JsonValue = None
    updated_by: JsonValue = None
    result: list[Annotated[JsonValue, SkipValidation]]


def read_export(
    content: bytes, where: Path, key: Mapping[str, KeyedTask], scales: tuple[Scale, ...]
) -> list[RawTask]:
    """What an export holds; raises InputError if it is not a list in JSON."""
    tasks = _parsed(content, where)
    if not isinstance(tasks, list):
        raise InputError("not a list of Label Studio tasks", where=where, fix=_EXPORT_JSON)
    return [_read_task(task, n, key, scales) for n, task in enumerate(tasks, start=1)]


def _read_task(
    task: object, number: int, key: Mapping[str, KeyedTask], scales: tuple[Scale, ...]
) -> RawTask:
    """The annotations of an exported task; if somebody began it and did not submit, a draft without
    its content."""
    row = task if isinstance(task, dict) else {}
    data, annotations = row.get("data"), row.get("annotations")
    name = data.get("task") if isinstance(data, dict) else None
    keyed = key.get(name) if isinstance(name, str) else None
    wrong = None
    if keyed is None:
        wrong = Objection("unknown_task", "its data names no task of this study")
    elif _digest(data) != keyed.data_hash:
        wrong = Objection("data_changed", "the task's data is not as exported")
    known, project = keyed.task if keyed else "", row.get("project")
    given = list[Given]()
    if isinstance(annotations, list) and annotations:
        for n, content in enumerate(annotations, start=1):
            place = f"task {number}, annotation {n}"
            given.append(_read_annotation(content, place, keyed, scales, wrong))
    elif row.get("drafts"):
        draft = wrong or Objection("draft", "begun and not submitted")
        given.append(Given(known, f"task {number}", digest({"draft": known}), fault=draft))
    return RawTask(known, str(project) if isinstance(project, int) else "", tuple(given))


def _digest(content: Any) -> str:
    try:
        return digest(content)
    except RecursionError:
        return digest("nested too deeply to be ours")


def _read_annotation(
    content: JsonValue,
    place: str,
    keyed: KeyedTask | None,
    scales: tuple[Scale, ...],
    wrong: Objection | None,
) -> Given:
    raw, task = _digest(content), keyed.task if keyed else ""
    try:
        row = _Annotation.model_validate(content)
        created, updated = map(datetime.fromisoformat, (row.created_at, row.updated_at))
        if created.tzinfo is None or updated.tzinfo is None:
            raise ValueError("no zone")
    except ValueError as error:
        what = "created_at or updated_at is not a time with its zone"
        if isinstance(error, ValidationError):
            field, why = first_invalid(error)
            what = f"{field.partition('.')[0] or 'annotation'}: {why}"
        return Given(task, place, f"{place} {raw}", fault=wrong or Objection("malformed", what))
    comment, entries, fault = _entries(row.result)
    wrong = wrong or _impossible(row, created, updated)
    choices: dict[str, str] | Objection | None = None
    if keyed and not wrong and not row.was_cancelled:
        choices = fault or read_choices(entries, keyed, scales)
    return Given(
        task=task,
        place=place,
        identity=row.unique_id if row.unique_id and row.unique_id.isascii() else raw,
        at=updated.isoformat(),
        number=row.id,
        account=_account(row.completed_by),
        seconds=None if wrong else row.lead_time,
        comment=comment,
        choices=None if isinstance(choices, Objection) else choices,
        fault=choices if isinstance(choices, Objection) else wrong,
    )


def _impossible(row: _Annotation, created: datetime, updated: datetime) -> Objection | None:
    """Why nobody can have given the annotation like this."""
    if updated < created:
        return Objection("impossible_time", "updated_at is before created_at")
    # Label Studio takes any lead time that it is sent, in seconds; a file may have been edited.
    if row.lead_time is not None and not 0 <= row.lead_time < LONGEST_S:
        return Objection("impossible_time", f"lead_time is {row.lead_time}")
    first, last = _account(row.completed_by), _account(row.updated_by)
    if first is not None and last is not None and first != last:
        return Objection("other_account", "another account changed it last")
    return None


def _account(who: JsonValue) -> int | None:
    """The number of an account, which some exports write with its e-mail."""
    number = who.get("id") if isinstance(who, dict) else who
    return number if isinstance(number, int) else None


def _entries(
    result: Iterable[JsonValue],
) -> tuple[str, list[tuple[str, str]], Objection | None]:
    """The comment, the controls with what was chosen there, and why one cannot be read."""
    comments, entries, fault = list[str](), list[tuple[str, str]](), None
    for row in result:
        name = row.get("from_name") if isinstance(row, dict) else None
        value = row.get("value") if isinstance(row, dict) else None
        if not isinstance(name, str) or not isinstance(value, dict):
            fault = fault or Objection("malformed", "a result without a control or a value")
            continue
        given = value.get("text" if name == COMMENT else "choices")
        given = [given] if isinstance(given, str) else given
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            fault = fault or Objection("wrong_type", quoted(name))
        elif name == COMMENT:
            comments += map(str, given)
        else:
            entries += [(name, str(one)) for one in given]
    return nameless("\n".join(comments)), entries, fault


_EXPORT_JSON = "In Label Studio, use Export and choose JSON (not JSON-MIN, CSV or TSV)."


def check_export(content: bytes, where: Path) -> None:
    """Raise InputError for a file that is not an export with annotations."""
    if fault := _fault(_parsed(content, where)):
        raise InputError(fault[0], where=where, fix=fault[1])


def _fault(content: Any) -> tuple[str, str] | None:
    """What is often taken for an export, and what to do about it."""
    rows = [row for row in content if isinstance(row, dict)] if isinstance(content, list) else []
    if any(isinstance(row.get("annotations"), list) for row in rows):
        touched = any(row.get("annotations") or row.get("drafts") for row in rows)
        return None if touched else ("holds no annotation", "Export once somebody has annotated.")
    if rows and "annotation_id" in rows[0]:
        what = "this is JSON-MIN, which leaves out who skipped and who changed an answer"
        return what, _EXPORT_JSON
    if rows and "data" in rows[0]:
        what = "holds tasks without annotations, as they are imported into Label Studio"
        return what, "Import this file there; what comes back is exported with Export, as JSON."
    return "not a list of Label Studio tasks", _EXPORT_JSON


def _parsed(content: bytes, path: Path) -> Any:
    try:
        return json.loads(content.removeprefix(codecs.BOM_UTF8).decode())
    except json.JSONDecodeError as error:
        what, where = f"no JSON: {error.msg}", f"{path}:{error.lineno}"
    except (ValueError, RecursionError) as error:
        what, where = f"no JSON: {error}", str(path)
    fix = f"{_EXPORT_JSON} If it is a workbook, save the sheet as CSV (UTF-8), with its first row."
    raise InputError(what, where=where, fix=fix)
