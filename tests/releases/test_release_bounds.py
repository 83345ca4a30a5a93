"""What a small file unpacks to is bounded: a text, a column or a line larger than any of a release
ends in a message that names it, and not in a full memory."""

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


def _rows(n: int, question: str = "How?") -> list[Row]:
    return [Row(id=f"pair-{k}", question=question, chosen="a", rejected="b") for k in range(n)]


def test_a_text_longer_than_any_is_refused_with_its_row_and_inside_of_a_post_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_batches, "LONGEST", 5_000)
    post = RowPost(id="p", text="x" * 5_001)
    for name, value in (("question", "x" * 5_001), ("profile", (post,))):
        rows = _rows(3)
        rows[1] = rows[1].model_copy(update={name: value})
        write_rows(tmp_path / "a.parquet", rows)
        with pytest.raises(InputError) as error:
            list(read_rows(tmp_path / "a.parquet"))
        assert error.value.where == f"{tmp_path / 'a.parquet'}:2 [{name}]"
        assert "a text of 5,001 bytes" in error.value.what


def test_a_column_larger_than_any_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cell of 6 MB, in a file of some kilobytes."""
    monkeypatch.setattr(parquet_batches, "LARGEST", 5_000_000)
    monkeypatch.setattr(parquet_batches, "_texts", lambda _: pytest.fail("it was read"))
    cell, path = "x" * 6_000_000, tmp_path / "a.parquet"
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as file:
        for question in ("How?", cell):
            row = _rows(1, "")[0].model_dump() | {"question": question}
            file.write_table(pa.Table.from_pylist([row], schema=SCHEMA))
    assert path.stat().st_size < 50_000
    with pytest.raises(InputError) as error:
        list(read_rows(path))
    assert error.value.where == f"{path}:2"
    assert "in the column question" in error.value.what


def test_rows_that_share_a_large_value_are_read_few_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rows(tmp_path / "a.parquet", _rows(50, "x" * 10_000))
    whole = list(read_rows(tmp_path / "a.parquet"))
    monkeypatch.setattr(parquet_batches, "_ROOM", 100_000)
    sizes: list[int] = []
    check = parquet_batches._check_texts

    def seen(path: Path, before: int, batch: pa.RecordBatch) -> None:
        sizes.append(batch.num_rows)
        check(path, before, batch)

    monkeypatch.setattr(parquet_batches, "_check_texts", seen)
    assert list(read_rows(tmp_path / "a.parquet")) == whole
    assert max(sizes) < 10


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(), pa.large_string(), pa.binary(), pa.list_(pa.string()),
        pa.struct({"content": pa.large_string()}), pa.dictionary(pa.int32(), pa.string()),
        pa.map_(pa.string(), pa.string()),
    ],
    ids=str,
)  # fmt: skip
def test_a_foreign_file_has_the_same_bounds(
    kind: pa.DataType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_batches, "LONGEST", 5_000)
    cells: dict[str, object] = {"list": ["x" * 5_001], "stru": {"content": "x" * 5_001},
                                "map<": {"a": "x" * 5_001}}  # fmt: skip
    values = pa.array([None, cells.get(str(kind)[:4], "x" * 5_001)], kind)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"prompt": ["a", "b"], "chosen": values}), path)
    with pytest.raises(SourceError) as error:
        list(open_parquet(path).rows)
    assert error.value.where == f"{path}:2 [chosen]"
    assert "a text of 5,001 bytes" in error.value.what


def test_a_small_foreign_file_of_large_columns_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    monkeypatch.setattr(parquet_batches, "LARGEST", 5_000_000)
    pq.write_table(pa.table({"chosen": ["x" * 6_000_000]}), path, compression="zstd")
    with monkeypatch.context() as patched:
        patched.setattr(parquet_batches, "_texts", lambda _: pytest.fail("it was read"))
        with pytest.raises(SourceError, match="in the column chosen, and may have 5,000,000"):
            list(open_parquet(path).rows)
    # What takes its room on the disk as well is read.
    pq.write_table(pa.table({"chosen": ["x" * 6_000_000]}), path, compression="none")
    assert len(list(open_parquet(path).rows)) == 1


@pytest.mark.parametrize(
    ("kind", "cell"),
    [
        (pa.string(), "x" * 50_000),
        (pa.large_string(), "x" * 50_000),
        (pa.list_(pa.string()), ["x" * 50_000, "y"]),
        (pa.list_(pa.struct({"text": pa.string()})), [{"text": "x" * 50_000}]),
        (pa.struct({"content": pa.string()}), {"content": "x" * 50_000}),
        (pa.dictionary(pa.int32(), pa.string()), "x" * 50_000),
        (pa.map_(pa.string(), pa.string()), {"a": "x" * 50_000}),
    ],
    ids=lambda value: str(value) if isinstance(value, pa.DataType) else "",
)
def test_a_text_that_many_rows_share_counts_in_each_of_them(
    kind: pa.DataType, cell: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    chosen = pa.array([cell] * 200, kind)
    pq.write_table(pa.table({"chosen": chosen}), path, compression="zstd")
    assert path.stat().st_size < 5_000
    monkeypatch.setattr(parquet_batches, "RATIO", 1)
    monkeypatch.setattr(parquet_batches, "LARGEST", 10_100_000)
    assert sum(isinstance(row, SourceRow) for row in open_parquet(path).rows) == 200
    monkeypatch.setattr(parquet_batches, "LARGEST", 9_900_000)
    monkeypatch.setattr(parquet_batches, "_check_texts", lambda *_: pytest.fail("it was read"))
    with pytest.raises(SourceError, match=r"rows 1 to 200 have .* may have 9,900,000") as error:
        list(open_parquet(path).rows)
    assert error.value.where == f"{path}:1"


def test_any_number_of_rows_may_share_a_short_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_batches, "LARGEST", 100_000)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"system": ["x" * 4_000] * 1_000}), path, compression="zstd")
    assert len(list(open_parquet(path).rows)) == 1_000
    # A list of such texts can be of any size in one row.
    pq.write_table(pa.table({"system": [["x" * 4_000] * 1_000]}), path, compression="zstd")
    with pytest.raises(SourceError, match="may have 100,000"):
        list(open_parquet(path).rows)


def test_a_group_that_must_have_too_long_a_text_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_batches, "LONGEST", 5_000)
    monkeypatch.setattr(parquet_batches, "_check_texts", lambda *_: pytest.fail("it was read"))
    path = tmp_path / "a.parquet"
    table = pa.table({"prompt": ["a", "b"], "chosen": ["x" * 6_000] * 2})
    pq.write_table(table, path, row_group_size=1)
    with pytest.raises(
        SourceError, match=r"texts of 6,0.. bytes in 1, and one may have 5,000"
    ) as e:
        list(open_parquet(path).rows)
    assert e.value.where == f"{path}:1 [chosen]"


def test_groups_of_rows_are_read_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"chosen": ["a", "b", "c"]}), path, row_group_size=2)
    with pq.ParquetFile(path) as file:
        sizes = [batch.num_rows for batch in parquet_batches.read_batches(path, file)]
    assert sizes == [2, 1]


def test_a_line_longer_than_any_is_refused_with_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LONGEST", 200)
    unit = UnitOutcome(unit="unit-0", mode="twin", outcome="rejected", stage="plan", reason="r")
    write_lines(tmp_path / "a.jsonl", [unit, unit, unit.model_copy(update={"reason": "r" * 300})])
    with pytest.raises(InputError) as error:
        list(read_lines(tmp_path / "a.jsonl", UnitOutcome))
    assert error.value.where == f"{tmp_path / 'a.jsonl'}:3"
    assert "a line of more than 200 bytes" in error.value.what


def test_a_line_of_two_gigabytes_of_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.truncate(2_000_000_000)  # A hole, which takes no room on the disk.
    with pytest.raises(InputError) as error:
        list(read_lines(path, UnitOutcome))
    assert error.value.where == f"{path}:1"
    with pytest.raises(InputError, match="may have 512,000,000"):
        read_document(path)
