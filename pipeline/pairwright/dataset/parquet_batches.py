"""Rows of any Parquet file, few enough at once: a small file can hold what would not fit into
memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pairwright.errors import InputError

BATCH = 100
"""Rows read together: few enough to stay in a processor's cache while they are gone through."""
LONGEST = 16_000_000
"""Bytes of one text: the largest that is read."""
LARGEST = 512_000_000
"""Bytes of one column in one group of rows, uncompressed, from which it is not unpacked where the
file holds less than 1 in `RATIO` of them. Text of people takes a third or more."""
RATIO = 100
_ROOM = 1_000_000_000
"""Bytes that a batch may come to, where one value is in every row of it."""


class TooLarge(InputError):
    """A text or a column that is not unpacked."""


def read_batches(path: Path, file: Any) -> Iterator[pa.RecordBatch]:
    """The rows of an open `ParquetFile`, in batches.

    Raises TooLarge, naming the row, for a text or column that is larger than any that is read.
    """
    number = 0
    for batch in file.iter_batches(batch_size=_rows_at_once(path, file.metadata)):
        _check_texts(path, number, batch)
        number += batch.num_rows
        yield batch


def _rows_at_once(path: Path, file: pq.FileMetaData) -> int:
    """So few that they fit, going by what the file says of itself. Raises TooLarge, naming the
    rows, for a column that is larger than any."""
    first, widest = 1, 1
    for n in range(file.num_row_groups):
        group = file.row_group(n)
        columns = [group.column(at) for at in range(group.num_columns)]
        for column in columns:
            size = column.total_uncompressed_size
            if size > max(LARGEST, RATIO * column.total_compressed_size):
                raise _too_large(
                    f"{path}:{first}",
                    f"rows {first} to {first + group.num_rows - 1} have {size:,} bytes in the"
                    f" column {column.path_in_schema}, and may have {LARGEST:,}",
                )
        first += group.num_rows
        widest = max(widest, sum(column.total_uncompressed_size for column in columns))
    return max(1, min(BATCH, _ROOM // widest))


def _check_texts(path: Path, before: int, batch: pa.RecordBatch) -> None:
    """Raise TooLarge, naming the row, for a text that is longer than any that is read."""
    if batch.nbytes <= LONGEST:
        return
    for number, row in enumerate(range(batch.num_rows), start=before + 1):
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            for texts in _texts(column.slice(row, 1)):
                longest = pc.max(pc.binary_length(texts)).as_py() or 0
                if longest > LONGEST:
                    raise _too_large(
                        f"{path}:{number} [{name}]",
                        f"a text of {longest:,} bytes, and it may have {LONGEST:,}",
                    )


def _texts(column: pa.Array) -> Iterator[pa.Array]:
    """All texts and bytes in a column, whatever they are in."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        yield from _texts(column.dictionary_decode())
    elif any(is_(kind) for is_ in _TEXTS):
        yield column
    elif pa.types.is_map(kind):
        first, *_, end = column.offsets.to_pylist()
        for part in (column.keys, column.items):  # Of the whole array, whatever was cut of it.
            yield from _texts(part.slice(first, end - first))
    elif any(is_(kind) for is_ in _LISTS):
        yield from _texts(column.flatten())
    elif pa.types.is_struct(kind):
        for part in column.flatten():
            yield from _texts(part)


_TEXTS = (
    pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary,
)  # fmt: skip
_LISTS = pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list


def _too_large(where: str, what: str) -> TooLarge:
    return TooLarge(what, where=where, fix="Take out rows with such long texts.")
