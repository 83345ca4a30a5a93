"""Label Studio's files: forms (labelling configurations) and tasks out, exports in.

The quality form is rendered from the scales, which the judges read, too. A server stores everything
that is posted, so nothing of an export is taken for granted.
"""

import codecs
import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any
from xml.etree import ElementTree

import jinja2
from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation, ValidationError
from pydantic_core import to_json

from pairwright import assets
from pairwright.errors import InputError, first_invalid
from pairwright.settings.domains import Scale
from pairwright_human_eval.form import COMMENT, nameless, quoted, read_choices, scale_choices
from pairwright_human_eval.language import ENGLISH, Language, load_language
from pairwright_human_eval.records import (
    KINDS,
    Data,
    Given,
    KeyedTask,
    Kind,
    Objection,
    RawTask,
    digest,
    text_hash,
)

# What Label Studio would put a value of the task, or a row's number, in place of.
_VARIABLE = re.compile(r"\$\w|\{\{")


def labelling_config(
    kind: Kind,
    scales: tuple[Scale, ...],
    *,
    adjudication: bool = False,
    language: Language = ENGLISH,
) -> str:
    """The XML of a kind's labelling configuration; raises InputError.

    With `adjudication` it also shows the task's `earlier` answers.
    """
    for scale in scales if kind == "quality" else ():
        for text in (scale.question, *(anchor.text for anchor in scale.anchors)):
            if found := _VARIABLE.search(text):
                raise InputError(
                    f"Label Studio would take {found.group()!r} in {text!r} for a variable",
                    where=f"quality.toml [{scale.name}]",
                    fix="Say it without a $ before a word and without {{.",
                )
    template = _templates(language.code).get_template(f"labeling_config_{kind}.xml.jinja")
    text = template.render(
        scales=scales,
        adjudication=adjudication,
        choices=lambda scale: scale_choices(scale, language).items(),
    )
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip()) + "\n"


def task_file(tasks: Iterable[Data]) -> str:
    """The text of a task file, as Label Studio imports it."""
    listed = [{"data": data} for data in tasks]
    return to_json(listed, indent=1).decode() + "\n"


def read_task_file(path: Path) -> list[Data]:
    """The data of the tasks of a file. Raises InputError where it cannot be read."""
    try:
        return [dict(task["data"]) for task in json.loads(path.read_bytes())]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        what = error.strerror if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        raise InputError(
            f"not a task file ({what})",
            where=path,
            fix="Restore the file from a copy, or move the study away and export it again.",
        ) from None


# An export and its hashes ask it of the same few forms.
@lru_cache(maxsize=64)
def config_hash(xml: str) -> str:
    """`sha256:` and 64 hex digits over the canonical XML (C14N 2.0) without the space around text,
    so that a server may change the layout of the file. Raises InputError for what is not XML."""
    try:
        return text_hash(ElementTree.canonicalize(xml, strip_text=True))
    except ElementTree.ParseError as error:
        raise InputError(
            f"not XML: {error}",
            where="labelling configuration",
            fix="Compare with the file that was exported.",
        ) from None


def config_hashes(scales: tuple[Scale, ...], language: Language = ENGLISH) -> dict[str, str]:
    """By kind: the hash of its configuration, and under `KIND_adjudication` that of round 2."""
    return {
        kind + end: config_hash(
            labelling_config(kind, scales, adjudication=bool(end), language=language)
        )
        for kind in KINDS
        for end in ("", "_adjudication")
    }


@cache
def _templates(language: str) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(assets.HUMAN_EVAL),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        # Label Studio has its own use for braces.
        variable_start_string="[[",
        variable_end_string="]]",
        block_start_string="[%",
        block_end_string="%]",
        comment_start_string="[#",
        comment_end_string="#]",
    )
    # A template that is imported sees the globals alone.
    environment.globals["_"] = load_language(language)
    return environment


# Exports

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
