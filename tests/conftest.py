"""What all tests share."""

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from live_study import LiveStudy

# What tests write need not outlive a power cut; to wait for the disk took a tenth of their time.
os.fsync = lambda fd: None


def pytest_collection_finish() -> None:
    """Modules and collected tests stay until the end: the garbage collector passes them over."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def small_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole release of eight questions, all verified by people. Not to be changed."""
    # Here, so that tests of a single function do not wait for the import.
    from released import released, run_of

    folder = tmp_path_factory.mktemp("small")
    return released(run_of(folder / "run"), folder / "release").root


@pytest.fixture(scope="session")
def exported_sheets(tmp_path_factory: pytest.TempPathFactory) -> "LiveStudy":
    """A study by spreadsheet that nobody has answered. Not to be changed."""
    from live_study import LiveStudy
    from released import PAIRS, run_of

    study = LiveStudy(run_of(tmp_path_factory.mktemp("sheets") / "run", PAIRS, study=False))
    study.do("export", "--tool", "spreadsheet", "--seed", 5, "--annotators", 9)
    return study


@pytest.fixture
def study(exported_sheets: "LiveStudy", tmp_path: Path) -> "LiveStudy":
    """The same, to be changed."""
    return exported_sheets.copy(tmp_path / "run")
