"""What a person sees of a running command: live on a terminal, plain lines elsewhere."""

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType, TracebackType
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
    from pairwright.construct.outcomes import Brief
    from pairwright.models.client import Meter

PLAIN_EVERY_S = 10.0
"""Seconds between two lines about one step, where there is no terminal."""


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
        self._console = console
        self._total = total
        self._meter = meter
        self._started = self._printed = time.monotonic()
        self._done = self._surveyed = 0
        self._kept: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()
        self._live = (
            Live(get_renderable=self._panel, console=console, refresh_per_second=4, transient=True)
            if console.is_terminal
            else None
        )

    def __enter__(self) -> "BuildPanel":
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._live:
            self._live.stop()

    def count(self, outcome: "Brief") -> None:
        """Count one outcome."""
        self._done += 1
        if outcome.kind == "failed":
            self._failed[outcome.reason] += 1
        elif outcome.kind == "waiting":
            self._waiting[outcome.reason] += 1
        elif outcome.kind == "rejected":
            self._refused[outcome.reason] += 1
        elif outcome.kind == "surveyed":
            self._surveyed += 1
        else:
            self._kept[outcome.mode] += 1
        if not self._live and time.monotonic() - self._printed >= PLAIN_EVERY_S:
            self._printed = time.monotonic()
            self._console.print(self._line(), highlight=False)

    def _rates(self) -> tuple[float, float, float]:
        """Calls per second, tokens per second, seconds to go."""
        spent = max(time.monotonic() - self._started, 1e-9)
        tokens = self._meter.prompt_tokens + self._meter.completion_tokens
        left = spent / self._done * (self._total - self._done) if self._done else float("inf")
        return self._meter.sent / spent, tokens / spent, left

    @property
    def _cost(self) -> str:
        """Nothing where no endpoint has a price."""
        return f"cost {self._meter.cost:.2f}, " if self._meter.cost else ""

    def _line(self) -> str:
        calls, tokens, left = self._rates()
        eta = "?" if left == float("inf") else f"{left:.0f} s"
        waiting = f"{self._waiting.total()} waiting, " if self._waiting else ""
        surveyed = f"{self._surveyed} surveyed, " if self._surveyed else ""
        return (
            f"{self._done}/{self._total} units, {surveyed}{sum(self._kept.values())} kept, "
            f"{sum(self._refused.values())} refused, {sum(self._failed.values())} failed, {waiting}"
            f"{calls:.0f} calls/s, {tokens:.0f} tokens/s, {self._meter.in_flight} in flight, "
            f"{self._cost}{eta} to go"
        )

    def _panel(self) -> Table:
        calls, tokens, left = self._rates()
        eta = "?" if left == float("inf") else time.strftime("%H:%M:%S", time.gmtime(left))
        grid = Table.grid(padding=(0, 2))
        kept = ", ".join(f"{n} {mode}" for mode, n in sorted(self._kept.items())) or "none yet"
        refused = ", ".join(f"{n} {why}" for why, n in self._refused.most_common(6)) or "none"
        failed = ", ".join(f"{n} {why}" for why, n in self._failed.most_common(4)) or "none"
        bar = ProgressBar(total=self._total, completed=self._done, width=48)
        grid.add_row("", bar)
        grid.add_row("units", f"{self._done} of {self._total}, {eta} to go")
        grid.add_row(
            "calls",
            f"{calls:.0f}/s, {self._meter.in_flight} in flight, {self._meter.retried} retried",
        )
        grid.add_row("tokens", f"{tokens:,.0f}/s")
        if self._meter.cost:
            grid.add_row("cost", f"{self._meter.cost:.2f}")
        if self._surveyed:
            grid.add_row("surveyed", f"{self._surveyed}")
        grid.add_row("kept", kept)
        grid.add_row("refused", refused)
        grid.add_row("failed", Text(failed, style="red" if self._failed else ""))
        if self._waiting:
            waiting = ", ".join(f"{n} for {what}" for what, n in self._waiting.most_common(4))
            grid.add_row("waiting", waiting)
        return grid
