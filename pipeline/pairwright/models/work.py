"""Many pieces of work that ask models, with bounded memory and a clean stop."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def work_through(
    units: Iterable[T],
    work: Callable[[T], Awaitable[R]],
    *,
    workers: int,
    stop: Callable[[], None],
) -> list[R]:
    """Call `work` on every unit; what it gives, in the order of the units.

    Workers take the next unit from one shared iterator, so there are never more units alive than
    workers. The first error that is not about one unit stops the run: `stop` is called once, units
    under way finish the calls they have in flight, and the error is raised.
    """
    numbered, done, failures = enumerate(units), dict[int, R](), list[Exception]()

    async def worker() -> None:
        try:
            for number, unit in numbered:
                done[number] = await work(unit)
                if failures:
                    return
        except Exception as error:  # Kept and raised below, after the others have ended.
            if not failures:
                stop()
            failures.append(error)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    if failures:
        raise failures[0]
    return [done[number] for number in sorted(done)]
