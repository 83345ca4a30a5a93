"""Pairs in files of others: a file, a folder of some, or a dataset of the Hugging Face Hub."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pairwright.errors import InputError, near
from pairwright.pairs.columns import Columns, Fields, columns_of
from pairwright.pairs.pairing import REASONS, TIE, read_row
from pairwright.pairs.row import ReadRow, Row, has_columns
from pairwright.settings.rules import ReleaseInfo
from pairwright.sources.problems import (
    REMEDIES,
    Problems,
    SourceProblem,
    SourceRefusal,
    excerpt,
    refuse,
)
from pairwright.sources.tables import (
    BINARY,
    FLAT,
    OPENERS,
    SourceRow,
    SourceTable,
    hub_client,
    numbered,
)

NO_INFO = ReleaseInfo()
"""Statements of a source that makes none about itself, as other people's files."""


@dataclass(frozen=True)
class PairSource:
    """Pairs that can be read again and again, one in memory at a time."""

    name: str
    """The name in reports: never a path of this machine."""
    kind: Literal["release", "run", "plain"]
    read: Callable[[], Iterator[ReadRow | SourceProblem]]
    """The rows, and those that are not pairs: ties are noted, others are refused, each with a key
    of REASONS. `Problems().sound(...)` counts them. Raises InputError if a whole file cannot be
    used."""
    said: tuple[str, ...] = ()
    """Notes on how columns and labels are read, a line each, if that is not plain to see."""
    version: str = ""
    folder: Path | None = None
    """The folder of a release or a run."""
    total: int | None = None
    """Rows, if that is known before they are read."""
    info: ReleaseInfo = NO_INFO
    """Statements of a release about itself, or of a run about the release it will be."""

    def __iter__(self) -> Iterator[Row]:
        """The rows that can be read, as often as asked."""
        return (one.row for one in self.read() if isinstance(one, ReadRow))


class Maps(NamedTuple):
    """Options on a file's columns and labels, and the command that takes them."""

    columns: Mapping[str, str]
    labels: Mapping[str, tuple[str, ...]]
    command: str


_METADATA = {"dataset_infos.json", "dataset_info.json", "dataset_dict.json", "state.json",
             "croissant.json"}  # fmt: skip
"""Names of files that the Hub's clients write next to the rows."""
_SPLITS = ("train", "test", "validation", "valid", "dev", "eval")
_RUN = {"rubric", "draft", "mode", "twin_id"}
_MOST = 40
"""Columns that a message names."""
_OPENERS = OPENERS | {f"{one}.gz": opener for one, opener in OPENERS.items() if one not in BINARY}


class _Piece(NamedTuple):
    """One table of a source: a file, or a configuration's split on the Hub."""

    table: Callable[[], SourceTable]
    name: str
    """Name of the table in a place: a file's path below what was given."""
    config: str
    split: str
    flat: bool = False
    """Whether its cells are text, which may hold lists and messages."""

    def rows(self) -> Iterator[Fields]:
        """The fields of every row that has some."""
        return (row.fields for row in self.table().rows if isinstance(row, SourceRow))


def open_files(path: Path, maps: Maps) -> PairSource:
    """A file, or every such file below a folder, in the order of their names, but for hidden ones
    and those that describe the data. Its configuration is the folder, or else the file's name,
    unless that is a split's."""
    base = path if path.is_dir() else path.parent
    below = sorted(path.rglob("*")) if path.is_dir() else [path]
    files = [
        file
        for file in below
        if file.is_file()
        and _suffix(file) in _OPENERS
        and file.name.lower() not in _METADATA
        and not any(part.startswith(".") for part in file.relative_to(base).parts)
    ]
    if not files:
        what = "neither a release nor a run, and no file of pairs in it"
        what = f"unknown kind of file {_suffix(path)!r}" if path.is_file() else what
        fix = f"Use one of {', '.join(_OPENERS)}; unpack any other packed file first."
        raise InputError(what, where=path, fix=fix)
    pieces = []
    for file in files:
        relative, suffix = file.relative_to(base), _suffix(file)
        stem = re.sub(r"-\d+-of-\d+$", "", relative.name[: -len(suffix)])
        split = stem if stem in _SPLITS else ""
        folders = [part for part in relative.parts[:-1] if part != "data"]
        config = "-".join(folders) or ("" if split or len(files) == 1 else stem)
        flat, table = suffix.removesuffix(".gz") in FLAT, partial(_OPENERS[suffix], file)
        pieces.append(_Piece(table, relative.as_posix(), config, split, flat))
    return _open_pieces(path.resolve().name, pieces, maps)


def _suffix(path: Path) -> str:
    """Suffix of a file in small letters: `.jsonl`, or `.jsonl.gz`."""
    end = path.suffix.lower()
    return Path(path.stem).suffix.lower() + end if end == ".gz" else end


def hub_release(address: str) -> Path | None:
    """The folder of a release, `ORG/NAME` or `ORG/NAME@REVISION`, downloaded whole; None for a
    dataset that is not one. Raises SourceError."""
    name, _, revision = address.partition("@")
    wanted = {"repo_type": "dataset", "revision": revision or None}
    with hub_client(address, "huggingface_hub") as hub:
        there = hub.HfApi().list_repo_files(name, **wanted)
        released = "manifest.json" in there and any(one.startswith("data/") for one in there)
        return Path(hub.snapshot_download(name, **wanted)) if released else None


