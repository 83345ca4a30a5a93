"""Pairs of any origin: a release, a run folder, a file or folder of somebody's, a dataset of the
Hugging Face Hub.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ConfigDict, ValidationError

from pairwright.errors import InputError, first_invalid
from pairwright.extras import install
from pairwright.files import CALLS
from pairwright.lines import read_lines
from pairwright.pairs.columns import Columns, Fields, columns_of
from pairwright.pairs.conversion import row_of
from pairwright.pairs.layout import Layout, check_files, parts_of
from pairwright.pairs.others import REASONS, TIE, ReadRow, read_row
from pairwright.pairs.parquet import read_rows
from pairwright.pairs.row import Row, RowVotes, has_columns
from pairwright.records import Pair, Record
from pairwright.settings.rules import ReleaseInfo
from pairwright.sources.problems import REMEDIES, SourceProblem, SourceRefusal, excerpt
from pairwright.sources.tables import (
    BINARY,
    FLAT,
    OPENERS,
    SourceRow,
    SourceTable,
    looks_like_id,
    numbered,
)

PairSourceKind = Literal["release", "run", "official", "plain"]
NO_INFO = ReleaseInfo()
"""Of what states nothing of itself, as other people's files."""
EXAMPLES = 10
"""Rows of each reason that are kept to be named."""


@dataclass(frozen=True)
class PairSource:
    """Pairs that can be read again and again, one in memory at a time."""

    name: str
    """The name in reports: never a path of this machine."""
    kind: PairSourceKind
    read: Callable[[], Iterator[ReadRow | SourceProblem]]
    """The rows, and those that are no pairs: ties are noted, others are refused, each with a key of
    REASONS. `Problems().sound(...)` counts them. Raises InputError where a whole file cannot be
    used."""
    said: tuple[str, ...] = ()
    """How columns and labels are read, a line each, where that is not plain to see."""
    version: str = ""
    folder: Path | None = None
    """The folder of a release or a run."""
    total: int | None = None
    """Rows, where that is known before they are read."""
    info: ReleaseInfo = NO_INFO
    """What a release states of itself, or a run of the release it will be."""

    def __iter__(self) -> Iterator[Row]:
        """The rows that can be read, as often as asked."""
        return (one.row for one in self.read() if isinstance(one, ReadRow))


def read_pairs(
    given: str | Path,
    columns: Mapping[str, str] = {},
    labels: Mapping[str, tuple[str, ...]] = {},
    *,
    command: str = "audit",
) -> PairSource:
    """Open the pairs of a path or a Hugging Face id.

    `columns` names the column of what a row is made of (`columns.KNOWN`); `labels` the labels that
    mean `first`, `second` or `tie`, or `{"first": ()}` where the first response is always right.
    `command` is named in advice.

    Raises InputError for what cannot be read, and for labels whose meaning nothing tells.
    """
    maps = _Maps(columns, labels, command)
    path = Path(given).expanduser()
    if path.is_file() or (path.is_dir() and not (is_release(path) or is_run(path))):
        return _open_files(path, maps)
    if not path.exists():
        if looks_like_id(str(given)):
            return _open_hub(str(given), maps)
        fix = "Correct the path; a Hub id is ORG/NAME."
        raise InputError("no such file or folder", where=path, fix=fix)
    if not path.is_dir():
        fix = "Write the pairs to a file: they are read more than once."
        raise InputError("neither a file nor a folder", where=path, fix=fix)
    maps.refuse(path)
    return open_release(path) if is_release(path) else _open_run(path)


class _Maps(NamedTuple):
    """What the person says of a file."""

    columns: Mapping[str, str]
    labels: Mapping[str, tuple[str, ...]]
    command: str

    def refuse(self, where: str | Path) -> None:
        """Raise InputError if there are maps, for a source whose columns are fixed."""
        if self.columns or self.labels:
            raise InputError(
                "a map of columns or labels is for files of others; this is a release or a run",
                where=where,
                fix="Leave out --column and --label, or name one file.",
            )


# Releases and runs

_FIX = "Download the release again and check it; or name one Parquet file of data/ by itself."


def is_release(folder: Path) -> bool:
    """Whether a folder has a release's rows; raises InputError where only the rest is missing, or
    something in it cannot be read."""
    parts = parts_of(folder)
    if parts:
        check_files(folder)
    if Layout(folder).manifest.is_file():
        return bool(parts)
    try:
        lost = bool(parts) and has_columns(pq.read_schema(folder / parts[0].path).names)
    except (pa.ArrowException, OSError):
        return False
    if lost:
        raise InputError("a release without its manifest.json", where=folder, fix=_FIX)
    return False


