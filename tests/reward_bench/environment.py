"""The environment that RewardBench's CLI runs in: its own, because its pins clash with ours.

    CACHE/rewardbench-HASH/      a virtual environment with what requirements.txt names
    CACHE/rewardbench-HASH/ready    written last; without it the environment is made anew
    CACHE/rewardbench-HASH.log

The hash is over requirements.txt and the Python version. It takes a minute or more and 1.7 GB.
"""

import fcntl
import hashlib
import importlib.util
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
PINS = HERE / "requirements.txt"


def prepare(cache: Path) -> Path:
    """The environment's Python; the environment is made under `cache` if it is not there yet.

    Two processes do not make it at once. Raises CalledProcessError where pip fails; the log beside
    the environment tells why.
    """
    parts = [PINS.read_bytes(), sys.version.encode(), sys.base_prefix.encode()]
    name = f"rewardbench-{hashlib.sha256(b'|'.join(parts)).hexdigest()[:12]}"
    folder, log = cache.absolute() / name, cache.absolute() / f"{name}.log"
    cache.mkdir(parents=True, exist_ok=True)
    with _alone(cache / f"{name}.lock"):
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            print(f"installing RewardBench into {folder}: about 1.7 GB", flush=True)
            started = time.monotonic()
            _install(folder, log)
            (folder / "ready").touch()
            print(f"installed in {time.monotonic() - started:.0f} s", flush=True)
    return folder / "bin" / "python"


def _install(folder: Path, log: Path) -> None:
    here, there = sys.executable, str(folder / "bin" / "python")
    # Without ensurepip, which Debian packages apart: the pip at hand fills the environment.
    pip = [here, "-m", "pip", "--python", there]
    bare = ["--without-pip"] if importlib.util.find_spec("pip") else []
    with log.open("w", encoding="utf-8") as file:
        for command in (
            [here, "-m", "venv", *bare, str(folder)],
            [*(pip if bare else [there, "-m", "pip"]), "install", "--progress-bar", "off",
             "--requirement", str(PINS)],
        ):  # fmt: skip
            subprocess.run(command, check=True, stdout=file, stderr=subprocess.STDOUT)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
