"""One thread for the arithmetic of arrays.

The last digits of a sum depend on how many threads share it, and the same pairs and answers are to
give the same figures on every machine. Threads of a short sum also wait for each other where other
work takes the cores.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """Libraries of linear algebra use one thread inside; also a decorator of functions."""
    with threadpool_limits(1):
        yield