def open_release(folder: Path, fallback: str = "") -> PairSource:
    """The rows by configuration and split, under the name that the release gives itself: an audit
    of it is the same in every place. `fallback` or the folder's name is for a release without one.

    Raises InputError where the release does not say its version.
    """
    parts = parts_of(folder)
    name, version, info = _release_statement(Layout(folder))

    def rows() -> Iterator[ReadRow]:
        for part in parts:
            for number, row in enumerate(read_rows(folder / part.path), start=1):
                yield ReadRow(part.split, row, f"{part.path}:{number}")

    try:
        total = sum(int(pq.read_metadata(folder / part.path).num_rows) for part in parts)
    except (pa.ArrowException, OSError):
        total = None  # Reading says what is wrong with it.
    return PairSource(
        name or fallback or folder.resolve().name, "release", rows, version=version, folder=folder,
        total=total, info=info,
    )  # fmt: skip


def _release_statement(layout: Layout) -> tuple[str, str, ReleaseInfo]:
    """Name, version, and what else stated.json says of the release. The name says so for a trial,
    and is empty where there is none."""
    try:
        stated = json.loads(layout.provenance.read_text(encoding="utf-8"))
        info = stated.get("info", {})
        name = str(info.get("name", ""))
        name = f"{name}-trial" if name and stated.get("kind") == "trial" else name
        # What newer versions state besides concerns no check of this one.
        known = {key: value for key, value in info.items() if key in ReleaseInfo.model_fields}
        return name, str(stated["version"]), ReleaseInfo.model_validate(known)
    except ValidationError as error:
        field, fault = first_invalid(error)
        raise InputError(fault, where=f"{layout.provenance} [info.{field}]", fix=_FIX) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError("states no version", where=layout.provenance, fix=_FIX) from None


def is_run(folder: Path) -> bool:
    """Whether a folder is a run folder; raises InputError where the build has not finished."""
    if (folder / CALLS).is_file() and not (folder / "pairs.jsonl").is_file():
        fix = f"Run pairwright build again to its end; then use {folder.name}."
        raise InputError("a run folder without pairs.jsonl", where=folder, fix=fix)
    return (folder / "config.toml").is_file() and (folder / "pairs.jsonl").is_file()


class _HalfLine(Record):
    """Who a pair is about: all that is kept of the others while one is read."""

    model_config = ConfigDict(extra="ignore")

    user: str
    twin_id: str | None = None


class _PairVotes(RowVotes):
    model_config = ConfigDict(extra="ignore")

    pair: str


class _DecisionLine(Record):
    """Of a line of human/decisions.jsonl, what a row states."""

    model_config = ConfigDict(extra="ignore")

    state: str
    simulated: bool
    votes: tuple[_PairVotes, ...]


def _open_run(folder: Path) -> PairSource:
    """The kept pairs in the run's order. Raises InputError where its config.toml is not valid."""
    file = folder / "config.toml"
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
        info = ReleaseInfo.model_validate(settings.get("release", {}))
    except (OSError, ValueError, RecursionError) as error:
        fix = "Restore it from a copy, or build again."
        raise InputError(f"cannot be read: {error}", where=file, fix=fix) from None
    return PairSource(
        folder.resolve().name, "run", partial(_run_rows, folder, info.licence), folder=folder,
        info=info,
    )  # fmt: skip


def _run_rows(folder: Path, licence: str | None) -> Iterator[ReadRow]:
    file, decided = folder / "pairs.jsonl", folder / "human" / "decisions.jsonl"
    users: dict[str, set[str]] = {}
    for half in read_lines(file, _HalfLine):
        if half.twin_id:
            users.setdefault(half.twin_id, set()).add(half.user)
    decisions = {
        votes.pair: (votes, one)
        for one in (read_lines(decided, _DecisionLine) if decided.is_file() else ())
        for votes in one.votes
    }
    for number, pair in enumerate(read_lines(file, Pair), start=1):
        others = users[pair.twin_id] - {pair.user} if pair.twin_id else set()
        votes, decision = decisions.get(pair.id, (None, None))
        counts = votes and RowVotes(**votes.model_dump(exclude={"pair"}))
        simulated = decision is not None and decision.simulated
        row = row_of(
            pair,
            partner=min(others, default=None),
            votes=counts if counts and counts.n else None,
            # What simulated annotators say verifies nothing.
            verified=decision is not None and decision.state == "verified" and not simulated,
            simulated=simulated,
            licence=licence,
        )
        yield ReadRow("", row, f"{file.name}:{number}")


