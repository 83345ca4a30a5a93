"""Work that asks models: several calls at once (`together`), and many pieces of work with bounded
memory and a clean stop (`work_through`)."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from typing import Any, TypeVar, overload

from pairwright.errors import PairwrightError, Unanswered

T = TypeVar("T")
R = TypeVar("R")
T1 = TypeVar("T1")
T2 = TypeVar("T2")
Work = Coroutine[Any, Any, T1]


@overload
async def together(a: Work[T1], b: Work[T2], /) -> tuple[T1, T2]: ...
@overload
async def together(*calls: Work[T1]) -> tuple[T1, ...]: ...
async def together(*calls: Work[Any]) -> tuple[Any, ...]:
    """Await all calls of one piece of work at once, in order.

    Every sibling is awaited before the first exception is let through, so that no call
    is abandoned half way and its reply lost.
    """
    found = await asyncio.gather(*calls, return_exceptions=True)
    if failed := [one for one in found if isinstance(one, BaseException)]:
        # A bug must not hide behind a call that merely failed or has no reply yet.
        raise min(failed, key=lambda error: isinstance(error, PairwrightError | Unanswered))
    return tuple(found)


async def work_through(
    units: Iterator[T],
    work: Callable[[T], Awaitable[None]],
    *,
    workers: int,
    stop: Callable[[], None],
) -> None:
    """Call `work` on every unit. `stop` is called once if a unit raises, to end the others.

    Workers take the next unit from one shared iterator, so there are never more units alive than
    workers. The first error that is not about one unit stops the run: units under way finish the
    calls they have in flight, and the error is raised.
    """
    failures: list[Exception] = []

    def failed(error: Exception) -> None:
        if not failures:
            stop()
        failures.append(error)

    async def worker() -> None:
        try:
            for unit in units:
                await work(unit)
                if failures:
                    return
        except Exception as error:  # Kept and raised below, after the others have ended.
            failed(error)

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if failures:
        raise failures[0]


async def work_in_order(
    units: Iterable[T],
    work: Callable[[T], Awaitable[R]],
    *,
    workers: int,
    stop: Callable[[], None],
    on_each: Callable[[R], object],
) -> list[R]:
    """What `work` gives of every unit, in their order. `on_each` is called with each as it comes,
    and `stop` once if a unit raises, to end the others."""
    done: dict[int, R] = {}

    async def work_on(numbered: tuple[int, T]) -> None:
        number, unit = numbered
        done[number] = await work(unit)
        on_each(done[number])

    await work_through(iter(enumerate(units)), work_on, workers=workers, stop=stop)
    return [done[number] for number in sorted(done)]
