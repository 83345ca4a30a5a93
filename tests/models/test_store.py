"""The store of calls: an answer is stored before it is used, and nothing is repaired over."""

import asyncio
import json
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from unittest import mock

import pytest

from endpoint import ask, completion
from pairwright.construct.folder import merge_all
from pairwright.construct.outcomes import Failed, Outcomes, Unit, outcome_of
from pairwright.errors import InUse, StoreError
from pairwright.models import CallLog, Completion, Request, completion_of
from pairwright.models.client import Client, Meter
from pairwright.models.store import Store, Usage
from scripted import item


def body(text: str = "an answer", **changes: str) -> bytes:
    return json.dumps(completion(text, **changes)).encode()


async def put(store: Store, request: Request, reply: bytes) -> None:
    await store.put(request, completion_of(request.key, reply))


def keep(store: Store, *calls: tuple[Request, bytes]) -> None:
    """Put all of them in one turn of the loop."""

    async def all_of_them() -> None:
        await asyncio.gather(*(put(store, request, reply) for request, reply in calls))

    asyncio.run(all_of_them())


class Counting(Client):
    """Answers with the number of the call; slow enough that calls overlap."""

    sent = 0

    async def fetch(self, request: Request) -> Completion:
        self.sent += 1
        reply = body(f"answer {self.sent}")
        await asyncio.sleep(0.01)
        return completion_of(request.key, reply)


def filled(path: Path, n: int = 3, size: int = 10) -> list[str]:
    """A store with `n` calls, closed again; returns their keys."""
    requests = [ask(f"question {i}") for i in range(n)]
    with closing(Store(path)) as store:
        keep(store, *((request, body("x" * size)) for request in requests))
    return [request.key for request in requests]


def refusal(path: Path, *, writing: bool = True) -> str:
    """What is said of a store that cannot be opened."""
    with pytest.raises(StoreError) as refused:
        Store(path, writing=writing)
    return str(refused.value)


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


@pytest.fixture
def store(calls: Path) -> Iterator[Store]:
    with closing(Store(calls)) as opened:
        yield opened


def test_a_reply_is_committed_byte_for_byte_before_put_returns(calls: Path, store: Store) -> None:
    request = ask()
    odd = b' {"choices": [{"message": {"content": "\\u00e9 \xc3\xa9"}}],\n "usage": null}\n'

    async def scenario() -> None:
        with closing(sqlite3.connect(calls)) as other:
            await put(store, request, odd)
            rows = other.execute("SELECT key, purpose, request, reply FROM calls").fetchall()
        assert rows == [(request.key, "plan", request.canonical, odd)]

    asyncio.run(scenario())
    assert store.get(request.key) == odd
    keep(store, (ask("further"), body()))
    assert store.call(ask("further").key) == (ask("further"), body())
    assert store.totals() == Usage(calls=2, prompt_tokens=12, completion_tokens=3, cached_tokens=0)


def test_equal_requests_in_flight_are_sent_once_and_all_get_the_answer(store: Store) -> None:
    llm = Counting(Meter(), store)

    async def scenario() -> None:
        tasks = [asyncio.create_task(llm.complete(ask())) for _ in range(20)]
        redrawn = asyncio.create_task(llm.complete(ask(draw=1)))
        await asyncio.sleep(0)
        tasks[1].cancel()
        first, gone, *others = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(gone, asyncio.CancelledError)
        assert isinstance(first, Completion)
        assert first.text == "answer 1"
        assert {first} == set(others)
        assert (await redrawn).text == "answer 2"
        assert (await llm.complete(ask())).text == "answer 1", "never sent again"
        # A reply cut inside an escaped surrogate pair puts half an emoji into the next prompt.
        both = asyncio.gather(llm.complete(ask("half \ud83d")), llm.complete(ask("whole")))
        assert [c.text for c in await asyncio.wait_for(both, 1)] == ["answer 3", "answer 4"]

    asyncio.run(scenario())
    assert llm.sent == store.totals().calls == 4


