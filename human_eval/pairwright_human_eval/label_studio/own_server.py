"""A Label Studio process of one's own, on this machine only. It sends nothing, and stops at exit.

DATA/
    label_studio.sqlite3  media/  export/  .env     Label Studio's
    account.json    the first user's e-mail, password and token; only its owner can read it
    server.log      what the server says; it holds invite links, so it is just as private
    lock            held by the server while it runs
"""

import fcntl
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

import httpx2

from pairwright.errors import InputError, cannot_lock, on_disk
from pairwright_human_eval.label_studio.accounts import ServerAccount, invite_link, sign_up
from pairwright_human_eval.label_studio.environment import (
    DATABASE,
    Environment,
    quiet_variables,
    tail,
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
