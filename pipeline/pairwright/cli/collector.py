"""The garbage collector, for commands that hold many values."""

import gc


def ease() -> None:
    """What is loaded by now stays, so the collector need not walk it at every round; and rounds are
    fewer, since records hold no cycles."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
