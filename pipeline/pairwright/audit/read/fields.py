"""One row of somebody's file as a Row. Texts stay as they are: an audit is about them."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from pairwright.audit.read.columns import Columns
from pairwright.audit.read.messages import as_text, prompt, reply
from pairwright.audit.read.source import Found, Kind
from pairwright.dataset import Row, RowAspect, RowPost, licence_of
from pairwright.records import content_id, pseudonym
from pairwright.sources.fields import rows, shown, time
from pairwright.sources.problem import Refusal

Fields = Mapping[str, Any]
_OFFICIAL = {"question", "profile", "rubric_aspects", "narrative", "category", "chosen", "rejected"}
_OF_A_RUN = {"rubric", "draft", "mode", "twin_id"}


def kind_of(fields: Fields) -> Kind:
    """By the columns of a source's first row."""
    if fields.keys() == Row.model_fields.keys():
        return "release"
    if fields.keys() >= _OF_A_RUN:
        return "run"
    return "official" if fields.keys() >= _OFFICIAL else "plain"


def found(fields: Fields, columns: Columns, config: str, split: str, where: str) -> Found:
    """The row, in the configuration and split that its file says where it does not itself.

    Raises Refusal, with a reason of REASONS.
    """
    if kind_of(fields) == "release" and not columns.given:
        return Found(split, _released(fields), where)
    before, chosen, rejected = _responses(fields, columns)
    asked = columns.value(fields, "prompt")
    if asked is None and before:
        question = before
    else:
        question = prompt(columns.needed(fields, "prompt"), "prompt")
    name = _label(fields, columns, "id")
    user = _label(fields, columns, "user")
    url = _label(fields, columns, "source_url") or None
    created = time({"created": columns.value(fields, "created")}, "created")
    row = Row(
        id=name or content_id("row", question, chosen, rejected),
        question=question,
        profile=tuple(map(_post, _entries(fields, columns, "profile"))),
        rubric_aspects=tuple(map(_aspect, _entries(fields, columns, "rubric_aspects"))),
        narrative=_text(columns.value(fields, "narrative"), "narrative") or None,
        category=_label(fields, columns, "category"),
        chosen=chosen,
        rejected=rejected,
        item_id=name,
        domain=_label(fields, columns, "domain") or config,
        user=pseudonym(user) if user else None,
        generator=_label(fields, columns, "generator"),
        created=created,
        source_url=url,
        licence=licence_of(url, created, _label(fields, columns, "licence") or None),
    )
    return Found(_label(fields, columns, "split") or split, row, where)


def _released(fields: Fields) -> Row:
    try:
        row = Row.model_validate(fields)
        row.model_dump_json()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise Refusal("not_a_row", f"{at}: {first['msg']}") from None
    except ValueError as error:  # pydantic's error for half a character is one
        raise Refusal("lone_surrogate", str(error)) from None
    return row


def _responses(fields: Fields, columns: Columns) -> tuple[str, str, str]:
    """What came before both, the better and the other."""
    names = ("first", "second") if columns.labelled else ("chosen", "rejected")
    a, b = (reply(columns.needed(fields, name), name) for name in names)
    if a.before != b.before:
        raise Refusal("prompts_differ", f"the messages before {names[0]} and {names[1]} differ")
    if columns.labelled and _better(columns.needed(fields, "label")) == 2:
        a, b = b, a
    return a.before, a.text, b.text


def _better(label: object) -> int:
    given = label.strip() if isinstance(label, str) else label
    if not isinstance(given, bool) and given in (1, "1"):
        return 1
    if given in (2, "2"):
        return 2
    raise Refusal("bad_label", f"the label is {shown(label)}, not 1 or 2")


def _post(fields: Fields) -> RowPost:
    url = _name(fields.get("source_url"), "source_url of a post") or None
    created = time(fields, "created")
    given = _name(fields.get("licence"), "licence of a post") or None
    return RowPost(
        id=_name(fields.get("id"), "id of a post"),
        text=_text(fields.get("text"), "text of a post"),
        category=_name(fields.get("category"), "category of a post"),
        created=created,
        source_url=url,
        licence=licence_of(url, created, given),
    )


def _aspect(fields: Fields) -> RowAspect:
    return RowAspect(
        aspect=_text(fields.get("aspect"), "aspect"),
        reason=_text(fields.get("reason"), "reason of an aspect"),
        evidence=_text(fields.get("evidence"), "evidence of an aspect"),
    )


def _entries(fields: Fields, columns: Columns, name: str) -> list[Fields]:
    entries = rows({name: columns.value(fields, name)}, name)
    if not all(isinstance(entry, dict) for entry in entries):
        raise Refusal("not_an_object", f"an entry of {name} is not an object")
    return entries


def _label(fields: Fields, columns: Columns, name: str) -> str:
    return _name(columns.value(fields, name), name)


def _name(value: object, name: str) -> str:
    """What names something; a whole number is taken as its digits."""
    if isinstance(value, float) and value.is_integer():  # how pandas stores numbers with gaps
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _text(value, name)


def _text(value: object, name: str) -> str:
    return "" if value is None or value != value else as_text(value, name)
