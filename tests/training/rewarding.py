"""A release to train on, and the reward server in a process of its own."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from released import released, run_of


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a split to train on."""
    folder = tmp_path_factory.mktemp("rl")
    run = run_of(folder / "run")
    return released(run, folder / "release", "1.0.0", "--validation", "0.5").root


@contextmanager
def reward_server(
    python: str, *arguments: object, variables: Mapping[str, str] | None = None
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """`pairwright train reward-server`, and its address once it is ready."""
    command = [python, "-c", "from pairwright.cli import main; main()", "train", "reward-server"]
    command += [*map(str, arguments), "--port", "0"]
    pipe = subprocess.PIPE
    server = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=variables)
    try:
        assert server.stderr
        yield server, next(line for line in server.stderr if line.startswith("http")).split()[0]
    finally:
        server.kill()
        server.communicate()
