"""A table of the keys of a model: their types, defaults and meanings."""

import json
import types
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MinLen
from pydantic import BaseModel, Strict
from pydantic.fields import FieldInfo

from reference.markdown import table

# What the models leave unsaid about their keys.
UNSAID = {
    "modes": 'kinds of pairs; `"twin"` needs `aspects = "planner"`',
    "planner": "endpoint that infers aspects",
    "generator": "endpoint that writes responses, or a list of them",
    "judge": "endpoint that judges adherence, quality and support, and matches aspects",
}
# Types that are too long to spell out.
KINDS = {"off": "list of [gates](checks.md#gates)"}
SAMPLED = "`sampling` is a table like [`sampling.judge`](#samplingrole)."


def key_table(model: type[BaseModel], names: Sequence[str]) -> str:
    rows = []
    for name in names:
        field = model.model_fields[name]
        default = "required" if field.is_required() else toml(field.default)
        rows.append((f"`{name}`", kind_of(name, field), default, meaning(name, field)))
    return table(("key", "type", "default", "meaning"), rows)


def meaning(name: str, field: FieldInfo) -> str:
    return field.description or UNSAID[name]


def kind_of(name: str, field: FieldInfo) -> str:
    return KINDS.get(name) or _either(_types(field.annotation)) + _bounds(field.metadata)


def _types(annotation: Any) -> list[str]:
    """An annotation in words: one entry for each kind of value that it takes."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return [words for part in inner if part is not type(None) for words in _types(part)]
    if origin is Literal:
        return [f"`{json.dumps(value)}`" for value in inner]
    if origin is Annotated:
        (kind,), (field,) = _types(inner[0]), inner[1:]
        return [kind + _bounds(field.metadata).replace(",", "", 1)]
    if origin is tuple:
        return [f"list of {_either(_types(inner[0]))}"]
    if origin is dict:
        return ["table"]
    names = {str: "text", int: "integer", float: "number", bool: "switch"}
    return [names[annotation]]


def _either(options: list[str]) -> str:
    return " or ".join(part for part in (", ".join(options[:-1]), options[-1]) if part)


def _bounds(constraints: Sequence[object]) -> str:
    return "".join(map(_bound, constraints)).replace(", ≥ 0, ≤ 1", ", 0 to 1")


def _bound(constraint: object) -> str:
    match constraint:
        case Strict():
            return ""
        case Ge():
            return f", ≥ {constraint.ge}"
        case Gt():
            return f", > {constraint.gt}"
        case Le():
            return f", ≤ {constraint.le}"
        case Lt():
            return f", < {constraint.lt}"
        case MinLen():
            return ", not empty" if constraint.min_length == 1 else f", ≥ {constraint.min_length}"
    if hasattr(constraint, "pattern"):
        return ""
    raise TypeError(f"no words for {constraint!r}")


def toml(value: object) -> str:
    return "none" if value is None else f"`{json.dumps(value, ensure_ascii=False)}`"
