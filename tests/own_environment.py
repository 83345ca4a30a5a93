"""Environments of their own for real components whose pins clash with ours.

    CACHE/NAME-HASH/        a virtual environment with what a requirements file names
    CACHE/NAME-HASH/ready   written last; without it the environment is made again
    CACHE/NAME-HASH.log     what pip said

The hash is over the requirements and the Python version.
"""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def cache_folder() -> Path:
    """The folder in which environments are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pairwright"


def prepare(cache: Path, name: str, pins: Path, size: str, remove: tuple[str, ...] = ()) -> Path:
    """The environment's Python; the environment is made under `cache` if it is not there yet.

    `remove` names distributions that others ask for and that do not work here. Two processes do
    not make it at once. Raises RuntimeError with pip's last words where it fails.
    """
    parts = [pins.read_bytes(), repr(remove).encode(), sys.version.encode()]
    parts.append(sys.base_prefix.encode())
    folder = cache.absolute() / f"{name}-{hashlib.sha256(b'|'.join(parts)).hexdigest()[:12]}"
    cache.mkdir(parents=True, exist_ok=True)
    with _alone(folder.with_name(f"{folder.name}.lock")):
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            print(f"installing {name} into {folder}: about {size}", flush=True)
            started = time.monotonic()
            _install(folder, pins, remove)
            (folder / "ready").touch()
            print(f"installed in {time.monotonic() - started:.0f} s", flush=True)
    return folder / "bin" / "python"


def _install(folder: Path, pins: Path, remove: tuple[str, ...]) -> None:
    here, there = sys.executable, str(folder / "bin" / "python")
    # Without ensurepip, which Debian packages apart: the pip at hand fills the environment.
    bare = ["--without-pip"] if importlib.util.find_spec("pip") else []
    pip = [here, "-m", "pip", "--python", there] if bare else [there, "-m", "pip"]
    commands = [
        [here, "-m", "venv", *bare, str(folder)],
        [*pip, "install", "--progress-bar", "off", "--requirement", str(pins)],
    ]
    if remove:
        commands.append([*pip, "uninstall", "--yes", *remove])
    log = folder.with_name(f"{folder.name}.log")
    with log.open("w", encoding="utf-8") as file:
        for command in commands:
            if subprocess.run(command, stdout=file, stderr=subprocess.STDOUT).returncode:
                told = "\n".join(log.read_text(encoding="utf-8").splitlines()[-15:])
                raise RuntimeError(f"{' '.join(command)} failed; {log} ends with:\n{told}")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
