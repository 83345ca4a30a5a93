"""A build over several processes: the same files, no call twice, and no fault that loses one."""

import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from aiohttp import web

from endpoint import Asked, double, fail, in_thread
from pairwright.extras import install
from pairwright.models.store import Store
from pairwright.workflows.run_status import status
from study import OUTCOMES, Study

ITEMS = 4
UNITS = 2 * ITEMS


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int]:
    """What one process leaves, and how many calls it takes."""
    with in_thread(double()) as endpoint:
        study = shared(tmp_path_factory.mktemp("alone") / "s", endpoint.url, processes=1)
        assert study.build().code == 0
    return study.outcomes(), endpoint.n


def shared(folder: Path, url: str, *, limit: int = ITEMS, **changes: Any) -> Study:
    """A study for two processes. A busy machine must not look like a lost reply."""
    return Study.make(
        folder, url, limit=limit, **{"processes": 2, "served__timeout_s": 120, **changes}
    )


def stored(study: Study) -> int:
    with closing(Store(study.run / "calls.sqlite", writing=False)) as store:
        return store.totals().calls


def in_shards(study: Study) -> int:
    """Calls that workers left which have ended."""
    total = 0
    for path in (study.run / "shards").glob("*/calls.sqlite"):
        with closing(Store(path, writing=False)) as shard:
            total += shard.totals().calls
    return total


def tidy(study: Study) -> bool:
    return not (study.run / "shards").exists() and not list(study.run.glob("*.partial"))


