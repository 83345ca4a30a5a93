"""Pairs of any origin: a release, a run folder, another person's file, a dataset of the Hugging
Face Hub.
"""

import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Literal

from pairwright.errors import InputError, near
from pairwright.lines import read_lines, read_one
from pairwright.pairs.columns import Columns, Fields, Maps, Piece, columns_of
from pairwright.pairs.conversion import row_of
from pairwright.pairs.layout import Layout, count_rows, parts_of, read_rows
from pairwright.pairs.pairing import REASONS, read_row
from pairwright.pairs.row import PairVotes, ReadRow, Row
from pairwright.records import Pair, Record
from pairwright.settings.rules import ReleaseInfo
from pairwright.sources.problems import REMEDIES, Problems, excerpt
from pairwright.sources.tables import (
    FLAT,
    OPENERS,
    fields_of,
    hub_client,
    hub_table,
    looks_like_id,
)

Kind = Literal["release", "run", "plain"]
NO_INFO = ReleaseInfo()
"""Statements of a source that makes none about itself, as other people's files."""


@dataclass(frozen=True)
class PairSource:
    """Pairs that can be read again and again, one in memory at a time."""

    name: str
    """The name in reports: never a path of this machine."""
    kind: Kind
    read: Callable[[Problems], Iterator[ReadRow]]
    """The rows. Those that are no pairs are counted, each with a key of REASONS: ties are noted,
    others are refused. Raises InputError if a whole file cannot be used."""
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
        return (one.row for one in self.read(Problems()))

    def pick(self, wanted: Callable[[str, str | None], bool]) -> Iterator[Row]:
        """The rows that are wanted, by their ids and twins' ids."""
        if self.kind == "release" and self.folder:
            for part in parts_of(self.folder):
                yield from read_rows(self.folder / part.path, wanted)
        else:
            yield from (row for row in self if wanted(row.id, row.twin_id))


def read_pairs(
    given: str | Path,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, tuple[str, ...]] | None = None,
    *,
    command: str = "audit",
) -> PairSource:
    """Open the pairs of a path or a Hugging Face id.

    `columns` names the column of each part of a row (`columns.USUAL`). `labels` are those that mean
    `first`, `second` or `tie`, or `{"first": ()}` if the first response is always right. `command`
    is named in advice.

    Raises InputError for what cannot be read, and for labels whose meaning nothing says.
    """
    maps, path = Maps(columns or {}, labels or {}, command), Path(given).expanduser()
    if path.is_dir():
        return _open_folder(path, maps)
    if path.is_file():
        return _open_file(path, maps)
    if looks_like_id(str(given)) and ("@" in path.name or not path.parent.is_dir()):
        return _open_hub(str(given), maps)
    if path.exists():
        fix = "Write the pairs to a file: they are read more than once."
        raise InputError("neither a file nor a folder", where=path, fix=fix)
    fix = f"Check the path.{near(path.name, (one.name for one in path.parent.glob('*')))}"
    fix += " A dataset of the Hub is ORG/NAME, or ORG/NAME@main if there is a folder ORG."
    raise InputError("no such file or folder", where=path, fix=fix)


# Releases and runs

_FIX = "Download the release again and check it; or name one Parquet file of data/ by itself."


def _open_folder(folder: Path, maps: Maps, fallback: str = "") -> PairSource:
    """A release or a run. Raises InputError for another folder, and for maps: the columns of both
    are fixed."""
    released = is_release(folder)
    if not released and not is_run(folder):
        what = "neither a release, with a manifest.json, nor a run that ended, with a pairs.jsonl"
        files = (one.name for one in sorted(folder.iterdir()) if one.suffix.lower() in OPENERS)
        fix = f"Name one file: {', '.join(islice(files, 10)) or 'there is none here'}."
        within = (one for one in sorted(folder.glob("*/")) if is_run(one) or is_release(one))
        if inner := next(within, None):
            fix = f"Name what is in it: {inner}."
        raise InputError(what, where=folder, fix=fix)
    if maps.columns or maps.labels:
        what = "a map of columns or labels is for files of others; this is a release or a run"
        fix = "Leave out --column and --label, or name one file."
        raise InputError(what, where=folder, fix=fix)
    return open_release(folder, fallback) if released else _open_run(folder)


