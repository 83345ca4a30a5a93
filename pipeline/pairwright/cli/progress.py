"""What a person sees of a running command: live on a terminal, plain lines elsewhere."""

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from pairwright.cli.printing import say
from pairwright.text import number_of, visible
from pairwright.workflows.progress import BuildBegun, Event, Note, Progress, Step, Stop, UnitEnded

if TYPE_CHECKING:
    from pairwright.models.client import Meter
    from pairwright.models.store import UnitRow

PLAIN_EVERY_S = 10.0
"""Seconds between two lines about one step, where there is no terminal."""
KIND_OF = {"failed": "failed", "waiting": "waiting", "rejected": "refused", "surveyed": "surveyed"}
"""What each kind of outcome is called; any other is kept."""
KINDS, ALWAYS = ("surveyed", "kept", "refused", "failed", "waiting"), ("kept", "refused", "failed")
"""In the order in which they are shown, and those that are shown where there is none, too."""
NAMED = 6
"""Reasons that are named."""


@contextmanager
def display(console: Console | None = None, *, plain_steps: bool = False) -> Iterator[Progress]:
    """Show the events of a workflow on standard error, until the block ends.

    On a terminal, steps are a bar that vanishes and a build is a live panel. Elsewhere a build has
    a line every ten seconds. With `plain_steps` each step has a line there, too; one that goes on
    gets another line every ten seconds.
    """
    console = console or Console(stderr=True)
    with ExitStack() as stack:
        yield _Display(console, stack, plain_steps=plain_steps)


class _Display:
    def __init__(self, console: Console, stack: ExitStack, *, plain_steps: bool) -> None:
        self._console = console
        self._stack = stack
        self._panel: BuildPanel | None = None
        self._step = (
            self._bar if console.is_terminal else self._line if plain_steps else lambda _: None
        )
        self._last, self._since = "", 0.0
        self._bars: Bar | None = None

    def __call__(self, event: Event) -> None:
        match event:
            case Step():
                self._step(event)
            case Note(text):
                say(self._console, text, "yellow")
            case BuildBegun(units, meter):
                self._stop_bar()
                self._panel = self._stack.enter_context(BuildPanel(self._console, units, meter))
            case UnitEnded(unit):
                assert self._panel, "a build begins before its units end"
                self._panel.count(unit)

    def _bar(self, step: Step) -> None:
        if self._bars is None:
            self._bars = self._stack.enter_context(
                Bar(
                    TextColumn("{task.description}", markup=False), BarColumn(), _Count(),
                    TimeElapsedColumn(), console=self._console, transient=True,
                )
            )  # fmt: skip
        name, task = visible(step.name), next(iter(self._bars.tasks), None)
        if task and name == task.description:
            self._bars.update(task.id, completed=step.done or 0, total=step.total)
            return
        if task:
            self._bars.remove_task(task.id)
        self._bars.add_task(name, total=step.total, completed=step.done or 0)

    def _stop_bar(self) -> None:
        if self._bars:
            self._bars.stop()
            self._bars = None

    def _line(self, step: Step) -> None:
        if step.name != self._last or time.monotonic() - self._since >= PLAIN_EVERY_S:
            self._last, self._since = step.name, time.monotonic()
            count = f": {_count(step.done, step.total)}" if step.done else ""
            say(self._console, f"{step.name}{count}")


class _Count(ProgressColumn):
    def render(self, task: Task) -> Text:
        done = int(task.completed) or None
        return Text(_count(done, None if task.total is None else int(task.total)))


def _count(done: int | None, total: int | None) -> str:
    if total is not None:
        return f"{done or 0:,} of {total:,}"
    return "" if done is None else f"{done:,}"


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


class BuildPanel:
    """Counts outcomes as they come; use as a context manager around a build."""

    def __init__(self, console: Console, total: int, meter: "Meter") -> None:
        self._console, self._total, self._meter = console, total, meter
        self._started = self._printed = time.monotonic()
        self._counts = {kind: Counter[str]() for kind in KINDS}
        self._live = (
            Live(get_renderable=self._panel, console=console, refresh_per_second=4, transient=True)
            if console.is_terminal
            else None
        )

    def __enter__(self) -> "BuildPanel":
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def count(self, outcome: "UnitRow") -> None:
        """Count one outcome."""
        kind = KIND_OF.get(outcome.kind, "kept")
        self._counts[kind][outcome.mode if kind == "kept" else outcome.reason] += 1
        if not self._live and time.monotonic() - self._printed >= PLAIN_EVERY_S:
            self._printed = time.monotonic()
            shown = [f"{counter.total()} {kind}" for kind, counter in self._kinds()]
            facts = [f"{name} {text}" for name, text in self._facts().items()]
            self._console.print(", ".join([*shown, *facts]), highlight=False)

    def _kinds(self) -> list[tuple[str, Counter[str]]]:
        return [(kind, found) for kind, found in self._counts.items() if found or kind in ALWAYS]

    @property
    def _done(self) -> int:
        return sum(counter.total() for counter in self._counts.values())

    def _facts(self) -> dict[str, str]:
        """How far and how fast the build is, by what is told of it."""
        done, meter = self._done, self._meter
        spent = max(time.monotonic() - self._started, 1e-9)
        left = spent / done * (self._total - done) if done else None
        to_go = "?" if left is None else time.strftime("%H:%M:%S", time.gmtime(left))
        tokens = (meter.prompt_tokens + meter.completion_tokens) / spent
        in_flight = f"{meter.in_flight} in flight, {meter.retried} retried"
        return {
            "units": f"{done} of {self._total}, {to_go} to go",
            "calls": f"{meter.sent / spent:.0f}/s, {in_flight}",
            "tokens": f"{tokens:,.0f}/s",
            # Nothing where no endpoint has a price.
            **({"cost": f"{meter.cost:.2f}"} if meter.cost else {}),
        }

    def _panel(self) -> Table:
        grid = Table.grid(padding=(0, 2))
        grid.add_row("", ProgressBar(total=self._total, completed=self._done, width=48))
        for name, text in self._facts().items():
            grid.add_row(name, text)
        for kind, counter in self._kinds():
            named = ", ".join(f"{n} {why}" for why, n in counter.most_common(NAMED)) or "none"
            grid.add_row(kind, Text(named, style="red" if kind == "failed" and counter else ""))
        return grid
