"""The environment that Label Studio runs in: its own, because its pins clash with ours.

    CACHE/label-studio-HASH/
        venv/                   what label-studio.txt names
        label_studio.sqlite3    an empty database with all tables: new servers start from a copy
        ready                   written last; without it the folder is made again
        install.log
    CACHE/label-studio-HASH.lock

The hash is over label-studio.txt and the Python version, so a new release gets a new folder. An
environment holds absolute paths, so it is made where it stays and not moved into its place.
"""

import fcntl
import hashlib
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pairwright import assets
from pairwright.errors import InputError, on_disk

Say = Callable[..., object]
"""It is called with a few words on what is being done, many times over minutes; and where that is
counted, with how many are done, and of how many."""

PINS = assets.HUMAN_EVAL / "label-studio.txt"
DATABASE = "label_studio.sqlite3"
TAIL = 2_000
"""Characters of a log that an error shows."""


@dataclass(frozen=True)
class Environment:
    """An environment that is ready."""

    path: Path

    @property
    def python(self) -> Path:
        return self.path / "venv" / "bin" / "python"

    @property
    def program(self) -> Path:
        return self.path / "venv" / "bin" / "label-studio"

    @property
    def database(self) -> Path:
        """An empty database with all tables; nobody's account, nobody's token."""
        return self.path / DATABASE

    @property
    def log(self) -> Path:
        return self.path / "install.log"


def prepare(cache: Path, say: Say = lambda *_: None) -> Environment:
    """The environment under `cache`, made if it is not there yet: about 1 GB, some minutes.

    Two processes do not make it at once: the second waits. Raises InputError where this Python
    has neither pip nor ensurepip, or where pip fails; the log says why.
    """
    environment = Environment(cache.absolute() / f"label-studio-{_identity()}")
    with on_disk(cache):
        cache.mkdir(parents=True, exist_ok=True)
    with _alone(environment.path, say):
        ready = environment.path / "ready"
        if not ready.exists():
            with on_disk(environment.path):
                if environment.path.exists():
                    say("removing what an interrupted installation left")
                    shutil.rmtree(environment.path)
                environment.path.mkdir()
            _install(environment, say)
            _migrate(environment, say)
            ready.touch()
    return environment


def quiet_variables(data: Path, program: Path) -> dict[str, str]:
    """All the environment that a Label Studio process gets: nothing of ours, nothing sent out."""
    return {
        "PATH": f"{program.parent}:/usr/bin:/bin",
        "HOME": str(data),
        "XDG_CONFIG_HOME": str(data),
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "LABEL_STUDIO_BASE_DATA_DIR": str(data),
        "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }


def tail(log: Path) -> str:
    """The end of a log, for an error."""
    return log.read_text(encoding="utf-8", errors="replace")[-TAIL:].strip()


def _identity() -> str:
    # The pins are for the interpreter's minor version, and the environment links to the very one.
    parts = [PINS.read_bytes(), sys.version.encode(), sys.base_prefix.encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


@contextmanager
def _alone(folder: Path, say: Say) -> Iterator[None]:
    path = folder.with_name(folder.name + ".lock")
    with on_disk(path), path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another process that is installing Label Studio")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _install(environment: Environment, say: Say) -> None:
    pins = PINS.read_text(encoding="utf-8").split()
    (pip,) = (pin for pin in pins if pin.startswith("pip=="))
    venv = environment.path / "venv"
    here, there = sys.executable, str(environment.python)
    say("making an environment for Label Studio: once, about 1 GB, some minutes")
    if importlib.util.find_spec("pip"):
        # Without ensurepip, which Debian packages apart: the pip at hand puts one in.
        _run([here, "-m", "venv", "--without-pip", str(venv)], environment)
        _run([here, "-m", "pip", "--python", there, "install", pip], environment)
    elif importlib.util.find_spec("ensurepip"):
        _run([here, "-m", "venv", str(venv)], environment)
        _run([there, "-m", "pip", "install", pip], environment)
    else:
        raise InputError(
            "this Python has neither pip nor ensurepip, so Label Studio cannot be installed",
            where=here,
            fix="Install pip into this environment, or use a Label Studio of your own with "
            "`human push --url`.",
        )
    # The packages without wheels are built with the same pinned build tools.
    install = [there, "-m", "pip", "install", "--progress-bar", "off"]
    constraint = ["--build-constraint", str(PINS)]
    _run(
        [*install, *constraint, "--requirement", str(PINS)], environment, say=say, number=len(pins)
    )


def _migrate(environment: Environment, say: Say) -> None:
    """Make the database once: its 80 tables take a minute, a copy takes none."""
    say("making an empty database")
    scratch = environment.path / "scratch"
    scratch.mkdir()
    variables = quiet_variables(scratch, environment.program)
    _run([str(environment.program), "version"], environment, variables=variables)
    (scratch / DATABASE).replace(environment.database)
    shutil.rmtree(scratch)


def _run(
    command: list[str],
    environment: Environment,
    *,
    variables: Mapping[str, str] | None = None,
    say: Say | None = None,
    number: int = 0,
) -> None:
    """Run to the end, with the output in the log; pip's packages are counted as they come."""
    collected = 0
    with (
        environment.log.open("a", encoding="utf-8") as log,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=variables,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            for line in process.stdout:
                log.write(line)
                if say is not None and line.startswith("Collecting "):
                    collected += 1
                    say("fetching the packages of Label Studio", collected, number)
                elif say is not None and line.startswith("Installing collected"):
                    say("installing the packages")
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise InputError(
            f"`{' '.join(command[1:4])} ...` ended with {process.returncode}:\n"
            f"{tail(environment.log)}",
            where=environment.log,
            fix="See the log for the reason, and run the command again; it starts over.",
        )
