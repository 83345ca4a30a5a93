"""A Label Studio of one's own, on this machine only. It sends nothing, and stops at exit.

It runs in an environment of its own, because its pins clash with ours:

    CACHE/label-studio-HASH/
        venv/                   what label-studio.txt names
        label_studio.sqlite3    an empty database with all tables: new servers start from a copy
        ready                   written last; without it the folder is made again
        install.log
    CACHE/label-studio-HASH.lock
    DATA/
        label_studio.sqlite3  media/  export/  .env     Label Studio's
        account.json    the first user's e-mail, password and token; only its owner can read it
        server.log      what the server says; it holds invite links, so it is just as private
        lock            held by the server while it runs

The hash is over label-studio.txt and the Python version, so a new release gets a new folder. An
environment holds absolute paths, so it is made where it stays and not moved into its place. Users
that are made through the server's API cannot log in, so people come in by the invite link, as in a
browser.
"""

import fcntl
import hashlib
import importlib.util
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO
from urllib.parse import urljoin

import httpx2

from pairwright import assets
from pairwright.errors import InputError, cannot_lock, on_disk
from pairwright.files import write_whole


@dataclass(frozen=True)
class ServerAccount:
    """Somebody who can log in. Its secrets are kept out of anything printed."""

    id: int
    email: str
    password: str = field(repr=False)
    token: str = field(repr=False)


def invite_link(url: str, token: str) -> str:
    """The link under which anybody who has it can make an account."""
    headers = {"Authorization": f"Token {token}"}
    reply = httpx2.get(f"{url}/api/invite", headers=headers, trust_env=False, timeout=60)
    if reply.status_code != 200:
        raise InputError(
            f"the server answered {reply.status_code} when asked for the invite link",
            where=url,
            fix="Copy the link from the server's Organization page.",
        )
    return urljoin(url, str(reply.json()["invite_url"]))


def sign_up(url: str, link: str, email: str, password: str) -> ServerAccount:
    """Make an account through the invite link and read its own token (a legacy one).

    Raises InputError where the server refuses: an e-mail that is taken, a password of fewer than
    eight characters.
    """
    form = {"email": email, "password": password, "allow_newsletters": "false"}
    with httpx2.Client(base_url=url, trust_env=False, timeout=60) as session:
        session.get(link)
        form["csrfmiddlewaretoken"] = str(session.cookies.get("csrftoken"))
        reply = session.post(link, data=form, headers={"Referer": link})
        if reply.status_code != 302:
            raise InputError(
                f"the server did not make the account (it answered {reply.status_code})",
                where=f"{url} [{email}]",
                fix="Give an e-mail that has no account there, and eight characters or more.",
            )
        token = session.get("/api/current-user/token").json()["token"]
        return ServerAccount(
            int(session.get("/api/current-user/whoami").json()["id"]), email, password, str(token)
        )


def team_accounts(
    data: Path, sign_up_at: Callable[[str, str], ServerAccount], annotators: Iterable[str]
) -> dict[str, ServerAccount]:
    """An account for each annotator; those that were made before are kept.

    They are in `team.json` in `data`, the server's data folder, which only its owner can read.
    `sign_up_at` makes an account of an e-mail and a password.
    """
    path = data / "team.json"
    accounts = _read(path)
    for annotator in annotators:
        if annotator not in accounts:
            email = f"{annotator}@pairwright.example"
            accounts[annotator] = sign_up_at(email, secrets.token_urlsafe(9))
            rows = {who: vars(account) for who, account in accounts.items()}
            write_whole(path, json.dumps(rows, indent=1), mode=0o600)
    return accounts


def _read(path: Path) -> dict[str, ServerAccount]:
    if not path.exists():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {annotator: ServerAccount(**account) for annotator, account in rows.items()}


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


HOST = "127.0.0.1"
START_S = 180.0
"""A start takes 5 to 20 s; more on a machine that is busy."""
STOP_S = 15.0
LEAD = "lead@pairwright.example"


