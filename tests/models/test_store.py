"""The store of calls: an answer is stored before it is used, and nothing is repaired over."""

import asyncio
import errno
import fcntl
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from endpoint import completion
from pairwright.errors import CallFailed, StoreError
from pairwright.models import Answer, Completion, Request, completion_of, key_of
from pairwright.models.store import Durable, ModelCalls, Store, Totals
from pairwright.settings.prompt_variables import Message

HOLDER = """
import sys
from pathlib import Path
from pairwright.models.store import Store
store = Store(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.readline()
"""


def ask(text: str = "a question", **changes: Any) -> Request:
    return Request(
        model=changes.pop("model", "m"),
        messages=(Message("user", text),),
        max_tokens=100,
        purpose="plan",
        **changes,
    )


def body(text: str = "an answer", **changes: Any) -> bytes:
    return json.dumps(completion(text, **changes)).encode()


def answer(request: Request, reply: bytes) -> Answer:
    return Answer(reply, completion_of(request.key, reply))


class Sender:
    """Answers with the number of the call; slow enough that calls overlap."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.sent: list[Request] = []
        self.failure = failure

    async def send(self, request: Request) -> Answer:
        self.sent.append(request)
        number = len(self.sent)
        await asyncio.sleep(0.01)
        if self.failure:
            raise self.failure
        return answer(request, body(f"answer {number}"))


async def put(store: Store, request: Request, reply: bytes) -> None:
    await store.put(request, answer(request, reply))


def filled(path: Path, n: int = 3, size: int = 10) -> list[str]:
    """A store with `n` calls, closed again; returns their keys."""
    requests = [ask(f"question {i}") for i in range(n)]

    async def fill() -> None:
        await asyncio.gather(*(put(store, r, body("x" * size)) for r in requests))

    with closing(Store(path)) as store:
        asyncio.run(fill())
    return [request.key for request in requests]


def change(path: Path, statement: str, *values: object) -> None:
    """Tamper with a store behind its back."""
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement, values)
        db.commit()


def refusal(path: Path, *, writing: bool = True) -> str:
    """What is said of a store that cannot be opened; '' where it can."""
    try:
        Store(path, writing=writing).close()
    except StoreError as error:
        return str(error)
    return ""


def differences(path: Path) -> list[str]:
    with closing(Store(path, writing=False)) as store:
        return list(store.verify())


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    return tmp_path / "calls.sqlite"


def test_a_reply_is_committed_before_put_returns(calls: Path) -> None:
    request = ask()

    async def scenario(store: Store) -> None:
        with closing(sqlite3.connect(calls)) as other:
            await put(store, request, body())
            rows = other.execute("SELECT key, purpose, request, reply FROM calls").fetchall()
        assert rows == [(request.key, "plan", request.canonical, body())]

    with closing(Store(calls)) as store:
        asyncio.run(scenario(store))


def test_a_reply_is_stored_byte_for_byte_with_its_counts_and_the_simulated_mark(
    calls: Path,
) -> None:
    odd = b' {"choices": [{"message": {"content": "\\u00e9 \xc3\xa9"}}],\n "usage": null}\n'
    marked = body(system_fingerprint="pairwright-simulated")

    async def scenario(store: Store) -> None:
        await put(store, ask("odd"), odd)
        await put(store, ask("marked"), marked)

    with closing(Store(calls)) as store:
        asyncio.run(scenario(store))
    with closing(Store(calls)) as store:
        assert store.get(ask("odd").key) == odd
        found = store.call(ask("marked").key)
        assert found is not None
        assert (found.purpose, found.request, found.reply) == (
            "plan",
            ask("marked").canonical,
            marked,
        )
        assert store.totals() == Totals(calls=2, prompt_tokens=12, completion_tokens=3, simulated=1)


def test_what_is_not_there_is_none_and_an_empty_store_counts_nothing(calls: Path) -> None:
    with closing(Store(calls)) as store:
        assert store.get(ask().key) is None
        assert store.call(ask().key) is None
        assert store.totals() == Totals(0, 0, 0, 0)
        assert store.calls_by_model() == {}


def test_tokens_are_counted_by_model(calls: Path) -> None:
    async def scenario(store: Store) -> None:
        for model, text in (("a", "1"), ("a", "2"), ("b", "1")):
            await put(store, ask(text, model=model), body())

    with closing(Store(calls)) as store:
        asyncio.run(scenario(store))
        assert store.calls_by_model() == {
            "a": ModelCalls(calls=2, prompt_tokens=24, completion_tokens=6),
            "b": ModelCalls(calls=1, prompt_tokens=12, completion_tokens=3),
        }


def cached(tokens: object) -> bytes:
    """A reply whose usage says that so many tokens of its prompt came from a cache."""
    usage = {"prompt_tokens": 12, "completion_tokens": 3}
    return body(usage={**usage, "prompt_tokens_details": {"cached_tokens": tokens}})


async def put_cached(store: Store) -> None:
    for n, tokens in enumerate([8, 12, 0, None, "8", 99]):
        await put(store, ask(str(n), model="a"), cached(tokens))
    await put(store, ask(model="b"), body())


def test_tokens_from_an_endpoints_cache_are_counted_by_model(calls: Path) -> None:
    with closing(Store(calls)) as store:
        asyncio.run(put_cached(store))
        # No more can come from a cache than the prompt has: 8, 12, and 12 of the 99.
        assert store.calls_by_model()["a"].cached_tokens == 32
        assert store.calls_by_model()["b"].cached_tokens == 0
        assert store.totals().cached_tokens == 32


def test_a_store_of_an_earlier_version_is_read_and_brought_up_to_date(calls: Path) -> None:
    with closing(Store(calls)) as store:
        asyncio.run(put_cached(store))
    with closing(sqlite3.connect(calls)) as database:
        database.execute("DROP TABLE cached")
        database.commit()
    with closing(Store(calls, writing=False)) as store:
        assert store.totals().cached_tokens == 32
    with closing(sqlite3.connect(calls)) as database:
        assert not database.execute("SELECT * FROM sqlite_schema WHERE name = 'cached'").fetchall()
    with closing(Store(calls)) as store:
        assert store.totals().cached_tokens == 32
    with closing(sqlite3.connect(calls)) as database:
        assert database.execute("SELECT sum(tokens) FROM cached").fetchall() == [(32,)]


def test_replies_of_one_loop_turn_are_one_transaction(
    calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    connect = sqlite3.connect

    def traced(*given: Any, **named: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*given, **named)
        db.set_trace_callback(statements.append)
        return db

    monkeypatch.setattr(sqlite3, "connect", traced)

    async def scenario(store: Store) -> None:
        statements.clear()
        await asyncio.gather(*(put(store, ask(f"{i}"), body()) for i in range(50)))
        assert statements.count("COMMIT") == 1
        assert sum(s.startswith("INSERT") for s in statements) == 50
        await put(store, ask("later"), body())
        assert statements.count("COMMIT") == 2

    with closing(Store(calls)) as store:
        asyncio.run(scenario(store))
        assert store.totals().calls == 51


def test_the_first_reply_under_a_key_stays(calls: Path) -> None:
    async def scenario(store: Store) -> None:
        await asyncio.gather(
            put(store, ask(), body("first")), put(store, ask("other"), body("other"))
        )
        await asyncio.gather(
            put(store, ask(), body("second")), put(store, ask("third"), body("third"))
        )

    with closing(Store(calls)) as store:
        asyncio.run(scenario(store))
        assert store.get(ask().key) == body("first")
        assert store.get(ask("third").key) == body("third")
        assert store.totals().calls == 3


def test_a_cancelled_caller_does_not_take_its_reply_out_of_the_commit(calls: Path) -> None:
    async def scenario(store: Store) -> None:
        first = asyncio.create_task(put(store, ask("1"), body()))
        second = asyncio.create_task(put(store, ask("2"), body()))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        assert first.cancelled()

    with closing(Store(calls)) as store:
        asyncio.run(scenario(store))
        assert store.totals().calls == 2


def test_closing_commits_what_waits(calls: Path) -> None:
    async def scenario(store: Store) -> None:
        task = asyncio.create_task(put(store, ask(), body()))
        await asyncio.sleep(0)
        store.close()
        await task

    asyncio.run(scenario(Store(calls)))
    with closing(Store(calls)) as store:
        assert store.get(ask().key) == body()


def test_equal_requests_in_flight_are_sent_once_and_all_get_the_answer(calls: Path) -> None:
    sender = Sender()

    async def scenario(store: Store) -> list[Completion]:
        llm = Durable(store, sender)
        return await asyncio.gather(
            *(llm.complete(ask()) for _ in range(20)), llm.complete(ask(draw=1))
        )

    with closing(Store(calls)) as store:
        *same, redrawn = asyncio.run(scenario(store))
    assert len(sender.sent) == 2
    assert {c.text for c in same} == {"answer 1"}
    assert redrawn.text == "answer 2"


def test_a_failure_reaches_all_that_wait_and_is_not_remembered(calls: Path) -> None:
    sender = Sender(CallFailed("http_500", "no"))

    async def scenario(store: Store) -> None:
        llm = Durable(store, sender)
        results = await asyncio.gather(
            *(llm.complete(ask()) for _ in range(5)), return_exceptions=True
        )
        assert [type(r) for r in results] == [CallFailed] * 5
        assert len(sender.sent) == 1
        sender.failure = None
        assert (await llm.complete(ask())).text == "answer 2"

    with closing(Store(calls)) as store:
        asyncio.run(scenario(store))
        assert store.totals().calls == 1


def test_one_of_many_that_wait_can_be_cancelled_and_the_others_get_the_answer(
    calls: Path,
) -> None:
    sender = Sender()

    async def scenario(store: Store) -> None:
        llm = Durable(store, sender)
        tasks = [asyncio.create_task(llm.complete(ask())) for _ in range(3)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        first, gone, last = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(gone, asyncio.CancelledError)
        assert isinstance(first, Completion)
        assert first == last

    with closing(Store(calls)) as store:
        asyncio.run(scenario(store))


def test_what_was_answered_once_is_never_sent_again(calls: Path) -> None:
    sender = Sender()
    for _ in range(2):
        with closing(Store(calls)) as store:
            assert asyncio.run(Durable(store, sender).complete(ask())).text == "answer 1"
    assert len(sender.sent) == 1


def test_two_endpoints_asked_for_one_key_at_once_both_hand_on_what_is_stored(calls: Path) -> None:
    """Else a second run, which reads the store, would differ from the first."""

    class Named(Sender):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        async def send(self, request: Request) -> Answer:
            await super().send(request)
            return answer(request, body(self.name))

    async def scenario(store: Store) -> list[Completion]:
        llms = Durable(store, Named("one")), Durable(store, Named("two"))
        return await asyncio.gather(*(llm.complete(ask()) for llm in llms))

    with closing(Store(calls)) as store:
        used = asyncio.run(scenario(store))
        stored = store.get(ask().key)
    assert stored is not None
    assert {c.text for c in used} == {completion_of("", stored).text}


def test_half_an_emoji_in_a_prompt_neither_hangs_nor_hurts_the_calls_beside_it(
    calls: Path,
) -> None:
    """A reply cut inside an escaped surrogate pair puts one into the judge's prompt."""
    sender = Sender()

    async def scenario(store: Store) -> None:
        llm = Durable(store, sender)
        both = asyncio.gather(llm.complete(ask("half \ud83d")), llm.complete(ask("whole")))
        assert [c.text for c in await asyncio.wait_for(both, 1)] == ["answer 1", "answer 2"]
        assert (await asyncio.wait_for(llm.complete(ask("next")), 1)).text == "answer 3"

    with closing(Store(calls)) as store:
        asyncio.run(scenario(store))
        assert store.totals().calls == 3
    assert differences(calls) == []


