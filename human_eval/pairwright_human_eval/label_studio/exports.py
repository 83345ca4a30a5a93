"""Reading what Label Studio exported, without what names people, as neutral records."""

import codecs
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation, ValidationError
from pydantic_core import from_json

from pairwright.errors import InputError, first_invalid
from pairwright_human_eval.annotation import (
    COMMENT,
    Annotation,
    Entry,
    Export,
    ExportedTask,
    Objection,
    clean_text,
)
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
        created, updated = map(datetime.fromisoformat, (row.created_at, row.updated_at))
        if created.tzinfo is None or updated.tzinfo is None:
            raise ValueError("no zone")
    except ValueError as error:
        what = "created_at or updated_at is not a time with its zone"
        if isinstance(error, ValidationError):
            field, why = first_invalid(error)
            what = f"{field.partition('.')[0] or 'annotation'}: {why}"
        return Annotation(
            raw=raw, identity=f"{task.id} {n} {raw}", problem=Objection("malformed", what)
        )
    return Annotation(
        raw=raw,
        identity=row.unique_id or raw,
        number=row.id,
        account=row.completed_by,
        skipped=row.was_cancelled,
        created=row.created_at,
        updated=row.updated_at,
        seconds=row.lead_time,
        entries=tuple(_entries(row.result)),
        problem=_problem(row, task, created, updated),
        edited=_edited(row),
    )


def _entries(result: list[JsonValue]) -> Iterator[Entry]:
    for row in result:
        if not isinstance(row, dict):
            yield Objection("malformed", "a result that is not an object")
            continue
        name, value = row.get("from_name"), row.get("value")
        if name == COMMENT:
            yield COMMENT, _text(row, value)
        elif isinstance(name, str):
            yield name, _choice(name, row, value)
        else:
            yield None, ""


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


def _problem(
    row: _ExportedAnnotation, task: ExportedTask, created: datetime, updated: datetime
) -> Objection | None:
    if row.task is not None and row.task != task.id:
        # It names the task that it was given on: under another one it is not an answer.
        return Objection("other_task", f"given on task {row.task}, but listed under task {task.id}")
    if updated < created:
        return Objection("impossible_time", "updated_at is before created_at")
    # Label Studio takes any lead time that it is sent, in seconds; a file may have been edited.
    if row.lead_time is not None and not 0 <= row.lead_time < LONGEST_S:
        return Objection("impossible_time", f"lead_time is {row.lead_time}")
    return None


def with_earlier(now: Export, before: Export) -> Export:
    """A pull of a project, with what an earlier pull of it has and the server has lost.

    Annotations that are no longer on the server are kept as `gone`. Those that have lost their
    annotator, because the account was deleted, and are otherwise the same are kept as they were.
    """
    authored = {
        _state(a): a
        for task in before.tasks
        for a in task.annotations
        if isinstance(a, dict) and a.get("completed_by") is not None
    }
    tasks = []
    for task in now.tasks:
        annotations = tuple(
            authored.get(_state(a), a)
            if isinstance(a, dict) and a.get("completed_by") is None
            else a
            for a in task.annotations
        )
        tasks.append(task.model_copy(update={"annotations": annotations}))
    there = {_state(a)[0] for task in now.tasks for a in task.annotations}
    gone = []
    for task in (*before.tasks, *before.gone):
        if lost := tuple(a for a in task.annotations if _state(a)[0] not in there):
            there.update(_state(a)[0] for a in lost)
            gone.append(task.model_copy(update={"annotations": lost, "drafts": 0}))
    return now.model_copy(update={"tasks": tuple(tasks), "gone": tuple(gone)})


def _state(annotation: JsonValue) -> tuple[JsonValue, JsonValue]:
    """Its name, the same in every export, and when it was last changed."""
    row = annotation if isinstance(annotation, dict) else {}
    return row.get("unique_id"), row.get("updated_at")


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
    if fault := _fault(content):
        what, fix = fault
        raise InputError(what, where=path, fix=fix)
    return Export(file=path.name, tool="label-studio", tasks=tuple(map(clean_task, content)))


def _fault(content: Any) -> tuple[str, str] | None:
    """What is often taken for an export, and what to do about it."""
    if isinstance(content, dict) and isinstance(content.get("tasks"), list):
        what = "is a raw file of a study, and not what Label Studio exported"
        return what, "Pull again, or give the exported file itself."
    if not isinstance(content, list):
        return "not a list of tasks", _EXPORT_JSON
    later = "Export once somebody has annotated."
    if not content:
        return "holds no task", later
    rows = [row for row in content if isinstance(row, dict)]
    if any(isinstance(row.get("annotations"), list) for row in rows):
        touched = any(row.get("annotations") or row.get("drafts") for row in rows)
        return None if touched else ("holds no annotation", later)
    first = content[0] if isinstance(content[0], dict) else {}
    if "annotation_id" in first or ("annotator" in first and "lead_time" in first):
        what = "this is JSON-MIN, which leaves out who skipped and who changed an answer"
        return what, _EXPORT_JSON
    if "data" in first:
        what = "holds tasks without annotations, as they are imported into Label Studio"
        return what, "Import this file there; what comes back is exported with Export, as JSON."
    return "not a list of Label Studio tasks", _EXPORT_JSON


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
        what, fix = f"not UTF-8 (byte {error.start})", f"Give the file as exported. {_EXPORT_JSON}"
    except json.JSONDecodeError as error:
        raise _no_json(text, error, path) from None
    except (ValueError, RecursionError) as error:
        what, fix = f"no JSON of Label Studio: {error}", _EXPORT_JSON
    raise InputError(what, where=path, fix=fix)


def _no_json(text: str, error: json.JSONDecodeError, path: Path) -> InputError:
    """What is wrong with a text that is no JSON, in which line, and what to do."""
    head, where = text.split("\n", 1)[0], f"{path}:{error.lineno}"
    if not text.strip():
        return InputError("empty", where=path, fix=_EXPORT_JSON)
    if text.lstrip()[0] not in "[{":
        table = "TSV, " if "\t" in head else "CSV, " if "," in head else ""
        return InputError(f"{table}no JSON", where=path, fix=f"{_EXPORT_JSON} {_SHEET}")
    if error.msg == "Extra data":
        what = "more follows after the first value, as in JSONL"
        return InputError(what, where=where, fix=_EXPORT_JSON)
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
    try:
        data_hash = digest(data)
    except RecursionError:
        data_hash = digest("nested too deeply to be ours")
    return ExportedTask(
        id=_number(row.get("id")),
        task=clean_text(name) if isinstance(name, str) else None,
        data_hash=data_hash,
        annotations=tuple(map(_annotation, annotations)) if isinstance(annotations, list) else (),
        drafts=len(drafts) if isinstance(drafts, list) else 0,
    )


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
