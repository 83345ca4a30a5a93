"""What all tests share."""

import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from live_study import LiveStudy

# What tests write need not outlive a power cut; to wait for the disk took a tenth of their time.
os.fsync = lambda fd: None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and collected tests stay until the end: the garbage collector passes them over."""
    gc.disable()
    result = yield
    gc.collect()
    gc.freeze()
    gc.enable()
    if multitest := sys.modules.get("statsmodels.stats.multitest"):
        # It collects all garbage at every correction.
        vars(multitest)["gc"] = SimpleNamespace(collect=lambda: 0)
    if module := sys.modules.get("matplotlib.figure"):
        figure = vars(module)["Figure"]
        figure.saved_as_it_is = figure.savefig
        figure.savefig = _sketch
    return result


def _sketch(_: object, file: IO[str], **__: object) -> None:
    """In place of a plot: drawing takes longer than all else of a page."""
    file.write('<svg version="1.1"><g id="a"><use href="#a"/><text>A sketch</text></g></svg>')


def _draw() -> Iterator[None]:
    from matplotlib.figure import Figure

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Figure, "savefig", getattr(Figure, "saved_as_it_is", Figure.savefig))
        yield


drawn = pytest.fixture(_draw, name="drawn")
"""Plots as they are, for a test that looks into them."""
all_drawn = pytest.fixture(_draw, name="all_drawn", scope="module")
"""The same for all tests of a module and for what they share."""


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
