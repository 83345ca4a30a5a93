"""Running many pieces of work: bounded workers, flat memory, a clean stop.

Workers take the next unit from one shared iterator, so there are never more units alive than
workers and no barrier between stages. The first error that is not about one unit stops the run:
units under way finish the calls they have in flight, and the error is raised.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def work_through(
    units: Iterator[T],
    work: Callable[[T], Awaitable[None]],
    *,
    workers: int,
    stop: Callable[[], None],
) -> None:
    """Call `work` on every unit. `stop` is called once if a unit raises, to end the others."""
    failures: list[Exception] = []

    def failed(error: Exception) -> None:
        if not failures:
            stop()
        failures.append(error)

    async def worker() -> None:
        while not failures:
            try:
                unit = next(units)
            except StopIteration:
                return
            except Exception as error:
                failed(error)
                return
            try:
                await work(unit)
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
