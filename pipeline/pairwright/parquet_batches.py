"""Rows of any Parquet file in batches: a small file can hold more than fits into memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from pairwright.errors import InputError

BATCH = 100
LONGEST = 16_000_000
"""Bytes of the largest value of a row that is read."""
LARGEST = 512_000_000
"""Bytes of a group of rows above which it is read only if the file packs it less than `RATIO`."""
RATIO = 100
_FIX = "Take out rows with such long texts."


class TooLarge(InputError):
    """A value or a group of rows that is not read."""


def read_batches(path: Path, file: Any) -> Iterator[pa.RecordBatch]:
    """The rows of an open `ParquetFile`. Raises TooLarge, naming the row, for a value or group of
    rows that is too large."""
    number = 0
    for n in range(file.num_row_groups):  # Else groups are unpacked ahead of their turn.
        group = file.metadata.row_group(n)
        size = group.total_byte_size
        packed = sum(group.column(at).total_compressed_size for at in range(group.num_columns))
        if size > max(LARGEST, RATIO * packed):
            what = f"rows {number + 1} to {number + group.num_rows} have {size:,} bytes, of"
            raise TooLarge(f"{what} {LARGEST:,}", where=f"{path}:{number + 1}", fix=_FIX)
        for batch in file.iter_batches(batch_size=BATCH, row_groups=[n]):
            if batch.nbytes > LONGEST:
                _check_values(path, number, batch)
            number += batch.num_rows
            yield batch


def _check_values(path: Path, before: int, batch: pa.RecordBatch) -> None:
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        for row in range(batch.num_rows):
            if (size := column.slice(row, 1).nbytes) > LONGEST:
                where = f"{path}:{before + row + 1} [{name}]"
                raise TooLarge(f"a value of {size:,} bytes, of {LONGEST:,}", where=where, fix=_FIX)
