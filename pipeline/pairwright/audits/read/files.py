"""JSON, JSONL, CSV and Parquet of others: one file, a folder of them, or a dataset of the Hugging
Face Hub, of which a release is downloaded whole and others are read through `datasets`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.audits.read.columns import Columns
from pairwright.audits.read.fields import kind_of, rows_of
from pairwright.audits.read.folders import open_release
from pairwright.audits.read.source import (
    LABEL_0,
    REASONS,
    PairSource,
    PairSourceKind,
    ReadRow,
)
from pairwright.errors import InputError
from pairwright.extras import install
from pairwright.sources.problems import REMEDIES, SourceProblem, SourceRefusal, excerpt
from pairwright.sources.tables import BINARY, FLAT, OPENERS, Opener, SourceTable, numbered
from pairwright.sources.tables import SourceRow as Line

_OPENERS: dict[str, Opener] = {
    **OPENERS,
    **{f"{suffix}.gz": opener for suffix, opener in OPENERS.items() if suffix not in BINARY},
}
_METADATA = frozenset(
    {
        "dataset_infos.json", "dataset_info.json", "dataset_dict.json", "state.json",
        "croissant.json",
    }
)  # fmt: skip
"""What the Hub's clients write beside the rows."""
_SHARD = re.compile(r"-\d+-of-\d+$")
_SPLITS = ("train", "test", "validation", "valid", "dev", "eval")


class PairTable(NamedTuple):
    """One table of a source: a file, or a configuration's split on the Hub."""

    table: Callable[[], SourceTable]
    name: str
    """How a place in it is named: a file's path below what was given."""
    config: str
    split: str
    flat: bool = False
    """Whether its cells are text, which may hold lists and messages."""


def open_files(path: Path, columns: Columns) -> PairSource:
    """A file, or every such file below a folder, in the order of their names.

    Raises InputError where there is no such file, or the first row is not one of pairs.
    """
    pieces = _pieces(path)
    kind = _first_kind(pieces[0])
    if kind == "run":
        raise InputError(
            "a run's pairs, which are not whole rows without their folder",
            where=path,
            fix="Name the run folder itself.",
        )
    return PairSource(
        name=path.resolve().name, kind=kind, read=partial(_read_pieces, pieces, columns)
    )


def _first_kind(piece: PairTable) -> PairSourceKind:
    """The kind of the first row that is an object; plain where no row is one."""
    first = next((line for line in piece.table().rows if isinstance(line, Line)), None)
    return kind_of(first.fields) if first else "plain"


def _read_pieces(
    pieces: Iterable[PairTable], columns: Columns
) -> Iterator[ReadRow | SourceProblem]:
    """Every row of every piece.

    Raises InputError after a piece in which not one row could be read, naming its columns.
    """
    for piece in pieces:
        table = piece.table()
        reasons: Counter[str] = Counter()
        first: SourceProblem | None = None
        there: tuple[str, ...] = ()
        rows = 0
        for line in table.rows:
            read = _read(line, columns, piece)
            if isinstance(read, SourceProblem):
                reasons[read.reason] += 1
                first = first or read
            if isinstance(line, Line):
                there = there or tuple(line.fields)
            rows += 1
            yield from [read] if isinstance(read, SourceProblem) else read
        if rows == reasons.total():
            raise _nothing_read(table.source, first, there, reasons)


def _read(
    line: Line | SourceProblem, columns: Columns, piece: PairTable
) -> list[ReadRow] | SourceProblem:
    # Two files of a folder may have one name, so the place has the whole path below the folder.
    where = f"{piece.name}:{line.where.rpartition(':')[2]}"
    if isinstance(line, SourceProblem):
        return line.model_copy(update={"where": where})
    try:
        return rows_of(line.fields, columns, piece.config, piece.split, where, flat=piece.flat)
    except SourceRefusal as refusal:
        if refusal.reason == LABEL_0:
            label, first, second = (columns.given[name] for name in ("label", "first", "second"))
            raise InputError(
                REASONS[LABEL_0],
                where=where,
                fix="Write 1 (the first is better), 2 or tie. Or say which 0 means:"
                f" --column options={first},{second} --column key_from_0={label} if 0 is"
                f" {first}, or options={second},{first} if 0 is {second}.",
            ) from None
        return refusal.at(where, None)


