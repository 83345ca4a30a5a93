"""An export in memory and in `human/private/raw/`."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation

from pairwright_human_eval.records import Kind

BY_HAND = "file"
"""The source of a file that was exported by hand: it does not say from which server."""


class ExportedTask(BaseModel):
    """One task of the server with what people did to it.

    Its data is kept as its hash: it is either as we wrote it, or not to be kept.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int | None
    """The server's."""
    task: str | None
    """Ours, from the data."""
    data_hash: str
    """`digest` of the data as exported."""
    annotations: tuple[Annotated[JsonValue, SkipValidation], ...]
    """As exported, without what names people. Looked at one by one: any may be broken."""
    drafts: int
    """How many were begun and not submitted. Their content is not kept."""


class Export(BaseModel):
    """The tasks of one file, and what is known of where they come from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    """The file's name without its folder."""
    source: str = BY_HAND
    """The server, where our own pull tells it. Accounts are numbered by server."""
    project: int | None = None
    annotator: str | None = None
    kind: Kind | None = None
    round: int | None = None
    config_hash: str | None = None
    """`config_hash` of the project's labelling configuration at the time of the pull."""
    simulated: bool = False
    tasks: tuple[ExportedTask, ...]
    gone: tuple[ExportedTask, ...] = ()
    """Annotations that an earlier pull of the project had and this one has not."""

    @property
    def annotations(self) -> int:
        return sum(len(task.annotations) for task in self.tasks)
