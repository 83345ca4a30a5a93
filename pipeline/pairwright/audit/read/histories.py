"""The posts, aspects and labels of a row of another person's file."""

from collections.abc import Iterator, Mapping
from typing import Any

from pairwright.audit.read.cells import parsed_cell
from pairwright.audit.read.columns import Columns
from pairwright.audit.read.messages import as_text, user_text
from pairwright.dataset import RowAspect, RowPost, licence_of
from pairwright.sources.fields import rows, time
from pairwright.sources.problems import SourceRefusal

Fields = Mapping[str, Any]


def text_licence(url: str | None, created: str | None, licence: str) -> str | None:
    """The licence that a text states, or else the one that its address and date imply."""
    return licence or licence_of(url, created)


def posts_of(fields: Fields, columns: Columns) -> Iterator[RowPost]:
    """The posts of a profile; raises SourceRefusal. Of a history of messages, those of the user are
    the posts."""
    for entry in _entries(fields, columns, "profile"):
        if "text" in entry or not ("role" in entry or "from" in entry):
            yield _post(entry)
        elif (message := user_text(entry, "profile")) is not None:
            yield RowPost(id="", text=message)


def _post(fields: Fields) -> RowPost:
    url = _name(fields.get("source_url"), "source_url of a post") or None
    created = time(fields, "created")
    licence = _name(fields.get("licence"), "licence of a post")
    return RowPost(
        id=_name(fields.get("id"), "id of a post"),
        text=text_of(fields.get("text"), "text of a post"),
        category=_name(fields.get("category"), "category of a post"),
        created=created,
        source_url=url,
        licence=text_licence(url, created, licence),
    )


def aspects_of(fields: Fields, columns: Columns) -> Iterator[RowAspect]:
    """The aspects of a row's rubric; raises SourceRefusal."""
    return map(_aspect, _entries(fields, columns, "rubric_aspects"))


def _aspect(fields: Fields) -> RowAspect:
    return RowAspect(
        aspect=text_of(fields.get("aspect"), "aspect"),
        reason=text_of(fields.get("reason"), "reason of an aspect"),
        evidence=text_of(fields.get("evidence"), "evidence of an aspect"),
    )


def _entries(fields: Fields, columns: Columns, name: str) -> list[Fields]:
    entries = rows({name: parsed_cell(columns.value(fields, name))}, name)
    if not all(isinstance(entry, dict) for entry in entries):
        raise SourceRefusal("not_an_object", f"an entry of {name} is not an object")
    return entries


def label_of(fields: Fields, columns: Columns, name: str) -> str:
    """What names something in a column, such as a category; raises SourceRefusal."""
    return _name(columns.value(fields, name), name)


def _name(value: object, name: str) -> str:
    """What names something; a whole number is taken as its digits."""
    if isinstance(value, float) and value.is_integer():  # how pandas stores numbers with gaps
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_of(value, name)


def text_of(value: object, name: str) -> str:
    """A text as it is; empty where there is none. Raises SourceRefusal."""
    return "" if value is None or value != value else as_text(value, name)
