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
"""Bytes of one column in one group of rows, as its rows have them, from which it is not unpacked
where the file holds less than 1 in `RATIO` of them. Text of people takes a third or more."""
RATIO = 100
SHORT = 4_096
"""Bytes of a text, one in each row, that any number of rows may share: a system prompt takes no
room in a batch."""
_DICTIONARY = {"PLAIN_DICTIONARY", "RLE_DICTIONARY"}
"""Encodings that keep a value once however many rows have it."""
_COUNTED = 10_000
"""Rows whose texts are measured together, of which the dictionary and an index each are read."""
_ROOM = 1_000_000_000
"""Bytes that a batch may come to, where one value is in every row of it."""


class TooLarge(InputError):
    """A text or a column that is not unpacked."""


def read_batches(path: Path, file: Any) -> Iterator[pa.RecordBatch]:
    """The rows of an open `ParquetFile`, in batches.

    Raises TooLarge, naming the row, for a text or column that is larger than any that is read.
    """
    number, rows = 0, _rows_at_once(path, file.metadata)
    for group in range(file.num_row_groups):  # Else groups are unpacked ahead of their turn.
        for batch in file.iter_batches(batch_size=rows, row_groups=[group]):
            _check_texts(path, number, batch)
            number += batch.num_rows
            yield batch


def _rows_at_once(path: Path, file: pq.FileMetaData) -> int:
    """So few that they fit, going by what the file says of itself. Raises TooLarge, naming the
    rows, for a column that is larger than any, and for one that must have a text that is."""
    first, widest = 1, 1
    for n in range(file.num_row_groups):
        group = file.row_group(n)
        columns = [group.column(at) for at in range(group.num_columns)]
        for column in columns:
            size, most = column.total_uncompressed_size, _most(column)
            shared = not _DICTIONARY.isdisjoint(column.encodings)
            # No value is more than all of the dictionary.
            if shared and size <= most < size * column.num_values:
                one_each = column.num_values == group.num_rows
                size = max(
                    size,
                    _size_of_rows(
                        path, file, n, column.path_in_schema, most, SHORT if one_each else 0
                    ),
                )
            if size > most:
                raise _too_large(
                    f"{path}:{first}",
                    f"rows {first} to {first + group.num_rows - 1} have {size:,} bytes in the"
                    f" column {column.path_in_schema}, and may have {LARGEST:,}",
                )
            if column.total_uncompressed_size > LONGEST * max(1, column.num_values):
                raise _too_large(
                    f"{path}:{first} [{column.path_in_schema.partition('.')[0]}]",
                    f"texts of {column.total_uncompressed_size:,} bytes in"
                    f" {column.num_values:,}, and one may have {LONGEST:,}",
                )
        first += group.num_rows
        widest = max(widest, sum(column.total_uncompressed_size for column in columns))
    return max(1, min(BATCH, _ROOM // widest))


def _most(column: pq.ColumnChunkMetaData) -> int:
    """Bytes that the rows of a column may have."""
    return max(LARGEST, RATIO * int(column.total_compressed_size))


def _size_of_rows(
    path: Path, metadata: pq.FileMetaData, group: int, column: str, most: int, short: int
) -> int:
    """Bytes that the rows of a group have in a column in values of more than `short` bytes, each as
    often as it is there, without unpacking them; counted until they are more than `most`."""
    size = 0
    with pq.ParquetFile(path, metadata=metadata, read_dictionary=[column]) as file:
        for batch in file.iter_batches(batch_size=_COUNTED, row_groups=[group], columns=[column]):
            for values in _values(batch.column(0)):
                if pa.types.is_dictionary(values.type) and _is_text(values.type.value_type):
                    lengths = pc.binary_length(values.dictionary).take(values.indices)
                    size += pc.sum(lengths.filter(pc.greater(lengths, short))).as_py() or 0
            if size > most:
                break
    return size


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
    for values in _values(column):
        unpacked = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
        if _is_text(unpacked.type):
            yield unpacked


def _values(column: pa.Array) -> Iterator[pa.Array]:
    """The values of a column, out of all lists, maps and structs that they are in."""
    kind = column.type
    if pa.types.is_map(kind):
        first, *_, end = column.offsets.to_pylist()
        for part in (column.keys, column.items):  # Of the whole array, whatever was cut of it.
            yield from _values(part.slice(first, end - first))
    elif any(is_(kind) for is_ in _LISTS):
        yield from _values(column.flatten())
    elif pa.types.is_struct(kind):
        for part in column.flatten():
            yield from _values(part)
    else:
        yield column


def _is_text(kind: pa.DataType) -> bool:
    return any(is_(kind) for is_ in _TEXTS)


_TEXTS = (
    pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary,
)  # fmt: skip
_LISTS = pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list


def _too_large(where: str, what: str) -> TooLarge:
    return TooLarge(what, where=where, fix="Take out rows with such long texts.")
