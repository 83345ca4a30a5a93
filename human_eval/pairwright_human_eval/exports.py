"""Label Studio's exports: what each annotation says, or why it cannot be an answer. A server stores
everything that is posted, so nothing is taken for granted."""

import codecs
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation, ValidationError

from pairwright.errors import InputError, first_invalid
from pairwright.settings.domains import Scale
from pairwright_human_eval.forms import COMMENT, nameless, quoted, read_form
from pairwright_human_eval.records import Given, KeyedTask, Objection, digest

LONGEST_S = 366 * 86_400.0  # A year: no task is open longer.
EXPORT = "In Label Studio, use Export and choose JSON (not JSON-MIN, CSV or TSV)."


class _Annotation(BaseModel):
    """Fields of every annotation of Label Studio."""

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
) -> Iterator[Given]:
    """The annotations of an export, drafts, and tasks that were not begun; raises InputError."""
    place = str(where)
    try:
        tasks = json.loads(content.removeprefix(codecs.BOM_UTF8).decode())
        what = "" if isinstance(tasks, list) else "not a list of Label Studio tasks"
    except json.JSONDecodeError as error:
        what, place = f"no JSON: {error.msg}", f"{where}:{error.lineno}"
    except (ValueError, RecursionError) as error:
        what = f"no JSON: {error}"
    if what:
        raise InputError(what, where=place, fix=EXPORT)
    for number, task in enumerate(tasks, start=1):
        row = task if isinstance(task, dict) else {}
        data, annotations, project = row.get("data"), row.get("annotations"), row.get("project")
        name = data.get("task") if isinstance(data, dict) else None
        keyed = key.get(name) if isinstance(name, str) else None
        fault = None
        if keyed is None:
            fault = Objection("unknown_task", "its data names no task of this study")
        elif digest(data) != keyed.data_hash:
            fault = Objection("data_changed", "the task's data is not as exported")
        project = str(project) if isinstance(project, int) else ""
        given = Given(keyed.task if keyed else "", where.name, f"task {number}", "", project)
        if isinstance(annotations, list) and annotations:
            for n, one in enumerate(annotations, start=1):
                about = given._replace(place=f"{given.place}, annotation {n}", fault=fault)
                yield _read_annotation(one, about, keyed, scales)
        elif row.get("drafts"):
            fault = fault or Objection("draft", "begun and not submitted")
            yield given._replace(identity=digest({"draft": given.task}), fault=fault)
        else:
            yield given


def _read_annotation(
    content: JsonValue, given: Given, keyed: KeyedTask | None, scales: tuple[Scale, ...]
) -> Given:
    """An annotation; `given` has its place, and the fault of its task."""
    raw, fault, answers = digest(content), given.fault, None
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
        fault = fault or Objection("malformed", what)
        return given._replace(identity=f"{given.place} {raw}", fault=fault)
    account, changed_by = account_of(row.completed_by), account_of(row.updated_by)
    # Label Studio takes any lead time that it is sent, in seconds; a file may have been edited.
    if not fault and updated < created:
        fault = Objection("impossible_time", "updated_at is before created_at")
    elif not fault and row.lead_time is not None and not 0 <= row.lead_time < LONGEST_S:
        fault = Objection("impossible_time", f"lead_time is {row.lead_time}")
    elif not fault and isinstance(changed_by, int) and account not in (changed_by, None):
        fault = Objection("other_account", "another account changed it last")
    comment, entries, unreadable = _entries(row.result)
    if keyed and not row.was_cancelled and not (fault := fault or unreadable):
        about = comment, row.lead_time, updated.isoformat(), given.file
        try:
            answers = read_form(entries, keyed, scales, *about)
        except Objection as objection:
            fault = objection
    return given._replace(
        identity=row.unique_id if row.unique_id and row.unique_id.isascii() else raw,
        at=updated, number=row.id, comment=comment, answers=answers, fault=fault,
        account=account if isinstance(account, int) else None,
    )  # fmt: skip


def _entries(result: Iterable[JsonValue]) -> tuple[str, list[tuple[str, str]], Objection | None]:
    """The comment, the controls with what was chosen there, and why one cannot be read."""
    comments, entries, fault = list[str](), list[tuple[str, str]](), None
    for control, kind, value in results_of(result):
        given = [value] if isinstance(value, str) else value
        if not kind:
            fault = fault or Objection("malformed", "a result without a control or a value")
        elif kind != ("text" if control == COMMENT else "choices") or not (
            isinstance(given, list) and all(isinstance(one, str) for one in given)
        ):
            fault = fault or Objection("wrong_type", quoted(control))
        elif control == COMMENT:
            comments += given
        else:
            entries += [(control, str(one)) for one in given]
    return nameless("\n".join(comments)), entries, fault


def results_of(result: Iterable[Any]) -> Iterator[tuple[str, str, Any]]:
    """Control, kind and value of each result of an annotation. The kind is `choices`, `rating`,
    `number` or `text`, else the type; without a control or value, both are empty."""
    for row in result:
        control = row.get("from_name") if isinstance(row, dict) else None
        value = row.get("value") if isinstance(row, dict) else None
        if not isinstance(control, str) or not isinstance(value, dict):
            yield "", "", None
            continue
        known = [kind for kind in ("choices", "rating", "number", "text") if kind in value]
        kind = known[0] if known else str(row.get("type"))
        yield control, kind, value.get(kind)


def account_of(who: Any, name: str = "id") -> Any:
    """The number of an account, or its e-mail, if an export writes it as an object."""
    return who.get(name, who.get("id")) if isinstance(who, dict) else who
