"""What a small file unpacks to is bounded: a text, a column or a line larger than any of a release
ends in a message that names it, and not in a full memory."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pairwright.dataset import (
    Row,
    RowPost,
    lines,
    parquet_batches,
    read_lines,
    read_rows,
    write_lines,
    write_rows,
)
from pairwright.dataset.lines import read_document
from pairwright.dataset.parquet import SCHEMA
from pairwright.errors import InputError, SourceError
from pairwright.releases.primary import UnitOutcome
from pairwright.sources.source_table import SourceRow
from pairwright.sources.table_files import open_parquet

Patch = pytest.MonkeyPatch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.parquet"


@pytest.fixture
def short(monkeypatch: Patch) -> None:
    monkeypatch.setattr(parquet_batches, "LONGEST", 5_000)


def rows_of(n: int, question: str = "How?") -> list[Row]:
    return [Row(id=f"pair-{k}", question=question, chosen="a", rejected="b") for k in range(n)]


def write_table(path: Path, compression: str = "zstd", **columns: object) -> None:
    pq.write_table(pa.table(columns), path, compression=compression)


def refused(path: Path) -> SourceError:
    """How a file that is not of a release is refused."""
    with pytest.raises(SourceError) as error:
        list(open_parquet(path).rows)
    return error.value


def never(monkeypatch: Patch, name: str) -> None:
    """The step that is not come to."""
    monkeypatch.setattr(parquet_batches, name, lambda *_: pytest.fail("it was read"))


def test_a_text_longer_than_any_is_refused_with_its_row(path: Path, short: None) -> None:
    post = RowPost(id="p", text="x" * 5_001)
    for name, value in (("question", "x" * 5_001), ("profile", (post,))):
        first, second, third = rows_of(3)
        write_rows(path, [first, second.model_copy(update={name: value}), third])
        with pytest.raises(InputError) as error:
            list(read_rows(path))
        assert error.value.where == f"{path}:2 [{name}]"
        assert "a text of 5,001 bytes" in error.value.what


def test_too_large_a_column_is_refused_before_it_is_read(path: Path, monkeypatch: Patch) -> None:
    """A cell of 6 MB, in a file of some kilobytes."""
    monkeypatch.setattr(parquet_batches, "LARGEST", 5_000_000)
    never(monkeypatch, "_texts")
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as file:
        for question in ("How?", "x" * 6_000_000):
            row = rows_of(1, "")[0].model_dump() | {"question": question}
            file.write_table(pa.Table.from_pylist([row], schema=SCHEMA))
    assert path.stat().st_size < 50_000
    with pytest.raises(InputError) as error:
        list(read_rows(path))
    assert error.value.where == f"{path}:2"
    assert "in the column question" in error.value.what


def test_rows_that_share_a_large_value_are_read_few_at_once(path: Path, monkeypatch: Patch) -> None:
    write_rows(path, rows_of(50, "x" * 10_000))
    whole = list(read_rows(path))
    monkeypatch.setattr(parquet_batches, "_ROOM", 100_000)
    sizes: list[int] = []
    check = parquet_batches._check_texts

    def seen(path: Path, before: int, batch: pa.RecordBatch) -> None:
        sizes.append(batch.num_rows)
        check(path, before, batch)

    monkeypatch.setattr(parquet_batches, "_check_texts", seen)
    assert list(read_rows(path)) == whole
    assert max(sizes) < 10


KINDS: list[tuple[pa.DataType, Callable[[str], object]]] = [
    (pa.string(), str),
    (pa.large_string(), str),
    (pa.binary(), str.encode),
    (pa.list_(pa.string()), lambda text: [text, "y"]),
    (pa.list_(pa.struct({"text": pa.string()})), lambda text: [{"text": text}]),
    (pa.struct({"content": pa.large_string()}), lambda text: {"content": text}),
    (pa.dictionary(pa.int32(), pa.string()), str),
    (pa.map_(pa.string(), pa.string()), lambda text: {"a": text}),
]
"""Columns of others that hold texts, and a cell of each."""


@pytest.mark.parametrize(("kind", "cell"), KINDS, ids=lambda of: "" if callable(of) else str(of))
def test_texts_of_every_kind_of_column_have_the_same_bounds(
    kind: pa.DataType, cell: Callable[[str], object], path: Path, monkeypatch: Patch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(parquet_batches, "LONGEST", 5_000)
        write_table(path, prompt=["a", "b"], chosen=pa.array([None, cell("x" * 5_001)], kind))
        error = refused(path)
        assert error.where == f"{path}:2 [chosen]"
        assert "a text of 5,001 bytes" in error.what
    # A text that many rows share counts in each of them.
    write_table(path, chosen=pa.array([cell("x" * 50_000)] * 200, kind))
    assert path.stat().st_size < 5_000
    monkeypatch.setattr(parquet_batches, "RATIO", 1)
    monkeypatch.setattr(parquet_batches, "LARGEST", 10_100_000)
    assert sum(isinstance(row, SourceRow) for row in open_parquet(path).rows) == 200
    monkeypatch.setattr(parquet_batches, "LARGEST", 9_900_000)
    never(monkeypatch, "_check_texts")
    error = refused(path)
    assert error.where == f"{path}:1"
    assert "rows 1 to 200 have" in error.what
    assert "may have 9,900,000" in error.what


def test_a_large_foreign_column_is_refused_unread(path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(parquet_batches, "LARGEST", 5_000_000)
    write_table(path, chosen=["x" * 6_000_000])
    with monkeypatch.context() as patched:
        never(patched, "_texts")
        assert "in the column chosen, and may have 5,000,000" in refused(path).what
    # What takes its room on the disk as well is read.
    write_table(path, "none", chosen=["x" * 6_000_000])
    assert len(list(open_parquet(path).rows)) == 1


def test_any_number_of_rows_may_share_a_short_text(path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(parquet_batches, "LARGEST", 100_000)
    write_table(path, system=["x" * 4_000] * 1_000)
    assert len(list(open_parquet(path).rows)) == 1_000
    # A list of such texts can be of any size in one row.
    write_table(path, system=[["x" * 4_000] * 1_000])
    assert "may have 100,000" in refused(path).what


def test_a_group_with_a_long_text_is_unread(path: Path, short: None, monkeypatch: Patch) -> None:
    never(monkeypatch, "_check_texts")
    table = pa.table({"prompt": ["a", "b"], "chosen": ["x" * 6_000] * 2})
    pq.write_table(table, path, row_group_size=1)
    error = refused(path)
    assert error.where == f"{path}:1 [chosen]"
    assert "texts of 6,0" in error.what
    assert "bytes in 1, and one may have 5,000" in error.what


def test_groups_of_rows_are_read_one_after_the_other(path: Path) -> None:
    pq.write_table(pa.table({"chosen": ["a", "b", "c"]}), path, row_group_size=2)
    with pq.ParquetFile(path) as file:
        sizes = [batch.num_rows for batch in parquet_batches.read_batches(path, file)]
    assert sizes == [2, 1]


def test_a_line_longer_than_any_is_refused_with_its_number(path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 200)
    unit = UnitOutcome(unit="unit-0", mode="twin", outcome="rejected", stage="plan", reason="r")
    write_lines(path, [unit, unit, unit.model_copy(update={"reason": "r" * 300})])
    with pytest.raises(InputError) as error:
        list(read_lines(path, UnitOutcome))
    assert error.value.where == f"{path}:3"
    assert "a line of more than 200 bytes" in error.value.what


def test_a_line_of_two_gigabytes_of_nothing_is_refused(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2_000_000_000)  # A hole, which takes no room on the disk.
    with pytest.raises(InputError) as error:
        list(read_lines(path, UnitOutcome))
    assert error.value.where == f"{path}:1"
    with pytest.raises(InputError, match="may have 512,000,000"):
        read_document(path)
