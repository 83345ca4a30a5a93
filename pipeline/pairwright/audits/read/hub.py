"""Datasets of the Hugging Face Hub: a release is downloaded whole, others through `datasets`."""

import re
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from pairwright.audits.read.columns import Columns
from pairwright.audits.read.files import PairTable, first_kind, read_pieces
from pairwright.audits.read.folders import open_release
from pairwright.audits.read.source import PairSource
from pairwright.errors import InputError
from pairwright.extras import install
from pairwright.sources.source_table import SourceTable, numbered

_DATA = re.compile(r"data/[^/]+/[a-z]+-00000-of-00001\.parquet")


def open_hub(address: str, columns: Columns) -> PairSource:
    """`ORG/NAME`, or `ORG/NAME@REVISION`: every split of every configuration.

    Raises InputError where the extra `hub` or the network is missing, or there is no such dataset.
    """
    name, _, revision = address.partition("@")
    hub, datasets = _import("huggingface_hub", address), _import("datasets", address)
    try:
        there = hub.HfApi().list_repo_files(name, repo_type="dataset", revision=revision or None)
        if "manifest.json" in there and any(map(_DATA.fullmatch, there)):
            columns.refuse(address)
            at = hub.snapshot_download(name, repo_type="dataset", revision=revision or None)
            return open_release(Path(at), address)
        loaded = {
            config: datasets.load_dataset(name, config, revision=revision or None)
            for config in datasets.get_dataset_config_names(name, revision=revision or None)
        }
    except InputError:
        raise
    except Exception as error:  # whatever the Hub's clients, the network and file formats raise
        raise InputError(
            f"neither a file or folder here nor a dataset that could be loaded:"
            f" {type(error).__name__}: {error}",
            where=address,
            fix="Check the id; a private one needs `hf auth login`. Without network, name a file.",
        ) from error
    pieces = [
        PairTable(
            partial(_table, f"{name}/{config}/{split}", rows),
            f"{name}/{config}/{split}",
            config="" if config == "default" else config,
            split=split,
        )
        for config, splits in loaded.items()
        for split, rows in splits.items()
    ]
    return PairSource(
        name=address,
        kind=first_kind(pieces[0]),
        read=partial(read_pieces, pieces, columns),
        total=sum(len(rows) for splits in loaded.values() for rows in splits.values()),
    )


def _table(name: str, rows: Any) -> SourceTable:
    """Rows counted from 1. `datasets` keeps them on disk, not in memory."""
    return SourceTable(name, list(rows.column_names), numbered(name, rows))


def _import(module: str, address: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise InputError(
            f"there is no such file, and to read it as a Hugging Face id `{module}` is missing",
            where=address,
            fix=f"Run {install('hub')}; or give the path of a file.",
        ) from None
