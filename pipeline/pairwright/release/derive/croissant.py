"""croissant.json: Croissant 1.1 (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html).

There is no `datePublished`: a release holds no clock, and nothing in it tells the day.
"""

import json

from pydantic import JsonValue

from pairwright.release.derive import cautions
from pairwright.release.derive.card import entry
from pairwright.release.derive.croissant_fields import fields
from pairwright.release.derive.croissant_rai import responsible
from pairwright.release.derive.known import Known
from pairwright.release.derive.licences import addresses
from pairwright.release.derive.making import PAIR

Json = dict[str, JsonValue]
_PARQUET, _JSONL = "application/x-parquet", "application/jsonlines"
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


def croissant(known: Known) -> str:
    """The whole file."""
    info = known.primary.stated.info
    value: Json = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": known.name,
        "version": known.version,
        "description": description(known),
        "license": list[JsonValue](addresses(known)),
        "citeAs": info.citation.strip() or entry(known),
        "keywords": ["preference", "personalization", "reward models", "evaluation"],
        **responsible(known),
        "distribution": [*_files(known), *(_set(of.config) for of in known.summary.configs)],
        "recordSet": [_records(of.config) for of in known.summary.configs],
    }
    if info.languages:
        value["inLanguage"] = list[JsonValue](info.languages)
    if info.maintainers:
        value["creator"] = {"@type": "sc:Organization", "name": info.maintainers}
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def description(known: Known) -> str:
    """What it is; a trial says first that it is one."""
    rows, users = known.summary.rows, known.summary.users
    parts = [cautions.trial(known), f"{rows:,} pairs about {users:,} users. {PAIR}"]
    return " ".join(part for part in parts if part)


def _files(known: Known) -> list[JsonValue]:
    return [
        {
            "@type": "cr:FileObject",
            "@id": part.path,
            "name": part.path,
            "description": f"{part.rows:,} pairs of {part.config}, split {part.split}",
            "contentUrl": part.path,
            "encodingFormat": _PARQUET,
            "sha256": known.digests[part.path],
        }
        for part in known.summary.parts
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
        "field": fields(config),
    }