def alter(path: Path, statement: str) -> None:
    """Change a database without us."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(statement)
        database.commit()


def cut(path: Path) -> None:
    filled(path, n=20, size=2000)
    os.truncate(path, 20_000)


FOREIGN = "not one of this version of Pairwright"
DAMAGED: dict[str, tuple[Callable[[Path], object], str]] = {
    "foreign": (lambda path: alter(path, "CREATE TABLE calls (key TEXT)"), FOREIGN),
    "half": (cut, ""),
    "random bytes": (lambda path: path.write_bytes(bytes(range(256)) * 64), ""),
    "a folder": (lambda path: path.mkdir(), "cannot be written"),
}


@pytest.mark.parametrize("writing", [True, False], ids=("writing", "reading"))
@pytest.mark.parametrize(("damage", "said"), DAMAGED.values(), ids=DAMAGED)
def test_a_file_that_cannot_be_ours_is_refused_and_left_as_it_is(
    calls: Path, damage: Callable[[Path], object], said: str, writing: bool
) -> None:
    damage(calls)
    before = calls.read_bytes() if calls.is_file() else b""
    told = refusal(calls, writing=writing)
    assert (calls.read_bytes() if calls.is_file() else b"") == before
    assert str(calls) in told
    assert said in told
    assert "\n  " in told, "it says what to do"


def test_what_is_no_run_folder_is_named_and_reading_makes_no_file(calls: Path) -> None:
    assert "is not a run folder: it has no run.sqlite" in refusal(calls, writing=False)
    nowhere = calls.parent / "nowhere"
    assert f"{nowhere}: no such folder" in refusal(nowhere / "run.sqlite", writing=False)
    assert list(calls.parent.iterdir()) == []
    lock = calls.with_name("lock")
    lock.mkdir()
    assert refusal(calls).startswith(f"{lock}: ")


def test_one_process_writes_and_others_read_what_is_committed_meanwhile(calls: Path) -> None:
    async def scenario(writer: Store, reader: Store) -> None:
        for n in range(1, 4):
            await put(writer, ask(f"{n}"), body())
            assert reader.totals().calls == n
        # A reader in the middle of a long read does not hold up the writer.
        next(reader.rows("SELECT key FROM calls"))
        await put(writer, ask("4"), body())
        assert writer.totals().calls == 4

    with closing(Store(calls)) as writer, closing(Store(calls, writing=False)) as reader:
        told = refusal(calls)
        assert "another process is writing" in told
        assert str(calls.parent) in told
        asyncio.run(scenario(writer, reader))


def test_a_folder_that_cannot_be_written_is_called_that_and_a_finished_store_in_it_read() -> None:
    with tempfile.TemporaryDirectory() as name, ExitStack() as end:
        path = Path(name) / "run.sqlite"
        filled(path)
        path.with_name("lock").unlink()
        path.parent.chmod(0o555)
        end.callback(path.parent.chmod, 0o755)
        if (user := os.geteuid()) == 0:  # Who may write everywhere.
            os.seteuid(65534)
            end.callback(os.seteuid, user)
        assert "cannot be written" in refusal(path)
        with closing(Store(path, writing=False)) as store:
            assert store.totals().calls == 3


# What a worker leaves is merged whole, once, or not at all


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
    calls = store.rows("SELECT key, request, reply FROM calls")
    texts = {
        json.loads(request)["messages"][0]["content"]: completion_of(key, reply).text
        for key, request, reply in calls
    }
    return texts, [row.unit for row in Outcomes(store).rows(whole=False)]


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


def spoil(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    whole[4096:6096] = b"\xa5" * 2000
    path.write_bytes(whole)


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (spoil, "A worker of a build left this"),
        (lambda path: alter(path, "PRAGMA application_id = 1"), FOREIGN),
    ],
    ids=("table", "a foreign database"),
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
