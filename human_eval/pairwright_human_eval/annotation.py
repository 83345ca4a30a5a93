"""What an annotation tool gives back: as a study stores it, and as a record that names no tool.

A tool's reader gives an `Export`, the copy that a study keeps: annotations of Label Studio in its
own form, all others as `StoredAnnotation`. `raw_files.annotations_of` reads either as `Annotation`,
and `acceptance` makes verdicts of that. E-mail addresses are taken out of all that people wrote
before anything is kept.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation, ValidationError

from pairwright.errors import first_invalid
from pairwright.records import Record
from pairwright_human_eval.records import Kind, digest

AnnotationTool = Literal["label-studio", "spreadsheet"]
"""What annotators work with. `tools.py` says what each one is."""

# The look-behind keeps it linear: a run of characters is tried from its first one only.
_PART = r"[^\s@\uff20<>()\[\],;:\"']"
_ADDRESS = re.compile(rf"(?<!{_PART}){_PART}+[@\uff20]{_PART}+\.{_PART}+")
_LONE = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """Without e-mail addresses, and fit for a file."""
    if "@" in text or "\uff20" in text:
        text = _ADDRESS.sub("[e-mail]", text)
    return _LONE.sub("\ufffd", text)


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


def account_of(annotator: str) -> int:
    """The number of a person who fills in sheets: a sheet is one person's."""
    number = int(annotator.rpartition("-")[2])
    roles = {"annotator": 0, "adjudicator": 1_000, "author": 2_000}
    return number + roles[annotator.rpartition("-")[0]]


COMMENT = "comment"
"""The control that holds a comment. Nobody has to write one."""
SEEN = "seen"
"""The control that says that a task came before, and what it stores. Nobody has to tick it."""
Entry = tuple[str | None, str | Objection] | Objection
"""One filled-in place of a form: its control with what was chosen or written there, or why that
cannot be read; an objection alone where the place itself cannot be read."""

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
    seconds: float | None = None
    """Time with the task open."""
    entries: tuple[Entry, ...] = ()
    problem: Objection | None = None
    """Why it cannot be a verdict, regardless of who gave it."""
    edited: Objection | None = None
    """Says that it is not as its annotator left it."""

    @property
    def at(self) -> datetime:
        """The time `updated`, to compare by."""
        return datetime.fromisoformat(self.updated) if self.updated else NEVER


class ExportedTask(BaseModel):
    """One task of a tool with what people did to it.

    Its data is kept as its hash: it is either as we wrote it, or not to be kept.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int | None
    """The tool's number of it."""
    task: str | None
    """The study's own id, from the data."""
    data_hash: str
    """The `digest` of the data as exported."""
    annotations: tuple[Annotated[JsonValue, SkipValidation], ...]
    """In the tool's own form, without what names people. Any of them may be broken."""
    drafts: int
    """How many were begun and not submitted. Their content is not kept."""


class Export(BaseModel):
    """The tasks of one file, and what is known of where they come from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    """The file's name without its folder."""
    tool: AnnotationTool | Literal["simulation"] = "label-studio"
    """What the file is from; a stored file that does not name it is from Label Studio. Annotations
    of Label Studio are kept in its own form, all others as `StoredAnnotation`."""
    source: str = BY_HAND
    """The server, where our own pull names it. Accounts are numbered by server."""
    project: int | None = None
    annotator: str | None = None
    kind: Kind | None = None
    round: int | None = None
    config_hash: str | None = None
    """The hash of the project's form at the time of the pull."""
    simulated: bool = False
    seconds: float | None = None
    """The time that a person says to have worked on the file."""
    sequence: int = 0
    """Sheets do not say when they were filled in: of two, the one with the higher number came
    later."""
    tasks: tuple[ExportedTask, ...]
    gone: tuple[ExportedTask, ...] = ()
    """Annotations that an earlier pull of the project had and this one has not."""

    @property
    def annotations(self) -> int:
        return sum(len(task.annotations) for task in self.tasks)


class StoredAnnotation(Record):
    """One filled-in form. What the tool does not know is left at its default."""

    identity: str = ""
    """The tool's own name for it, the same in every file."""
    account: int
    skipped: bool = False
    when: str = ""
    """ISO 8601 with its zone."""
    seconds: float | None = None
    """Time with the task open."""
    choices: tuple[tuple[str, str], ...] = ()
    """Control and choice, as filled in."""
    comment: str = ""


def read_stored(content: JsonValue, export: Export, n: int) -> Annotation:
    """Read the `n`th annotation of a task."""
    raw = digest(content)
    try:
        row = StoredAnnotation.model_validate(content)
    except ValidationError as error:
        problem = Objection("malformed", first_invalid(error)[1])
        return Annotation(raw=raw, identity=f"{n} {raw}", problem=problem)
    return Annotation(
        raw=raw,
        identity=row.identity or raw,
        number=export.sequence or n,
        account=row.account,
        skipped=row.skipped,
        created=row.when,
        updated=row.when,
        seconds=row.seconds,
        entries=(*row.choices, (COMMENT, row.comment)),
    )
