"""A task as exported, without what names people."""

import json
import re

from pydantic import JsonValue

from pairwright_human_eval.exports.shape import ExportedTask
from pairwright_human_eval.records import digest

# What is read of an annotation, or tells how it came about. All else goes: users may be spelled
# out under any other key.
_KEPT = (
    "id", "task", "unique_id", "completed_by", "updated_by", "was_cancelled", "created_at",
    "updated_at", "lead_time", "ground_truth", "parent_annotation", "parent_prediction", "result",
)  # fmt: skip
# The look-behind keeps it linear: a run of characters is tried from its first one only.
_PART = r"[^\s@\uff20<>()\[\],;:\"']"
_ADDRESS = re.compile(rf"(?<!{_PART}){_PART}+[@\uff20]{_PART}+\.{_PART}+")
_LONE = re.compile("[\ud800-\udfff]")
_DEEPEST = 50
"""Levels of lists and objects in an annotation. Label Studio's have six."""


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


def clean_text(text: str) -> str:
    """Without e-mail addresses, and fit for a file."""
    if "@" in text or "\uff20" in text:
        text = _ADDRESS.sub("[e-mail]", text)
    return _LONE.sub("\ufffd", text)


def _hash(data: JsonValue) -> str:
    try:
        return digest(data)
    except RecursionError:
        return digest("nested too deeply to be ours")


def _annotation(annotation: JsonValue) -> JsonValue:
    """None for what is no annotation at all."""
    if not isinstance(annotation, dict) or _deeper(annotation, _DEEPEST):
        return None
    kept = {key: annotation[key] for key in _KEPT if key in annotation}
    for key in ("completed_by", "updated_by"):
        account = kept.get(key)
        if isinstance(account, dict):
            kept[key] = _number(account.get("id"))
    # Most annotations hold nothing to be cleaned, and looking at their text is quicker.
    text = json.dumps(kept)
    suspect = "@" in text or "\\uff20" in text or "\\ud" in text
    return _clean(kept) if suspect else kept


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
