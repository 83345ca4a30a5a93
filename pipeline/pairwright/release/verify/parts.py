"""One Parquet file, beside its rows."""

import pyarrow.parquet as pq

from pairwright.dataset import Layout, Part
from pairwright.dataset.layout import SPLITS
from pairwright.release.records import Stated
from pairwright.release.verify.difference import difference, same

_MAGIC = 4
_END = 8
"""The footer's length, and the magic once more."""


def check_part(layout: Layout, part: Part, stated: Stated, rows: int) -> None:
    """What a file of so many rows says of itself. Raises Difference."""
    if not rows:
        raise difference("holds no rows", part.path)
    if part.split != SPLITS[0] and not stated.validation_share:
        raise difference("is there, and no user is in this split", part.path)
    name = f"{stated.name} {stated.version}"
    note = name if stated.kind == "release" else f"{name}: a trial, no benchmark"
    path = layout.part(part)
    found = pq.read_metadata(path)
    same("metadata", pq.read_schema(path).metadata, {b"pairwright": note.encode()}, part.path)
    same("the number of its bytes", path.stat().st_size, _accounted(found), part.path)


def _accounted(file: pq.FileMetaData) -> int:
    """Bytes of the columns and the footer: a reader sees no others."""
    groups = [file.row_group(n) for n in range(file.num_row_groups)]
    columns = (group.column(n) for group in groups for n in range(group.num_columns))
    size = sum(column.total_compressed_size for column in columns)
    return int(_MAGIC + size + file.serialized_size + _END)