def open_hub(address: str, maps: Maps) -> PairSource:
    """Pairs of every split of every configuration. Raises SourceError and InputError."""
    name, _, at = address.partition("@")
    revision, pieces, total = at or None, list[_Piece](), 0
    with hub_client(address, "datasets") as datasets:
        for config in datasets.get_dataset_config_names(name, revision=revision):
            loaded = datasets.load_dataset(name, config, revision=revision)
            for split, rows in loaded.items():
                own, total = f"{name}/{config}/{split}", total + len(rows)
                table = partial(_hub_table, own, rows)
                pieces.append(_Piece(table, own, "" if config == "default" else config, split))
    return _open_pieces(address, pieces, maps, total)


def _hub_table(name: str, rows: Any) -> SourceTable:
    """Rows counted from 1. `datasets` keeps them on disk, not in memory."""
    return SourceTable(name, list(rows.column_names), numbered(name, rows))


def _open_pieces(
    name: str, pieces: Iterable[_Piece], maps: Maps, total: int | None = None
) -> PairSource:
    known, released = list[tuple[_Piece, Columns]](), False
    for piece in pieces:
        first: Fields = {}
        for fields in islice(piece.rows(), 100):  # Rows of JSON differ in their columns.
            first = {**fields, **first}
        if first.keys() >= _RUN:
            what = "a run's pairs, which are not whole rows without their folder"
            raise InputError(what, where=name, fix="Name the run folder itself.")
        released |= has_columns(first) and not known
        columns = Columns({})
        if first and (maps.columns or not has_columns(first)):
            columns = columns_of(first, maps.columns, maps.labels, piece.rows())
        known.append((piece, columns))

    def read() -> Iterator[ReadRow | SourceProblem]:
        for piece, columns in known:
            yield from _read_piece(piece, columns, maps)

    said = dict.fromkeys(line for _, columns in known for line in columns.said)
    return PairSource(name, "release" if released else "plain", read, tuple(said), total=total)


def _read_piece(piece: _Piece, columns: Columns, maps: Maps) -> Iterator[ReadRow | SourceProblem]:
    """Rows of one table. Raises InputError at the end if not one could be read, with what to do."""
    table, sound, there = piece.table(), False, dict[str, Any]()
    problems = Problems()
    for line in table.rows:
        # Two files of a folder may have one name, so the place has the whole path below the folder.
        where = f"{piece.name}:{line.where.rpartition(':')[2]}"
        try:
            if isinstance(line, SourceProblem):
                refuse(line.reason, line.detail)
            there = there or line.fields
            yield from read_row(line.fields, columns, piece.config, piece.split, where, piece.flat)
            sound = True
        except SourceRefusal as refusal:
            problem = refusal.at(where, None, "noted" if refusal.reason == TIE else "refused")
            problems.add(problem)
            yield problem
    counts = [*problems.of("refused"), *problems.of("noted")]
    if not sound and not counts:
        raise InputError("holds no rows", where=table.source, fix="Write or download it again.")
    if not sound:
        listed = ", ".join(f"{REASONS[one.reason]} ({one.n:,})" for one in counts)
        raise InputError(
            f"not one row could be read: {listed}; here: {counts[0].said}",
            where=f"{table.source}:{counts[0].first.where.rpartition(':')[2]}",
            fix=_advice(table.source, counts[0].reason, there, columns, maps),
        )


def _advice(source: str, reason: str, there: Fields, columns: Columns, maps: Maps) -> str:
    """Advice on a file in which no row could be read."""
    if reason == "bad_key":
        return "Say where the numbers begin: --label first=0, or --label first=1."
    if not there:
        return REMEDIES.get(reason, "Correct this row first.")
    listed = f"The columns are {', '.join(map(excerpt, [*there][:_MOST]))}"
    given = [column for name in maps.columns.values() for column in name.split(",")]
    if wrong := [column for column in given if column not in there]:
        fixes = (f"There is no column {excerpt(one)}.{near(one, there)}" for one in wrong)
        return f"{' '.join(fixes)} {listed}."
    if reason == "missing_column" and (command := _whole_command(source, there, columns, maps)):
        return command
    more = f" and {len(there) - _MOST:,} more" if len(there) > _MOST else ""
    return (
        f"{listed}{more}. Say what holds"
        " what with --column, such as --column prompt=question --column chosen=better --column"
        " rejected=worse; first, second and label; or options and key."
    )


def _whole_command(source: str, there: Fields, columns: Columns, maps: Maps) -> str:
    """The command that reads the file, if only the prompt or the label has another name; empty if
    more is missing."""
    labelled = columns.named.keys() >= {"first", "second"}
    wanted = "label" if labelled and not columns.meanings else "prompt"
    used = {part for column in columns.named.values() for part in column.split(",")}
    free = [name for name in there if name not in used]
    free = [name for name in free if wanted == "label" or isinstance(there[name], str)]
    sides = labelled or columns.named.keys() >= {"chosen", "rejected"}
    if not sides or not free or (wanted == "prompt" and "prompt" in columns.named):
        return ""
    several = f", with one of {', '.join(map(excerpt, free[:_MOST]))}" if free[1:] else ""
    named = {**maps.columns, wanted: "COLUMN" if several else free[0]}
    options = [f"--column {shlex.quote(f'{name}={one}')}" for name, one in named.items()]
    for place, labels in maps.labels.items():
        options.append(f"--label {shlex.quote('='.join(filter(None, (place, ','.join(labels)))))}")
    line = " ".join(["pairwright", maps.command, shlex.quote(source), *options])
    marks = "\n  If columns hold 0 and 1: --label first=COLUMN --label second=COLUMN"
    marks = marks if several and wanted == "label" else ""
    return f"Name the {wanted}{several}:\n    {line}{marks}"
