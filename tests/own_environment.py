"""Environments of their own for real components whose pins clash with ours.

    CACHE/NAME-HASH/        a virtual environment with what a requirements file names
    CACHE/NAME-HASH/ready   written last; without it the environment is made again
    CACHE/NAME-HASH.log     what pip said

The hash is over the requirements and the Python version.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
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
    parts = [pins.read_bytes(), *map(str.encode, (repr(remove), sys.version, sys.base_prefix))]
    folder = cache.absolute() / f"{name}-{hashlib.sha256(b'|'.join(parts)).hexdigest()[:12]}"
    cache.mkdir(parents=True, exist_ok=True)
    python = folder / "bin" / "python"
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            print(f"installing {name} into {folder}: about {size}", flush=True)
            # Without ensurepip, which Debian packages apart: the pip at hand fills it.
            pip = [sys.executable, "-m", "pip", "--python", str(python)]
            install = ["install", "--progress-bar", "off", "--requirement", str(pins)]
            commands = [
                [sys.executable, "-m", "venv", "--without-pip", str(folder)],
                [*pip, *install],
                *([[*pip, "uninstall", "--yes", *remove]] if remove else []),
            ]
            log = folder.with_name(f"{folder.name}.log")
            with log.open("w", encoding="utf-8") as file:
                for command in commands:
                    if subprocess.run(command, stdout=file, stderr=file).returncode:
                        told = "\n".join(log.read_text(encoding="utf-8").splitlines()[-15:])
                        what = f"{' '.join(command)} failed; {log} ends with:\n{told}"
                        raise RuntimeError(what)
            (folder / "ready").touch()
    return python
