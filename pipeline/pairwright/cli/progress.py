"""Progress of a running command: a bar on a terminal, and notes anywhere."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from pairwright.cli.printing import say
from pairwright.progress import Event, Note, Progress, Step, Stop, UnitEnded
from pairwright.text import visible


@contextmanager
def display(console: Console | None = None) -> Iterator[Progress]:
    """Show the events of a workflow on standard error, until the block ends. Where that is no
    terminal, notes alone. A step with a new name replaces the step before it."""
    console, counts = console or Console(stderr=True), Counter[str]()
    bars = Bars(
        TextColumn("{task.description}", markup=False), BarColumn(bar_width=12),
        TimeRemainingColumn(compact=True), _Facts(counts), console=console, transient=True,
        disable=not console.is_terminal,
    )  # fmt: skip

    def show(event: Event) -> None:
        shown = bars.tasks[-1] if bars.tasks else None
        match event:
            case Note(text):
                say(console, text, "yellow", wrap=True)
            case UnitEnded(kind=kind):
                counts[kind] += 1
                bars.advance(bars.tasks[-1].id)
            case Step(name, done, total) if shown and shown.description == visible(name):
                bars.update(shown.id, completed=done or 0, total=total)
            case Step(name, done, total, meter):
                bars.start()
                if shown:
                    bars.remove_task(shown.id)
                bars.add_task(visible(name), total=total, completed=done or 0, meter=meter)

    try:
        yield show
    finally:
        bars.stop()


class _Facts(ProgressColumn):
    """The amount done, and of a build its outcomes so far and its calls in flight."""

    def __init__(self, counts: Counter[str]) -> None:
        super().__init__()
        self._counts = counts

    def render(self, task: Task) -> Text:
        of = "" if task.total is None else f" of {int(task.total):,}"
        done = f"{int(task.completed):,}{of}  " if of or task.completed else ""
        facts = []
        if meter := task.fields["meter"]:
            kinds = ("kept", "dropped", "failed", "waiting")
            facts = [f"{self._counts[one]:,} {one}" for one in kinds if self._counts[one]]
            facts += [f"{meter.in_flight:,} in flight"]
            facts += [f"cost {meter.cost:.2f}"] if meter.cost else []
        return Text(done + ", ".join(facts))


@contextmanager
def interruptible() -> Iterator[Stop]:
    """Make Ctrl-C end a workflow in good order, until the block ends.

    The first signal lets calls in flight finish; the second ends at once, and so does the first
    where the workflow does not listen.
    """
    stop = Stop()

    def act(_: int, __: FrameType | None) -> None:
        if stop.requested or not stop.request():
            raise KeyboardInterrupt
        # The handler may have come in the middle of a write, and Python's streams refuse another.
        os.write(2, b"Stopping after what is in flight. Press Ctrl-C again to stop at once.\n")

    before = {number: signal.signal(number, act) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