def _pieces(path: Path) -> list[PairTable]:
    if path.is_file():
        if suffix(path) not in _OPENERS:
            raise InputError(
                f"unknown kind of file {suffix(path)!r}",
                where=path,
                fix=f"Use one of {', '.join(_OPENERS)}; unpack any other packed file first.",
            )
        return [_piece(path, Path(path.name), alone=True)]
    files = sorted(_data_files(path))
    if not files:
        raise InputError(
            "neither a release nor a run, and no file of pairs in it",
            where=path,
            fix=f"Name a file or a folder of files: {', '.join(_OPENERS)}.",
        )
    return [_piece(file, file.relative_to(path), alone=len(files) == 1) for file in files]


def _data_files(folder: Path) -> Iterator[Path]:
    """Hidden folders are left alone: the Hub's client keeps its own notes in one. So are the files
    that describe the data."""
    for file in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if hidden or file.name.lower() in _METADATA:
            continue
        if suffix(file) in _OPENERS and file.is_file():
            yield file


def suffix(path: Path) -> str:
    """What the file's name says it is, in small letters: `.jsonl`, or `.jsonl.gz`."""
    end = path.suffix.lower()
    return Path(path.stem).suffix.lower() + end if end == ".gz" else end


def _piece(file: Path, relative: Path, *, alone: bool) -> PairTable:
    """The configuration is the folder, or else the file's name, unless that is a split's."""
    stem = _SHARD.sub("", relative.name[: -len(suffix(file))])
    split = stem if stem in _SPLITS else ""
    folders = [part for part in relative.parts[:-1] if part != "data"]
    config = "-".join(folders) or ("" if alone or split else stem)
    opened = partial(_OPENERS[suffix(file)], file)
    flat = suffix(file).removesuffix(".gz") in FLAT
    return PairTable(opened, relative.as_posix(), config, split, flat)


MOST_COLUMNS = 40
"""Columns that a message names."""


def _nothing_read(
    source: str, first: SourceProblem | None, there: tuple[str, ...], reasons: Counter[str]
) -> InputError:
    if first is None:
        return InputError("holds no rows", where=source, fix="Write or download it again.")
    counts = ", ".join(f"{REASONS[reason]} ({n:,})" for reason, n in reasons.most_common())
    fix = REMEDIES.get(first.reason, "Mend this row first.")
    if there:
        more = f" and {len(there) - MOST_COLUMNS:,} more" if len(there) > MOST_COLUMNS else ""
        fix = (
            f"The columns are {', '.join(map(excerpt, there[:MOST_COLUMNS]))}{more}. Say what"
            " holds what with --column, such as --column prompt=question --column chosen=better"
            " --column rejected=worse;"
            " first, second and label, where a label (1, 2 or tie) says which is better;"
            " or options and key."
        )
    return InputError(
        f"not one row could be read: {counts}; here: {first.detail}",
        where=f"{source}:{first.where.rpartition(':')[2]}",
        fix=fix,
    )


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
            partial(_hub_table, f"{name}/{config}/{split}", rows),
            f"{name}/{config}/{split}",
            config="" if config == "default" else config,
            split=split,
        )
        for config, splits in loaded.items()
        for split, rows in splits.items()
    ]
    return PairSource(
        name=address,
        kind=_first_kind(pieces[0]),
        read=partial(_read_pieces, pieces, columns),
        total=sum(len(rows) for splits in loaded.values() for rows in splits.values()),
    )


def _hub_table(name: str, rows: Any) -> SourceTable:
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
