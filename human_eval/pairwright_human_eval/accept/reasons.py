"""Why an annotation is no verdict."""

from typing import Literal, NamedTuple, get_args

Reason = Literal[
    "malformed", "unknown_task", "other_task", "data_changed", "config_changed", "deleted",
    "impossible_time", "unknown_annotator", "edited_by_another", "other_annotators_task",
    "voted_before", "skipped", "superseded", "task_copied", "unknown_control", "wrong_type",
    "unknown_choice", "duplicate_answer", "missing_answer", "draft",
]  # fmt: skip
REASONS: tuple[Reason, ...] = get_args(Reason)


class Objection(NamedTuple):
    """A reason and what was found. The detail names no person and quotes little."""

    reason: Reason
    detail: str = ""


def quoted(text: str) -> str:
    """A word of somebody else's for a detail: visible, and short."""
    return ascii(text if len(text) <= 40 else text[:40] + "…")
