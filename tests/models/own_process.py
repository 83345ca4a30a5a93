"""Builds in processes of their own, the calls that they stored, and a disk that is full."""

import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from engines.fixtures import environment
from pairwright.models import Completion, Request, completion_of
from pairwright.models.store import Store
from study import Study

PROGRAM = "from pairwright.cli import main; main()"


def stored(run: Path) -> dict[str, tuple[Request, Completion]]:
    """The calls of a run folder by their keys."""
    with closing(Store(run / "run.sqlite", writing=False)) as store:
        rows = store.execute("SELECT key, purpose, request, reply FROM calls").fetchall()
    return {
        key: (Request.of(request, purpose), completion_of(key, reply))
        for key, purpose, request, reply in rows
    }


def building(python: str, study: Study, *options: str, **variables: str) -> subprocess.Popen[str]:
    """`pairwright build` by another Python, in a process group that a terminal's Ctrl-C would
    reach."""
    command = [python, "-c", PROGRAM, "build", str(study.config), "--run", str(study.run)]
    return subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=environment(COLUMNS="400", **variables), start_new_session=True,
    )  # fmt: skip


@contextmanager
def ending(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """A process that does not outlive the block."""
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until(
    happened: Callable[[], bool], process: subprocess.Popen[str], seconds: float = 60
) -> None:
    """Wait for something to happen while a process runs."""
    end = time.monotonic() + seconds
    while not happened():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, f"it did not happen in {seconds} seconds"
        time.sleep(0.01)


@contextmanager
def disk_full(at: int) -> Iterator[None]:
    """No file of this process may grow over `at` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (at, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