@dataclass
class LabelStudioServer:
    """`with LabelStudioServer(prepare(cache), data) as server:`

    Port 0 takes a free one; any other port must be free. Raises InputError, with the end of the
    log, where the server does not come up.
    """

    environment: Environment
    data: Path
    port: int = 8080
    account: ServerAccount = field(init=False)
    _process: "subprocess.Popen[bytes]" = field(init=False, repr=False)
    _lock: TextIO = field(init=False, repr=False)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def log(self) -> Path:
        return self.data / "server.log"

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def invite_link(self) -> str:
        """Where annotators make their accounts."""
        return invite_link(self.url, self.account.token)

    def sign_up(self, email: str, password: str) -> ServerAccount:
        """Make an annotator's account as its owner would, through the invite link."""
        return sign_up(self.url, self.invite_link(), email, password)

    def wait(self) -> int:
        """Until the server ends on its own; its exit status."""
        return self._process.wait()

    def __enter__(self) -> Self:
        self.port = _free(self.port)
        self.data = self.data.absolute()  # The server runs in it.
        with on_disk(self.data):
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = _locked(self.data)
        try:
            self._start()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()
        self._lock.close()

    def _start(self) -> None:
        given, path = self._credentials()
        variables = quiet_variables(self.data, self.environment.program) | {
            "LABEL_STUDIO_USERNAME": given["email"],
            "LABEL_STUDIO_PASSWORD": given["password"],
            "LABEL_STUDIO_USER_TOKEN": given["token"],
            "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        }
        command = [str(self.environment.program), "start", "--no-browser"]
        command += ["--internal-host", HOST, "--port", str(self.port), "--log-level", "INFO"]
        log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=variables,
            cwd=self.data,
            # Ctrl-C goes to us alone, and we stop the server; and should we be killed, the
            # server that is left goes on holding the lock of its data.
            start_new_session=True,
            pass_fds=(self._lock.fileno(),),
        )
        os.close(log)
        try:
            user = self._wait_until_ours(given["token"])
        except BaseException:
            self._stop()
            raise
        path.replace(self.data / "account.json")
        self.account = ServerAccount(user, given["email"], given["password"], given["token"])

    def _credentials(self) -> tuple[dict[str, str], Path]:
        """Those of the data folder, or new ones beside a copy of the empty database.

        New ones keep a name of their own until the server has taken them: a start that is cut
        short starts over, since nobody can have used what it made.
        """
        stored, new = self.data / "account.json", self.data / "account.new.json"
        if stored.exists():
            return json.loads(stored.read_text(encoding="utf-8")), stored
        database = self.data / DATABASE
        if database.exists() and not new.exists():
            raise InputError(
                "holds a Label Studio database that was not made here",
                where=self.data,
                fix="Start that Label Studio yourself and use `human push --url`, or give another "
                "folder.",
            )
        given = {
            "email": LEAD,
            "password": secrets.token_urlsafe(12),
            "token": secrets.token_hex(20),
        }
        with on_disk(self.data):
            new.unlink(missing_ok=True)
            file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "w", encoding="utf-8") as opened:
                json.dump(given, opened)
            shutil.copyfile(self.environment.database, database)
        return given, new

    def _wait_until_ours(self, token: str) -> int:
        """Wait for the server; the id of its first user.

        Label Studio takes the next port without a word to its caller where another program was
        quicker, so its log has to name the very address before anybody there gets the token.
        """
        until = time.monotonic() + START_S
        with httpx2.Client(base_url=self.url, trust_env=False, timeout=5) as client:
            while time.monotonic() < until:
                if not self.running:
                    raise self._failed(f"ended with {self._process.returncode}")
                if f"development server at {self.url}/" in self.log.read_text(errors="replace"):
                    try:
                        if client.get("/health").json() == {"status": "UP"}:
                            headers = {"Authorization": f"Token {token}"}
                            reply = client.get("/api/current-user/whoami", headers=headers)
                            if reply.status_code == 200:
                                return int(reply.json()["id"])
                            raise self._failed(
                                f"answered {reply.status_code} to the token in account.json"
                            )
                    except (httpx2.HTTPError, ValueError):
                        pass
                time.sleep(0.1)
        raise self._failed(f"did not answer at {self.url} within {START_S:.0f} s")

    def _failed(self, how: str) -> InputError:
        return InputError(
            f"Label Studio {how}. The end of its log:\n{tail(self.log)}",
            where=self.log,
            fix="Mend what the log names, or try another --port.",
        )

    def _stop(self) -> None:
        """End the server and all it started."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if self.running:
                os.killpg(self._process.pid, sign)
            try:
                self._process.wait(STOP_S)
                return
            except subprocess.TimeoutExpired:
                continue


def _free(port: int) -> int:
    """The port, or a free one for 0."""
    with socket.socket() as probe:
        # As servers do: an address whose last connection has just been closed is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise InputError(
                f"the port cannot be used: {error.strerror}",
                where=f"{HOST}:{port}",
                fix="Stop what listens there, or give another --port (0 takes a free one).",
            ) from None
        return int(probe.getsockname()[1])


def _locked(data: Path) -> TextIO:
    file = (data / "lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise InputError(
            "a Label Studio is running on this data",
            where=data,
            fix="Use that one, or stop it first.",
        ) from None
    except OSError as error:
        file.close()
        raise cannot_lock(data / "lock", error) from None
    return file
