"""What all tests share."""

import gc


def pytest_collection_finish() -> None:
    """Modules and collected tests stay until the end: the garbage collector passes them over."""
    gc.collect()
    gc.freeze()
