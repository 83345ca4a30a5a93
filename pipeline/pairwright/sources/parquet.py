"""Parquet, a batch of rows at a time. Nested values arrive as plain lists and dicts."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pairwright.dataset.parquet_batches import TooLarge, read_batches
from pairwright.errors import SourceError
from pairwright.sources.problems import SourceProblem
from pairwright.sources.source_table import SourceRow, SourceTable, refused


def open_parquet(path: Path) -> SourceTable:
    """The rows of a Parquet file, counted from 1."""
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    return SourceTable(str(path), list(file.schema_arrow.names), _rows(path, file))


def _rows(path: Path, file: Any) -> Iterator[SourceRow | SourceProblem]:
    number = 0
    try:
        for batch in read_batches(path, file):
            for values in _values(batch):
                number += 1
                where = f"{path.name}:{number}"
                if isinstance(values, UnicodeDecodeError):
                    yield refused("invalid_utf8", where, str(values.reason))
                elif isinstance(values, OverflowError):
                    yield refused("bad_time", where, f"a time out of all years: {values}")
                else:
                    yield SourceRow(where, values)
    except TooLarge as error:
        raise SourceError(error.what, where=error.where, fix=error.fix) from None
    except MemoryError:
        raise SourceError(
            f"the rows after row {number:,} do not fit into memory",
            where=path,
            fix="Take out rows with such long texts.",
        ) from None
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    finally:
        file.close()


_CellError = UnicodeDecodeError | OverflowError
"""What a single row is refused for: a text that is not UTF-8, a time that no calendar has."""


def _values(batch: Any) -> Iterable[dict[str, Any] | _CellError]:
    """The batch's rows; where one cannot be read, each row by itself."""
    try:
        rows: list[dict[str, Any]] = batch.to_pylist()
    except (UnicodeDecodeError, OverflowError):
        return (_value(batch.slice(n, 1)) for n in range(batch.num_rows))
    return rows


def _value(batch: Any) -> dict[str, Any] | _CellError:
    try:
        row: dict[str, Any] = batch.to_pylist()[0]
    except (UnicodeDecodeError, OverflowError) as error:
        return error
    return row


def _unreadable(path: Path, error: Exception) -> SourceError:
    return SourceError(
        f"not a readable Parquet file: {error}", where=path, fix="Write or download it again."
    )
