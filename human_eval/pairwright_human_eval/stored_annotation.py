"""Annotations of tools that have no form of their own to be kept: as a study stores them."""

from datetime import datetime

from pydantic import JsonValue, ValidationError

from pairwright.records import Record
from pairwright_human_eval.annotation import NEVER, Annotation, Choice, Objection, Remark
from pairwright_human_eval.raw_export import Export
from pairwright_human_eval.records import digest


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
        first = error.errors(include_url=False, include_input=False)[0]
        return Annotation(
            raw=raw, identity=f"{n} {raw}", problem=Objection("malformed", str(first["msg"]))
        )
    choices = tuple(Choice(control, choice) for control, choice in row.choices)
    return Annotation(
        raw=raw,
        identity=row.identity or raw,
        number=export.sequence or n,
        account=row.account,
        skipped=row.skipped,
        created=row.when,
        updated=row.when,
        seconds=row.seconds,
        entries=(*choices, Remark(row.comment)),
        at=datetime.fromisoformat(row.when) if row.when else NEVER,
    )