@pytest.mark.real
def test_several_processes_leave_the_files_of_one_and_send_no_call_twice(
    tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    whole, calls = alone
    with in_thread(double()) as endpoint:
        study = shared(tmp_path / "s", endpoint.url, processes=4)
        done = study.build()
    assert done.code == 0, done.said
    assert study.outcomes() == whole
    assert endpoint.n == calls == stored(study)
    assert f"{calls:,} sent now" in done.out
    assert tidy(study)
    assert not multiprocessing.active_children()


def test_more_processes_than_units_are_not_started(tmp_path: Path) -> None:
    started = set[int]()

    async def count(asked: Asked) -> web.StreamResponse:
        started.add(len(multiprocessing.active_children()))
        return await double()(asked)

    with in_thread(count) as endpoint:
        study = shared(tmp_path / "s", endpoint.url, limit=1, processes=16, modes=["violate"])
        assert study.build().code == 0
    study.assert_whole(1)
    assert started == {1}


def test_a_killed_worker_loses_no_finished_call_and_stops_nothing(
    tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    whole, calls = alone

    async def kill_one(asked: Asked) -> web.StreamResponse:
        if asked.number == calls // 2:
            os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)
        return await double(delay_s=0.01)(asked)

    with in_thread(kill_one) as endpoint:
        study = shared(tmp_path / "s", endpoint.url, served__concurrency=8)
        done = study.build()
    assert done.code == 0, done.said
    assert study.outcomes() == whole
    assert calls <= endpoint.n <= calls + 4, "what was in flight at the killed one, if anything"
    assert tidy(study)
    study.assert_whole(UNITS)
    assert b'"mode":"twin"' in whole["pairs.jsonl"]


def test_a_worker_that_dies_repeatedly_stops_the_run_and_names_its_units(tmp_path: Path) -> None:
    async def kill_all(asked: Asked) -> web.StreamResponse:
        for child in multiprocessing.active_children():
            os.kill(child.pid or 0, signal.SIGKILL)
        return await double()(asked)

    with in_thread(kill_all) as endpoint:
        study = shared(tmp_path / "s", endpoint.url, limit=2, modes=["violate"])
        done = study.build()
        assert done.code == 2
        assert "3 times (last with -9)" in done.err
        named = [json.loads(row)["id"] for row in lines(study.run / "items.jsonl")]
        assert any(f"violate:{name}" in done.err for name in named)
        assert not any((study.run / name).exists() for name in OUTCOMES)
        endpoint.handler = double()
        assert study.build().code == 0
    study.assert_whole(2)


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_a_bug_in_a_unit_stops_the_run_names_the_unit_and_writes_nothing(tmp_path: Path) -> None:
    with in_thread(double()) as endpoint:
        study = shared(
            tmp_path / "s", endpoint.url, limit=8, modes=["violate"], aspects="narrative"
        )

        async def spoil_items(asked: Asked) -> web.StreamResponse:
            (study.run / "items.jsonl").write_bytes(b"")
            return await double()(asked)

        endpoint.handler = spoil_items
        study.change(served__concurrency=2)
        with pytest.raises(RuntimeError, match="in unit violate:") as bug:
            study.build()
        assert "Traceback" in str(bug.value)
        assert not any((study.run / name).exists() for name in OUTCOMES)
        assert stored(study) == len(endpoint.answered), "what was answered is kept"
        assert tidy(study)


def test_a_refusing_endpoint_is_told_as_by_one_process(tmp_path: Path) -> None:
    with in_thread(fail(401, "who are you")) as endpoint:
        builds = [shared(tmp_path / str(n), endpoint.url, processes=n).build() for n in (1, 2)]
    assert [done.code for done in builds] == [2, 2]
    one, two = (done.err.splitlines()[-2:] for done in builds)
    assert one == two
    assert "who are you" in one[0]


@pytest.mark.real
def test_a_wait_that_a_process_meets_is_told_by_status(tmp_path: Path) -> None:
    with in_thread(fail(429, "busy", headers={"Retry-After": "7200"})) as endpoint:
        study = shared(tmp_path / "s", endpoint.url)
        assert study.build().code == 1
    (wait,) = status(study.run).waits
    assert wait[:2] == ("served", 7200)
    assert wait.words == "busy"


def test_what_starts_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is not there, and a second run in the folder."""
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with in_thread(double()) as endpoint:
        study = shared(tmp_path / "s", endpoint.url, served__api_key_env="NO_SUCH_KEY")
        done = study.build()
        assert done.code == 2
        assert "NO_SUCH_KEY is not set" in done.err
        with closing(Store(study.run / "calls.sqlite")):
            done = study.build()
        assert done.code == 2
        assert "another process is writing" in done.err
    assert endpoint.n == 0
    assert not multiprocessing.active_children()


def test_a_budget_holds_over_all_processes_and_can_be_raised(
    tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    whole, calls = alone
    with in_thread(double()) as endpoint:
        study = shared(tmp_path / "s", endpoint.url, budget__max_calls=30)
        done = study.build()
        assert done.code == 1, done.said
        assert "budget is spent" in done.err
        assert endpoint.n == stored(study) == 30
        study.assert_whole(UNITS)
        study.change(budget__max_calls=calls)
        assert study.build().code == 0
        assert endpoint.n == calls
    assert study.outcomes() == whole


def test_different_replies_to_one_request_leave_a_function_of_the_store(tmp_path: Path) -> None:
    """All items ask the same question, and the endpoint never answers twice alike."""

    async def never_alike(asked: Asked) -> web.StreamResponse:
        response = await double(delay_s=0.05)(asked)
        assert isinstance(response, web.Response)
        assert response.text
        body = json.loads(response.text)
        message = body["choices"][0]["message"]
        if not message["content"].startswith("{"):
            message["content"] += f" It takes {asked.number} minutes."
        return web.json_response(body)

    with in_thread(never_alike) as endpoint:
        study = shared(
            tmp_path / "s", endpoint.url, limit=6, served__concurrency=4, modes=["violate"]
        )
        one_question(study)
        done = study.build()
        assert done.code == 0, done.said
        study.assert_whole(6)
        assert endpoint.n > stored(study), "else no request was sent twice"
        spread, n = study.outcomes(), endpoint.n
        study.change(processes=1)
        assert study.build().code == 0
        assert endpoint.n == n, "whatever a unit is made of is stored"
    assert study.outcomes() == spread


def one_question(study: Study) -> None:
    path = study.folder / "histories.jsonl"
    rows = [json.loads(line) for line in lines(path)]
    for row in rows:
        row |= {"question": rows[0]["question"], "category": rows[0]["category"]}
        row |= {"rubric_aspects": [], "narrative": None}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@contextmanager
def building(study: Study) -> Iterator[tuple[subprocess.Popen[str], Callable[[], list[int]]]]:
    """A build in a process group of its own, and the pids of all that belong to it."""
    mark = uuid4().hex
    environment = {**os.environ, "COLUMNS": "400", "PAIRWRIGHT_TEST_BUILD": mark}
    process = subprocess.Popen(
        [
            sys.executable, "-c", "from pairwright.cli import main; main()",
            "build", str(study.config), "--run", str(study.run),
        ],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield process, lambda: alive(mark)
    finally:
        for pid in alive(mark):
            os.kill(pid, signal.SIGKILL)
        process.communicate()


def alive(mark: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def until(happened: Callable[[], bool], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, f"it did not happen in {seconds} seconds"
        time.sleep(0.02)


@pytest.mark.real
def test_a_killed_parent_leaves_no_process_and_the_next_run_goes_on_with_what_workers_stored(
    tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    whole, calls = alone
    with in_thread(double(delay_s=0.03)) as endpoint:
        study = shared(tmp_path / "s", endpoint.url, served__concurrency=8)
        with building(study) as (process, pids):
            until(lambda: endpoint.n > calls // 2)
            process.kill()
            process.wait()
            until(lambda: not pids())
        sent = endpoint.n
        assert (study.run / "shards").exists()
        assert not any((study.run / name).exists() for name in OUTCOMES)
        study.change(processes=1)
        assert study.build().code == 0
        assert endpoint.n - calls <= 8, "what was in flight, and nothing more"
        assert sent < calls
    assert study.outcomes() == whole
    assert tidy(study)


@pytest.mark.real
def test_ctrl_c_lets_all_processes_finish_what_is_in_flight(
    tmp_path: Path, alone: tuple[dict[str, bytes], int]
) -> None:
    whole, calls = alone
    with in_thread(double(delay_s=0.1)) as endpoint:
        study = shared(tmp_path / "s", endpoint.url, served__concurrency=8)
        with building(study) as (process, pids):
            until(lambda: endpoint.n > calls // 4)
            os.killpg(process.pid, signal.SIGINT)
            said, _ = process.communicate(timeout=300)
            until(lambda: not pids())
        assert process.returncode == 130, said
        assert "Traceback" not in said
        assert "run again" in said
        assert endpoint.n == len(endpoint.answered) == stored(study)
        assert tidy(study)
        assert not any((study.run / name).exists() for name in OUTCOMES)
        endpoint.handler = double()
        assert study.build().code == 0
        assert endpoint.n == calls
    assert study.outcomes() == whole


@pytest.mark.real
def test_the_second_ctrl_c_ends_all_processes_at_once(tmp_path: Path) -> None:
    async def stuck(asked: Asked) -> web.StreamResponse:
        await asyncio.sleep(0 if asked.number < 30 else 600)
        return await double()(asked)

    with in_thread(stuck) as endpoint:
        study = shared(tmp_path / "s", endpoint.url, served__concurrency=8)
        with building(study) as (process, pids):
            until(lambda: endpoint.n >= 34)  # Four of them wait.
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.5)
            assert process.poll() is None, "the first waits for what is in flight"
            os.killpg(process.pid, signal.SIGINT)
            said, _ = process.communicate(timeout=300)
            until(lambda: not pids())
        assert process.returncode == 130, said
        assert "Traceback" not in said
        kept = stored(study) + in_shards(study)
        assert 15 < kept <= 30
        endpoint.handler = double()
        endpoint.forget()
        assert study.build().code == 0
        assert endpoint.n == stored(study) - kept


def test_how_to_install_ray_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "pairwright.workflows.workers.cluster", raising=False)
    study = Study.make(tmp_path / "s", limit=1)
    done = study.build("--engine", "ray")
    assert done.code == 2
    assert install("ray") in done.err
    assert not study.run.exists()


@pytest.fixture
def stand_in_for_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty module in Ray's place: what is checked before Ray is asked needs no Ray."""
    for name in ("ray", "ray.data"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["ray"].data = sys.modules["ray.data"]  # type: ignore[attr-defined]
    monkeypatch.delitem(sys.modules, "pairwright.workflows.workers.cluster", raising=False)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


@pytest.mark.usefixtures("stand_in_for_ray")
def test_what_keeps_a_build_from_a_cluster_is_told_before_any_work(tmp_path: Path) -> None:
    study = Study.make(tmp_path / "s", limit=1)
    for address, message in (
        ("127.0.0.1:9", "no Ray cluster can be reached"),
        ("nowhere.invalid:6379", "no Ray cluster can be reached"),
        ("127.0.0.1:99999", "not HOST:PORT"),
        ("ray://127.0.0.1:10001", "not HOST:PORT"),
        ("6379", "not HOST:PORT"),
    ):
        done = study.build("--engine", "ray", "--address", address)
        assert done.code == 2
        assert message in done.err
    # No budget can be claimed to hold over a cluster.
    study.change(budget__max_calls=5)
    done = study.build("--engine", "ray")
    assert done.code == 2
    assert "[budget]" in done.err
    assert not study.run.exists()
