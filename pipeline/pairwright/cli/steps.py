"""The steps of a command that takes minutes, for whoever waits."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

PLAIN_EVERY_S = 10.0
"""Between two lines about one step."""


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """Gives a function that is called with each step, such as `loading tasks: 3 of 20`.

    On a terminal, the step is a line on standard error that changes. Elsewhere each step has its
    own line; one that differs in what follows its colon gets another line every ten seconds.
    """
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status("") as status:
            yield status.update
        return
    last, since = "", 0.0

    def line(step: str) -> None:
        nonlocal last, since
        begun = step.partition(":")[0]
        if begun != last or time.monotonic() - since >= PLAIN_EVERY_S:
            last, since = begun, time.monotonic()
            console.print(step, markup=False, highlight=False, soft_wrap=True)

    yield line
