"""croissant.json: Croissant 1.1 (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html).

There is no `datePublished`: nothing in a release says on which day it was made.
"""

from typing import Any

import pyarrow as pa
from pydantic import JsonValue
from pydantic_core import to_json

from pairwright.pairs.layout import file_digest
from pairwright.pairs.parquet import SCHEMA
from pairwright.releases.derive.card import (
    NOT_STATED,
    bibtex_entry,
    column_texts,
    licence_addresses,
    model_rows,
    statement,
)
from pairwright.releases.derive.context import ReleaseContext

Json = dict[str, JsonValue]
_PARQUET = "application/x-parquet"
_CROISSANT = (
    "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field",
    "fileObject", "fileProperty", "fileSet", "format", "includes", "isArray", "isLiveDataset",
    "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated",
    "replace", "samplingRate", "separator", "source", "subField", "transform",
)  # fmt: skip
CONTEXT: Json = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "description": {"@container": "@language"},
    **{name: f"cr:{name}" for name in _CROISSANT},
}


def croissant_json(release: ReleaseContext) -> str:
    """The whole file."""
    info, summary = release.primary.provenance.info, release.summary
    configs = [config.config for config in summary.configs]
    # A trial says first that it is one.
    count = f"{summary.rows:,} pairs about {summary.users:,} users."
    value: Json = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": release.name,
        "version": release.version,
        "description": " ".join([*statement("trial", release), count, *statement("pair", release)]),
        "license": list[JsonValue](licence_addresses(release)),
        "citeAs": info.citation.strip() or bibtex_entry(release),
        "keywords": ["preference", "personalization", "reward models", "evaluation"],
        **_responsible(release),
        "distribution": [*_files(release), *map(_set, configs)],
        "recordSet": [*map(_records, configs)],
    }
    if info.languages:
        value["inLanguage"] = list[JsonValue](info.languages)
    if info.maintainers:
        value["creator"] = {"@type": "sc:Organization", "name": info.maintainers}
    return to_json(value, indent=2).decode() + "\n"


def _files(release: ReleaseContext) -> list[JsonValue]:
    return [
        {
            "@type": "cr:FileObject",
            "@id": part.path,
            "name": part.path,
            "description": f"{part.rows:,} pairs of {part.config}, split {part.split}",
            "contentUrl": part.path,
            "encodingFormat": _PARQUET,
            "sha256": file_digest(release.layout.root / part.path),
        }
        for part in release.summary.parts
    ]


def _set(config: str) -> Json:
    return {
        "@type": "cr:FileSet",
        "@id": f"{config}-files",
        "name": f"{config}-files",
        "description": f"All splits of {config}",
        "encodingFormat": _PARQUET,
        "includes": f"data/{config}/*.parquet",
    }


def _records(config: str) -> Json:
    return {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "description": f"The pairs of {config}",
        "key": {"@id": f"{config}/id"},
        "field": [_field(config, column.name, column.type) for column in SCHEMA],
    }


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
        return field | {"subField": list[JsonValue](parts)}
    source: Json = {"fileSet": {"@id": f"{config}-files"}, "extract": {"column": column}}
    if path:
        source["transform"] = {"jsonPath": f"$.{'.'.join(path)}"}
    return field | {"dataType": _data_type(type_), "source": source}


def _data_type(type_: Any) -> str:
    if pa.types.is_boolean(type_):
        return "sc:Boolean"
    if pa.types.is_integer(type_):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(type_) else "sc:Text"


def _responsible(release: ReleaseContext) -> Json:
    """The fields of http://mlcommons.org/croissant/RAI/1.0. What nobody stated says so."""

    def say(*topics: str) -> str:
        return " ".join(text for topic in topics for text in statement(topic, release))

    info, study = release.primary.provenance.info, release.study
    people = study is not None and study.simulated_annotators < study.annotators
    values: Json = {
        "dataCollection": say("pair", "source", "models"),
        "dataCollectionType": ["Secondary Data Analysis",
                               *(["Machine-generated text"] if release.build.has_models else []),
                               *(["Manual Human Curation"] if people else [])],
        "dataCollectionTimeframe": list[JsonValue](release.summary.days or ()),
        "machineAnnotationTools": [
            f"{role}: {model} ({sampling})" for role, model, sampling in model_rows(release)
        ] or [NOT_STATED],
        "dataAnnotationProtocol": [say("rule" if study else "verified")],
        "annotatorDemographics": [info.annotators or NOT_STATED],
        "dataUseCases": [say("uses"), say("misuses")],
        "dataLimitations": list[JsonValue](statement("limits", release)),
        "personalSensitiveInformation": [say("sensitive")],
        "dataReleaseMaintenancePlan": info.maintenance or NOT_STATED,
    }  # fmt: skip
    return {f"rai:{name}": value for name, value in values.items()}
