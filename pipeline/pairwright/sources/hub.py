"""Datasets of the Hugging Face Hub. The only file that imports `datasets`."""

import re
from typing import Any

from pairwright.errors import SourceError
from pairwright.extras import install
from pairwright.settings.rules import SourceRules
from pairwright.sources.source_table import SourceTable, numbered

_ID = re.compile(r"[\w.-]+/[\w.-]+(?:@[\w./-]+)?")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def looks_like_id(path: str) -> bool:
    """`org/name`, or `org/name@revision` to hold it to one version."""
    return _ID.fullmatch(path) is not None


def dataset(rules: SourceRules) -> SourceTable:
    """The rows of one split, counted from 1. `datasets` keeps them on disk, not in memory."""
    datasets = _import("datasets", rules.path)
    name, _, revision = rules.path.partition("@")
    try:
        loaded = datasets.load_dataset(
            name, rules.config, split=rules.split, revision=revision or None
        )
    except Exception as error:  # whatever datasets, the network and the file formats raise
        raise _unusable(rules.path, error) from error
    return SourceTable(rules.path, list(loaded.column_names), numbered(rules.path, loaded))


def fingerprint(path: str) -> str:
    """`org/name@commit`, with the commit that the id means now."""
    name, _, revision = path.partition("@")
    if _COMMIT.fullmatch(revision):
        return path
    hub = _import("huggingface_hub", path)
    try:
        info = hub.HfApi().dataset_info(name, revision=revision or None)
    except Exception as error:
        raise _unusable(path, error) from error
    return f"{name}@{info.sha}"


def _import(module: str, path: str) -> Any:
    try:
        return __import__(module)
    except ImportError:
        raise SourceError(
            f"this file does not exist, and to read it as a Hugging Face id `{module}` is missing",
            where=path,
            fix=f"Run {install('hub')}; or give the path of a file.",
        ) from None


def _unusable(path: str, error: Exception) -> SourceError:
    return SourceError(
        f"neither a file here nor a dataset that could be loaded: {type(error).__name__}: {error}",
        where=path,
        fix="Check the id, `config` and `split`; a private one needs `hf auth login`. "
        "Without network, name a file, or pin a downloaded version: org/name@<commit>.",
    )
