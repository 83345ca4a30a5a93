"""What Ctrl-C means to a build over workers."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from pairwright.cli.signals import say_at_once
from pairwright.models.client import Meter
from pairwright.text import number_of


@contextmanager
def stopping(meter: Meter, tell: Callable[[], None]) -> Iterator[None]:
    """The first signal calls `tell`, which must be quick; the second is a KeyboardInterrupt."""
    asked = False

    def stop(_: int, __: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        tell()
        say_at_once(
            f"Stopping: waiting for {number_of(meter.in_flight, 'call')} in flight."
            " Press Ctrl-C again to stop at once."
        )

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
