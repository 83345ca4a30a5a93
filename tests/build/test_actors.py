"""A build shared by actors, with a stand-in for Ray that runs them in turn in this process: the
same files, no call twice, and a fault told as by one process. `test_real_ray` has real clusters."""

import asyncio
import json
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from endpoint import Asked, double, fail, in_thread
from pairwright.extras import install
from pairwright.models.store import Store
from study import OUTCOMES, Study

ITEMS = 4
CLUSTER = "pairwright.workflows.workers.cluster"


class Dataset:
    """What of a Ray dataset a build uses: rows, mapped by a pool of actors."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def map_batches(
        self, actor: Callable[..., Any], *, fn_constructor_args: tuple[Any, ...], **_: object
    ) -> "Dataset":
        self._actors = [actor(*fn_constructor_args) for _ in range(fn_constructor_args[1])]
        return self

    def iter_batches(self, batch_size: None) -> Iterator[dict[str, Any]]:
        assert batch_size is None
        with asyncio.Runner() as runner:
            try:
                for n, row in enumerate(self._rows):
                    batch = {name: [value] for name, value in row.items()}
                    yield runner.run(self._actors[n % len(self._actors)](batch))
            finally:
                for actor in self._actors:
                    runner.run(actor._resources.aclose())


@pytest.fixture(autouse=True)
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    modules = {name: types.ModuleType(name) for name in ("ray", "ray.data", "ray.exceptions")}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    context = types.SimpleNamespace(enable_progress_bars=True)
    vars(modules["ray"]).update(
        data=modules["ray.data"], exceptions=modules["ray.exceptions"],
        init=lambda *_, **__: None, shutdown=lambda: None,
    )  # fmt: skip
    vars(modules["ray.exceptions"]).update(RayError=OSError)
    vars(modules["ray.data"]).update(
        from_items=lambda rows, **_: Dataset(rows),
        ActorPoolStrategy=lambda **_: None,
        DataContext=types.SimpleNamespace(get_current=lambda: context),
    )
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    sys.modules.pop(CLUSTER, None)
    monkeypatch.setattr(import_module(CLUSTER), "VISIBLE_S", 0.5)
    yield
    sys.modules.pop(CLUSTER, None)


def shared(folder: Path, url: str, *, limit: int = ITEMS, **changes: Any) -> Study:
    return Study.make(
        folder, url, limit=limit, **{"processes": 2, "served__timeout_s": 120, **changes}
    )


def stored(study: Study) -> int:
    with closing(Store(study.run / "run.sqlite", writing=False)) as store:
        return store.totals().calls


def test_actors_leave_the_files_of_one_process_and_send_no_call_twice(tmp_path: Path) -> None:
    with in_thread(double()) as endpoint:
        alone = shared(tmp_path / "alone", endpoint.url, processes=1)
        assert alone.build().code == 0
        calls = endpoint.n
        study = shared(tmp_path / "s", endpoint.url, processes=3)
        done = study.build()
    assert done.code == 0, done.said
    assert study.outcomes() == alone.outcomes()
    assert endpoint.n == 2 * calls
    assert stored(study) == calls
    assert f"{calls:,} sent now" in done.out
    assert not (study.run / "shards").exists()
    study.assert_whole(2 * ITEMS)


def test_a_bug_stops_the_run_and_what_actors_stored_is_not_asked_for_again(tmp_path: Path) -> None:
    async def spoil_items(asked: Asked) -> web.StreamResponse:
        if asked.number == 20:
            (study.run / "items.jsonl").write_bytes(b"")
        return await double()(asked)

    with in_thread(spoil_items) as endpoint:
        study = shared(tmp_path / "s", endpoint.url, limit=8, modes=["violate"])
        with pytest.raises(RuntimeError, match="in unit violate:") as bug:
            study.build()
        assert "Traceback" in str(bug.value)
        assert not any((study.run / name).exists() for name in OUTCOMES)
        assert stored(study) == (before := len(endpoint.answered)), "what was answered is kept"
        assert study.build().code == 0
        assert endpoint.n == stored(study) > before
    study.assert_whole(8)


def test_a_refusing_endpoint_and_a_long_wait_are_told_as_by_one_process(tmp_path: Path) -> None:
    with in_thread(fail(401, "who are you")) as endpoint:
        builds = [shared(tmp_path / str(n), endpoint.url, processes=n).build() for n in (1, 2)]
    assert [done.code for done in builds] == [2, 2]
    one, two = (done.err.splitlines()[-2:] for done in builds)
    assert one == two
    assert "who are you" in one[0]
    with in_thread(fail(429, "busy", headers={"Retry-After": "7200"})) as endpoint:
        study = shared(tmp_path / "s", endpoint.url)
        assert study.build().code == 1
    assert {row["reason"] for row in study.rows("failed.jsonl")} == {"rate_limited"}


def test_different_replies_to_one_request_leave_a_function_of_the_store(tmp_path: Path) -> None:
    """All items ask the same question, and the endpoint never answers twice alike."""

    async def never_alike(asked: Asked) -> web.StreamResponse:
        response = await double()(asked)
        assert isinstance(response, web.Response)
        assert response.text
        body = json.loads(response.text)
        message = body["choices"][0]["message"]
        if not message["content"].startswith("{"):
            message["content"] += f" It takes {asked.number} minutes."
        return web.json_response(body)

    with in_thread(never_alike) as endpoint:
        study = shared(tmp_path / "s", endpoint.url, limit=6, modes=["violate"])
        path = study.folder / "histories.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        same = {name: rows[0][name] for name in ("question", "category")}
        rows = [row | same | {"rubric_aspects": [], "narrative": None} for row in rows]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        done = study.build()
        assert done.code == 0, done.said
        assert endpoint.n > stored(study), "else no request was sent twice"
        spread, n = study.outcomes(), endpoint.n
        study.change(processes=1)
        assert study.build().code == 0
        assert endpoint.n == n, "whatever a unit is made of is stored"
    assert study.outcomes() == spread


def test_how_to_install_ray_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    sys.modules.pop(CLUSTER)
    study = Study.make(tmp_path / "s", limit=1, processes=2)
    done = study.build()
    assert done.code == 2
    assert install("ray") in done.err
    assert not study.run.exists()


def test_what_keeps_a_build_from_a_cluster_is_told_before_any_work(tmp_path: Path) -> None:
    study = Study.make(tmp_path / "s", limit=1)
    for address, message in (
        ("127.0.0.1:9", "no Ray cluster can be reached"),
        ("nowhere.invalid:6379", "no Ray cluster can be reached"),
        ("127.0.0.1:99999", "not HOST:PORT"),
        ("ray://127.0.0.1:10001", "not HOST:PORT"),
        ("6379", "not HOST:PORT"),
    ):
        done = study.build("--address", address)
        assert done.code == 2
        assert message in done.err
    # No budget can be claimed to hold over a cluster.
    study.change(budget__max_calls=5, processes=2)
    done = study.build()
    assert done.code == 2
    assert "[budget]" in done.err
    assert not study.run.exists()
