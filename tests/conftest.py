"""What all tests share."""

import gc
import os

# What tests write need not outlive a power cut; to wait for the disk took a tenth of their time.
os.fsync = lambda fd: None


def pytest_collection_finish() -> None:
    """Modules and collected tests stay until the end: the garbage collector passes them over."""
    gc.collect()
    gc.freeze()
