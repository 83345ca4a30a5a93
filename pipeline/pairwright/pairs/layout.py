"""The folder of a release: the names of its files, their checksums, its rows in Parquet, and which
users are in which split. Paths are made of domains, modes and splits, never of ids.

checksums.sha256 lists every file but itself, in the form that `sha256sum -c` reads. The root digest
is the hash of this one file, so it covers all.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress, islice
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple, get_args, get_origin

import networkx as nx
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from pairwright.errors import InputError, on_disk
from pairwright.lines import read_batches, read_document, unreadable
from pairwright.pairs.row import Row
from pairwright.records import Record, content_id
from pairwright.sources.problems import excerpt

_FIX = "Take the release again from where it was published."
SPLITS = ("test", "validation")
DOMAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""Names of domains that can be part of a path."""
_PART = re.compile(rf"data/({DOMAIN.pattern})/([a-z]+)-00000-of-00001\.parquet")


class Part(NamedTuple):
    """One Parquet file: the rows of one configuration in one split."""

    config: str
    split: str

    @property
    def path(self) -> str:
        """Path in the release, with forward slashes."""
        return f"data/{self.config}/{self.split}-00000-of-00001.parquet"


class Layout:
    """The paths of a release in one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.manifest = root / "manifest.json"  # Its presence makes a folder a release.
        self.card = root / "README.md"
        self.croissant = root / "croissant.json"
        self.licences = root / "LICENSE.md"
        self.provenance = root / "stated.json"  # What the release cannot show by itself.
        self.units = root / "build" / "units.jsonl"  # The outcomes of the build, in source order.
        self.asked = root / "human" / "units.jsonl"  # What people were asked about, without texts.
        self.answers = root / "human" / "answers.jsonl"
        self.study = root / "human" / "study.json"
        self.decisions = root / "human" / "decisions.jsonl"
        self.audit = root / "audit" / "audit.json"
        self.audit_page = root / "audit" / "report.html"
        self.checksums = root / "checksums.sha256"

    def inside(self, path: Path) -> str:
        """A path of the release as its own files name it: relative, with forward slashes."""
        return path.relative_to(self.root).as_posix()

    def part(self, part: Part) -> Path:
        return self.root / part.path

    def preference(self, part: Part) -> Path:
        """Path of a part's rows as message lists."""
        return self.root / "preference" / f"{part.config}-{part.split}.jsonl"


def parts_of(root: Path) -> list[Part]:
    """The Parquet files of a release, by configuration and split."""
    paths = (path.relative_to(root).as_posix() for path in root.glob("data/*/*.parquet"))
    found = filter(None, map(_PART.fullmatch, paths))
    return sorted(Part(match[1], match[2]) for match in found if match[2] in SPLITS)


# Checksums

_LINE = re.compile(r"([0-9a-f]{64})  ([^/\\][^\\]*)\n")