# Files of others

_METADATA = {"dataset_infos.json", "dataset_info.json", "dataset_dict.json", "state.json",
             "croissant.json"}  # fmt: skip
"""What the Hub's clients write beside the rows."""
_SHARD = re.compile(r"-\d+-of-\d+$")
_SPLITS = ("train", "test", "validation", "valid", "dev", "eval")
_OFFICIAL = {"question", "profile", "rubric_aspects", "narrative", "category", "chosen", "rejected"}
_RUN = {"rubric", "draft", "mode", "twin_id"}


class _Piece(NamedTuple):
    """One table of a source: a file, or a configuration's split on the Hub."""

    table: Callable[[], SourceTable]
    name: str
    """How a place in it is named: a file's path below what was given."""
    config: str
    split: str
    flat: bool = False
    """Whether its cells are text, which may hold lists and messages."""

    def rows(self) -> Iterator[Fields]:
        """The fields of every row that has some."""
        return (row.fields for row in self.table().rows if isinstance(row, SourceRow))


def _open_pieces(name: str, pieces: Iterable[_Piece], maps: _Maps) -> PairSource:
    known = [(piece, _columns(piece, maps)) for piece in pieces]
    first: Fields = next(known[0][0].rows(), {})
    kind: PairSourceKind = "official" if first.keys() >= _OFFICIAL else "plain"
    if has_columns(first):
        kind = "release"
    elif first.keys() >= _RUN:
        what = "a run's pairs, which are not whole rows without their folder"
        raise InputError(what, where=name, fix="Name the run folder itself.")
    said = dict.fromkeys(line for _, columns in known for line in columns.said)

    def read() -> Iterator[ReadRow | SourceProblem]:
        for piece, columns in known:
            yield from _read_piece(piece, columns, maps.command)

    return PairSource(name, kind, read, tuple(said))


def _columns(piece: _Piece, maps: _Maps) -> Columns:
    first = next(piece.rows(), None)
    if first is None or (has_columns(first) and not maps.columns):
        return Columns({})
    return columns_of(first, maps.columns, maps.labels, piece.rows())


def _read_piece(piece: _Piece, columns: Columns, command: str) -> Iterator[ReadRow | SourceProblem]:
    """Every row. Raises InputError at the end if not one row could be read, naming its columns."""
    table, unread, there = piece.table(), list[SourceProblem](), dict[str, Any]()
    values, reasons, rows = Counter[str](), Counter[str](), 0
    for line in table.rows:
        # Two files of a folder may have one name, so the place has the whole path below the folder.
        where = f"{piece.name}:{line.where.rpartition(':')[2]}"
        try:
            if isinstance(line, SourceProblem):
                raise SourceRefusal(line.reason, line.detail)
            there = there or line.fields
            pairs = read_row(
                line.fields, columns, piece.config, piece.split, where, flat=piece.flat
            )
        except SourceRefusal as refusal:
            problem = refusal.at(where, None)
            if problem.reason == TIE:
                problem = SourceProblem(
                    action="noted", reason=TIE, where=where, detail=problem.detail
                )
            unread = unread or [problem]
            reasons[problem.reason] += 1
            if problem.value is not None and len(values) < EXAMPLES:
                values[problem.value] += 1
            yield problem
        else:
            rows += 1
            yield from pairs
    if not rows:
        if not unread:
            raise InputError("holds no rows", where=table.source, fix="Write or download it again.")
        counts = ", ".join(f"{REASONS[reason]} ({n:,})" for reason, n in reasons.most_common())
        shown = ", ".join(f"{excerpt(value)} ({n:,})" for value, n in sorted(values.items()))
        raise InputError(
            f"not one row could be read: {counts}; here: {unread[0].detail}"
            + (f"; values: {shown}" if shown else ""),
            where=f"{table.source}:{unread[0].where.rpartition(':')[2]}",
            fix=_advice(table.source, there, columns, unread[0].reason, command),
        )


_MOST_COLUMNS = 40
"""Columns that a message names."""


