"""A Label Studio of one's own, on this machine only. It sends nothing, and stops at exit.

It runs in an environment of its own, because its pins clash with ours:

    CACHE/label-studio-HASH/        what label-studio.txt names
    CACHE/label-studio-HASH/ready   written last; without it the environment is made again
    CACHE/label-studio-HASH.log     what pip said
    DATA/
        label_studio.sqlite3  media/  export/  .env     Label Studio's
        account.json    the first user's e-mail, password and token; only its owner can read it
        server.log      what the server says; it holds invite links, so it is just as private
        lock            held by the server while it runs

The hash is over label-studio.txt and the Python version, so a new release gets a new environment.
Users that are made through the server's API cannot log in, so people come in by the invite link, as
in a browser.
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
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, TextIO
from urllib.parse import urljoin

import httpx2

from pairwright.errors import InputError, on_disk
from pairwright.files import locked, write_whole

PINS = Path(__file__).with_name("label-studio.txt")
DATABASE = "label_studio.sqlite3"
HOST = "127.0.0.1"
START_S = 600.0
"""The first start makes the database, a minute or more; later ones take 5 to 20 s."""
STOP_S = 15.0
LEAD = "lead@pairwright.example"
TAIL = 2_000
"""Characters of a log that an error shows."""


def prepare(cache: Path, say: Callable[[str], object] = lambda _: None) -> Path:
    """The environment of Label Studio under `cache`, made if it is not there yet.

    Two processes do not make it at once: the second waits. Raises InputError where this Python
    has neither pip nor ensurepip, or where pip fails; the log says why.
    """
    parts = [PINS.read_bytes(), sys.version.encode(), sys.base_prefix.encode()]
    name = f"label-studio-{hashlib.sha256(bytes(1).join(parts)).hexdigest()[:12]}"
    environment = cache.absolute() / name
    with on_disk(cache):
        cache.mkdir(parents=True, exist_ok=True)
        with environment.with_name(f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (environment / "ready").exists():
                say("making an environment for Label Studio: once, about 1 GB, some minutes")
                shutil.rmtree(environment, ignore_errors=True)
                _install(environment)
                (environment / "ready").touch()
    return environment


def _install(environment: Path) -> None:
    here, there = sys.executable, str(environment / "bin" / "python")
    pins = PINS.read_text(encoding="utf-8").split()
    pip = next(pin for pin in pins if pin.startswith("pip=="))
    if importlib.util.find_spec("pip"):
        # Without ensurepip, which Debian packages apart: the pip at hand puts one in.
        made, own = ["--without-pip"], [here, "-m", "pip", "--python", there]
    elif importlib.util.find_spec("ensurepip"):
        made, own = [], [there, "-m", "pip"]
    else:
        raise InputError(
            "this Python has neither pip nor ensurepip, so Label Studio cannot be installed",
            where=here,
            fix="Install pip into this environment, or use a Label Studio of your own with "
            "`human push --url`.",
        )
    log = environment.with_name(f"{environment.name}.log")
    with log.open("w", encoding="utf-8") as file:
        for command in (
            [here, "-m", "venv", *made, str(environment)],
            [*own, "install", pip],
            # The packages without wheels are built with the same pinned build tools.
            [there, "-m", "pip", "install", "--progress-bar", "off", "--build-constraint",
             str(PINS), "--requirement", str(PINS)],
        ):  # fmt: skip
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
            )
            if done.returncode:
                raise InputError(
                    f"`{' '.join(command[1:4])} ...` ended with {done.returncode}:\n{_tail(log)}",
                    where=log,
                    fix="See the log for the reason, and run the command again; it starts over.",
                )


@dataclass(frozen=True)
class ServerAccount:
    """Somebody who can log in. Its secrets are kept out of anything printed."""

    id: int
    email: str
    password: str = field(repr=False)
    token: str = field(repr=False)


@dataclass
class LabelStudioServer:
    """`with LabelStudioServer(prepare(cache), data) as server:`

    Port 0 takes a free one; any other port must be free. Raises InputError, with the end of the
    log, where the server does not come up.
    """

    environment: Path
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

    def sign_up(self, email: str, password: str) -> ServerAccount:
        """Make an account as its owner would, through the invite link.

        Raises InputError where the server refuses: an e-mail that is taken, a password of fewer
        than eight characters.
        """
        form = {"email": email, "password": password, "allow_newsletters": "false"}
        with httpx2.Client(base_url=self.url, trust_env=False, timeout=60) as client:
            lead = {"Authorization": f"Token {self.account.token}"}
            invited = client.get("/api/invite", headers=lead).json()
            link = urljoin(self.url, str(invited["invite_url"]))
            client.get(link)
            form["csrfmiddlewaretoken"] = str(client.cookies.get("csrftoken"))
            reply = client.post(link, data=form, headers={"Referer": link})
            if reply.status_code != 302:
                raise InputError(
                    f"the server did not make the account (it answered {reply.status_code})",
                    where=f"{self.url} [{email}]",
                    fix="Give an e-mail that has no account there, and eight characters or more.",
                )
            number = int(client.get("/api/current-user/whoami").json()["id"])
            token = str(client.get("/api/current-user/token").json()["token"])
            return ServerAccount(number, email, password, token)

    def __enter__(self) -> Self:
        self.port = _free(self.port)
        self.data = self.data.absolute()  # The server runs in it.
        with on_disk(self.data):
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            busy = InputError(
                "a Label Studio is running on this data",
                where=self.data,
                fix="Use that one, or stop it first.",
            )
            self._lock = locked((self.data / "lock").open("w"), busy)
        try:
            self._start()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._lock.close()

    def _start(self) -> None:
        given, path = _credentials(self.data)
        program = self.environment / "bin" / "label-studio"
        log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._process = subprocess.Popen(
            [str(program), "start", "--no-browser", "--internal-host", HOST,
             "--port", str(self.port), "--log-level", "INFO"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=quiet_variables(self.data, program)
            | {
                "LABEL_STUDIO_USERNAME": given["email"],
                "LABEL_STUDIO_PASSWORD": given["password"],
                "LABEL_STUDIO_USER_TOKEN": given["token"],
                "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
            },
            cwd=self.data,
            # Ctrl-C goes to us alone, and we stop the server; and should we be killed, the
            # server that is left goes on holding the lock of its data.
            start_new_session=True,
            pass_fds=(self._lock.fileno(),),
        )  # fmt: skip
        os.close(log)
        try:
            user = self._wait_until_ours(given["token"])
        except BaseException:
            self._stop()
            raise
        path.replace(self.data / "account.json")
        self.account = ServerAccount(user, given["email"], given["password"], given["token"])

    def _wait_until_ours(self, token: str) -> int:
        """Wait for the server; the id of its first user.

        Label Studio takes the next port without a word to its caller where another program was
        quicker, so its log has to name the very address before anybody there gets the token.
        """
        until = time.monotonic() + START_S
        with httpx2.Client(base_url=self.url, trust_env=False, timeout=5) as client:
            while time.monotonic() < until:
                if self._process.poll() is not None:
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
            f"Label Studio {how}. The end of its log:\n{_tail(self.log)}",
            where=self.log,
            fix="Mend what the log names, or try another --port.",
        )

    def _stop(self) -> None:
        """End the server and all it started."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                os.killpg(self._process.pid, sign)
            try:
                self._process.wait(STOP_S)
                return
            except subprocess.TimeoutExpired:
                continue


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


def _credentials(data: Path) -> tuple[dict[str, str], Path]:
    """The lead's e-mail, password and token, and the file that they are in.

    New ones keep a name of their own until the server has taken them: a start that is cut short
    starts over with an empty database, since nobody can have used what it made.
    """
    stored, new, database = (data / name for name in ("account.json", "account.new.json", DATABASE))
    if stored.exists():
        return json.loads(stored.read_text(encoding="utf-8")), stored
    if database.exists() and not new.exists():
        raise InputError(
            "holds a Label Studio database that was not made here",
            where=data,
            fix="Start that Label Studio yourself and use `human push --url`, or give another "
            "folder.",
        )
    given = {"email": LEAD, "password": secrets.token_urlsafe(12), "token": secrets.token_hex(20)}
    with on_disk(data):
        write_whole(new, json.dumps(given))
        new.chmod(0o600)
        database.unlink(missing_ok=True)
    return given, new


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


def _tail(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-TAIL:].strip()
