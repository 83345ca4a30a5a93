"""A run that is run again: outcomes that are settled stay while all that they follow from does."""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from endpoint import Endpoint, double, in_thread
from pairwright.assets import __version__
from pairwright.construct import folder
from pairwright.construct.session import Session
from pairwright.construct.show import show
from pairwright.errors import StoreError
from study import Study

ITEMS = 5
UNITS = 3 * ITEMS
"""Two modes, and the plan of each item."""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with in_thread(double()) as served:
        yield served


@pytest.fixture(scope="module")
def built(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Study:
    study = Study.make(tmp_path_factory.mktemp("again") / "study", endpoint.url, limit=ITEMS)
    assert study.build().code == 0
    return study


@pytest.fixture
def copied(built: Study, endpoint: Endpoint, tmp_path: Path) -> Study:
    endpoint.forget()
    return built.copy(tmp_path / "study")


@pytest.fixture
def worked_on(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the units that go through the stages."""
    names: list[str] = []
    real: Callable[..., Any] = Session._end

    def noted(session: Session, unit: Any, *rest: Any) -> None:
        names.append(unit.id)
        real(session, unit, *rest)

    monkeypatch.setattr(Session, "_end", noted)
    return names


def change(study: Study, statement: str) -> None:
    with closing(sqlite3.connect(study.run / "run.sqlite")) as database:
        database.execute(statement)
        database.commit()


@pytest.mark.parametrize(
    ("statement", "units"),
    [
        ("DELETE FROM outcomes WHERE position IN (0, 3, 6, 9, -3)", 5),
        ("UPDATE outcomes SET kind = 'failed' WHERE position = 2", 1),
        ("UPDATE outcomes SET kind = 'waiting' WHERE position = 2", 1),
        # An outcome of other things is never taken.
        ("UPDATE outcomes SET record = '{}', follows = 'another run'", UNITS),
    ],
)
def test_only_units_without_an_outcome_and_that_failed_or_wait_are_worked_on(
    built: Study, copied: Study, worked_on: list[str], statement: str, units: int
) -> None:
    change(copied, statement)
    assert copied.build().code == 0
    assert len(worked_on) == units
    assert copied.outcomes() == built.outcomes()


def test_a_patch_of_the_code_or_of_python_keeps_outcomes_and_a_minor_version_works_on_all(
    built: Study, copied: Study, worked_on: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    patch, (minor, _, last) = "3.11.99 (another)", __version__.rpartition(".")
    monkeypatch.setattr(sys, "version", patch)
    monkeypatch.setattr(folder, "__version__", f"{minor}.{int(last) + 1}")
    assert copied.build().code == 0
    assert worked_on == []
    monkeypatch.setattr(folder, "__version__", "999.0.0")
    assert copied.build().code == 0
    assert len(worked_on) == UNITS
    assert copied.outcomes() == built.outcomes()


def test_an_accepted_change_works_on_all_and_asks_nothing(
    copied: Study, endpoint: Endpoint, worked_on: list[str]
) -> None:
    copied.change(gates__margin=0.5)
    assert copied.build("--accept-changes").code == 0
    assert (len(worked_on), endpoint.n) == (UNITS, 0)


def test_an_outcome_of_another_version_is_told_and_not_shown(copied: Study) -> None:
    change(copied, """UPDATE outcomes SET record = '{"gone": 1}'""")
    unit = show(copied.run)[0].split()[0]
    with pytest.raises(StoreError, match=f"{unit} is of another version"):
        show(copied.run, unit)
