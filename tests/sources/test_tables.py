"""Files and Hub datasets: every format gives the same rows, and one of no use says what to do."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from reading import ANN, Dataset, posts_csv, result, row

from pairwright.assets import install
from pairwright.errors import SourceError
from pairwright.settings.rules import SourceRules
from pairwright.sources import source_hash


@pytest.mark.parametrize("end", [b"\r", b"\r\n"])
def test_a_csv_as_excel_writes_it_has_the_right_line_numbers(tmp_path: Path, end: bytes) -> None:
    """Its column names have a comma, and its last record is not whole."""
    commas = posts_csv(*ANN, "bob,2020-01-01", head="user,created,title,text,category,url[ or none")
    content = commas.replace(b",", b";").replace(b"[", b",").replace(b"\n", end)
    (tmp_path / "p.csv").write_bytes(b"\xef\xbb\xbf" + content)
    got = result(tmp_path, "p.csv", format="posts", columns={"url": "url, or none"})
    texts = [one.text for one in got.item.profile]
    assert texts == ["Watery stew I own no scale", "Rye bread is hopeless"]
    assert got.said == [("ragged_row", "5", None)]


POSTS: Mapping[str, Any] = MappingProxyType({"format": "posts"})
USELESS: list[tuple[str, bytes | None, Mapping[str, Any], tuple[str, ...]]] = [
    ("h.jsonl", None, {}, ("h.jsonl: no such file", "relative to")),
    (".", None, {}, ("is a folder, and a file is wanted", "relative to")),
    ("h.jsonl", b"", {}, ("h.jsonl: no rows", "download it again")),
    ("h.xlsx", b"x", {}, ("h.xlsx: unknown", "'.xlsx'", ".parquet")),
    ("h.jsonl.gz", b"\x1f\x8b", {}, ("unknown", "unpack")),
    ("h.jsonl", '{"id": 1}'.encode("utf-16"), {}, ("bytes that are not UTF-8 (1)", "as UTF-8")),
    ("p.csv", "user;text".encode("utf-16"), POSTS, ("p.csv:1", "not UTF-8", "in Excel")),
    ("p.csv", b'user,"te"xt\n', POSTS, ("p.csv:1: the column names are not CSV: ", "twice")),
    ("h.json", b'[\n{"id": 1},\n{"id":]', {}, ("h.json: not JSON", "line 3", ".jsonl")),
    ("h.json", b'[\n"\xff"]', {}, ("h.json: not JSON in UTF-8", "invalid start byte")),
    ("h.json", b'{"a": 1}', {}, ("an object", "[{...}, {...}]")),
    ("h.parquet", b"PAR1 no", {}, ("h.parquet: cannot be read", "again")),
    ("h.csv", b"id\n1\n", {}, ("no column question, profile", "`format`")),
    ("p.csv", b"uid,created,text,category\n", POSTS,
     ("p.csv:1: no column user", "uid, created, text, category", '--column user=author')),
    ("p.csv", b"user,created,text\n", POSTS, ("no column category", "default_category")),
    ("p.csv", b"user,created,text,category\n", POSTS, ("p.csv: no rows",)),
    ("p.tsv", b"user\tuser\n", POSTS, ("p.tsv:1", "Rename")),
    ("p.csv", posts_csv(*ANN, 'ann,2020,"t,x,y,z', "a", "b"), POSTS, ("p.csv:5: a quote that is",)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "rules", "says"), USELESS)
def test_a_file_of_no_use_says_where_and_what_to_do(
    tmp_path: Path,
    name: str,
    content: bytes | None,
    rules: Mapping[str, Any],
    says: tuple[str, ...],
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError) as caught:
        result(tmp_path, name, **rules)
    assert str(tmp_path) in caught.value.where
    assert caught.value.fix
    for words in says:
        assert words in str(caught.value)


# ---- the Hub


def test_a_hub_id_has_config_split_and_revision_and_the_hash_of_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def load_dataset(*args: Any, **options: Any) -> Dataset:
        asked.extend([*args, options])
        return Dataset([row("a"), row("b", question="")])

    def dataset_info(name: str, revision: str | None) -> SimpleNamespace:
        return SimpleNamespace(sha=f"commit-of-{name}-{revision}")

    hub = SimpleNamespace(HfApi=lambda: SimpleNamespace(dataset_info=dataset_info))
    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    got = result(tmp_path, "org/name-v1.5@main", config="Lifestyle", split="validation")
    assert asked == ["org/name-v1.5", "Lifestyle", {"split": "validation", "revision": "main"}]
    assert got.item.id == "a"
    assert (got.problem.where, got.problem.reason) == ("org/name-v1.5@main:2", "empty_question")
    found = source_hash(SourceRules(path="org/name@main"), tmp_path)
    assert found == "org/name@commit-of-org/name-main"


def no_network(*_: Any, **__: Any) -> None:
    raise ConnectionError("no network")


@pytest.mark.parametrize(
    ("datasets", "said"),
    [
        (SimpleNamespace(load_dataset=no_network), r"ConnectionError: no network\n.*Check the id"),
        (None, re.escape(install("hub"))),
    ],
)
def test_a_dataset_that_cannot_be_loaded_says_why_and_without_the_extra_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, datasets: Any, said: str
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", datasets)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(SourceError, match=said):
        result(tmp_path, "org/name")
    pinned = f"org/name@{'0' * 40}"
    assert source_hash(SourceRules(path=pinned), tmp_path) == pinned
    with pytest.raises(SourceError, match="pip install"):
        source_hash(SourceRules(path="org/name"), tmp_path)
