"""Status and show read the index of a run's units, and a stale index gives no wrong answer."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from endpoint import double, in_thread
from pairwright.construct import run_pairs, tally
from pairwright.construct.outcomes import Outcome
from pairwright.construct.tally import entry_of, names_of
from pairwright.errors import StoreError
from pairwright.models.store import Store, unit_index
from pairwright.workflows.run_status import RunStatus, status
from study import Study, pairwright

DROPPED = "".join(
    [f"DROP TABLE {name};" for name in unit_index._NAMES]
    + [f"DROP TRIGGER {name};" for name in ("outcome_added", "outcome_removed", "outcome_changed")]
    + ["DROP TRIGGER call_changed; DROP TRIGGER call_removed;"]
)
"""Makes a store one of an earlier version, which had no index."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    with in_thread(double()) as endpoint:
        folder = tmp_path_factory.mktemp("index") / "study"
        study = Study.make(folder, endpoint.url, limit=3)
        assert study.build().code == 0
        yield study


@pytest.fixture
def copied(built: Study, tmp_path: Path) -> Study:
    return built.copy(tmp_path / "study")


class Reads:
    """How many records of units were read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.n = 0
        for module in (run_pairs, tally):
            monkeypatch.setattr(module, "Outcome", self)

    def model_validate_json(self, record: str) -> Outcome:
        self.n += 1
        return Outcome.model_validate_json(record)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


def change(study: Study, statements: str) -> None:
    with closing(sqlite3.connect(study.run / "calls.sqlite")) as database:
        database.executescript(statements)


def value(study: Study, query: str) -> Any:
    with closing(sqlite3.connect(study.run / "calls.sqlite")) as database:
        (found,) = database.execute(query).fetchone()
    return found


def found(study: Study) -> tuple[Any, ...]:
    """What status counts."""
    now: RunStatus = status(study.run)
    return now.tally, now.checks, now.stored, now.surveyed


def names(study: Study) -> dict[str, str]:
    """By every id of the run, the unit that it finds by the records."""
    with closing(Store(study.run / "calls.sqlite", writing=False)) as store:
        outcomes = [Outcome.model_validate_json(record) for _, _, record in store.outcomes()]
    return {name: one.unit for one in reversed(outcomes) for name in names_of(one)}


def found_by(study: Study, ids: Iterable[str]) -> dict[str, str]:
    """The same by what `show` finds."""
    with closing(Store(study.run / "calls.sqlite", writing=False)) as store:
        return {name: run_pairs.find_outcome(store, name, study.run).unit for name in ids}


def test_status_and_show_do_not_read_every_record(built: Study, reads: Reads) -> None:
    last = json.loads((built.run / "pairs.jsonl").read_text().splitlines()[-1])
    assert status(built.run).pairs > 5
    assert reads.n == 0
    done = pairwright("show", built.run, last["id"])
    assert last["chosen"].split()[0] in done.out
    assert reads.n == 1


def test_the_index_counts_and_finds_what_the_records_say(built: Study, copied: Study) -> None:
    change(copied, DROPPED)
    assert found(copied) == found(built)
    assert found(built)[0].readings["support"][1] > 0
    assert found(built)[0].no_signal.total() == 3
    ids = names(built)
    assert len(ids) == 18
    assert found_by(built, ids) == found_by(copied, ids) == ids


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE outcomes SET record = replace(record, 'gates', 'plan') WHERE kind = 'rejected'",
        "UPDATE outcomes SET record = replace(record, '\"pair-', '\"pair-0')",
        "DELETE FROM outcomes WHERE position IN (0, 3)",
        "UPDATE outcomes SET position = 400 WHERE position = 1",
        "INSERT OR REPLACE INTO outcomes SELECT 2, unit, kind, record FROM outcomes"
        " WHERE position = 0",
        "UPDATE calls SET reply = replace(reply, 'carried', 'missing') WHERE purpose = 'support'",
        "DELETE FROM calls WHERE purpose = 'support'",
    ],
)
def test_what_a_person_changed_is_counted_and_found_as_it_is_now(copied: Study, edit: str) -> None:
    change(copied, edit)
    now, ids = found(copied), names(copied)
    assert found_by(copied, ids) == ids
    change(copied, DROPPED)
    assert now == found(copied)


def test_an_id_that_is_gone_is_not_found(copied: Study) -> None:
    pair = json.loads((copied.run / "pairs.jsonl").read_text().splitlines()[0])["id"]
    change(copied, f"UPDATE outcomes SET record = replace(record, '{pair}', 'pair-other')")
    done = pairwright("show", copied.run, pair)
    assert done.code == 2
    assert f"nothing here has the id '{pair}'" in done.err


@pytest.mark.parametrize("made", [DROPPED, "UPDATE unit_form SET form = 0;"])
def test_the_next_build_makes_the_index_of_an_earlier_version_again(
    built: Study, copied: Study, made: str, reads: Reads
) -> None:
    change(copied, made)
    assert found(copied) == found(built)
    assert copied.build().code == 0
    reads.n = 0
    assert found(copied) == found(built)
    assert reads.n == 0


def test_an_outcome_that_could_not_be_written_whole_is_not_there(copied: Study) -> None:
    before = found(copied)
    record = value(copied, "SELECT record FROM outcomes WHERE position = 0")
    outcome = Outcome.model_validate_json(record)
    store = Store(copied.run / "calls.sqlite")
    entry = entry_of(outcome, store)
    # As where the disk fails between the two: the last statement of the transaction does.
    store._db.connection.execute("DROP TABLE unit_readings")
    store.add_outcome(4000, outcome.unit, outcome.kind, record, entry)
    with pytest.raises(StoreError, match="unit_readings"):
        store.close()
    store._db.close()
    for table in ("outcomes", "unit_entries", "unit_names"):
        assert value(copied, f"SELECT count(*) FROM {table} WHERE position = 4000") == 0, table
    change(copied, "DROP TABLE unit_form")
    assert found(copied) == before


def test_a_reply_that_is_missing_leaves_its_unit_counted(built: Study, copied: Study) -> None:
    key = value(copied, "SELECT key FROM calls WHERE purpose = 'support' LIMIT 1")
    change(copied, f"CREATE TABLE kept AS SELECT * FROM calls WHERE key = '{key}'")
    change(copied, f"DELETE FROM calls WHERE key = '{key}'")
    less, whole = found(copied)[0], found(built)[0]
    assert less.units == whole.units
    assert less.readings["support"][1] < whole.readings["support"][1]
    with closing(Store(copied.run / "calls.sqlite")) as store:
        tally.renew_index(store)
    change(copied, "INSERT INTO calls SELECT * FROM kept")
    assert found(copied)[0] == whole


def test_a_damaged_reply_is_named(copied: Study) -> None:
    change(copied, "UPDATE calls SET reply = 'no JSON' WHERE purpose = 'support'")
    with pytest.raises(StoreError, match=r"calls.sqlite \[b2:"):
        status(copied.run)