def test_a_whole_store_verifies(calls: Path) -> None:
    filled(calls)
    assert differences(calls) == []


def test_verify_finds_a_changed_letter_in_a_request(calls: Path) -> None:
    keys = filled(calls)
    change(calls, "UPDATE calls SET request = replace(request, 'question 1', 'question l')")
    (difference,) = differences(calls)
    assert keys[1] in difference
    assert str(calls) in difference


def test_verify_finds_a_changed_letter_in_a_key(calls: Path) -> None:
    key = filled(calls)[0]
    other = key[:-1] + ("0" if key[-1] != "0" else "1")
    change(calls, "UPDATE calls SET key = ? WHERE key = ?", other, key)
    (difference,) = differences(calls)
    assert other in difference


@pytest.mark.parametrize(
    "reply", [b"", b"\xff\xfe", b"{}", b"[]", b'"text"', b'{"choices": []}', b'{"choices": [{}]}']
)
def test_verify_finds_a_reply_that_is_no_completion(calls: Path, reply: bytes) -> None:
    key = filled(calls)[2]
    change(calls, "UPDATE calls SET reply = ? WHERE key = ?", reply, key)
    (difference,) = differences(calls)
    assert key in difference


def test_verify_finds_a_byte_that_is_no_utf8_any_more(calls: Path) -> None:
    """Half of all flipped bits in a text are of this kind."""
    key = filled(calls)[1]
    change(calls, "UPDATE calls SET request = CAST(x'7bff7d' AS TEXT) WHERE key = ?", key)
    assert any(key in difference for difference in differences(calls))


