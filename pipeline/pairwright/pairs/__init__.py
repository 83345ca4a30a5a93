"""Pairs: what a row holds, what a release folder looks like, and how anybody's pairs are read.

row.py conversion.py    Row, its parts and cluster; from a pair to its row, from a row to a message
address.py              the address of a post, its licence, and what is to be forgotten
layout.py               the files of a release: names, checksums, rows in Parquet, splits

read.py                 pairs of any origin: releases and runs, files of others, the Hub
columns.py known.toml   the columns of other people's files, and what their labels mean
pairing.py cells.py     a row of such a file as pairs, and the texts in its cells
"""

from pairwright.pairs.address import licence_of
from pairwright.pairs.columns import column_map, label_map
from pairwright.pairs.conversion import decided, row_of
from pairwright.pairs.layout import Layout, Part, parts_of, read_rows, write_rows
from pairwright.pairs.pairing import TIE
from pairwright.pairs.read import PairSource, open_release, read_pairs
from pairwright.pairs.row import (
    MAX_SHORTCUT,
    Choice,
    PairVotes,
    ReadRow,
    Row,
    RowAspect,
    RowDelivery,
    RowPost,
    RowQuality,
    RowSupport,
    RowVotes,
    blind_bound,
)

__all__ = [
    "MAX_SHORTCUT", "TIE", "Choice", "Layout", "PairSource", "PairVotes", "Part", "ReadRow", "Row",
    "RowAspect", "RowDelivery", "RowPost", "RowQuality", "RowSupport", "RowVotes", "blind_bound",
    "column_map", "decided", "label_map", "licence_of", "open_release", "parts_of",
    "read_pairs", "read_rows", "row_of", "write_rows",
]  # fmt: skip
