"""A table of the keys of a model: their values and meanings."""

import json
import types
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from reference.markdown import table

# What the models leave unsaid about their keys.
UNSAID = {
    "modes": 'kinds of pairs; `"twin"` needs `aspects = "planner"`',
    "planner": "endpoint that infers aspects",
    "generator": "endpoint that writes responses, or a list of them",
    "judge": "endpoint that judges adherence, quality and support, and matches aspects",
}
NAMES = {str: "text", int: "integer", float: "number", bool: "switch", tuple: "list", dict: "table"}


def key_table(model: type[BaseModel], names: Sequence[str]) -> str:
    rows = [(f"`{name}`", *value_and_meaning(name, model.model_fields[name])) for name in names]
    return table(("key", "default", "meaning"), rows)


def value_and_meaning(name: str, field: FieldInfo) -> tuple[str, str]:
    """The default, or the type and whether it is required; and what the key means, with the values
    that it may have if they are few."""
    kinds, literals = _kinds(field.annotation)
    others = [one for one in literals if one != field.default]
    meaning = field.description or UNSAID[name]
    if others and literals != ["all"] and len(literals) < 9:
        meaning += f" (or {', '.join(map(toml, others))})"
    if field.is_required():
        return f"{kinds[0]}, required", meaning
    return kinds[0] if field.default is None else toml(field.default), meaning


def _kinds(annotation: Any) -> tuple[list[str], list[object]]:
    """The types of a value in words, and the literal values among them."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ["text"], list(inner)
    if origin is Annotated or origin in (Union, types.UnionType):
        parts = inner[:1] if origin is Annotated else inner
        found = [_kinds(part) for part in parts if part is not types.NoneType]
        return [kind for kinds, _ in found for kind in kinds], [v for _, of in found for v in of]
    return [NAMES[origin or annotation]], []


def toml(value: object) -> str:
    return f"`{json.dumps(value, ensure_ascii=False)}`"
