"""A copy of an export as a study keeps it: what was annotated, in the form of its tool."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation

from pairwright_human_eval import AnnotationTool
from pairwright_human_eval.annotation import BY_HAND
from pairwright_human_eval.records import Kind


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
    """Files of a tool that notes no time: of two of them, the one with the higher number came
    later."""
    tasks: tuple[ExportedTask, ...]
    gone: tuple[ExportedTask, ...] = ()
    """Annotations that an earlier pull of the project had and this one has not."""

    @property
    def annotations(self) -> int:
        return sum(len(task.annotations) for task in self.tasks)
