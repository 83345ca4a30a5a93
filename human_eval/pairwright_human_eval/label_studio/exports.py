"""Reading what Label Studio exported, without what names people, as neutral records."""

import codecs
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation, ValidationError
from pydantic_core import from_json

from pairwright.errors import InputError
from pairwright_human_eval.annotation import (
    Annotation,
    Choice,
    Entry,
    Export,
    ExportedTask,
    Objection,
    Remark,
    clean_text,
)
from pairwright_human_eval.form import COMMENT
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


_EXPORT_JSON = "In Label Studio, use Export and choose JSON (not JSON-MIN, CSV or TSV)."
_SHEET = "The spreadsheet of a study needs its first row, as it was exported."
_ZIP = b"PK\x03\x04"
# What is read of an annotation, or says how it came about. The rest is dropped: any other key
# may name a user.
_KEYS = (
    "id", "task", "unique_id", "completed_by", "updated_by", "was_cancelled", "created_at",
    "updated_at", "lead_time", "ground_truth", "parent_annotation", "parent_prediction", "result",
)  # fmt: skip
_DEEPEST = 50
"""Levels of lists and objects in an annotation. Label Studio's have six."""


def read_export(path: Path) -> Export:
    """What a file holds; raises InputError where it is not a JSON export with annotations."""
    content = _parsed(path)
    if isinstance(content, dict) and isinstance(content.get("tasks"), list):
        raise InputError(
            "is a raw file of a study, and not what Label Studio exported",
            where=path,
            fix="Pull again, or give the exported file itself.",
        )
    if not isinstance(content, list):
        raise InputError("not a list of tasks", where=path, fix=_EXPORT_JSON)
    _check_tasks(path, content)
    return Export(file=path.name, tool="label-studio", tasks=tuple(map(clean_task, content)))


def _check_tasks(path: Path, rows: list[JsonValue]) -> None:
    """Raise InputError for the lists that are often taken for an export."""
    if not rows:
        raise InputError("holds no task", where=path, fix="Export once somebody has annotated.")
    if any(isinstance(row, dict) and isinstance(row.get("annotations"), list) for row in rows):
        if not any(isinstance(row, dict) and _touched(row) for row in rows):
            raise InputError(
                "holds no annotation", where=path, fix="Export once somebody has annotated."
            )
        return
    first = rows[0] if isinstance(rows[0], dict) else {}
    if "annotation_id" in first or ("annotator" in first and "lead_time" in first):
        raise InputError(
            "this is JSON-MIN, which leaves out who skipped and who changed an answer",
            where=path,
            fix=_EXPORT_JSON,
        )
    if "data" in first:
        raise InputError(
            "holds tasks without annotations, as they are imported into Label Studio",
            where=path,
            fix="Import this file there; what comes back is exported with Export, as JSON.",
        )
    raise InputError("not a list of Label Studio tasks", where=path, fix=_EXPORT_JSON)


def _touched(row: dict[str, JsonValue]) -> bool:
    return bool(row.get("annotations") or row.get("drafts"))


def _parsed(path: Path) -> Any:
    try:
        content = path.read_bytes().removeprefix(codecs.BOM_UTF8)
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            # What a spreadsheet or PowerShell saves; half of a pair at its end is found below.
            content = content.decode("utf-16", errors="replace").encode()
    except IsADirectoryError:
        raise InputError("a folder", where=path, fix="Name the files in it.") from None
    except OSError as error:
        raise InputError(
            str(error.strerror), where=path, fix="Name a file that is there."
        ) from None
    if content.startswith(_ZIP) and path.suffix.lower() in (".xlsx", ".ods"):
        raise InputError(
            "a workbook", where=path, fix="Save its sheet as CSV (UTF-8), and name that file."
        )
    if content.startswith(_ZIP):
        raise InputError("a ZIP archive", where=path, fix="Unpack it, and name the files in it.")
    try:
        return from_json(content)
    except ValueError:
        # JSON with half a surrogate pair in it, which is to be cleaned; or none at all.
        return _parsed_leniently(path, content)


def _parsed_leniently(path: Path, content: bytes) -> Any:
    try:
        text = content.decode()
        return json.loads(text)
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 (byte {error.start})",
            where=path,
            fix=f"Give the file as exported. {_EXPORT_JSON}",
        ) from None
    except json.JSONDecodeError as error:
        raise _no_json(path, text, error) from None
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"no JSON of Label Studio: {error}", where=path, fix=_EXPORT_JSON
        ) from None


def _no_json(path: Path, text: str, error: json.JSONDecodeError) -> InputError:
    first = text.lstrip()[:1]
    head = text.split("\n", 1)[0]
    if not first:
        return InputError("empty", where=path, fix=_EXPORT_JSON)
    if first not in "[{":
        table = next((name for name, mark in (("TSV", "\t"), ("CSV", ",")) if mark in head), None)
        what = f"{table}, no JSON" if table else "no JSON"
        return InputError(what, where=path, fix=f"{_EXPORT_JSON} {_SHEET}")
    where = f"{path}:{error.lineno}"
    if error.msg == "Extra data":
        return InputError(
            "more follows after the first value, as in JSONL", where=where, fix=_EXPORT_JSON
        )
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        return InputError("the file is cut off here", where=where, fix="Export or copy it again.")
    return InputError(f"no JSON: {error.msg}", where=where, fix="Give the file as exported.")


def clean_task(task: JsonValue) -> ExportedTask:
    """Keep of a task what answers are read from.

    Accounts become their numbers, e-mail addresses in what people wrote become `[e-mail]`, the
    data becomes its hash; drafts are counted; predictions and all else is left out. Halves of
    surrogate pairs, which no file can hold, become U+FFFD.
    """
    row = task if isinstance(task, dict) else {}
    data = row.get("data")
    name = data.get("task") if isinstance(data, dict) else None
    annotations, drafts = row.get("annotations"), row.get("drafts")
    return ExportedTask(
        id=_number(row.get("id")),
        task=clean_text(name) if isinstance(name, str) else None,
        data_hash=_hash(data),
        annotations=tuple(map(_annotation, annotations)) if isinstance(annotations, list) else (),
        drafts=len(drafts) if isinstance(drafts, list) else 0,
    )


def _hash(data: JsonValue) -> str:
    try:
        return digest(data)
    except RecursionError:
        return digest("nested too deeply to be ours")


def _annotation(annotation: JsonValue) -> JsonValue:
    """None for what is not an annotation at all."""
    if not isinstance(annotation, dict) or _deeper(annotation, _DEEPEST):
        return None
    fields = {key: annotation[key] for key in _KEYS if key in annotation}
    for key in ("completed_by", "updated_by"):
        account = fields.get(key)
        if isinstance(account, dict):
            fields[key] = _number(account.get("id"))
    # Most annotations hold nothing to be cleaned, and looking at their text is quicker.
    text = json.dumps(fields)
    suspect = "@" in text or "\\uff20" in text or "\\ud" in text
    return _clean(fields) if suspect else fields


def _deeper(value: JsonValue, levels: int) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(
        _deeper(one, levels - 1) for one in inside if isinstance(one, (dict, list))
    )


def _clean(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_clean(one) for one in value]
    if isinstance(value, dict):
        return {clean_text(key): _clean(one) for key, one in value.items()}
    return value


def _number(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
