"""croissant.json: Croissant 1.1 (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html).

There is no `datePublished`: nothing in a release says on which day it was made.
"""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic_core import to_json

from pairwright.pairs import Layout
from pairwright.pairs.layout import SCHEMA, file_digest
from pairwright.releases.card import (
    bibtex_entry,
    build_of,
    column_texts,
    licence_address,
    model_rows,
    own_licence,
    statement,
)
from pairwright.releases.contents import Contents, Json
from pairwright.text import visible

NOT_STATED = "Not stated."
_TYPES = {
    pa.string(): "sc:Text", pa.int32(): "sc:Integer", pa.float64(): "sc:Float",
    pa.bool_(): "sc:Boolean",
}  # fmt: skip
_CONTEXT = Path(__file__).with_name("croissant_context.json")


def croissant_json(layout: Layout, contents: Contents, manifest: Json) -> str:
    """Write the whole file."""
    info, counts = contents.stated.info, manifest["rows"]
    configs = [config["config"] for config in counts["configs"]]
    # A trial says first that it is one.
    said = [
        *statement("trial", contents, manifest),
        f"{counts['rows']:,} pairs about {counts['users']:,} users.",
        *statement("pair", contents, manifest),
    ]
    value: Json = {
        # That of the specification, with the prefixes of its two parts.
        "@context": json.loads(_CONTEXT.read_text(encoding="utf-8")),
        "@type": "sc:Dataset",
        "conformsTo": [f"http://mlcommons.org/croissant/{one}" for one in ("1.1", "RAI/1.0")],
        "name": manifest["name"],
        "version": manifest["version"],
        "description": " ".join(said),
        "license": _licences(contents, manifest),
        "citeAs": info.citation.strip() or bibtex_entry(manifest),
        "keywords": ["preference", "personalization", "reward models", "evaluation"],
        **_responsible(contents, manifest),
        "distribution": [*(_file(layout, part) for part in counts["parts"]), *map(_set, configs)],
        "recordSet": [*map(_records, configs)],
    }
    if info.languages:
        value["inLanguage"] = list(info.languages)
    if info.maintainers:
        value["creator"] = {"@type": "sc:Organization", "name": info.maintainers}
    return to_json(value, indent=2).decode() + "\n"


def _licences(contents: Contents, manifest: Json) -> list[str]:
    """The address of each licence's text, or else its name; the release's own page for what has no
    known licence."""
    own = own_licence(contents, manifest)
    names = dict.fromkeys((*manifest["rows"]["licences"], *own))
    urls = (
        "LICENSE.md" if name == "unknown" else licence_address(name) or visible(name)
        for name in names
    )
    return list(dict.fromkeys(urls)) or ["LICENSE.md"]


def _file(layout: Layout, part: Json) -> Json:
    path = part["path"]
    return {
        "@type": "cr:FileObject", "@id": path, "name": path, "contentUrl": path,
        "description": f"{part['rows']:,} pairs of {part['config']}, split {part['split']}",
        "encodingFormat": "application/x-parquet", "sha256": file_digest(layout.root / path),
    }  # fmt: skip


def _set(config: str) -> Json:
    return {
        "@type": "cr:FileSet", "@id": f"{config}-files", "name": f"{config}-files",
        "description": f"All splits of {config}", "encodingFormat": "application/x-parquet",
        "includes": f"data/{config}/*.parquet",
    }  # fmt: skip


def _records(config: str) -> Json:
    return {
        "@type": "cr:RecordSet", "@id": config, "name": config,
        "description": f"The pairs of {config}", "key": {"@id": f"{config}/id"},
        "field": [_field(config, column.name, column.type) for column in SCHEMA],
    }  # fmt: skip


def _field(config: str, column: str, type_: Any, *path: str) -> Json:
    """A column, or the part of it to which a path of names leads."""
    field: Json = {
        "@type": "cr:Field",
        "@id": "/".join((config, column, *path)),
        "name": path[-1] if path else column,
    }
    if not path:
        field["description"] = column_texts()[column]
    if pa.types.is_list(type_):
        field |= {"isArray": True, "arrayShape": "-1"}
        type_ = type_.value_type
    if pa.types.is_struct(type_):
        parts = (_field(config, column, part.type, *path, part.name) for part in type_)
        return field | {"subField": list(parts)}
    source: Json = {"fileSet": {"@id": f"{config}-files"}, "extract": {"column": column}}
    if path:
        source["transform"] = {"jsonPath": f"$.{'.'.join(path)}"}
    return field | {"dataType": _TYPES[type_], "source": source}


def _responsible(contents: Contents, manifest: Json) -> Json:
    """The fields of http://mlcommons.org/croissant/RAI/1.0. A missing statement is NOT_STATED."""

    def say(*topics: str) -> str:
        said = (text for topic in topics for text in statement(topic, contents, manifest))
        return " ".join(said)

    info, study = contents.stated.info, manifest["human"]
    people = study is not None and study["simulated_annotators"] < study["annotators"]
    models = build_of(contents).endpoints
    values: Json = {
        "dataCollection": say("pair", "source", "models"),
        "dataCollectionType": ["Secondary Data Analysis",
                               *(["Machine-generated text"] if models else []),
                               *(["Manual Human Curation"] if people else [])],
        "dataCollectionTimeframe": manifest["rows"]["days"] or [],
        "machineAnnotationTools": [
            f"{role}: {model} ({sampling})" for role, model, sampling in model_rows(contents)
        ] or [NOT_STATED],
        "dataAnnotationProtocol": [say("rule" if study else "verified")],
        "annotatorDemographics": [info.annotators or NOT_STATED],
        "dataUseCases": [say("uses"), say("misuses")],
        "dataLimitations": statement("limits", contents, manifest),
        "personalSensitiveInformation": [say("sensitive")],
        "dataReleaseMaintenancePlan": info.maintenance or NOT_STATED,
    }  # fmt: skip
    return {f"rai:{name}": value for name, value in values.items()}
