"""A build over a real Ray cluster of several nodes on this machine's loopback.

A node is a raylet with its own workers; the run folder is on the one file system that they share.
What an endpoint was asked is counted at the endpoint.
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from own_process import building, ending, stored, until

from endpoint import double, in_thread
from engines.fixtures import engines, environment
from study import KEY_VARIABLE, Study

__all__ = ["engines"]

pytestmark = pytest.mark.real

ITEMS = 12
KEY = "sk-of-a-test-3b1f9c55d2"


class Nodes(NamedTuple):
    """A running cluster."""

    address: str
    raylets: list[int]
    """Process ids, the head's first."""
    folder: Path


Start = Callable[..., Nodes]


@pytest.fixture
def start(engines: str) -> Iterator[Start]:
    """Start a cluster of a head without CPUs and nodes with one each."""
    with ExitStack() as stack:

        def started(nodes: int, *, head_cpus: int = 0, inside: tuple[str, ...] = ()) -> Nodes:
            # Sockets need short paths.
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="pw-ray-", dir="/tmp")))
            program = str(Path(__file__).parents[1] / "engines" / "ray_nodes.py")
            command = [*inside, engines, program, str(head_cpus), str(nodes), str(folder)]
            process = stack.enter_context(
                subprocess.Popen(
                    command, env=environment(), text=True, stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
            )  # fmt: skip
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("{"):
                    return Nodes(**json.loads(line), folder=folder)
            raise AssertionError("the cluster did not start")

        yield started


def on(nodes: Nodes, python: str, study: Study) -> subprocess.Popen[str]:
    return building(python, study, "--address", nodes.address, **{KEY_VARIABLE: KEY})


def make(folder: Path, url: str, **changes: Any) -> Study:
    given = {
        "processes": 3, "served__concurrency": 6, "served__timeout_s": 120,
        "served__api_key_env": KEY_VARIABLE, **changes,
    }  # fmt: skip
    return Study.make(folder, url, limit=ITEMS, **given)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int]:
    """What one process leaves, and how many calls it takes."""
    with pytest.MonkeyPatch.context() as patched, in_thread(double()) as endpoint:
        patched.setenv(KEY_VARIABLE, KEY)
        study = make(tmp_path_factory.mktemp("alone") / "s", endpoint.url, processes=1)
        assert study.build().code == 0
    return study.outcomes(), endpoint.n


def test_a_killed_node_loses_no_finished_call_and_stops_nothing(
    engines: str, start: Start, tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    whole, calls = alone
    nodes = start(3)
    with in_thread(double(delay_s=0.3)) as endpoint:
        study = make(tmp_path / "s", endpoint.url)
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
    engines: str, start: Start, tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    _, calls = alone
    nodes = start(2)
    with in_thread(double(delay_s=0.3)) as endpoint:
        study = make(tmp_path / "s", endpoint.url, processes=2)
        with ending(on(nodes, engines, study)) as process:
            until(lambda: endpoint.n > calls // 4, process, 600)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=600)
        assert process.returncode == 130, said
        assert "Traceback" not in said
        assert endpoint.n == len(endpoint.answered) == len(stored(study.run)) < calls
    assert not (study.run / "shards").exists()
    assert not (study.run / "pairs.jsonl").exists()
