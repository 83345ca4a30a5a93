"""What all tests share."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from live_study import LiveStudy
    from pairwright.audits.records import Audit
    from pairwright.pages.plots import Plot

    Drawing = Callable[[Audit], dict[str, Plot]]

# What tests write need not outlive a power cut; to wait for the disk took a tenth of their time.
os.fsync = lambda fd: None


def pytest_collection_finish() -> None:
    """Plots are most of a small audit's work: those of the same figures are drawn once. Modules and
    collected tests stay until the end: the garbage collector passes them over."""
    if page := sys.modules.get("pairwright.audits.page"):
        vars(page)["audit_plots"] = _drawn_once(vars(page)["audit_plots"])
    gc.collect()
    gc.freeze()


def _drawn_once(draw: "Drawing") -> "Drawing":
    drawn: dict[str, dict[str, Plot]] = {}

    def plots(audit: "Audit") -> "dict[str, Plot]":
        source = audit.source.model_copy(update={"version": "", "digest": ""})
        figures = audit.model_copy(update={"source": source}).model_dump_json()
        if figures not in drawn:
            drawn[figures] = draw(audit)
        return drawn[figures]

    return plots


@pytest.fixture(scope="module")
def no_plots() -> Iterator[None]:
    """Audits without plots, for tests that look at none."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pairwright.audits.page.audit_plots", lambda _: {})
        yield


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