def is_release(folder: Path) -> bool:
    """Whether a folder has a release's rows and its manifest."""
    return bool(parts_of(folder)) and Layout(folder).manifest.is_file()


class _Statement(Record, extra="ignore"):
    """Part of stated.json that an audit uses."""

    version: str
    kind: str = ""
    info: ReleaseInfo = NO_INFO


def open_release(folder: Path, fallback: str = "") -> PairSource:
    """The rows by configuration and split, under the name that the release gives itself: an audit
    of it is the same in every place. `fallback` or the folder's name is for a release without one.

    Raises InputError if the release does not say its version.
    """
    parts, stated = parts_of(folder), read_one(Layout(folder).provenance, _Statement, fix=_FIX)

    def rows(_: Problems) -> Iterator[ReadRow]:
        for part in parts:
            for number, row in enumerate(read_rows(folder / part.path), start=1):
                yield ReadRow(part.split, row, f"{part.path}:{number}")

    total = sum(count_rows(folder / part.path) for part in parts)
    name = stated.info.name + ("-trial" if stated.kind == "trial" else "")
    name = name if "name" in stated.info.model_fields_set else fallback or folder.resolve().name
    return PairSource(
        name, "release", rows, version=stated.version, folder=folder, total=total, info=stated.info
    )


def is_run(folder: Path) -> bool:
    """Whether a folder is a run folder whose build has ended."""
    return (folder / "config.toml").is_file() and (folder / "pairs.jsonl").is_file()


class _Decision(Record, extra="ignore"):
    """Part of a line of human/decisions.jsonl that a row states."""

    unit: str
    state: str
    simulated: bool
    votes: tuple[PairVotes, ...]


def _open_run(folder: Path) -> PairSource:
    """The kept pairs in the run's order, the sides of a twin one after the other, with people's
    decisions. Raises InputError if its config.toml is not valid."""
    file, decided = folder / "config.toml", folder / "human" / "decisions.jsonl"
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
        info = ReleaseInfo.model_validate(settings.get("release", {}))
    except (OSError, ValueError, RecursionError) as error:
        fix = "Restore it from a copy, or build again."
        raise InputError(f"cannot be read: {error}", where=file, fix=fix) from None

    def rows(_: Problems) -> Iterator[ReadRow]:
        lines = read_lines(decided, _Decision) if decided.is_file() else ()
        decisions = {one.unit: one for one in lines}
        numbered = enumerate(read_lines(folder / "pairs.jsonl", Pair), start=1)
        for name, group in groupby(numbered, key=lambda one: one[1].twin_id or one[1].id):
            sides = list(group)
            users = {pair.user for _, pair in sides}
            for number, pair in sides:
                partner = min(users - {pair.user}, default=None)
                row = row_of(
                    pair, partner=partner, decision=decisions.get(name), licence=info.licence
                )
                yield ReadRow("", row, f"pairs.jsonl:{number}")

    return PairSource(folder.resolve().name, "run", rows, folder=folder, info=info)


# Files of others


def _open_file(path: Path, maps: Maps) -> PairSource:
    """One file. Raises InputError for one of an unknown kind."""
    suffix = path.suffix.lower()
    if (opener := OPENERS.get(suffix)) is None:
        fix = f"Use one of {', '.join(OPENERS)}; unpack a packed file first."
        raise InputError(f"unknown kind of file {path.suffix!r}", where=path, fix=fix)
    name = path.resolve().name
    piece = Piece(partial(opener, path), str(path), name, flat=suffix in FLAT)
    return _open_pieces(name, [piece], maps)


