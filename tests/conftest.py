"""What all tests share."""

import gc
import os
import shutil
import ssl
import sys
import tomllib
from collections.abc import Generator, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from label_studio_process import LabelStudioServer
    from live_study import LiveStudy
    from pairwright.audits.records import Audit
    from pairwright_human_eval.label_studio import LabelStudioClient

# Threads of one matrix product would wait for each other where workers take all cores.
os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
# What tests write need not outlive a power cut; to wait for the disk took a tenth of their time.
os.fsync = lambda fd: None
# To read the certificates takes longer than a call, and every client of HTTP reads them.
vars(ssl)["create_default_context"] = cache(ssl.create_default_context)
# Files in memory take a third of the time, where there is room for those of all tests.
_MEMORY = Path("/dev/shm")
if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > 4e9:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and collected tests stay until the end: the garbage collector passes them over, and
    looks at what is old only now and then."""
    gc.disable()
    result = yield
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    gc.enable()
    if multitest := sys.modules.get("statsmodels.stats.multitest"):
        # It collects all garbage at every correction.
        vars(multitest)["gc"] = SimpleNamespace(collect=lambda: 0)
    parsed = cache(tomllib.loads)
    # The same few files are read again and again.
    vars(tomllib)["loads"] = lambda text: deepcopy(parsed(text))
    _sketch()
    return result


_PARTS = '<path d="M 0 1"/><use href="#a"/><text>B</text>'
SKETCH = f'<svg role="img" aria-label="A"><g id="a">{_PARTS}</g></svg>'
SKETCHED = pytest.MonkeyPatch()


def _sketch() -> None:
    """Drawing takes longer than all else of a page, so that a sketch stands in place of a plot."""
    from markupsafe import Markup

    for name in ("audits.page.audit_plots", "evaluation.leaderboard_page._plot"):
        module, _, function = f"pairwright.{name}".rpartition(".")
        if module in sys.modules:
            sketch = sys.modules["pairwright.pages.plots"].Plot(Markup(SKETCH), "A sketch")
            plots = {"accuracies": sketch} if function == "audit_plots" else sketch
            SKETCHED.setattr(sys.modules[module], function, lambda *_, plots=plots: plots)
    _sketch_drawing()


def _sketch_drawing() -> None:
    if "matplotlib.figure" in sys.modules:
        SKETCHED.setattr(
            "matplotlib.figure.Figure.savefig", lambda _, file, **__: file.write("<svg ></svg>")
        )


def _draw() -> Iterator[None]:
    SKETCHED.undo()
    yield
    _sketch()


@pytest.fixture
def composed(drawn: None) -> None:
    """Every plot is put together and its caption written, but its lines are not drawn."""
    _sketch_drawing()


drawn = pytest.fixture(_draw, name="drawn")
"""Plots as they are, for a test that looks into them."""
all_drawn = pytest.fixture(_draw, name="all_drawn", scope="module")
"""The same for all tests of a module and for what they share."""


@pytest.fixture
def nothing_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bag of words of an audit finds nothing: what it learns is tested by itself, and takes
    longer than all other checks."""
    import numpy as np

    from pairwright.audits import shortcuts

    monkeypatch.setattr(shortcuts, "bag_points", lambda pairs, *_: np.full(len(pairs), 0.5))


@pytest.fixture
def learnt(nothing_learnt: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a module without them, a test of what they find."""
    monkeypatch.undo()
    monkeypatch.setattr("pairwright.audits.ways.FOLDS", 2)


@pytest.fixture(scope="module", autouse=True)
def sketched_audit(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every release is audited, and to write the page takes as long as the audit: tests of releases
    and of studies have a sketch of it."""
    with pytest.MonkeyPatch.context() as patched:
        if request.path.parent.name in ("releases", "human"):
            patched.setattr("pairwright.audits.page.audit_page", _sketch_page)
        yield


def _sketch_page(audit: "Audit") -> str:
    return f"<html><body>{audit.source.name} {audit.source.version}</body></html>"


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


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator["LabelStudioServer"]:
    """The real Label Studio."""
    from label_studio_process import serving_label_studio

    with serving_label_studio(tmp_path_factory.mktemp("label-studio")) as server:
        yield server


@pytest.fixture
def key(running: "LabelStudioServer", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", running.account.token)


@pytest.fixture(scope="module")
def server(running: "LabelStudioServer") -> Iterator["LabelStudioClient"]:
    from pairwright_human_eval.label_studio import connected

    with connected(running.url, running.account.token) as server:
        yield server
