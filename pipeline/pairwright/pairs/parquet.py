"""Rows in Parquet, and the digest of their content.

The bytes of a Parquet file depend on the version of the library that wrote it; the digest depends
on the rows alone.
"""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from pairwright.errors import InputError, first_invalid, on_disk
from pairwright.lines import TooLarge, read_batches
from pairwright.pairs.row import Row
from pairwright.records import Record

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
    """Write rows into a new file and say how many; `note` goes into its metadata.

    Raises StoreError where the disk refuses.
    """
    written, waiting = 0, iter(rows)
    schema = SCHEMA.with_metadata({"pairwright": note})
    with on_disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(path, schema, compression="zstd") as file:
            while group := [row.model_dump() for row in islice(waiting, GROUP)]:
                file.write_table(pa.Table.from_pylist(group, schema=schema))
                written += len(group)
    return written


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of one file of a release, a batch in memory at a time.

    Raises InputError, naming the row, where the file is not of a release, or a text or column is
    larger than any that is read.
    """
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            # The metadata of the file, such as the note, is not of the rows; columns have nothing.
            found = file.schema_arrow.remove_metadata()
            if not found.equals(SCHEMA, check_metadata=True):
                pairs = zip_longest(map(str, found), map(str, SCHEMA), fillvalue="no column")
                there, due = next((one for one in pairs if one[0] != one[1]), ("metadata", "none"))
                raise _unreadable(path, f"has {there}, where a release has {due}")
            for batch in read_batches(path, file):
                for values in batch.to_pylist():
                    number += 1
                    yield Row.model_validate(values)
    except TooLarge as error:
        raise _unreadable(error.where, error.what) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        what = str(error) or "it does not fit into memory"
        raise _unreadable(path, f"after row {number}: {what}") from None
    except ValidationError as error:
        field, fault = first_invalid(error)
        raise _unreadable(f"{path}:{number} [{field}]", fault) from None


def count_rows(path: Path) -> int:
    """How many rows a file says it has. Raises InputError where it is not Parquet."""
    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, str(error)) from None


def content_digest(rows: Iterable[Row]) -> str:
    """`sha256:` over the rows as JSON lines, in their order and with their fields' order."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(row.line)
    return f"sha256:{digest.hexdigest()}"


def _unreadable(where: str | Path, what: str) -> InputError:
    fix = "Take this file from the release again, and check the release."
    return InputError(what, where=where, fix=fix)