def test_verify_of_a_page_that_is_damaged_is_a_sentence_not_a_traceback(calls: Path) -> None:
    filled(calls, n=40, size=3000)
    data = bytearray(calls.read_bytes())
    for page in range(2, len(data) // 4096):
        data[page * 4096 : page * 4096 + 16] = b"\xff" * 16
    calls.write_bytes(data)
    try:
        found = differences(calls)
    except StoreError as error:
        found = [str(error)]
    assert found
    assert str(calls) in found[0]


def test_a_build_over_a_damaged_reply_is_refused_in_a_sentence(calls: Path) -> None:
    filled(calls, n=1)
    change(calls, "UPDATE calls SET reply = ?", b"not a completion")
    sender = Sender()
    with closing(Store(calls)) as store, pytest.raises(StoreError) as refused:
        asyncio.run(Durable(store, sender).complete(ask("question 0")))
    assert str(calls) in str(refused.value)
    assert sender.sent == []


def _foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE calls (key TEXT)")
        db.execute("INSERT INTO calls VALUES ('mine')")
        db.commit()


def _other_format(path: Path) -> None:
    filled(path)
    change(path, "PRAGMA user_version = 99")


def _truncated(path: Path) -> None:
    filled(path, n=20, size=2000)
    os.truncate(path, path.stat().st_size // 2)


def _cut_in_the_first_page(path: Path) -> None:
    filled(path)
    os.truncate(path, 700)


DAMAGED: list[Callable[[Path], object]] = [
    _foreign,
    _other_format,
    _truncated,
    _cut_in_the_first_page,
    lambda path: path.write_bytes(bytes(range(256)) * 64),
    lambda path: path.write_text('{"not": "a database"}\n' * 200),
    lambda path: path.write_bytes(b""),
]
NAMES = ("foreign", "format", "half", "first page", "random bytes", "text", "empty")


@pytest.mark.parametrize("writing", [True, False], ids=("writing", "reading"))
@pytest.mark.parametrize("damage", DAMAGED, ids=NAMES)
def test_a_file_that_cannot_be_ours_is_refused_and_left_as_it_is(
    calls: Path, damage: Callable[[Path], object], writing: bool
) -> None:
    damage(calls)
    before = calls.read_bytes()
    told = refusal(calls, writing=writing)
    assert calls.read_bytes() == before
    assert str(calls) in told
    assert "\n  " in told, "it says what to do"


def test_another_format_is_named_with_what_this_version_reads(calls: Path) -> None:
    _other_format(calls)
    told = refusal(calls)
    assert "format 99" in told
    assert "reads 1" in told


@pytest.mark.parametrize("writing", [True, False])
def test_a_folder_in_place_of_the_file_is_refused(calls: Path, writing: bool) -> None:
    calls.mkdir()
    assert str(calls) in refusal(calls, writing=writing)
    assert list(calls.iterdir()) == []


def test_reading_makes_no_file(calls: Path) -> None:
    assert "is not a run folder: it has no calls.sqlite" in refusal(calls, writing=False)
    assert "no such folder" in refusal(calls.parent / "x" / "calls.sqlite", writing=False)
    assert list(calls.parent.iterdir()) == []


def test_a_release_in_place_of_a_run_is_named_as_that(calls: Path) -> None:
    (calls.parent / "checksums.sha256").touch()
    told = refusal(calls, writing=False)
    assert "is a release, not a run folder" in told
    assert f"pairwright verify {calls.parent}" in told


def test_a_refused_file_does_not_keep_the_folder_locked(calls: Path) -> None:
    calls.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError) as kept:
        Store(calls)
    calls.unlink()
    with closing(Store(calls)) as store:  # `kept` still holds the frame that failed.
        assert store.totals().calls == 0
    assert kept


def test_a_full_disk_is_called_that_and_keeps_what_is_there(calls: Path) -> None:
    keys = filled(calls)
    with closing(Store(calls)) as store:
        store._db.execute("PRAGMA max_page_count = 1")
        with pytest.raises(StoreError, match="the disk is full") as full:
            asyncio.run(put(store, ask("long"), body("x" * 1_000_000)))
        assert "Make room" in str(full.value)
    with closing(Store(calls)) as store:
        assert store.totals().calls == len(keys)
        assert [*store.verify()] == []


def test_a_disk_without_locks_is_called_that(calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(StoreError, match="cannot lock a file") as refused:
        Store(calls)
    assert "another process" not in str(refused.value)


@contextmanager
def held(calls: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the store open for writing."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(calls)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_process_is_told_and_may_read_and_a_killed_one_holds_nothing(
    calls: Path,
) -> None:
    keys = filled(calls)
    with held(calls) as process:
        told = refusal(calls)
        assert "another process is writing" in told
        assert str(calls.parent) in told
        with closing(Store(calls, writing=False)) as reader:
            assert reader.get(keys[0]) is not None
        process.send_signal(signal.SIGKILL)
        process.wait()
    with closing(Store(calls)) as store:
        assert store.totals().calls == 3


def test_reading_goes_on_while_another_writes_and_sees_what_is_committed(calls: Path) -> None:
    async def scenario(writer: Store, reader: Store) -> None:
        for n in range(1, 4):
            await put(writer, ask(f"{n}"), body())
            assert reader.totals().calls == n
        # A reader in the middle of a long read does not hold up the writer.
        rows = reader.verify()
        next(rows, None)
        await put(writer, ask("4"), body())
        assert writer.totals().calls == 4

    with closing(Store(calls)) as writer, closing(Store(calls, writing=False)) as reader:
        asyncio.run(scenario(writer, reader))


def test_who_only_reads_cannot_write(calls: Path) -> None:
    filled(calls)
    with closing(Store(calls, writing=False)) as reader:
        with pytest.raises(StoreError):
            reader.clear_outcomes()
        with pytest.raises(StoreError):
            asyncio.run(put(reader, ask("new"), body()))
        assert reader.totals().calls == 3


def test_outcomes_come_back_in_source_order_and_by_kind(calls: Path) -> None:
    with closing(Store(calls)) as store:
        for position, kind in ((2, "kept"), (0, "failed"), (1, "kept")):
            store.add_outcome(position, f"u{position}", kind, "{}")
        assert [unit for unit, _, _ in store.outcomes()] == ["u0", "u1", "u2"]
        assert [unit for unit, _, _ in store.outcomes("kept")] == ["u1", "u2"]
        store.clear_outcomes()
        assert list(store.outcomes()) == []


@contextmanager
def disk_full(at: int) -> Iterator[None]:
    """No file of this process may grow over `at` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (at, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_a_store_error_for_every_caller_and_loses_nothing_stored(
    calls: Path,
) -> None:
    keys = filled(calls)

    async def scenario(store: Store) -> list[BaseException | None]:
        with disk_full(100_000):
            return await asyncio.gather(
                *(put(store, ask(f"{i}"), body("x" * 50_000)) for i in range(8)),
                return_exceptions=True,
            )

    store = Store(calls)
    results = asyncio.run(scenario(store))
    assert {type(result) for result in results} == {StoreError}
    assert str(calls) in str(results[0])
    store.close()
    with closing(Store(calls)) as again:
        assert again.totals().calls == 3
        assert again.get(keys[0]) is not None
    assert differences(calls) == []


def test_after_a_full_disk_was_emptied_the_same_store_goes_on(calls: Path) -> None:
    async def scenario(store: Store) -> None:
        with disk_full(100_000), pytest.raises(StoreError):
            await put(store, ask("large"), body("x" * 400_000))
        await put(store, ask("small"), body())

    with closing(Store(calls)) as store:
        asyncio.run(scenario(store))
        assert store.get(ask("small").key) == body()


@contextmanager
def read_only(journal: bytes = b"") -> Iterator[Path]:
    """A folder that this process cannot write to, even if it is root."""
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        filled(folder / "calls.sqlite")
        (folder / "lock").unlink()
        if journal:
            (folder / "calls.sqlite-wal").write_bytes(journal)
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


def test_a_folder_that_cannot_be_written_is_called_that_and_not_damaged() -> None:
    with read_only() as folder, pytest.raises(StoreError, match="cannot be written") as refused:
        Store(folder / "calls.sqlite")
    assert str(folder) in str(refused.value)
    assert "Restore" not in str(refused.value)


def test_a_finished_store_is_read_where_nothing_can_be_written() -> None:
    with read_only() as folder, closing(Store(folder / "calls.sqlite", writing=False)) as store:
        assert store.totals().calls == 3
        assert [*store.verify()] == []


def test_a_journal_that_a_kill_left_is_never_passed_over() -> None:
    """Read without it, the last calls would be missing."""
    with read_only(journal=b"the last calls") as folder:
        with pytest.raises(StoreError, match="cannot be written") as refused:
            Store(folder / "calls.sqlite", writing=False)
        assert "copy it to a disk that is" in str(refused.value)


def test_a_store_killed_while_it_is_made_can_be_used_afterwards(tmp_path: Path) -> None:
    """Killed at each statement in turn; nothing was stored yet, so nothing is in the way."""
    program = """
import os, signal, sqlite3, sys
from pathlib import Path
from pairwright.models.store import Store
folder, connect = Path(sys.argv[1]), sqlite3.connect
for stop in range(12):
    path = folder / str(stop) / "calls.sqlite"
    path.parent.mkdir()
    if os.fork() == 0:
        seen = 0
        def count(_):
            global seen
            if seen == stop:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += 1
        def traced(*given, **named):
            db = connect(*given, **named)
            db.set_trace_callback(count)
            return db
        sqlite3.connect = traced
        Store(path)
        os._exit(0)
    os.wait()
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    told = [refusal(folder / "calls.sqlite") for folder in tmp_path.iterdir()]
    assert len(told) == 12
    assert not any(told)


def test_the_key_is_the_hash_of_the_documented_form_which_never_changes() -> None:
    request = ask("é", seed=1, temperature=0.5, schema_name="s", schema_json="{}", draw=2)
    assert request.canonical == (
        '{"draw":2,"extra":"{}","max_tokens":100,"messages":[{"content":"é","role":"user"}],'
        '"model":"m","revision":null,"schema":"{}","schema_name":"s","seed":1,"temperature":0.5,'
        '"top_p":null}'
    )
    assert request.key == key_of(request.canonical) == "b2:7bf4a49c77472027bb64a092a3bb06745e288e78"
    assert replace(request, purpose="another prompt's name").key == request.key


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "n"}, {"revision": "r"}, {"temperature": 0.0}, {"top_p": 0.9}, {"seed": 0},
        {"max_tokens": 101}, {"draw": 1}, {"schema_name": "s"}, {"schema_json": "{}"},
        {"extra": '{"a":1}'}, {"messages": (Message("system", "a question"),)},
    ],
)  # fmt: skip
def test_whatever_changes_the_answer_changes_the_key(changed: dict[str, Any]) -> None:
    assert replace(ask(), **changed).key != ask().key