def _open_hub(address: str, maps: Maps) -> PairSource:
    """A release `ORG/NAME` or `ORG/NAME@REVISION`, downloaded whole; of another dataset every split
    of every configuration. Raises SourceError and InputError."""
    name, _, at = address.partition("@")
    revision, folder, pieces, total = at or None, "", list[Piece](), 0
    with hub_client(address, "huggingface_hub") as hub:
        there = hub.HfApi().list_repo_files(name, repo_type="dataset", revision=revision)
        if "manifest.json" in there and any(one.startswith("data/") for one in there):
            folder = hub.snapshot_download(name, repo_type="dataset", revision=revision)
    if folder:
        return _open_folder(Path(folder), maps, address)
    with hub_client(address, "datasets") as datasets:
        for config in datasets.get_dataset_config_names(name, revision=revision):
            loaded = datasets.load_dataset(name, config, revision=revision)
            for split, rows in loaded.items():
                own, total = f"{name}/{config}/{split}", total + len(rows)
                table = partial(hub_table, rows)
                pieces.append(Piece(table, own, own, "" if config == "default" else config, split))
    return _open_pieces(address, pieces, maps, total)


def _open_pieces(
    name: str, pieces: Sequence[Piece], maps: Maps, total: int | None = None
) -> PairSource:
    known = [columns_of(piece, maps) for piece in pieces]

    def read(problems: Problems) -> Iterator[ReadRow]:
        for columns in known:
            yield from _read_piece(columns, maps, problems)

    said = tuple(dict.fromkeys(line for columns in known for line in columns.said))
    kind: Kind = "release" if known and known[0].released else "plain"
    return PairSource(name, kind, read, said, total=total)


def _read_piece(columns: Columns, maps: Maps, problems: Problems) -> Iterator[ReadRow]:
    """Rows of one table. Raises InputError at the end if not one could be read, with what to do."""
    own, sound, there = Problems(problems.add), False, dict[str, object]()
    for number, line in columns.piece.table()[1]:
        where = f"{columns.piece.name}:{number}"
        with own.row(where, {}):
            fields = fields_of(line)
            there = there or fields
            yield from [*read_row(fields, columns, where)]
            sound = True
    if sound:
        return
    source, counts = columns.piece.source, [*own.of("refused"), *own.of("noted")]
    if not counts:
        raise InputError("holds no rows", where=source, fix="Write or download it again.")
    listed = ", ".join(f"{REASONS[one.reason]} ({one.n:,})" for one in counts)
    raise InputError(
        f"no row could be read: {counts[0].said}; {listed}",
        where=f"{source}:{counts[0].first.where.rpartition(':')[2]}",
        fix=_advice(counts[0].reason, there, columns, maps),
    )


def _advice(reason: str, there: Fields, columns: Columns, maps: Maps) -> str:
    """Advice on a file in which no row could be read: the whole command, if one column is missing
    and another is there."""
    if reason == "bad_key":
        return "Say where the numbers begin: --label first=0, or --label first=1."
    if not there:
        return REMEDIES.get(reason, "Correct this row first.")
    named = {**maps.columns}
    used = {part for column in columns.named.values() for part in column.split(",")}
    free = [name for name in there if name not in used]
    listed = f"The columns are {', '.join(map(excerpt, islice(there, 40)))}."
    lacking = [name for name in ("prompt", *columns.form) if name not in columns.named]
    if lacking == ["prompt"]:
        free = [name for name in free if isinstance(there[name], str)]
    # Conversations need no prompt: with one, each would be an answer to it.
    if reason != "missing_column" or len(lacking) != 1 or not free:
        return (
            f"{listed} Say which is which: --column prompt=question --column chosen=better --column"
            " rejected=worse; or name first, second and label; or options and key."
        )
    named[lacking[0]] = free[0] if len(free) == 1 else "COLUMN"
    options = [part for name, column in named.items() for part in ("--column", f"{name}={column}")]
    for place, labels in maps.labels.items():
        options += ["--label", f"{place}={','.join(labels)}".removesuffix("=")]
    command = shlex.join(["pairwright", *maps.command.split(), columns.piece.source, *options])
    return f"{listed} Name the {lacking[0]}:\n    {command}"
