"""What all tests share."""

import gc
import os
from pathlib import Path

import pytest

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
