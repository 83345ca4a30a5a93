"""What a worker leaves is merged whole, once, or not at all; and nothing of it is guessed."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from unittest import mock

import pytest
from stored import body, keep

from endpoint import ask
from pairwright.construct.folder import merge_all
from pairwright.construct.outcomes import Failed, Outcomes, Unit, outcome_of
from pairwright.errors import InUse, StoreError
from pairwright.models import CallLog
from pairwright.models.store import Store
from scripted import item


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "run.sqlite")) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "shards"


def fill(store: Store, *said: tuple[str, str]) -> None:
    """Put replies to questions."""
    keep(store, *((ask(question), body(answer)) for question, answer in said))


def place(folder: Path, number: int) -> Path:
    return folder / f"{number:03}"


def shard(folder: Path, number: int, main: Store) -> Store:
    place(folder, number).mkdir(parents=True, exist_ok=True)
    main.settle()
    return Store(place(folder, number) / "run.sqlite", beneath=main.path)


def ended(store: Store, position: int) -> None:
    """Write the outcome of a unit."""
    unit = Unit(f"unit-{position}", "twin", position, position)
    Outcomes(store).add(outcome_of(unit, item(()), Failed(reason="http_500"), CallLog()))


def answer(store: Store, question: str) -> str | None:
    reply = store.get(ask(question).key)
    return None if reply is None else json.loads(reply)["choices"][0]["message"]["content"]


def units(store: Store) -> list[str]:
    return [row.unit for row in Outcomes(store).rows(whole=False)]


def test_of_two_replies_to_one_request_the_stored_one_stays(store: Store, folder: Path) -> None:
    for number, said in enumerate(("first", "second")):
        with closing(shard(folder, number, store)) as mine:
            fill(mine, ("the same", said), (f"own {number}", "x"))
            ended(mine, 10 + number)
    merge_all(store, folder)
    assert answer(store, "the same") == "first"
    assert answer(store, "own 1") == "x"
    assert units(store) == ["unit-10", "unit-11"]


def test_a_shard_that_was_merged_before_a_kill_is_merged_again_without_harm(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(shard(folder, 0, store)) as mine:
        fill(mine, ("q", "a"))
        ended(mine, 1)
    with monkeypatch.context() as killed:
        killed.setattr("shutil.rmtree", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            merge_all(store, folder)
    assert place(folder, 0).exists()
    merge_all(store, folder)
    assert store.totals().calls == 1
    assert units(store) == ["unit-1"]


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
        (lambda path: spoil(path, 0), "A worker of a build left this"),
        (lambda path: spoil(path, 4096), "A worker of a build left this"),
        (lambda path: mark(path, "application_id = 1"), "not one of this version"),
    ],
    ids=("head", "table", "a foreign database"),
)
def test_a_shard_that_cannot_be_merged_is_named_and_left(
    store: Store, folder: Path, harm: Callable[[Path], None], message: str
) -> None:
    with closing(shard(folder, 0, store)) as mine:
        fill(mine, *((f"q{n}", "a" * 500) for n in range(40)))
    harm(place(folder, 0) / "run.sqlite")
    with pytest.raises(StoreError, match=message) as found:
        merge_all(store, folder)
    assert place(folder, 0).exists()
    assert str(place(folder, 0)) in str(found.value)
    assert store.totals().calls == 0
    assert units(store) == []


def test_a_shard_whose_worker_writes_is_neither_merged_nor_begun(
    store: Store, folder: Path
) -> None:
    with closing(shard(folder, 0, store)) as mine:
        fill(mine, ("q", "a"))
        with pytest.raises(StoreError, match="another process"):
            merge_all(store, folder)
        with pytest.raises(InUse):
            shard(folder, 0, store)
    merge_all(store, folder)
    assert answer(store, "q") == "a"
