"""A build over a real Ray cluster of several nodes on this machine's loopback.

A node is a raylet with its own workers; the run folder is on the one file system that they share.
What an endpoint was asked is counted at the endpoint.
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from own_process import building, ending, stored, until

from endpoint import double, in_thread
from engines.fixtures import HERE, engines, environment
from study import KEY_VARIABLE, Study

__all__ = ["engines"]

pytestmark = pytest.mark.real

KEY = "sk-of-a-test-3b1f9c55d2"


class Nodes(NamedTuple):
    """A running cluster."""

    address: str
    raylets: list[int]
    """Process ids, the head's first."""
    folder: Path


@contextmanager
def cluster(python: str, nodes: int) -> Iterator[Nodes]:
    """A cluster of a head without CPUs and nodes with one each."""
    # Sockets need short paths.
    with TemporaryDirectory(prefix="pw-ray-", dir="/tmp") as folder:
        command = [python, str(HERE / "ray_nodes.py"), str(nodes), folder]
        with subprocess.Popen(
            command, env=environment(), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            line = next(line for line in process.stdout if line.startswith("{"))
            yield Nodes(**json.loads(line), folder=Path(folder))


def on(nodes: Nodes, python: str, study: Study) -> subprocess.Popen[str]:
    return building(python, study, "--address", nodes.address, **{KEY_VARIABLE: KEY})


def make(folder: Path, url: str, processes: int) -> Study:
    return Study.make(
        folder, url, limit=12, processes=processes, served__concurrency=6, served__timeout_s=120,
        served__api_key_env=KEY_VARIABLE,
    )  # fmt: skip


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int]:
    """What one process leaves, and how many calls it takes."""
    with pytest.MonkeyPatch.context() as patched, in_thread(double()) as endpoint:
        patched.setenv(KEY_VARIABLE, KEY)
        study = make(tmp_path_factory.mktemp("alone") / "s", endpoint.url, 1)
        assert study.build().code == 0
    return study.outcomes(), endpoint.n


def test_a_killed_node_loses_no_finished_call_and_stops_nothing(
    engines: str, tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    whole, calls = alone
    with cluster(engines, 3) as nodes, in_thread(double(delay_s=0.3)) as endpoint:
        study = make(tmp_path / "s", endpoint.url, 3)
        with ending(on(nodes, engines, study)) as process:
            until(lambda: endpoint.n > calls // 3, process, 600)
            os.kill(nodes.raylets[-1], signal.SIGKILL)
            said, _ = process.communicate(timeout=600)
        assert process.returncode == 0, said
        assert study.outcomes() == whole
        assert calls <= endpoint.n <= calls + 2, "the killed node had two calls in flight at most"
        assert len(stored(study.run)) == calls
        assert not (study.run / "shards").exists()
        assert {asked.headers["Authorization"] for asked in endpoint.asked} == {f"Bearer {KEY}"}
        assert KEY not in said
        logs = [path for path in nodes.folder.rglob("*") if path.is_file()]
        assert any("raylet" in path.name for path in logs)
        assert not [path for path in logs if KEY.encode() in path.read_bytes()]


def test_ctrl_c_lets_actors_finish_what_is_in_flight(
    engines: str, tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    _, calls = alone
    with cluster(engines, 2) as nodes, in_thread(double(delay_s=0.3)) as endpoint:
        study = make(tmp_path / "s", endpoint.url, 2)
        with ending(on(nodes, engines, study)) as process:
            until(lambda: endpoint.n > calls // 4, process, 600)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=600)
        assert process.returncode == 130, said
        assert "Traceback" not in said
        assert endpoint.n == len(endpoint.answered) == len(stored(study.run)) < calls
    assert not (study.run / "shards").exists()
    assert not (study.run / "pairs.jsonl").exists()
