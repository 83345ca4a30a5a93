"""What Ctrl-C means to a command with calls in flight."""

import asyncio
import os
import signal
from collections.abc import Callable

from rich.console import Console

from pairwright.models.client import Meter
from pairwright.text import number_of


def say_at_once(text: str) -> None:
    """Write a line to standard error from a signal handler.

    The handler may have come in the middle of a write, and Python's streams refuse another one.
    """
    os.write(2, f"{text}\n".encode())


def stop_on_signals(tell: Callable[[], None], meter: Meter, console: Console) -> None:
    """The first signal calls `tell`, after which calls in flight finish and are stored; the second
    cancels the task this is called in."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    asked = False

    def stop() -> None:
        nonlocal asked
        if asked and task:
            task.cancel()
            return
        asked = True
        console.print(
            f"Stopping: waiting for {number_of(meter.in_flight, 'call')} in flight."
            " Press Ctrl-C again to stop at once."
        )
        tell()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
