"""One pass over the rows: each for itself, in its file, and with all others."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import pyarrow.parquet as pq

from pairwright.dataset import Layout, Part, Row, licence_of, parts_of, read_rows
from pairwright.dataset.layout import DOMAIN, SPLITS
from pairwright.records import content_id
from pairwright.release.records import Provenance, file_note
from pairwright.release.summary import Summary, SummaryBuilder
from pairwright.release.verify.comparison import VerifyProgress, difference, same, shown
from pairwright.release.verify.provenance import KeptUnit, ProvenanceModel
from pairwright.release.verify.row_checks import (
    DecisionCheck,
    TwinCheck,
    check_evidence,
    check_own_choice,
)

# A user's posts come again with each of their pairs.
_licence_of = lru_cache(maxsize=4096)(licence_of)
_USER = re.compile(r"user-[0-9a-f]{16}")


class RowTotals(NamedTuple):
    """All rows, counted."""

    summary: Summary
    digest: str
    """`content_digest` of all rows, file by file."""
    subjects: Mapping[str, int]
    """How many rows each has."""


def check_rows(
    layout: Layout,
    units: Mapping[str, KeptUnit],
    decided: DecisionCheck,
    provenance: Provenance,
    progress: VerifyProgress,
) -> RowTotals:
    """Raises Difference; InputError for a file that cannot be read."""
    own, summing = _AllRows(units, provenance), SummaryBuilder()
    models = ProvenanceModel(provenance, layout.provenance.name)
    done = 0
    for part in parts_of(layout.root):
        halves, before = TwinCheck(), done
        for number, row in enumerate(read_rows(layout.part(part)), start=1):
            where = f"{part.path}:{number}"
            own.add(part, row, where)
            halves.add(row, where)
            decided.add(row, where)
            models.check(row, where)
            check_evidence(row, where)
            check_own_choice(row, where)
            own.check_content(row, where)
            summing.add(part, row)
            done += 1
            if done % 1000 == 0:
                progress("rows", done, None)
        halves.end()
        check_part(layout, part, provenance, done - before)
    return RowTotals(summing.summary(), summing.digest, own.subjects)


class _AllRows:
    """What every row must be, and what it must not share with another."""

    def __init__(self, units: Mapping[str, KeptUnit], provenance: Provenance) -> None:
        self._kept = units
        self._licence = provenance.info.licence
        self._format = provenance.format
        self.subjects: Counter[str] = Counter()
        self._ids: set[str] = set()
        self._splits: dict[str, str] = {}
        self._profiles: dict[tuple[str, str], int] = {}
        self._before: tuple[Part, int] | None = None

    def add(self, part: Part, row: Row, where: str) -> None:
        if not DOMAIN.fullmatch(row.domain) or row.mode is None:
            raise difference(f"domain {row.domain!r} and mode {row.mode} name no folder", where)
        same("domain and mode", row.config, part.config, where)
        if not _USER.fullmatch(row.user or ""):
            raise difference(f"user is {row.user!r}, and must be a pseudonym", where)
        same("id", row.id, row.derived_id(), where)
        if row.id in self._ids:
            raise difference(f"{row.id} is there twice", where)
        self._ids.add(row.id)
        self.subjects[row.subject] += 1
        split = self._splits.setdefault(row.user or "", part.split)
        same(f"the split of {row.user}", part.split, split, where)
        self._check_order(part, row, where)
        self._check_licences(row, where)
        self._check_sources(row, where)
        self._check_profile(row, where)

    def _check_order(self, part: Part, row: Row, where: str) -> None:
        unit = self._kept.get(row.subject)
        if unit is None:
            raise difference(f"{row.subject} is not a kept unit of the build", where)
        same("mode", row.mode, unit.mode, where)
        name = content_id("unit", f"{row.mode}:{row.item_id}")
        same("the unit of its item", name, unit.name, where)
        before = self._before[1] if self._before and self._before[0] == part else 0
        # The second half of a twin has its first half's place.
        if unit.position < before or (unit.position == before and row.asked):
            raise difference(f"{row.subject} is out of the build's order", where)
        self._before = part, unit.position

    def check_content(self, row: Row, where: str) -> None:
        """What ids do not cover, such as the texts of question and posts, is as the build kept it.
        In format 1 nothing tells."""
        if self._format == 1:
            return
        contents = self._kept[row.subject].contents
        place = 0 if row.asked else 1
        same("content", row.content, contents[place] if place < len(contents) else None, where)

    def _check_profile(self, row: Row, where: str) -> None:
        """What was known of a user when a question was asked is one, whatever was made of it."""
        profile, about = hash(row.profile), (row.user or "", row.item_id)
        if self._profiles.setdefault(about, profile) != profile:
            raise difference(f"has another profile of {row.user} than a row before it", where)

    def _check_licences(self, row: Row, where: str) -> None:
        must = licence_of(row.source_url, row.created, self._licence)
        same("licence", row.licence, must, where)
        for n, post in enumerate(row.profile):
            must = _licence_of(post.source_url, post.created, self._licence)
            if post.licence != must:
                same("licence", post.licence, must, f"{where} [profile.{n}]")

    def _check_sources(self, row: Row, where: str) -> None:
        """An author of a response is known by a pseudonym alone, or not at all."""
        both = row.response_sources.both if row.response_sources else ()
        for side, source in zip(("chosen", "rejected"), both, strict=False):
            at = f"{where} [response_sources.{side}]"
            if source.user and not _USER.fullmatch(source.user):
                raise difference(f"user is {shown(source.user)}, and must be a pseudonym", at)
            must = _licence_of(source.source_url, source.created, self._licence)
            same("licence", source.licence, must, at)


_MAGIC = 4
_END = 8
"""The footer's length, and the magic once more."""


def check_part(layout: Layout, part: Part, provenance: Provenance, rows: int) -> None:
    """What a file of so many rows says of itself. Raises Difference."""
    if not rows:
        raise difference("holds no rows", part.path)
    if part.split != SPLITS[0] and not provenance.validation_share:
        raise difference("is there, and no user is in this split", part.path)
    path = layout.part(part)
    metadata = pq.read_metadata(path)
    same(
        "metadata",
        pq.read_schema(path).metadata,
        {b"pairwright": file_note(provenance).encode()},
        part.path,
    )
    same("the number of its bytes", path.stat().st_size, _accounted(metadata), part.path)


def _accounted(file: pq.FileMetaData) -> int:
    """Bytes of the columns and the footer: a reader sees no others."""
    groups = [file.row_group(n) for n in range(file.num_row_groups)]
    columns = (group.column(n) for group in groups for n in range(group.num_columns))
    size = sum(column.total_compressed_size for column in columns)
    return int(_MAGIC + size + file.serialized_size + _END)
