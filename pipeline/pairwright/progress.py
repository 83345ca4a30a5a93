"""Progress and interruption of long-running functions: `progress`, `stop`, `run_async`.

`progress` is called with each event: `progress=print` shows what there is. `stop.request()`, from
any thread or signal handler, ends the work early, with all that was finished stored; the function
then raises `errors.Interrupted`.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

T = TypeVar("T")


class Meter(Protocol):
    """Counter of a build's calls while they are sent."""

    in_flight: int
    cost: float


class Step(NamedTuple):
    """A step of the work, and its progress."""

    name: str
    done: int | None = None
    """The number of `total` that are done; None if nothing is counted."""
    total: int | None = None
    """None if it is not known yet."""
    meter: Meter | None = None
    """That of a build, whose step ends with its last unit."""


class Note(NamedTuple):
    """A line for the person who waits, such as an endpoint that does not answer yet."""

    text: str


class UnitEnded(NamedTuple):
    """A unit of a build has its outcome."""

    unit: str
    mode: str
    """`plan` for the unit that finds out who has a signal."""
    kind: str
    """The outcome of the unit: kept, dropped, failed, waiting or planned."""
    reason: str


Event: TypeAlias = Step | Note | UnitEnded
Progress: TypeAlias = Callable[[Event], None]


def log_notes(event: Event) -> None:
    """Pass notes on to the logger `pairwright` and drop the rest: the default of all commands."""
    if isinstance(event, Note):
        logging.getLogger("pairwright").warning(event.text)


def counter(progress: Progress, name: str, total: int | None = None) -> Callable[[], None]:
    """Report a step that begins, and return a function that counts one more as done."""
    progress(Step(name, 0, total))
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        progress(Step(name, done, total))

    return count


class Stop:
    """A person's wish that work end early. It may be made from any thread or signal handler."""

    def __init__(self) -> None:
        self.requested = False
        self._ends: list[Callable[[], object]] = []

    def request(self) -> bool:
        """Let calls in flight finish and begin nothing new; False if no work listens just now:
        then the next work ends at once."""
        # First, because work that begins meanwhile looks at it.
        self.requested = True
        ends = tuple(self._ends)
        for end in ends:
            end()
        return bool(ends)

    @contextmanager
    def heard_by(self, end: Callable[[], object]) -> Iterator[None]:
        """Call `end` when the wish comes, or at once if it came before; in a coroutine by its
        event loop."""
        heard: Callable[[], object] = partial(end)
        with suppress(RuntimeError):
            loop = asyncio.get_running_loop()
            heard = partial(loop.call_soon_threadsafe, end)
        self._ends.append(heard)
        try:
            if self.requested:
                end()
            yield
        finally:
            self._ends.remove(heard)


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
    cancel: Future[Callable[[], object]] = Future()

    async def whole() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None, "a coroutine runs in a task"
        cancel.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        return await work

    with ThreadPoolExecutor(max_workers=1) as pool:
        done = pool.submit(asyncio.run, whole())
        try:
            return done.result()
        except KeyboardInterrupt:
            cancel.result()()
            raise
