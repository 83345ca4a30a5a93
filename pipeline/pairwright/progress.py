"""Reports of what a function does (`progress`), and a way to end it early (`stop`).

`progress` is called with each event: `progress=print` shows what there is. `stop.request()`, from
any thread or signal handler, ends the work early, with all that was finished stored; the function
then raises `errors.Interrupted`.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pairwright.models.client import Meter


@dataclass(frozen=True)
class Step:
    """What is being done, and how far it is."""

    name: str
    done: int | None = None
    """How many of `total` are done; None if nothing is counted."""
    total: int | None = None
    """None if it is not known yet."""


@dataclass(frozen=True)
class Note:
    """A line for the person who waits, such as an endpoint that does not answer yet."""

    text: str


@dataclass(frozen=True)
class BuildBegun:
    """A build begins with its units."""

    units: int
    meter: "Meter"
    """Goes on counting calls, tokens and cost while the build runs."""


@dataclass(frozen=True)
class UnitEnded:
    """A unit of a build has its outcome."""

    unit: str
    mode: str
    """`plan` for the unit that finds out who has a signal."""
    kind: str
    """What came of it: kept, dropped, failed, waiting or planned."""
    reason: str


Event: TypeAlias = Step | Note | BuildBegun | UnitEnded
Progress: TypeAlias = Callable[[Event], None]


def log_notes(event: Event) -> None:
    """Pass notes on to the logger `pairwright` and drop the rest: the default of all commands."""
    if isinstance(event, Note):
        logging.getLogger("pairwright").warning(event.text)


def counter(
    progress: Progress, name: str, total: int | None = None, *, done: int = 0
) -> Callable[[], None]:
    """Report a step that begins, and return a function that counts one more as done."""
    progress(Step(name, done, total))

    def count() -> None:
        nonlocal done
        done += 1
        progress(Step(name, done, total))

    return count


_Listener = tuple[Callable[[], object], Callable[[], object] | None, "Meter | None"]
"""What ends the work, what cancels it, and what counts its calls."""


class Stop:
    """A person's wish that a workflow end early."""

    def __init__(self) -> None:
        self.requested = False
        self._listeners: list[_Listener] = []

    def request(self) -> bool:
        """Let calls in flight finish and begin nothing new; False if no work listens just now:
        then the next work ends at once.

        May be called from any thread, and from a signal handler.
        """
        # First, because a listener that comes meanwhile looks at it.
        self.requested = True
        listeners = tuple(self._listeners)
        for end, _, _ in listeners:
            end()
        return bool(listeners)

    def cancel(self) -> bool:
        """End at once, without waiting for calls in flight; False if nothing can be cancelled.

        May be called as `request` may.
        """
        cancels = [cancel for _, cancel, _ in tuple(self._listeners) if cancel]
        for cancel in cancels:
            cancel()
        return bool(cancels)

    @property
    def in_flight(self) -> int:
        """Calls that are waited for."""
        return sum(meter.in_flight for _, _, meter in tuple(self._listeners) if meter)

    @contextmanager
    def heard_by(self, end: Callable[[], object], meter: "Meter | None" = None) -> Iterator[None]:
        """Call `end` when the wish comes, or at once if it came before.

        In a coroutine `end` is called by its event loop, and `cancel` cancels the task.
        """
        try:
            loop, task = asyncio.get_running_loop(), asyncio.current_task()
        except RuntimeError:
            listener: _Listener = end, None, meter
        else:
            assert task is not None, "a coroutine runs in a task"
            cancel = task.cancel
            listener = (
                lambda: loop.call_soon_threadsafe(end),
                lambda: loop.call_soon_threadsafe(cancel),
                meter,
            )
        self._listeners.append(listener)
        try:
            if self.requested:
                end()
            yield
        finally:
            self._listeners.remove(listener)
