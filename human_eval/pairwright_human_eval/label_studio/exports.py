"""Reading what Label Studio exported, without what names people."""

import codecs
import json
from pathlib import Path
from typing import Any

from pydantic import JsonValue
from pydantic_core import from_json

from pairwright.errors import InputError
from pairwright_human_eval.addresses import clean_text
from pairwright_human_eval.raw_export import Export, ExportedTask
from pairwright_human_eval.records import digest

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
