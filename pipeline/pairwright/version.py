"""The version, for what is written into manifests; and which code and libraries it was."""

import hashlib
import zlib
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

__version__ = "0.1.0"
_PACKAGES = ("pairwright", "pairwright_human_eval")
_KINDS = (".py", ".jinja", ".css", ".js", ".toml")
_LIBRARIES = ("matplotlib", "numpy", "scikit-learn", "scipy")
"""The libraries that the figures and plots of an audit depend on, to the last digit."""


@cache
def code_digest() -> str:
    """`sha256:` over Pairwright's own source files, by path and content: between two versions, it
    tells one state of the code from another. The same for a checkout and an installed wheel."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        spec = find_spec(package)
        for root in map(Path, (spec and spec.submodule_search_locations) or ()):
            for path in sorted(path for path in root.rglob("*") if path.suffix in _KINDS):
                name = f"{package}/{path.relative_to(root).as_posix()}"
                digest.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return f"sha256:{digest.hexdigest()}"


@cache
def library_versions() -> dict[str, str]:
    """The installed versions of the libraries that estimate, draw and compress an audit."""
    return {name: version(name) for name in _LIBRARIES} | {"zlib": zlib.ZLIB_RUNTIME_VERSION}
