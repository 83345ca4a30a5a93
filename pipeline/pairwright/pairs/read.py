"""Pairs of any origin: a release, a run folder, another person's file or folder, a dataset of the
Hugging Face Hub.
"""

import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Literal

from pairwright.errors import InputError, near
from pairwright.files import CALLS
from pairwright.lines import read_lines, read_one
from pairwright.pairs.columns import Columns, Fields, Maps, Piece, columns_of
from pairwright.pairs.conversion import row_of
from pairwright.pairs.layout import Layout, count_rows, parts_of, read_rows
from pairwright.pairs.pairing import REASONS, read_row
from pairwright.pairs.row import PairVotes, ReadRow, Row, has_columns
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

NO_INFO = ReleaseInfo()
"""Statements of a source that makes none about itself, as other people's files."""


@dataclass(frozen=True)
class PairSource:
    """Pairs that can be read again and again, one in memory at a time."""

    name: str
    """The name in reports: never a path of this machine."""
    kind: Literal["release", "run", "plain"]
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
    if path.is_dir() and (is_release(path) or is_run(path)):
        return _open_built(path, maps)
    if within := [one.parent for one in sorted(path.glob("*/pairs.jsonl")) if is_run(one.parent)]:
        fix = f"Name the run: {within[0]}."
        raise InputError("holds a run, and is not one", where=path, fix=fix)
    if path.is_dir() or path.is_file():
        return _open_files(path, maps)
    is_id, beside = looks_like_id(str(given)), [one.name for one in path.parent.glob("*")]
    what, fix = "no such file or folder", "Check the path; a dataset of the Hub is ORG/NAME."
    if path.exists():
        what = "neither a file nor a folder"
        fix = "Write the pairs to a file: they are read more than once."
    elif "@" not in path.name and (hint := near(path.name, beside)):
        what, fix = f"{what} in {path.parent}", f"Check the path.{hint}"
        fix += f" If you mean a dataset of the Hub, name {given}@main." if is_id else ""
    elif is_id:
        return _open_hub(str(given), maps)
    raise InputError(what, where=path, fix=fix)


# Releases and runs

_FIX = "Download the release again and check it; or name one Parquet file of data/ by itself."


def _open_built(folder: Path, maps: Maps, fallback: str = "") -> PairSource:
    """A release or a run. Raises InputError for maps: their columns are fixed."""
    if maps.columns or maps.labels:
        what = "a map of columns or labels is for files of others; this is a release or a run"
        fix = "Leave out --column and --label, or name one file."
        raise InputError(what, where=folder, fix=fix)
    return open_release(folder, fallback) if is_release(folder) else _open_run(folder)


def is_release(folder: Path) -> bool:
    """Whether a folder has a release's rows. Raises InputError for a release without its
    manifest."""
    layout = Layout(folder)
    if not parts_of(folder):
        return False
    if layout.provenance.is_file() and not layout.manifest.is_file():
        raise InputError("a release without its manifest.json", where=folder, fix=_FIX)
    return layout.manifest.is_file()


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
    """Whether a folder is a run folder; raises InputError if the build has not finished."""
    if (folder / CALLS).is_file() and not (folder / "pairs.jsonl").is_file():
        fix = f"Run pairwright build again to its end; then use {folder.name}."
        raise InputError("a run folder without pairs.jsonl", where=folder, fix=fix)
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

_METADATA = {"dataset_infos.json", "dataset_info.json", "dataset_dict.json", "state.json",
             "croissant.json"}  # fmt: skip
"""Names of files that the Hub's clients write next to the rows."""
_SPLITS = ("train", "test", "validation", "valid", "dev", "eval")
_MOST = 40
"""Columns that a message names."""


def _open_files(path: Path, maps: Maps) -> PairSource:
    """A file, or every such file below a folder, in the order of their names, but for hidden ones
    and those that describe the data. Its configuration is the folder, or else the file's name,
    unless that is a split's."""
    base = path if path.is_dir() else path.parent
    files = [
        file
        for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
        if file.is_file()
        and file.suffix.lower() in OPENERS
        and file.name.lower() not in _METADATA
        and not any(part.startswith(".") for part in file.relative_to(base).parts)
    ]
    if not files:
        what = "neither a release nor a run, and no file of pairs in it"
        what = f"unknown kind of file {path.suffix!r}" if path.is_file() else what
        fix = f"Use one of {', '.join(OPENERS)}; unpack a packed file first."
        raise InputError(what, where=path, fix=fix)
    pieces = []
    for file in files:
        relative, suffix = file.relative_to(base), file.suffix.lower()
        stem = re.sub(r"-\d+-of-\d+$", "", relative.stem)
        split = stem if stem in _SPLITS else ""
        folders = [part for part in relative.parts[:-1] if part != "data"]
        config = "-".join(folders) or ("" if split or len(files) == 1 else stem)
        table = partial(OPENERS[suffix], file)
        pieces.append(Piece(table, str(file), relative.as_posix(), config, split, suffix in FLAT))
    return _open_pieces(path.resolve().name, pieces, maps)


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
        return _open_built(Path(folder), maps, address)
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
    released = bool(known) and has_columns(known[0].seen)
    return PairSource(name, "release" if released else "plain", read, said, total=total)


def _read_piece(columns: Columns, maps: Maps, problems: Problems) -> Iterator[ReadRow]:
    """Rows of one table. Raises InputError at the end if not one could be read, with what to do."""
    sound, there, source = False, dict[str, object](), columns.piece.source
    own = Problems(problems.add)
    for number, line in columns.piece.table()[1]:
        # Two files of a folder may have one name, so the place has the whole path below the folder.
        where = f"{columns.piece.name}:{number}"
        with own.row(where, {}):
            fields = fields_of(line)
            there = there or fields
            yield from [*read_row(fields, columns, where)]
            sound = True
    if sound:
        return
    counts = [*own.of("refused"), *own.of("noted")]
    if not counts:
        raise InputError("holds no rows", where=source, fix="Write or download it again.")
    listed = ", ".join(f"{REASONS[one.reason]} ({one.n:,})" for one in counts)
    raise InputError(
        f"no row could be read: {counts[0].said}; {listed}",
        where=f"{source}:{counts[0].first.where.rpartition(':')[2]}",
        fix=_advice(source, counts[0].reason, there, columns, maps),
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
        f"{listed}{more}. Say which is which, such as --column prompt=question --column"
        " chosen=better --column rejected=worse; or name first, second and label; or options, key."
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
    options = ["pairwright", *maps.command.split(), source]
    for name, column in {**maps.columns, wanted: "COLUMN" if several else free[0]}.items():
        options += ["--column", f"{name}={column}"]
    for place, labels in maps.labels.items():
        options += ["--label", "=".join(filter(None, (place, ",".join(labels))))]
    marks = "\n  If columns hold 0 and 1: --label first=COLUMN --label second=COLUMN"
    marks = marks if several and wanted == "label" else ""
    return f"Name the {wanted}{several}:\n    {shlex.join(options)}{marks}"
