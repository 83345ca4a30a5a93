"""The garbage collector, for processes that hold many values."""

import gc


def look_seldom() -> None:
    """Have the collector look seldom, and never at what is loaded: records hold no cycles."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
