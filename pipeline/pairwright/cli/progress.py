"""What a person sees of a running build: a live panel on a terminal, plain lines elsewhere."""

import time
from collections import Counter
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from pairwright.construct.outcomes import Brief
from pairwright.models.client import Meter

PLAIN_EVERY_S = 10.0


class Progress:
    """Counts outcomes as they come; use as a context manager around a build."""

    def __init__(self, console: Console, total: int, meter: Meter) -> None:
        self._console = console
        self._total = total
        self._meter = meter
        self._started = self._told = time.monotonic()
        self._done = 0
        self._kept: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()
        self._live = (
            Live(get_renderable=self._panel, console=console, refresh_per_second=4, transient=True)
            if console.is_terminal
            else None
        )

    def __enter__(self) -> "Progress":
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

    def seen(self, outcome: Brief) -> None:
        """Count one outcome."""
        self._done += 1
        if outcome.kind == "failed":
            self._failed[outcome.reason] += 1
        elif outcome.kind == "waiting":
            self._waiting[outcome.reason] += 1
        elif outcome.kind == "rejected":
            self._refused[outcome.reason] += 1
        else:
            self._kept[outcome.mode] += 1
        if not self._live and time.monotonic() - self._told >= PLAIN_EVERY_S:
            self._told = time.monotonic()
            self._console.print(self._line(), highlight=False)

    def _rates(self) -> tuple[float, float, float]:
        """Calls per second, tokens per second, seconds to go."""
        spent = max(time.monotonic() - self._started, 1e-9)
        tokens = self._meter.prompt_tokens + self._meter.completion_tokens
        left = spent / self._done * (self._total - self._done) if self._done else float("inf")
        return self._meter.sent / spent, tokens / spent, left

    def _line(self) -> str:
        calls, tokens, left = self._rates()
        eta = "?" if left == float("inf") else f"{left:.0f} s"
        waiting = f"{self._waiting.total()} waiting, " if self._waiting else ""
        return (
            f"{self._done}/{self._total} units, {sum(self._kept.values())} kept, "
            f"{sum(self._refused.values())} refused, {sum(self._failed.values())} failed, {waiting}"
            f"{calls:.0f} calls/s, {tokens:.0f} tokens/s, {self._meter.in_flight} in flight, "
            f"cost {self._meter.cost:.2f}, {eta} to go"
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
        grid.add_row("tokens", f"{tokens:,.0f}/s, cost {self._meter.cost:.2f}")
        grid.add_row("kept", kept)
        grid.add_row("refused", refused)
        grid.add_row("failed", Text(failed, style="red" if self._failed else ""))
        if self._waiting:
            waiting = ", ".join(f"{n} for {what}" for what, n in self._waiting.most_common(4))
            grid.add_row("waiting", waiting)
        return grid
