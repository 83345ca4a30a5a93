"""Reading an export: a list of tasks exported by hand, or a file of our own pull."""

import codecs
import json
from pathlib import Path
from typing import Any

from pydantic import JsonValue, ValidationError
from pydantic_core import from_json

from pairwright.errors import InputError
from pairwright_human_eval.exports.clean import clean_task
from pairwright_human_eval.exports.shape import Export, ExportedTask

_EXPORT_JSON = "In Label Studio, use Export and choose JSON (not JSON-MIN, CSV or TSV)."
_ZIP = b"PK\x03\x04"


def read_export(path: Path) -> Export:
    """What a file holds; raises InputError where it is no JSON export with annotations."""
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
    return Export(file=path.name, tasks=tuple(map(clean_task, content)))


def read_raw(path: Path) -> Export:
    """A raw file of a study: as pulled, or as stored by `store`. Raises InputError."""
    content = _parsed(path)
    if not isinstance(content, dict):
        raise InputError(
            "is no raw file", where=path, fix="Move it away, and `human import` it if it is one."
        )
    try:
        tasks = {
            name: tuple(map(_stored, given))
            for name in ("tasks", "gone")
            if isinstance(given := content.get(name), list)
        }
        return Export.model_validate({**content, **tasks, "file": path.name})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(
            f"{'.'.join(map(str, first['loc']))}: {first['msg']}",
            where=path,
            fix="This raw file was changed: pull or import again, and move this one away.",
        ) from None


def _stored(task: JsonValue) -> ExportedTask:
    if isinstance(task, dict) and "data_hash" in task:
        return ExportedTask.model_validate(task)
    return clean_task(task)


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
    except IsADirectoryError:
        raise InputError("a folder", where=path, fix="Name the files in it.") from None
    except OSError as error:
        raise InputError(
            str(error.strerror), where=path, fix="Name a file that is there."
        ) from None
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
        return InputError(what, where=path, fix=_EXPORT_JSON)
    where = f"{path}:{error.lineno}"
    if error.msg == "Extra data":
        return InputError(
            "more follows after the first value, as in JSONL", where=where, fix=_EXPORT_JSON
        )
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        return InputError("the file is cut off here", where=where, fix="Export or copy it again.")
    return InputError(f"no JSON: {error.msg}", where=where, fix="Give the file as exported.")
