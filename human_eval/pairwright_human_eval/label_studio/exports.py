"""Reading what Label Studio exported, without what names people."""

import codecs
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation, ValidationError

from pairwright.errors import InputError, first_invalid
from pairwright_human_eval.form import COMMENT, nameless, quoted, read_answers
from pairwright_human_eval.records import Answer, Export, KeyedTask, Objection, Study, digest

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
    result: list[Annotated[JsonValue, SkipValidation]]


def read_task(task: object, key: Mapping[str, KeyedTask], study: Study) -> Iterator[Answer]:
    """The annotations of an exported task; of one that somebody began and did not submit a draft,
    without its content."""
    row = task if isinstance(task, dict) else {}
    data, annotations = row.get("data"), row.get("annotations")
    name = data.get("task") if isinstance(data, dict) else None
    keyed = key.get(name) if isinstance(name, str) else None
    if keyed is None:
        wrong = Objection("unknown_task", "its data names no task of this study")
    elif _digest(data) != keyed.data_hash:
        wrong = Objection("data_changed", "the task's data is not as exported")
    else:
        wrong = None
    known = keyed.task if keyed else None
    if isinstance(annotations, list) and annotations:
        for n, content in enumerate(annotations):
            yield _answer(content, n, keyed, study, wrong)
    elif row.get("drafts"):
        draft = Objection("draft", "begun and not submitted")
        raw = digest({"draft": known})
        yield Answer(task=known, identity=raw, raw=raw, objection=wrong or draft)


def _digest(content: Any) -> str:
    try:
        return digest(content)
    except RecursionError:
        return digest("nested too deeply to be ours")


def _answer(
    content: JsonValue, n: int, keyed: KeyedTask | None, study: Study, wrong: Objection | None
) -> Answer:
    raw, task = _digest(content), keyed and keyed.task
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
        malformed = wrong or Objection("malformed", what)
        return Answer(task=task, identity=f"{n} {raw}", raw=raw, objection=malformed)
    if updated < created:
        wrong = wrong or Objection("impossible_time", "updated_at is before created_at")
    # Label Studio takes any lead time that it is sent, in seconds; a file may have been edited.
    if row.lead_time is not None and not 0 <= row.lead_time < LONGEST_S:
        wrong = wrong or Objection("impossible_time", f"lead_time is {row.lead_time}")
    comment, entries, fault = _entries(row.result)
    answers: Any = None
    if keyed and not wrong and not row.was_cancelled:
        answers = fault or read_answers(entries, keyed, study.scales)
        if isinstance(answers, Objection):
            wrong, answers = answers, None
    return Answer(
        task=task,
        identity=row.unique_id if row.unique_id and row.unique_id.isascii() else raw,
        raw=raw,
        number=row.id,
        skipped=row.was_cancelled,
        created=created.isoformat(),
        updated=updated.isoformat(),
        seconds=None if wrong else row.lead_time,
        comment=comment,
        answers=answers,
        objection=wrong,
    )


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


def read_export(path: Path, key: Mapping[str, KeyedTask], study: Study) -> Export:
    """What a file holds; raises InputError where it is not a JSON export with annotations."""
    content = _parsed(path)
    if fault := _fault(content):
        raise InputError(fault[0], where=path, fix=fault[1])
    answers = tuple(answer for task in content for answer in read_task(task, key, study))
    return Export(file=path.name, source="file", answers=answers)


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


def _parsed(path: Path) -> Any:
    try:
        content = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise InputError(
            str(error.strerror), where=path, fix="Name a file that is there."
        ) from None
    try:
        return json.loads(content.decode())
    except json.JSONDecodeError as error:
        what, where = f"no JSON: {error.msg}", f"{path}:{error.lineno}"
    except (ValueError, RecursionError) as error:
        what, where = f"no JSON: {error}", str(path)
    fix = f"{_EXPORT_JSON} Of a workbook, save the sheet as CSV (UTF-8), with its first row."
    raise InputError(what, where=where, fix=fix)
