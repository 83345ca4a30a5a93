"""What a worker leaves is merged whole, once, or not at all; and nothing of it is guessed."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from unittest import mock

import pytest
from stored import body, keep, unit_row

from endpoint import ask
from pairwright.errors import InUse, StoreError
from pairwright.models.store import Store
from pairwright.workflows.workers import shards
from pairwright.workflows.workers.shards import left, merge, merge_all, open_shard, place


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "run.sqlite")) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "shards"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "PATIENCE_S", 0.3)


def fill(store: Store, *said: tuple[str, str], cached: int = 0) -> None:
    """Put replies to questions; so many tokens of each prompt came from a cache."""
    usage = {"prompt_tokens": 12, "prompt_tokens_details": {"cached_tokens": cached}}
    keep(store, *((ask(question), body(answer, usage=usage)) for question, answer in said))


def shard(folder: Path, chunk: int, main: Store) -> Store:
    return asyncio.run(open_shard(place(folder, chunk), main))


def ended(store: Store, position: int, *questions: str) -> None:
    """The outcome of a unit that asked these."""
    keys = [ask(question).key for question in questions]
    store.add_outcome(unit_row(position, "kept", {"calls": keys}))


def answer(store: Store, question: str) -> str | None:
    reply = store.get(ask(question).key)
    return None if reply is None else json.loads(reply)["choices"][0]["message"]["content"]


def units(store: Store) -> list[str]:
    return [row.unit for row in store.outcomes()]


def test_a_shard_reads_what_the_store_has_and_adds_nothing(store: Store, folder: Path) -> None:
    fill(store, ("known", "a"))
    with closing(shard(folder, 0, store)) as mine:
        assert answer(mine, "known") == "a"
        fill(mine, ("new", "b"))
        assert answer(mine, "new") == "b"
        assert mine.totals().calls == 1
    assert answer(store, "new") is None


def test_the_next_worker_of_a_chunk_has_its_calls_not_its_units(store: Store, folder: Path) -> None:
    with closing(shard(folder, 0, store)) as dead:
        fill(dead, ("q", "a"))
        ended(dead, 1, "q")
    with closing(shard(folder, 0, store)) as mine:
        assert answer(mine, "q") == "a"
        ended(mine, 1, "q")
    merge(store, place(folder, 0))
    assert units(store) == ["unit-1"]


def test_of_two_replies_to_one_request_the_stored_one_stays_and_units_of_the_other_are_named(
    store: Store, folder: Path
) -> None:
    for chunk, said in enumerate(("first", "second")):
        with closing(shard(folder, chunk, store)) as mine:
            fill(mine, ("the same", said), (f"own {chunk}", "x"))
            ended(mine, 10 + chunk, "the same", f"own {chunk}")
            ended(mine, 20 + chunk, f"own {chunk}")
            # Surveys, whose positions are below zero, come along.
            ended(mine, -1 - chunk, "the same")
            ended(mine, -11 - chunk, f"own {chunk}")
    assert merge_all(store, folder) == {11, -2}
    assert answer(store, "the same") == "first"
    assert answer(store, "own 1") == "x"
    assert units(store) == ["unit-10", "unit-20", "unit-21"]
    assert [row.unit for row in store.surveys()] == ["unit--1", "unit--11", "unit--12"]
    assert not folder.exists()


def test_a_shard_that_was_merged_before_a_kill_is_merged_again_without_harm(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(shard(folder, 0, store)) as mine:
        fill(mine, ("q", "a"))
        ended(mine, 1, "q")
    with monkeypatch.context() as killed:
        killed.setattr("shutil.rmtree", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            merge(store, place(folder, 0))
    assert left(folder)
    assert merge_all(store, folder) == set()
    assert store.totals().calls == 1
    assert units(store) == ["unit-1"]


def test_shards_outlive_the_store_that_they_stood_above(tmp_path: Path, folder: Path) -> None:
    with closing(Store(tmp_path / "run.sqlite")) as lost:
        fill(lost, ("gone", "a"))
        with closing(shard(folder, 0, lost)) as mine:
            fill(mine, ("q", "a"))
    (tmp_path / "run.sqlite").unlink()
    with closing(Store(tmp_path / "run.sqlite")) as made_anew:
        assert merge_all(made_anew, folder) == set()
        assert answer(made_anew, "q") == "a"
        assert answer(made_anew, "gone") is None


def spoil(path: Path, at: int) -> None:
    whole = bytearray(path.read_bytes())
    whole[at : at + 2000] = b"\xa5" * 2000
    path.write_bytes(whole)


def mark(path: Path, pragma: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA {pragma}")
        database.commit()


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda path: spoil(path, 0), "Move that folder away"),
        (lambda path: spoil(path, 4096), "Move that folder away"),
        (lambda path: mark(path, "user_version = 99"), "format 99"),
        (lambda path: mark(path, "application_id = 1"), "not one of Pairwright's"),
    ],
    ids=("head", "table", "another format", "a foreign database"),
)
def test_a_shard_that_cannot_be_merged_is_named_and_left(
    store: Store, folder: Path, harm: Callable[[Path], None], message: str
) -> None:
    with closing(shard(folder, 0, store)) as mine:
        fill(mine, *((f"q{n}", "a" * 500) for n in range(40)))
    harm(place(folder, 0) / "run.sqlite")
    with pytest.raises(StoreError, match=message) as found:
        merge_all(store, folder)
    assert left(folder) == [place(folder, 0)]
    assert str(place(folder, 0)) in str(found.value)
    assert store.totals().calls == 0
    assert units(store) == []


def test_a_shard_whose_worker_writes_is_neither_merged_nor_begun(
    store: Store, folder: Path
) -> None:
    with closing(shard(folder, 0, store)) as mine:
        fill(mine, ("q", "a"))
        with pytest.raises(InUse):
            merge_all(store, folder)
        with pytest.raises(InUse):
            shard(folder, 0, store)
    assert merge_all(store, folder) == set()
    assert answer(store, "q") == "a"


def test_a_shard_is_waited_for_while_its_worker_ends(store: Store, folder: Path) -> None:
    async def go_on() -> str | None:
        dying = await open_shard(place(folder, 0), store)
        asyncio.get_running_loop().call_later(0.1, dying.close)
        with closing(await open_shard(place(folder, 0), store)) as mine:
            return answer(mine, "q")

    assert asyncio.run(go_on()) is None


def test_a_folder_that_cannot_be_made_is_named(store: Store, tmp_path: Path) -> None:
    (tmp_path / "shards").write_text("a file")
    with pytest.raises(StoreError, match="shards"):
        shard(tmp_path / "shards", 0, store)


def test_a_store_that_is_read_is_not_handed_on(store: Store) -> None:
    fill(store, ("q", "a"))
    store.execute("PRAGMA busy_timeout = 10")
    with closing(sqlite3.connect(store.path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM calls").fetchone()
        with pytest.raises(InUse, match="reading it"):
            store.settle()
    store.settle()


def test_a_store_that_nobody_writes_is_read_without_a_trace(store: Store, tmp_path: Path) -> None:
    fill(store, ("q", "a"))
    store.settle()
    copy = tmp_path / "elsewhere" / "run.sqlite"
    copy.parent.mkdir()
    copy.write_bytes(store.path.read_bytes())
    with closing(Store(copy, writing=False, unchanging=True)) as read:
        assert answer(read, "q") == "a"
        assert [path.name for path in copy.parent.iterdir()] == ["run.sqlite"]


def test_tokens_from_a_cache_come_with_the_reply_that_stays(store: Store, folder: Path) -> None:
    with closing(shard(folder, 3, store)) as mine:
        fill(mine, ("q1", "a1"), ("q2", "a2"), cached=8)
    fill(store, ("q2", "another"))
    merge(store, place(folder, 3))
    assert store.totals().cached_tokens == 8