def file_digest(path: Path) -> str:
    """64 hex digits of sha256 over a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def root_digest(root: Path) -> str:
    """`sha256:` over checksums.sha256. Raises InputError if there is no such file."""
    path = Layout(root).checksums
    try:
        return f"sha256:{file_digest(path)}"
    except OSError as error:
        fix = "Name the folder of a release, whole as it was published."
        what = f"no checksums can be read: {error.strerror}"
        raise InputError(what, where=path, fix=fix) from None


def read_checksums(root: Path) -> dict[str, str]:
    """Digest by path, in the order of the file. Raises InputError, naming the line, for anything
    that a release does not write: a path that leaves the folder, lines out of order."""
    path, digests, last = Layout(root).checksums, dict[str, str](), ""
    root_digest(root)
    for number, line in enumerate(read_document(path, fix=_FIX).splitlines(keepends=True), start=1):
        parts = _LINE.fullmatch(line)
        digest, name = parts.groups() if parts else ("", "")
        if name <= last or ".." in name.split("/") or PurePosixPath(name).as_posix() != name:
            what = "not a checksum, two spaces and a path of the release, each once, in order"
            what = f"{what}: {excerpt(name or line.strip())}"
            raise InputError(what, where=f"{path}:{number}", fix=_FIX)
        digests[name], last = digest, name
    return digests


# Rows in Parquet

GROUP = 1000
"""Rows written together."""
_TYPES = {str: pa.string(), int: pa.int32(), float: pa.float64(), bool: pa.bool_()}


def _type_of(annotation: Any) -> pa.DataType:
    """The type of a column, or of a part of one, by that of its field. All may be null."""
    if annotation in _TYPES:
        return _TYPES[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Record):
        fields = annotation.model_fields.items()
        return pa.struct({name: _type_of(field.annotation) for name, field in fields})
    first, origin = get_args(annotation)[0], get_origin(annotation)
    if origin is tuple:
        # As Parquet itself names what a list holds.
        return pa.list_(pa.field("element", _type_of(first)))
    # Of a choice the type of its values; of `X | None`, and of a number with a range, the type X.
    return _type_of(type(first) if origin is Literal else first)


SCHEMA = pa.schema(list(_type_of(Row)))
"""The columns of a release."""


def write_rows(path: Path, rows: Iterable[Row], *, note: str = "") -> int:
    """Write rows into a new file and say how many; `note` goes into its metadata. Raises StoreError
    where the disk refuses."""
    written, waiting = 0, iter(rows)
    schema = SCHEMA.with_metadata({"pairwright": note})
    with on_disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(path, schema, compression="zstd") as file:
            while group := [row.model_dump() for row in islice(waiting, GROUP)]:
                file.write_table(pa.Table.from_pylist(group, schema=schema))
                written += len(group)
    return written


def read_rows(path: Path, wanted: Callable[[str, str | None], bool] | None = None) -> Iterator[Row]:
    """The rows of one file of a release, a batch in memory at a time; `wanted` is asked by their
    ids and twins' ids. Raises InputError, naming the row, where it is not of a release."""
    number = seen = 0
    try:
        with pq.ParquetFile(path) as file:
            # The metadata of the file, such as the note, is not of the rows; columns have nothing.
            found = file.schema_arrow.remove_metadata()
            if not found.equals(SCHEMA, check_metadata=True):
                raise InputError("has other columns than a release", where=path, fix=_FIX)
            for batch in read_batches(file):
                rows: Iterable[int] = range(seen + 1, seen + batch.num_rows + 1)
                seen += batch.num_rows
                if wanted:
                    names = (batch[column].to_pylist() for column in ("id", "twin_id"))
                    kept = [*map(wanted, *names)]
                    rows, batch = compress(rows, kept), batch.filter(pa.array(kept, pa.bool_()))
                for row, values in zip(rows, batch.to_pylist(), strict=True):
                    number = row
                    yield Row.model_validate(values)
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        what = f"after row {number}: {error or 'it does not fit into memory'}"
        raise InputError(what, where=path, fix=_FIX) from None
    except ValidationError as error:
        raise unreadable(f"{path}:{number}", error, _FIX) from None


def count_rows(path: Path) -> int:
    """Number of rows that a file states. Raises InputError if it is not Parquet."""
    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError) as error:
        raise InputError(str(error), where=path, fix=_FIX) from None


# Splits


def places_of(subjects: Iterable[Sequence[str]], *purpose: str) -> dict[str, int]:
    """A place from 0 to 2^64 for every user, by chance, the same for those who stay together. The
    places for two purposes are independent; without one they are those of a release's splits."""
    graph = nx.Graph()
    for users in subjects:
        nx.add_path(graph, users)
    places = dict[str, int]()
    for group in nx.connected_components(graph):
        name = content_id("place", *purpose, min(group))
        places |= dict.fromkeys(group, int(name.removeprefix("place-"), 16))
    return {user: places[user] for user in graph}
