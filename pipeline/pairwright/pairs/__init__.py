"""Released pairs as rows: what a row holds, what a release folder looks like, how both are read.

row.py         Row, its parts, and the ids that anyone can derive again from a row
conversion.py  from a pair of a run to its row, and from a question with what is shown to a message
address.py     the address of a post, alike for all its spellings, its licence, and what is to be
               forgotten
layout.py      the names of a release's files, their checksums, and the split of each user
parquet.py     rows in Parquet, and the digest of their content
"""

from pairwright.pairs.address import licence_of
from pairwright.pairs.columns import column_map, label_map
from pairwright.pairs.conversion import row_of
from pairwright.pairs.layout import Layout, Part, check_files, parts_of
from pairwright.pairs.others import TIE, Choice, ReadRow
from pairwright.pairs.parquet import AuditSource, content_digest, read_rows, write_rows
from pairwright.pairs.read import PairSource, open_release, read_pairs
from pairwright.pairs.row import (
    Row,
    RowAspect,
    RowDelivery,
    RowPost,
    RowQuality,
    RowSupport,
    RowVotes,
)

__all__ = [
    "TIE",
    "AuditSource",
    "Choice",
    "Layout",
    "PairSource",
    "Part",
    "ReadRow",
    "Row",
    "RowAspect",
    "RowDelivery",
    "RowPost",
    "RowQuality",
    "RowSupport",
    "RowVotes",
    "check_files",
    "column_map",
    "content_digest",
    "label_map",
    "licence_of",
    "open_release",
    "parts_of",
    "read_pairs",
    "read_rows",
    "row_of",
    "write_rows",
]
