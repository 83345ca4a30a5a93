"""Progress of a running command: a bar on a terminal, and notes anywhere."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from pairwright.cli.printing import warn
from pairwright.progress import BuildBegun, Event, Meter, Note, Progress, Step, Stop, UnitEnded
from pairwright.text import number_of, visible

SHOWN = "kept", "dropped", "failed", "waiting"
"""The outcomes of a unit, in the order in which a bar shows them."""


@contextmanager
def display(console: Console | None = None) -> Iterator[Progress]:
    """Show the events of a workflow on standard error, until the block ends. Where that is no
    terminal, notes alone."""
    console = console or Console(stderr=True)
    bars = Bars(
        TextColumn("{task.description}", markup=False), BarColumn(bar_width=12),
        TimeRemainingColumn(compact=True), _Facts(), console=console, transient=True,
        disable=not console.is_terminal,
    )  # fmt: skip
    try:
        yield _Display(console, bars)
    finally:
        bars.stop()


class _Display:
    """The display of events; a step with a new name replaces the step before it."""

    def __init__(self, console: Console, bars: Bars) -> None:
        self._console, self._bars = console, bars
        self._counts = Counter[str]()

    def __call__(self, event: Event) -> None:
        match event:
            case Step(name, done, total):
                self._show(visible(name), done, total)
            case Note(text):
                warn(self._console, text)
            case BuildBegun(units, meter):
                self._show("building", 0, units, lambda: _of_build(self._counts, meter))
            case UnitEnded(kind=kind):
                self._counts[kind] += 1
                self._bars.advance(self._bars.tasks[-1].id)

    def _show(
        self, name: str, done: int | None, total: int | None, facts: Callable[[], str] = str
    ) -> None:
        self._bars.start()
        shown = self._bars.tasks[-1] if self._bars.tasks else None
        if shown and shown.description == name:
            self._bars.update(shown.id, completed=done or 0, total=total)
            return
        if shown:
            self._bars.remove_task(shown.id)
        self._bars.add_task(name, total=total, completed=done or 0, facts=facts)


class _Facts(ProgressColumn):
    """A column of a bar: the amount done, and facts of a build at the time of display."""

    def render(self, task: Task) -> Text:
        of = "" if task.total is None else f" of {int(task.total):,}"
        done = f"{int(task.completed):,}{of}  " if of or task.completed else ""
        return Text(f"{done}{task.fields['facts']()}")


def _of_build(counts: Counter[str], meter: Meter) -> str:
    shown = [f"{counts[kind]:,} {kind}" for kind in SHOWN if counts[kind]]
    shown.append(f"{meter.in_flight:,} in flight")
    return ", ".join([*shown, *([f"cost {meter.cost:.2f}"] if meter.cost else [])])


@contextmanager
def interruptible() -> Iterator[Stop]:
    """Make Ctrl-C end a workflow in good order, until the block ends.

    The first signal lets calls in flight finish; the second ends at once. Where the workflow does
    not listen, the first one is a KeyboardInterrupt.
    """
    stop = Stop()

    def act(_: int, __: FrameType | None) -> None:
        if stop.requested or not stop.request():
            if not stop.cancel():
                raise KeyboardInterrupt
            return
        n = stop.in_flight
        waits = f": waiting for {number_of(n, 'call')} in flight" if n else " after this step"
        # The handler may have come in the middle of a write, and Python's streams refuse another.
        os.write(2, f"Stopping{waits}. Press Ctrl-C again to stop at once.\n".encode())

    before = {number: signal.signal(number, act) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
