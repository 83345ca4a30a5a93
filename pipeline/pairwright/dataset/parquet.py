"""Rows in Parquet, and the digest of their content.

The bytes of a Parquet file depend on the version of the library that wrote it; the digest depends
on the rows alone.
"""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from pairwright.dataset.row import Row
from pairwright.errors import InputError, on_disk

GROUP = 1000
"""Rows written together."""
BATCH = 100
"""Rows read together: few enough to stay in a processor's cache while they are gone through."""
_TEXT, _NUMBER, _YES = pa.string(), pa.int32(), pa.bool_()


def _list(of: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", of))  # As Parquet itself names what a list holds.


_POST = pa.struct(
    dict.fromkeys(("id", "text", "category", "created", "source_url", "licence"), _TEXT)
)
_ASPECT = pa.struct(
    {
        "aspect": _TEXT,
        "reason": _TEXT,
        "evidence": _TEXT,
        "post_ids": _list(_TEXT),
        "confidence": pa.float64(),
        "chosen_score": _NUMBER,
        "rejected_score": _NUMBER,
    }
)
_QUALITY = pa.struct({"scale": _TEXT, "chosen": _NUMBER, "rejected": _NUMBER})
_VOTES = pa.struct(dict.fromkeys(("chosen", "rejected", "equal", "cannot_tell"), _NUMBER))
_OTHER = {
    "profile": _list(_POST),
    "rubric_aspects": _list(_ASPECT),
    "quality": _list(_QUALITY),
    "votes": _VOTES,
    "asked": _YES,
    "verified": _YES,
    "simulated": _YES,
}
SCHEMA = pa.schema([(name, _OTHER.get(name, _TEXT)) for name in Row.model_fields])


def write_rows(path: Path, rows: Iterable[Row], *, note: str = "") -> int:
    """Write rows into a new file and say how many; `note` goes into its metadata.

    Raises StoreError where the disk refuses.
    """
    schema = SCHEMA.with_metadata({"pairwright": note})
    written, waiting = 0, iter(rows)
    with on_disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(path, schema, compression="zstd") as file:
            while group := [row.model_dump() for row in islice(waiting, GROUP)]:
                file.write_table(pa.Table.from_pylist(group, schema=schema))
                written += len(group)
    return written


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of one file of a release, `BATCH` in memory at a time.

    Raises InputError, naming the row, where the file is not of a release.
    """
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            # What stands at the top, such as the note, is not of the rows; columns have nothing.
            if not file.schema_arrow.remove_metadata().equals(SCHEMA, check_metadata=True):
                raise _unreadable(path, _difference(file.schema_arrow))
            for batch in file.iter_batches(batch_size=BATCH):
                for values in batch.to_pylist():
                    number += 1
                    yield Row.model_validate(values)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, f"after row {number}: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise _unreadable(f"{path}:{number} [{at}]", first["msg"]) from None


def count_rows(path: Path) -> int:
    """How many rows a file says it has. Raises InputError where it is no Parquet."""
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


def _difference(found: Any) -> str:
    """The first column that is not as a release has it; a name can be there twice."""
    for there, due in zip_longest(found, SCHEMA):
        if not (there and due and there.name == due.name and there.type == due.type):
            told = [f"{of.name} ({of.type})" if of else "no column" for of in (there, due)]
            return f"column {told[0]}, where a release has {told[1]}"
    return "a column has metadata, where a release has none"


def _unreadable(where: str | Path, what: str) -> InputError:
    return InputError(
        what, where=where, fix="Take this file from the release anew, and verify the release."
    )
