"""Work that asks models: several calls at once (`together`), and many pieces of work with bounded
memory and a clean stop (`work_through`)."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
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

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if failures:
        raise failures[0]
    return [done[number] for number in sorted(done)]
