"""Released pairs as rows: what a row holds, what a release folder looks like, how both are read.

row.py         Row, its parts, and the ids that anyone can derive again from a row
conversion.py  from a pair of a run to its row
address.py     the address of a post, alike for all its spellings, and the post's licence
layout.py      the names of a release's files
checksums.py   the hash of every file, and the root digest
splits.py      which users are in the split `validation`
tombstones.py  users and addresses that are to be forgotten, by hashes
message.py     a question as one message, with the posts and aspects that are shown
lines.py       other records, as JSON lines
parquet.py     rows in Parquet, and the digest of their content
parquet_batches.py    rows of any Parquet file, few enough at once
"""

from pairwright.dataset.address import licence_of
from pairwright.dataset.conversion import model_name, row_of
from pairwright.dataset.layout import Layout, Part, check_files, parts_of
from pairwright.dataset.lines import line_writer, read_lines, read_one, write_lines, write_one
from pairwright.dataset.parquet import content_digest, read_rows, write_rows
from pairwright.dataset.row import (
    Row,
    RowAspect,
    RowDelivery,
    RowPost,
    RowQuality,
    RowSource,
    RowSupport,
    RowVotes,
)

__all__ = [
    "Layout",
    "Part",
    "Row",
    "RowAspect",
    "RowDelivery",
    "RowPost",
    "RowQuality",
    "RowSource",
    "RowSupport",
    "RowVotes",
    "check_files",
    "content_digest",
    "licence_of",
    "line_writer",
    "model_name",
    "parts_of",
    "read_lines",
    "read_one",
    "read_rows",
    "row_of",
    "write_lines",
    "write_one",
    "write_rows",
]
