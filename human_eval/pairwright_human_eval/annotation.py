"""What an annotation tool gives back: an annotation as a record that names no tool.

The room of a tool reads its files into these records, and `accept` makes verdicts of them.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple, get_args

BY_HAND = "file"
"""The source of a file that was exported by hand: it does not say from which server."""

Reason = Literal[
    "malformed", "unknown_task", "other_task", "data_changed", "config_changed", "deleted",
    "impossible_time", "unknown_annotator", "edited_by_another", "other_annotators_task",
    "voted_before", "skipped", "superseded", "task_copied", "unknown_control", "wrong_type",
    "unknown_choice", "duplicate_answer", "missing_answer", "draft", "handed_over",
]  # fmt: skip
REASONS: tuple[Reason, ...] = get_args(Reason)


class Objection(NamedTuple):
    """Why an annotation is not a verdict. The detail names no person and quotes little."""

    reason: Reason
    detail: str = ""


class Account(NamedTuple):
    """A user of one server. Another server's user of the same number is somebody else."""

    source: str
    id: int

    def __str__(self) -> str:
        return f"{self.source}:{self.id}"


class Choice(NamedTuple):
    """What was chosen in one control of a form, or why nothing can be read there."""

    control: str | None
    choice: str | Objection


class Remark(NamedTuple):
    """A comment, or why it cannot be read."""

    text: str | Objection


Entry = Choice | Remark | Objection
"""One filled-in place of a form; an objection where the place itself cannot be read."""

NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """One filled-in form. What a malformed annotation does not say is left at its default."""

    raw: str
    """The `digest` of it as exported."""
    identity: str
    """The tool's own name for it, the same in every export; its hash where it has none."""
    number: int | None = None
    """The tool's number of it."""
    account: int | None = None
    """The number of the account that gave it; None where that was deleted."""
    skipped: bool = False
    created: str = ""
    updated: str = ""
    at: datetime = NEVER
    """The time `updated`, to compare by."""
    seconds: float | None = None
    """Time with the task open."""
    entries: tuple[Entry, ...] = ()
    problem: Objection | None = None
    """Why it cannot be a verdict, regardless of who gave it."""
    edited: Objection | None = None
    """Says that it is not as its annotator left it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedTask:
    """One task of a file with what people did to it. Its data is known by its hash: it is either as
    we wrote it, or not to be kept."""

    id: int | None
    """The tool's number of it."""
    task: str | None
    """The study's own id, from the data."""
    data_hash: str
    """The `digest` of the data as exported."""
    annotations: tuple[Annotation, ...]
    drafts: int
    """How many were begun and not submitted. Their content is not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationFile:
    """What one file of a tool holds."""

    file: str
    """The file's name without its folder."""
    source: str
    """Where its accounts are: they are numbered by server."""
    config_hash: str | None
    """The hash of the tool's form at the time of the export, where the file says it."""
    simulated: bool
    tasks: tuple[AnnotatedTask, ...]
    seconds: float | None = None
    """The time that a person says to have worked on the file."""
    sequence: int = 0
    """Of two files of a tool that notes no time, the one with the higher number came later."""
    gone: tuple[AnnotatedTask, ...] = ()
    """What an earlier export of the tool had and this one has not."""
