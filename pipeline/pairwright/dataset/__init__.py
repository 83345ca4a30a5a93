"""Released pairs as rows: what a row holds, what a release folder looks like, how both are read.

row.py         Row, its parts, and the ids that anyone can derive again from a row
conversion.py  from a pair of a run to its row, and from a question with what is shown to a message
address.py     the address of a post, alike for all its spellings, its licence, and what is to be
               forgotten
layout.py      the names of a release's files, their checksums, and the split of each user
lines.py       other records, as JSON lines
parquet.py     rows in Parquet, and the digest of their content
parquet_batches.py    rows of any Parquet file, few enough at once
"""

from pairwright.dataset.address import licence_of
from pairwright.dataset.conversion import model_name, row_of
from pairwright.dataset.layout import Layout, Part, check_files, parts_of
from pairwright.dataset.lines import line_writer, read_lines, read_one, write_lines, write_one
from pairwright.dataset.parquet import AuditSource, content_digest, read_rows, write_rows
from pairwright.dataset.row import (
    Row,
    RowAspect,
    RowDelivery,
    RowPost,
    RowQuality,
    RowSupport,
    RowVotes,
)

__all__ = [
    "AuditSource",
    "Layout",
    "Part",
    "Row",
    "RowAspect",
    "RowDelivery",
    "RowPost",
    "RowQuality",
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
