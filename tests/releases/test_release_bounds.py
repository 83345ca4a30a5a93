"""What a small file unpacks to is bounded: a text, a column or a line larger than any of a release
ends in a message that names it, and not in a full memory."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pairwright import lines
from pairwright.errors import InputError
from pairwright.lines import read_lines
from pairwright.pairs import Row, read_rows, write_rows
from pairwright.pairs.layout import SCHEMA
from pairwright.releases.contents import UnitOutcome
from pairwright.sources.tables import open_parquet

Patch = pytest.MonkeyPatch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.parquet"


def rows_of(n: int, question: str = "How?") -> list[Row]:
    return [Row(id=f"pair-{k}", question=question, chosen="a", rejected="b") for k in range(n)]


def test_a_value_longer_than_any_is_refused_with_its_row(path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(lines, "LONGEST_VALUE", 5_000)
    first, second, third = rows_of(3)
    write_rows(path, [first, second.model_copy(update={"question": "x" * 5_001}), third])
    with pytest.raises(InputError) as error:
        list(read_rows(path))
    assert error.value.where == f"{path}:2 [question]"
    assert "a value of 5,0" in error.value.what


def test_too_large_a_group_of_rows_is_refused_unread(path: Path, monkeypatch: Patch) -> None:
    """A cell of 6 MB, in a file of some kilobytes."""
    monkeypatch.setattr(lines, "LARGEST", 5_000_000)
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as file:
        for question in ("How?", "x" * 6_000_000):
            row = rows_of(1, "")[0].model_dump() | {"question": question}
            file.write_table(pa.Table.from_pylist([row], schema=SCHEMA))
    assert path.stat().st_size < 50_000
    with pytest.raises(InputError) as error:
        list(read_rows(path))
    assert error.value.where == f"{path}:2"
    assert "rows 2 to 2 have" in error.value.what


def test_texts_in_columns_of_others_have_the_same_bound(path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(lines, "LONGEST_VALUE", 5_000)
    for kind, long in (
        (pa.string(), "x" * 5_001),
        (pa.list_(pa.struct({"text": pa.string()})), [{"text": "x" * 5_001}]),
        (pa.dictionary(pa.int32(), pa.string()), "x" * 5_001),
    ):
        table = {"prompt": ["a", "b"], "chosen": pa.array([None, long], kind)}
        pq.write_table(pa.table(table), path, compression="zstd")
        with pytest.raises(InputError, match="a value of 5,0") as error:
            list(open_parquet(path).rows)
        assert error.value.where == f"{path}:2 [chosen]"


def test_a_line_longer_than_any_is_refused_with_its_number(path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 200)
    short = '{"unit":"unit-0","mode":"twin","outcome":"failed"}\n'
    path.write_text(short * 2 + short.replace("unit-0", "u" * 300), encoding="utf-8")
    with pytest.raises(InputError) as error:
        list(read_lines(path, UnitOutcome))
    assert error.value.where == f"{path}:3"
    assert "a line of more than 200 bytes" in error.value.what
