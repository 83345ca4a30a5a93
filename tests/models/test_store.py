"""The store of calls: an answer is stored before it is used, and nothing is repaired over."""

import asyncio
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from stored import body, disk_full, keep, put

from endpoint import ask
from pairwright.errors import StoreError
from pairwright.models import Completion, Request, completion_of
from pairwright.models.client import Client, Meter
from pairwright.models.store import Store, Usage


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
    """What is said of a store that cannot be opened; '' for one that can."""
    try:
        Store(path, writing=writing).close()
    except StoreError as error:
        return str(error)
    return ""


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
    marked = body(system_fingerprint="fp_1")
    keep(store, (ask("marked"), marked))
    assert store.call(ask("marked").key) == (ask("marked"), marked)
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


def _foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE calls (key TEXT)")
        db.commit()


def _cut(path: Path, at: int) -> None:
    filled(path, n=20, size=2000)
    os.truncate(path, at)


DAMAGED: dict[str, tuple[Callable[[Path], object], str]] = {
    "foreign": (_foreign, "not one of this version of Pairwright"),
    "half": (lambda path: _cut(path, 20_000), ""),
    "first page": (lambda path: _cut(path, 700), ""),
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
    assert refusal(calls) == ""


def test_a_full_disk_is_an_error_for_every_caller_and_loses_nothing(calls: Path) -> None:
    """Once there is room the same store goes on."""
    keys = filled(calls)

    async def scenario(store: Store) -> None:
        with disk_full(100_000):
            puts = (put(store, ask(f"{i}"), body("x" * 50_000)) for i in range(8))
            results = await asyncio.gather(*puts, return_exceptions=True)
        assert {type(result) for result in results} == {StoreError}
        assert str(calls) in str(results[0])
        await put(store, ask("small"), body())

    with closing(Store(calls)) as store:
        asyncio.run(scenario(store))
        assert store.get(ask("small").key) == body()
    with closing(Store(calls)) as again:
        assert again.totals().calls == 4
        assert again.get(keys[0]) is not None


@contextmanager
def read_only() -> Iterator[Path]:
    """A folder that this process cannot write to, even if it is root."""
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        filled(folder / "run.sqlite")
        (folder / "lock").unlink()
        for path in (folder, *folder.iterdir()):
            path.chmod(0o555)
        if root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)
            folder.chmod(0o755)


def test_a_folder_that_cannot_be_written_is_called_that_and_a_finished_store_in_it_read() -> None:
    with read_only() as folder:
        with pytest.raises(StoreError, match="cannot be written"):
            Store(folder / "run.sqlite")
        with closing(Store(folder / "run.sqlite", writing=False)) as store:
            assert store.totals().calls == 3
