"""The YAML that opens a dataset card: what the Hugging Face Hub and `datasets` read.

Values are written as JSON, which is YAML too. They are names that are checked before they become
paths, or words of this file: no text of a pair or a configuration is among them.

preference/ is not a configuration here: `datasets` (5.2) reads all configurations of a card with
the reader that suits the first, and the others are Parquet.
"""

import json

from pydantic import JsonValue

from pairwright.release.derive.context import ReleaseContext
from pairwright.release.derive.licences import on_the_hub

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST = "1M<n<10M"


def yaml_header(release: ReleaseContext) -> str:
    """The header, with its two lines of dashes."""
    licences = on_the_hub(release)
    values: dict[str, JsonValue] = {
        "pretty_name": f"{release.name} {release.version}",
        "license": licences[0] if len(licences) == 1 else list[JsonValue](licences),
    }
    if languages := release.primary.provenance.info.languages:
        values["language"] = list[JsonValue](languages)
    if "other" in licences:
        link = release.layout.inside(release.layout.licences)
        values |= {"license_name": "see-license-md", "license_link": link}
    values |= {
        "task_categories": ["text-ranking", "text-generation"],
        "size_categories": [size(release.summary.rows)],
        "tags": [
            "preference", "personalization", "reward-models", "evaluation",
            *(["trial-no-benchmark"] if release.trial else []),
        ],
    }  # fmt: skip
    lines = [f"{name}: {json.dumps(value)}" for name, value in values.items()]
    configs = [f"- {json.dumps(value)}" for value in _configs(release)]
    return "\n".join(["---", *lines, "configs:", *configs, "---"]) + "\n"


def size(rows: int) -> str:
    """The Hub's word for a number of rows."""
    return next((name for limit, name in _SIZES if rows < limit), _LARGEST)


def _configs(release: ReleaseContext) -> list[JsonValue]:
    return [
        {
            "config_name": config.config,
            "data_files": [
                {"split": part.split, "path": part.path}
                for part in release.summary.parts
                if part.config == config.config
            ],
        }
        for config in release.summary.configs
    ]