def _advice(source: str, there: Fields, columns: Columns, reason: str, command: str) -> str:
    """What to do about a file in which no row could be read: the whole command if only the prompt
    has another name."""
    if not there:
        return REMEDIES.get(reason, "Correct this row first.")
    if reason == "bad_key":
        return "Say where the numbers begin: --label first=0, or --label first=1."
    used = {part for column in columns.named.values() for part in column.split(",")}
    texts = [name for name, value in there.items() if isinstance(value, str) and name not in used]
    if columns.named.keys() >= {"chosen", "rejected"} and "prompt" not in columns.named and texts:
        options = [f"--column {name}={column}" for name, column in columns.named.items()
                   if name in columns.given]  # fmt: skip
        prompts = [*options, f"--column prompt={texts[0] if len(texts) == 1 else 'COLUMN'}"]
        of = "" if len(texts) == 1 else f", with one of {', '.join(map(excerpt, texts[:10]))}"
        return f"Name the prompt{of}:\n    pairwright {command} {source} {' '.join(prompts)}"
    more = len(there) - _MOST_COLUMNS
    listed = ", ".join(map(excerpt, [*there][:_MOST_COLUMNS])) + (
        f" and {more:,} more" * (more > 0)
    )
    return (
        f"The columns are {listed}. Say what holds what with --column, such as"
        " --column prompt=question --column chosen=better --column rejected=worse; first, second"
        " and label; or options and key."
    )


_OPENERS = OPENERS | {
    f"{suffix}.gz": opener for suffix, opener in OPENERS.items() if suffix not in BINARY
}


def _suffix(path: Path) -> str:
    """What the file's name says it is, in small letters: `.jsonl`, or `.jsonl.gz`."""
    end = path.suffix.lower()
    return Path(path.stem).suffix.lower() + end if end == ".gz" else end


def _open_files(path: Path, maps: _Maps) -> PairSource:
    """A file, or every such file below a folder, in the order of their names. Hidden folders are
    left alone, and so are files that describe the data."""
    if path.is_file():
        files = [path] if _suffix(path) in _OPENERS else []
    else:
        files = sorted(
            file
            for file in path.rglob("*")
            if _suffix(file) in _OPENERS and file.is_file()
            and file.name.lower() not in _METADATA
            and not any(part.startswith(".") for part in file.relative_to(path).parts)
        )  # fmt: skip
    if not files:
        what = "neither a release nor a run, and no file of pairs in it"
        if path.is_file():
            what = f"unknown kind of file {_suffix(path)!r}"
        fix = f"Use one of {', '.join(_OPENERS)}; unpack any other packed file first."
        raise InputError(what, where=path, fix=fix)
    pieces = [_piece(file, path, alone=len(files) == 1) for file in files]
    return _open_pieces(path.resolve().name, pieces, maps)


def _piece(file: Path, given: Path, *, alone: bool) -> _Piece:
    """The configuration is the folder, or else the file's name, unless that is a split's."""
    relative = Path(file.name) if file == given else file.relative_to(given)
    stem = _SHARD.sub("", relative.name[: -len(_suffix(file))])
    split = stem if stem in _SPLITS else ""
    folders = [part for part in relative.parts[:-1] if part != "data"]
    config = "-".join(folders) or ("" if alone or split else stem)
    table = partial(_OPENERS[_suffix(file)], file)
    flat = _suffix(file).removesuffix(".gz") in FLAT
    return _Piece(table, relative.as_posix(), config, split, flat)


# The Hub

_DATA = re.compile(r"data/[^/]+/[a-z]+-00000-of-00001\.parquet")


def _open_hub(address: str, maps: _Maps) -> PairSource:
    """`ORG/NAME`, or `ORG/NAME@REVISION`: every split of every configuration; a release whole."""
    name, _, revision = address.partition("@")
    try:
        hub, datasets = (import_module(one) for one in ("huggingface_hub", "datasets"))
    except ImportError as error:
        what = (
            f"there is no such file, and to read it as a Hugging Face id `{error.name}` is missing"
        )
        fix = f"Run {install('hub')}; or give the path of a file."
        raise InputError(what, where=address, fix=fix) from None
    try:
        there = hub.HfApi().list_repo_files(name, repo_type="dataset", revision=revision or None)
        if "manifest.json" in there and any(map(_DATA.fullmatch, there)):
            maps.refuse(address)
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
    pieces, total = [], 0
    for config, splits in loaded.items():
        for split, rows in splits.items():
            at, total = f"{name}/{config}/{split}", total + len(rows)
            own = "" if config == "default" else config
            pieces.append(_Piece(partial(_hub_table, at, rows), at, own, split))
    return replace(_open_pieces(address, pieces, maps), total=total)


def _hub_table(name: str, rows: Any) -> SourceTable:
    """Rows counted from 1. `datasets` keeps them on disk, not in memory."""
    return SourceTable(name, list(rows.column_names), numbered(name, rows))
