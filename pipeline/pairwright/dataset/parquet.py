"""Rows in Parquet, and the digest of their content.

The bytes of a Parquet file depend on the version of the library that wrote it; the digest depends
on the rows alone.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from pairwright.dataset.parquet_batches import TooLarge, read_batches
from pairwright.dataset.row import MODE_FIELDS, Row, RowDelivery, RowSupport
from pairwright.errors import InputError, first_invalid, on_disk

GROUP = 1000
"""Rows written together."""
_TEXT, _NUMBER, _YES = pa.string(), pa.int32(), pa.bool_()


def _list(item: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", item))  # As Parquet itself names what a list holds.


_POST = pa.struct(
    dict.fromkeys(("id", "text", "category", "created", "source_url", "licence"), _TEXT)
)
_SUPPORT = pa.struct(dict.fromkeys(RowSupport.model_fields, _NUMBER))
_DELIVERY = pa.struct(dict.fromkeys(RowDelivery.model_fields, _NUMBER))
_ASPECT = pa.struct(
    {
        "aspect": _TEXT,
        "reason": _TEXT,
        "evidence": _TEXT,
        "post_ids": _list(_TEXT),
        "confidence": pa.float64(),
        "chosen_score": _NUMBER,
        "rejected_score": _NUMBER,
        "support": _SUPPORT,
        "delivery": _DELIVERY,
        "follows": _TEXT,
    }
)
_QUALITY = pa.struct({"scale": _TEXT, "chosen": _NUMBER, "rejected": _NUMBER})
_VOTES = pa.struct(dict.fromkeys(("chosen", "rejected", "equal", "cannot_tell"), _NUMBER))
_ANSWER = pa.struct(
    {
        "user": _TEXT, "source_url": _TEXT, "created": _TEXT, "licence": _TEXT, "score": _NUMBER,
    }
)  # fmt: skip
_OTHER = {
    "profile": _list(_POST),
    "rubric_aspects": _list(_ASPECT),
    "quality": _list(_QUALITY),
    "blind_preference": _NUMBER,
    "votes": _VOTES,
    "label_error": pa.float64(),
    "response_sources": pa.struct({"chosen": _ANSWER, "rejected": _ANSWER}),
    "neighbours": pa.struct({"chosen": pa.float64(), "rejected": pa.float64(), "others": _NUMBER}),
    "asked": _YES,
    "verified": _YES,
    "simulated": _YES,
}


def schema_of(fields: Collection[str] = ()) -> pa.Schema:
    """The columns of a file whose rows have these of `MODE_FIELDS`."""
    left_out = {*MODE_FIELDS} - {*fields}
    names = (name for name in Row.model_fields if name not in left_out)
    return pa.schema([(name, _OTHER.get(name, _TEXT)) for name in names])


SCHEMA = schema_of()
_LATER = ("support", "delivery", "follows", "label_error", "blind_preference", "own_vote")
"""Columns, and parts of columns, that releases of formats 1 and 2 do not have."""


def _before(type_: pa.DataType) -> pa.DataType:
    """A column's type in formats 1 and 2."""
    if pa.types.is_list(type_):
        return _list(_before(type_.value_type))
    if pa.types.is_struct(type_):
        return pa.struct([part for part in type_ if part.name not in _LATER])
    return type_


_OLDER = pa.schema([(c.name, _before(c.type)) for c in SCHEMA if c.name not in _LATER])
_NEWER = (
    SCHEMA, *(schema_of([name]) for name in MODE_FIELDS),
    schema_of(["response_sources", "neighbours"]),
)  # fmt: skip
_KNOWN = (
    *_NEWER,
    *(
        pa.schema([c for c in newer if c.name not in later])
        for newer in _NEWER
        for later in (("own_vote",), ("own_vote", "blind_preference"))
    ),
    _OLDER,
)
"""Earlier releases of format 3 have no own_vote, and the first of them no blind_preference."""


def write_rows(path: Path, rows: Iterable[Row], *, note: str = "") -> int:
    """Write rows into a new file and say how many; `note` goes into its metadata. All rows have
    the same of `MODE_FIELDS`.

    Raises StoreError where the disk refuses.
    """
    written, waiting = 0, iter(rows)
    head = list(islice(waiting, 1))
    schema = schema_of([name for row in head for name in MODE_FIELDS if getattr(row, name)])
    schema, waiting = schema.with_metadata({"pairwright": note}), chain(head, waiting)
    with on_disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(path, schema, compression="zstd") as file:
            while group := [row.model_dump() for row in islice(waiting, GROUP)]:
                file.write_table(pa.Table.from_pylist(group, schema=schema))
                written += len(group)
    return written


def read_rows(path: Path, places: Sequence[int] | None = None) -> Iterator[Row]:
    """The rows of one file of a release, a batch in memory at a time; only those at `places`, which
    ascend from 0, where they are given.

    Raises InputError, naming the row, where the file is not of a release, or a text or column is
    larger than any that is read.
    """
    number = before = 0
    try:
        with pq.ParquetFile(path) as file:
            # The metadata of the file, such as the note, is not of the rows; columns have nothing.
            found = file.schema_arrow.remove_metadata()
            if not any(found.equals(known, check_metadata=True) for known in _KNOWN):
                raise _unreadable(path, _difference(file.schema_arrow))
            for batch in read_batches(path, file):
                first, before = before, before + batch.num_rows
                here: Sequence[int] = range(first, before)
                if places is not None:
                    here = places[bisect_left(places, first) : bisect_left(places, before)]
                    own = pa.array([place - first for place in here], pa.int64())
                    batch = batch.take(own)
                for place, values in zip(here, batch.to_pylist(), strict=True):
                    number = place + 1
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
        digest.update(row.model_dump_json().encode() + b"\n")
    return f"sha256:{digest.hexdigest()}"


def _difference(schema: Any) -> str:
    """The first column that is not as a release has it; a name can be there twice."""
    for there, due in zip_longest(schema, SCHEMA):
        if not (there and due and there.name == due.name and there.type == due.type):
            columns = [
                f"{column.name} ({column.type})" if column else "no column"
                for column in (there, due)
            ]
            return f"column {columns[0]}, where a release has {columns[1]}"
    return "a column has metadata, where a release has none"


def _unreadable(where: str | Path, what: str) -> InputError:
    return InputError(
        what, where=where, fix="Take this file from the release again, and verify the release."
    )
