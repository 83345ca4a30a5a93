"""A store of calls that is lost, emptied or another one is noticed before a call is sent again."""

import json
from contextlib import closing, suppress
from pathlib import Path

import pytest
from stored import body, keep

from endpoint import ask
from pairwright.construct.folder import RunFolder
from pairwright.errors import StoreError
from pairwright.models.store import CallRecord, Store, recorded_store
from pairwright.workflows.run_models import run_store
from pairwright.workflows.run_status import verify_calls
from scripted import settings

CONSENT = "say yes."


def put(store: Store, *questions: str) -> None:
    keep(store, *((ask(question), body()) for question in questions))


def record(calls: Path) -> CallRecord:
    return CallRecord.model_validate_json(calls.with_name("calls.json").read_bytes())


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """A store with three calls, of 12 prompt and 3 completion tokens each, that cost 6."""
    path = tmp_path / "calls.sqlite"
    with recorded_store(path, consent=CONSENT, cost=lambda _: 6.0) as store:
        put(store, "a", "b", "c")
    return path


def refusal(path: Path) -> str:
    """What a store is refused with; nothing is noted, and no file comes to be."""
    noted = path.with_name("calls.json").read_bytes()
    with pytest.raises(StoreError) as found, recorded_store(path, consent=CONSENT):
        pytest.fail("it was opened")
    assert path.with_name("calls.json").read_bytes() == noted
    return str(found.value)


def test_what_a_store_holds_is_recorded_when_it_is_closed_also_after_an_error(calls: Path) -> None:
    name = record(calls).store
    assert record(calls) == CallRecord(
        store=name, calls=3, prompt_tokens=36, completion_tokens=9, cost=6.0
    )
    with suppress(KeyError), recorded_store(calls, consent=CONSENT) as store:
        put(store, "d")
        raise KeyError
    assert (record(calls).calls, record(calls).store) == (4, name)


def test_a_store_that_was_deleted_or_emptied_is_not_made_again(calls: Path) -> None:
    calls.unlink()
    assert "is missing; it held 3 calls" in (said := refusal(calls))
    assert "3 calls, 36 tokens of prompts and 9 of replies, 6.00 by the prices" in said
    assert said.endswith(CONSENT)
    assert not calls.exists()
    calls.touch()
    assert "is empty; it held 3 calls" in refusal(calls)
    assert calls.stat().st_size == 0


def test_a_store_without_calls_that_it_had_names_what_is_missing(calls: Path) -> None:
    with closing(Store(calls)) as store:
        store._db.execute("DELETE FROM calls WHERE request LIKE '%\"c\"%'")
    said = refusal(calls)
    assert "holds 2 calls, and held 3 calls before" in said
    assert "about 1 call, 12 tokens of prompts and 3 of replies, 2.00 by" in said
    found = verify_calls(calls.parent)
    assert found == (f"{calls}: holds 2 calls, and held 3 calls before",)


def test_the_store_of_another_run_is_noticed_though_larger(calls: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "calls.sqlite"
    other.parent.mkdir()
    with recorded_store(other, consent=CONSENT) as store:
        put(store, *"abcdef")
    calls.write_bytes(other.read_bytes())
    assert "is the store of another run; that of this run held 3 calls" in refusal(calls)


def test_a_store_that_held_no_call_is_made_again_without_a_question(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    for _ in range(2):
        with recorded_store(path, consent=CONSENT, begun=path.exists()) as store:
            assert store.totals().calls == 0
        assert record(path).calls == 0
        path.unlink()
    with recorded_store(path, consent=CONSENT, begun=True):
        pass


def test_consent_is_asked_for_once(calls: Path) -> None:
    calls.unlink()
    told = []
    with (
        suppress(KeyError),
        recorded_store(
            calls, consent=CONSENT, ask_again=True, forget=lambda: told.append(1)
        ) as store,
    ):
        assert store.totals().calls == 0
        assert record(calls).calls == 0, "a kill from here on asks for no second consent"
        raise KeyError
    with recorded_store(calls, consent=CONSENT, forget=lambda: told.append(2)) as store:
        put(store, "a")
    assert told == [1]


def test_a_store_that_is_whole_is_verified_and_more_calls_need_no_consent(calls: Path) -> None:
    assert verify_calls(calls.parent) == ()
    with closing(Store(calls)) as store:
        put(store, "d")  # As a build does that is killed before it takes note of it.
    with recorded_store(calls, consent=CONSENT) as store:
        assert store.totals().calls == 4
    calls.with_name("calls.json").unlink()
    assert verify_calls(calls.parent) == ()


def test_a_journal_of_a_store_that_is_gone_is_not_read_into_a_new_one(calls: Path) -> None:
    for end in ("-wal", "-shm"):
        calls.with_name(calls.name + end).write_bytes(b"old")
    calls.unlink()
    with recorded_store(calls, consent=CONSENT, ask_again=True) as store:
        assert store.totals().calls == 0
        put(store, "a")
    assert record(calls).calls == 1


def test_a_record_that_cannot_be_read_says_how_to_go_on(calls: Path) -> None:
    calls.with_name("calls.json").write_text("{")
    assert "remove it to go on" in refusal(calls)


def test_a_run_folder_of_an_earlier_version_goes_by_its_manifest(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    run.make()
    run.prepare(settings(), {}, accept_changes=False)
    with pytest.raises(StoreError, match="is missing, though this run was begun") as begun:
        run_store(run, settings()).__enter__()
    assert "how many calls it held is not known" in str(begun.value)
    made = {"n": 650, "prompt_tokens": 4000, "completion_tokens": 900, "cost": 1.5}
    (run.path / "manifest.json").write_text(json.dumps({"calls": made}), "utf-8")
    with pytest.raises(StoreError, match="held 650 calls") as found:
        run_store(run, settings()).__enter__()
    assert f"--run {run.path} --ask-again" in str(found.value)
    with run_store(run, settings(), ask_again=True) as store:
        put(store, "a")
    assert (run.path / "previous" / "manifest.json").exists()
    with run_store(run, settings()) as store:
        assert store.totals().calls == 1
