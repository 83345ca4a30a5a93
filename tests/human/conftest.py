"""Studies that several tests look at or copy."""

from pathlib import Path

import pytest

from live_study import LiveStudy
from released import PAIRS, run_of


@pytest.fixture(scope="session")
def exported_sheets(tmp_path_factory: pytest.TempPathFactory) -> LiveStudy:
    """A study by spreadsheet that nobody has answered. Not to be changed."""
    study = LiveStudy(run_of(tmp_path_factory.mktemp("sheets") / "run", PAIRS, study=False))
    study.do("export", "--tool", "spreadsheet", "--seed", 5, "--annotators", 9)
    return study


@pytest.fixture
def study(exported_sheets: LiveStudy, tmp_path: Path) -> LiveStudy:
    """The same, to be changed."""
    return exported_sheets.copy(tmp_path / "run")
