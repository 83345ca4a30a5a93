"""Running a coroutine from a script or from a notebook."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end and return what it returns.

    Unlike `asyncio.run`, this works in a notebook, too, whose event loop is running already. Raises
    what the coroutine raises; an interrupted cell cancels it.

        >>> run_async(build_violate(item, None, models, rules))
        Kept(...)
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    return _in_a_thread(work)


def _in_a_thread(work: Coroutine[Any, Any, T]) -> T:
    cancel: Future[Callable[[], object]] = Future()

    async def whole() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        cancel.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        return await work

    with ThreadPoolExecutor(max_workers=1) as pool:
        done = pool.submit(asyncio.run, whole())
        try:
            return done.result()
        except KeyboardInterrupt:
            cancel.result()()
            raise
