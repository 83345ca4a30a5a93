"""Pairwright: personalized preference benchmarks, from user histories to gated pairs.

from pairwright import load_release, build_contrast, build_twin, run_async
"""

from typing import TYPE_CHECKING, Any

from pairwright.version import __version__

__all__ = ["__version__", "build_contrast", "build_twin", "load_release", "run_async"]

if TYPE_CHECKING:
    from pairwright.construct import build_contrast, build_twin
    from pairwright.construct.run_pairs import load_release
    from pairwright.notebook import run_async


def __getattr__(name: str) -> Any:
    # Deferred, so that a command's --help does not wait for numpy and scipy.
    if name in ("build_contrast", "build_twin"):
        from pairwright import construct

        return getattr(construct, name)
    if name == "load_release":
        from pairwright.construct.run_pairs import load_release

        return load_release
    if name == "run_async":
        from pairwright.notebook import run_async

        return run_async
    raise AttributeError(f"module 'pairwright' has no attribute {name!r}")
