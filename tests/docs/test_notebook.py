"""A coroutine runs to its end in a script, and in a notebook, whose loop is running already."""

import asyncio
import threading
from concurrent.futures import Future
from typing import Any

import pytest

from pairwright import run_async


async def doubled(n: int) -> int:
    await asyncio.sleep(0)
    return 2 * n


def test_the_result_comes_back_from_a_script_and_from_a_running_loop() -> None:
    async def cell() -> int:
        return run_async(doubled(4))

    assert run_async(doubled(4)) == asyncio.run(cell()) == 8


def test_an_interrupted_cell_cancels_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    started = threading.Event()

    async def endless() -> None:
        started.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    whole = Future.result

    def interrupted(self: Future[Any], timeout: float | None = None) -> Any:
        if self.running() and not ended.is_set():
            assert started.wait(10)
            raise KeyboardInterrupt
        return whole(self, timeout)

    async def cell() -> None:
        monkeypatch.setattr(Future, "result", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_async(endless())

    asyncio.run(cell())
    assert ended.is_set()
