"""A build over a real Ray cluster of several nodes on this machine's loopback.

A node is a raylet with its own workers and resources, started by `ray start`; the run folder is on
the one file system that they share. What an endpoint was asked is counted at the endpoint.
"""

import os
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from endpoint import Endpoint, in_thread, simulated
from engines.fixtures import engines, environment
from pairwright.store import Store
from study import KEY_VARIABLE, Study

__all__ = ["engines"]

pytestmark = pytest.mark.real

ITEMS = 12
KEY = "sk-of-a-test-3b1f9c55d2"
PROGRAM = "from pairwright.cli import main; main()"


class Nodes:
    """A head without CPUs, and nodes with one each, so that every worker has its own node."""

    def __init__(self, python: str, folder: Path) -> None:
        self._ray = str(Path(python).parent / "ray")
        self._mark = uuid4().hex
        # Sockets have short paths.
        self._temporary = Path("/tmp") / f"pw-ray-{self._mark[:8]}"
        self._environment = environment(PAIRWRIGHT_TEST_RAY=self._mark)
        self.address = f"127.0.0.1:{free_port()}"
        port = self.address.split(":")[1]
        self._start(
            "--head", "--port", port, "--num-cpus", "0", "--include-dashboard", "false",
            "--temp-dir", str(self._temporary),
        )  # fmt: skip

    def add(self, n: int) -> None:
        for _ in range(n):
            self._start("--address", self.address, "--num-cpus", "1")

    def add_without(self, folder: Path) -> None:
        """A node that has an empty folder in this one's place."""
        mount = f'mount -t tmpfs none {shlex.quote(str(folder))} && exec "$@"'
        self._start(
            "--address", self.address, "--num-cpus", "1",
            inside=("unshare", "--map-root-user", "--mount", "sh", "-c", mount, "sh"),
        )  # fmt: skip

    def _start(self, *options: str, inside: tuple[str, ...] = ()) -> None:
        before = set(self.raylets)
        command = [
            *inside, self._ray, "start", "--node-ip-address", "127.0.0.1", "--disable-usage-stats",
            "--object-store-memory", str(100 * 2**20), *options,
        ]  # fmt: skip
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert set(self.raylets) - before

    @property
    def raylets(self) -> list[int]:
        """In the order of their start; the head's is the first."""
        return [pid for pid in self._pids() if "raylet/raylet" in command_of(pid)]

    def _pids(self) -> list[int]:
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if self._mark.encode() in path.read_bytes():
                    found.append(int(path.parent.name))
            except OSError:
                continue
        return sorted(found)

    def logs(self) -> Iterator[Path]:
        return (path for path in self._temporary.rglob("*") if path.is_file())

    def end(self) -> None:
        for pid in self._pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self._temporary, ignore_errors=True)


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def free_port() -> int:
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def nodes(engines: str, tmp_path: Path) -> Iterator[Nodes]:
    started = Nodes(engines, tmp_path)
    try:
        yield started
    finally:
        started.end()


@contextmanager
def building(
    python: str, study: Study, nodes: Nodes, *options: str
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [
            python, "-c", PROGRAM, "build", str(study.config), "--run", str(study.run),
            "--engine", "ray", "--address", nodes.address, *options,
        ],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=environment(COLUMNS="400", **{KEY_VARIABLE: KEY}),
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def make(folder: Path, url: str, **changes: Any) -> Study:
    given = {
        "processes": 3, "served__concurrency": 6, "served__timeout_s": 120,
        "served__api_key_env": KEY_VARIABLE, **changes,
    }  # fmt: skip
    return Study.make(folder, url, limit=ITEMS, **given)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int]:
    """What one process leaves, and how many calls it takes."""
    with pytest.MonkeyPatch.context() as patched, in_thread(simulated()) as endpoint:
        patched.setenv(KEY_VARIABLE, KEY)
        study = make(tmp_path_factory.mktemp("alone") / "s", endpoint.url, processes=1)
        assert study.build().code == 0
    return study.outcomes(), endpoint.n


def until(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 600
    while not happened():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it did not happen in ten minutes"
        time.sleep(0.05)


def stored(study: Study) -> int:
    with closing(Store(study.run / "calls.sqlite", writing=False)) as store:
        return store.totals().calls


def ended(process: subprocess.Popen[str]) -> str:
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 0, said
    return said


def test_a_killed_node_loses_no_finished_call_and_stops_nothing(
    engines: str, nodes: Nodes, tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    whole, calls = alone
    nodes.add(3)
    with in_thread(simulated(delay_s=0.3)) as endpoint:
        study = make(tmp_path / "s", endpoint.url)
        with building(engines, study, nodes) as process:
            until(lambda: endpoint.n > calls // 3, process)
            os.kill(nodes.raylets[-1], signal.SIGKILL)
            said = ended(process)
        assert study.outcomes() == whole
        assert calls <= endpoint.n <= calls + 2, "the killed node had two calls in flight at most"
        assert stored(study) == calls
        assert not (study.run / "shards").exists()
        assert {asked.headers["Authorization"] for asked in endpoint.asked} == {f"Bearer {KEY}"}
    assert KEY not in said
    leaked = [path for path in nodes.logs() if KEY.encode() in path.read_bytes()]
    assert not leaked


def test_a_killed_driver_is_gone_on_with_by_another_number_of_workers(
    engines: str, nodes: Nodes, tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    whole, calls = alone
    nodes.add(3)
    with in_thread(simulated(delay_s=0.3)) as endpoint:
        study = make(tmp_path / "s", endpoint.url, processes=2)
        with building(engines, study, nodes) as process:
            until(lambda: endpoint.n > calls // 3, process)
            process.kill()
            process.wait()
        quiet(endpoint)
        before = endpoint.n
        assert before < calls
        study.change(processes=3)
        with building(engines, study, nodes) as process:
            ended(process)
        assert endpoint.n <= calls + 6, "what was in flight, and nothing more"
    assert study.outcomes() == whole


def quiet(endpoint: Endpoint) -> None:
    """Wait until actors whose driver is gone have gone, too."""
    end = time.monotonic() + 300
    while endpoint.in_flight:
        assert time.monotonic() < end, "actors outlive their driver"
        time.sleep(0.1)


def test_ctrl_c_lets_actors_finish_what_is_in_flight(
    engines: str, nodes: Nodes, tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    _, calls = alone
    nodes.add(2)
    with in_thread(simulated(delay_s=0.3)) as endpoint:
        study = make(tmp_path / "s", endpoint.url, processes=2)
        with building(engines, study, nodes) as process:
            until(lambda: endpoint.n > calls // 4, process)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=600)
        assert process.returncode == 130, said
        assert "Traceback" not in said
        assert endpoint.n == len(endpoint.answered) == stored(study) < calls
    assert not (study.run / "shards").exists()
    assert not (study.run / "pairs.jsonl").exists()


def test_a_node_that_does_not_see_the_run_folder_is_named(
    engines: str, nodes: Nodes, tmp_path: Path
) -> None:
    """A node with a mount of its own stands for a host without the file system."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    nodes.add_without(hidden)
    with in_thread(simulated()) as endpoint:
        study = make(hidden / "s", endpoint.url, processes=1)
        with building(engines, study, nodes) as process:
            said, _ = process.communicate(timeout=600)
    assert process.returncode == 2, said
    assert "the node 127.0.0.1 does not see this folder" in said
    assert str(study.run) in said
    assert endpoint.n == 0
