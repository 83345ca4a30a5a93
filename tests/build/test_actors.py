"""A build shared by actors, with a stand-in for Ray that runs them in one loop of this process: the
same files, no call twice, and a fault told as by one process. `test_real_ray` has real clusters."""

import asyncio
import concurrent.futures
import json
import sys
import threading
import types
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from endpoint import double, in_thread
from pairwright.assets import install
from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Unit
from pairwright.models.store import Store
from pairwright.modes import MODES
from pairwright.modes.violate import VIOLATE, build_violate
from pairwright.records import Item
from scripted import item
from study import OUTCOMES, Study

ITEMS = 4
CLUSTER = "pairwright.construct.ray"


class Handle:
    """An actor: its methods are called in the loop of all actors."""

    def __init__(self, actor: object, loop: asyncio.AbstractEventLoop) -> None:
        self._actor, self._loop = actor, loop

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._actor, name)

        def remote(*given: Any, **named: Any) -> Future[Any]:
            return asyncio.run_coroutine_threadsafe(method(*given, **named), self._loop)

        called = types.SimpleNamespace(remote=remote)
        called.options = lambda **_: called
        return called


def wait(futures: list[Future[Any]], timeout: float) -> tuple[list[Any], list[Any]]:
    done, pending = concurrent.futures.wait(futures, timeout, FIRST_COMPLETED)
    return list(done), list(pending)


def get(asked: Any) -> Any:
    return [one.result() for one in asked] if isinstance(asked, list) else asked.result()


@pytest.fixture(autouse=True)
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    module, exceptions = types.ModuleType("ray"), types.ModuleType("ray.exceptions")

    def remote(actor: Callable[..., object]) -> Any:
        made = types.SimpleNamespace(remote=lambda *given: Handle(actor(*given), loop))
        made.options = lambda **_: made
        return made

    vars(exceptions).update(RayError=OSError)
    vars(module).update(
        exceptions=exceptions, init=lambda *_, **__: None, shutdown=lambda: None, remote=remote,
        put=lambda given: given, wait=wait, get=get,
        kill=lambda _: None,
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "ray", module)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    sys.modules.pop(CLUSTER, None)
    monkeypatch.setattr(import_module(CLUSTER), "EVERY_S", 0.05)
    yield
    sys.modules.pop(CLUSTER, None)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.run_until_complete(asyncio.sleep(0.1))
    loop.close()


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
    assert f"{calls:,} of them by this command" in done.out
    assert not (study.run / "shards").exists()
    study.assert_whole(2 * ITEMS)


def test_a_bug_stops_the_run_and_what_actors_stored_is_not_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def spoilt(item: Item, *given: Any) -> Any:
        made = await build_violate(item, *given)
        assert item.id != bad
        return made

    with in_thread(double()) as endpoint, monkeypatch.context() as patched:
        study = shared(tmp_path / "s", endpoint.url, limit=8, modes=["violate"])
        rows = (study.folder / "histories.jsonl").read_text(encoding="utf-8").splitlines()
        bad = json.loads(rows[3])["id"]
        patched.setitem(MODES, "violate", replace(VIOLATE, build=spoilt))
        with pytest.raises(RuntimeError, match=f"in unit violate:{bad}") as bug:
            study.build()
        assert "Traceback" in str(bug.value)
        assert not any((study.run / name).exists() for name in OUTCOMES)
        assert stored(study) == (before := len(endpoint.answered)), "what was answered is kept"
        patched.undo()
        assert study.build().code == 0
        assert endpoint.n == stored(study) >= before > 0
    study.assert_whole(8)


def test_units_that_ask_the_same_are_in_one_share(tmp_path: Path) -> None:
    asked = ("bread?", "stew?", "bread?", "tea?", "stew?", "bread?")
    items = [item((), id=f"i{n}", user=f"u{n}", question=of) for n, of in enumerate(asked)]
    units = [Unit(f"twin:i{n}", "twin", n, n) for n in range(len(items))]
    with closing(Corpus.write(items, tmp_path / "items", 0)) as corpus:
        shares = import_module(CLUSTER).shares_of(units, corpus, 3)
    assert [{unit.item for unit in share} for share in shares] == [{0, 1, 2, 4, 5}, {3}]


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
        ("127.0.0.1:99999", "Give HOST:PORT of a cluster"),
        ("ray://127.0.0.1:10001", "Give HOST:PORT of a cluster"),
        ("6379", "Give HOST:PORT of a cluster"),
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
