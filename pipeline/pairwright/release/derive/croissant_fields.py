"""The columns of a configuration as fields of a Croissant record set."""

from typing import Any

import pyarrow as pa
from pydantic import JsonValue

from pairwright.dataset.parquet import SCHEMA
from pairwright.release.derive.columns import COLUMNS

Json = dict[str, JsonValue]


def fields(config: str) -> list[JsonValue]:
    """One field a column, in the order of the files."""
    return [_field(config, column.name, column.type) for column in SCHEMA]


def _field(config: str, column: str, type_: Any) -> Json:
    field: Json = {
        "@type": "cr:Field",
        "@id": f"{config}/{column}",
        "name": column,
        "description": COLUMNS[column],
    }
    listed = pa.types.is_list(type_)
    inner = type_.value_type if listed else type_
    if listed:
        field |= {"isArray": True, "arrayShape": "-1"}
    if not pa.types.is_struct(inner):
        return field | {"dataType": _data_type(inner), "source": _source(config, column)}
    return field | {"subField": [_part(config, column, part.name, part.type) for part in inner]}


def _part(config: str, column: str, name: str, type_: Any) -> Json:
    field: Json = {"@type": "cr:Field", "@id": f"{config}/{column}/{name}", "name": name}
    if pa.types.is_list(type_):
        field |= {"isArray": True, "arrayShape": "-1"}
        type_ = type_.value_type
    source = _source(config, column) | {"transform": {"jsonPath": f"$.{name}"}}
    return field | {"dataType": _data_type(type_), "source": source}


def _source(config: str, column: str) -> Json:
    return {"fileSet": {"@id": f"{config}-files"}, "extract": {"column": column}}


def _data_type(type_: Any) -> str:
    if pa.types.is_boolean(type_):
        return "sc:Boolean"
    if pa.types.is_integer(type_):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(type_) else "sc:Text"
