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


def shard(number: int, main: Store) -> Store:
    folder = main.path.parent / "shards" / f"{number:03}"
    folder.mkdir(parents=True, exist_ok=True)
    main.settle()
    return Store(folder / "run.sqlite", beneath=main.path)


def fill(store: Store, position: int, *said: tuple[str, str]) -> None:
    """Put replies to questions, and the outcome of a unit."""
    keep(store, *((ask(question), body(answer)) for question, answer in said))
    unit = Unit(f"unit-{position}", "twin", position, position)
    Outcomes(store).add(outcome_of(unit, item(()), Failed(reason="http_500"), CallLog()))


def merge(store: Store) -> None:
    merge_all(store, store.path.parent / "shards")


def merged(store: Store) -> tuple[dict[str, str], list[str]]:
    """The text of each stored reply by its question, and the units with an outcome."""
    calls = {
        json.loads(request)["messages"][0]["content"]: json.loads(reply)["choices"][0]["message"]
        for request, reply in store.rows("SELECT request, reply FROM calls")
    }
    units = [row.unit for row in Outcomes(store).rows(whole=False)]
    return {question: message["content"] for question, message in calls.items()}, units


def test_of_two_replies_to_one_request_the_stored_one_stays_also_after_a_kill(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, said in enumerate(("first", "second")):
        with closing(shard(number, store)) as mine:
            fill(mine, 10 + number, ("the same", said), (f"own {number}", "x"))
    with monkeypatch.context() as killed:
        killed.setattr("shutil.rmtree", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            merge(store)
    merge(store)
    calls = {"the same": "first", "own 0": "x", "own 1": "x"}
    assert merged(store) == (calls, ["unit-10", "unit-11"])


def spoil(path: Path, at: int) -> None:
    whole = bytearray(path.read_bytes())
    whole[at : at + 2000] = b"\xa5" * 2000
    path.write_bytes(whole)


def mark(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA application_id = 1")
        database.commit()


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda path: spoil(path, 0), "A worker of a build left this"),
        (lambda path: spoil(path, 4096), "A worker of a build left this"),
        (mark, "not one of this version"),
    ],
    ids=("head", "table", "a foreign database"),
)
def test_a_shard_that_cannot_be_merged_is_named_and_left(
    store: Store, harm: Callable[[Path], None], message: str
) -> None:
    with closing(shard(0, store)) as mine:
        fill(mine, 1, *((f"q{n}", "a" * 500) for n in range(40)))
    harm(mine.path)
    with pytest.raises(StoreError, match=message) as found:
        merge(store)
    assert mine.path.exists()
    assert str(mine.path.parent) in str(found.value)
    assert merged(store) == ({}, [])


def test_a_shard_whose_worker_writes_is_neither_merged_nor_begun(store: Store) -> None:
    with closing(shard(0, store)) as mine:
        fill(mine, 1, ("q", "a"))
        with pytest.raises(StoreError, match="another process"):
            merge(store)
        with pytest.raises(InUse):
            shard(0, store)
    merge(store)
    assert merged(store) == ({"q": "a"}, ["unit-1"])
