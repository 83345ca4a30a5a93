"""A Label Studio of one's own for tests, on this machine only, and people in it. It sends nothing.

with serving_label_studio(tmp_path / "data") as server: ...

It runs in an environment of its own (own_environment.py), because its pins clash with ours. Users
that are made through its API cannot log in, so people come in by the invite link.
"""

import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from unittest import mock
from urllib.parse import urljoin

import httpx2
from pydantic import JsonValue

from own_environment import cache_folder, prepare

PINS = Path(__file__).with_name("label-studio.txt")
DATABASE = "label_studio.sqlite3"
START_S = 600.0
"""A start makes the database, which takes a minute or more."""


@dataclass(frozen=True)
class ServerAccount:
    """Somebody who can log in."""

    id: int
    email: str
    password: str
    token: str


def token(account: ServerAccount) -> dict[str, str]:
    return {"Authorization": f"Token {account.token}"}


@dataclass(frozen=True)
class LabelStudioServer:
    """A server that runs, and its first account."""

    url: str
    data: Path
    account: ServerAccount

    def sign_up(self, email: str, password: str = "a-long-password") -> ServerAccount:
        """Make an account as its owner would, through the invite link."""
        form = {"email": email, "password": password, "allow_newsletters": "false"}
        with httpx2.Client(base_url=self.url, trust_env=False, timeout=60) as client:
            invited = client.get("/api/invite", headers=token(self.account)).json()
            link = urljoin(self.url, str(invited["invite_url"]))
            client.get(link)
            form["csrfmiddlewaretoken"] = str(client.cookies.get("csrftoken"))
            reply = client.post(link, data=form, headers={"Referer": link})
            assert reply.status_code == 302, reply.text
            number = int(client.get("/api/current-user/whoami").json()["id"])
            key = str(client.get("/api/current-user/token").json()["token"])
            return ServerAccount(number, email, password, key)


@contextmanager
def serving_label_studio(data: Path) -> Iterator[LabelStudioServer]:
    """Serve on a free port, with the database in a new folder, until the block ends."""
    # Packages without wheels are built with the pinned build tools.
    with mock.patch.dict(os.environ, PIP_BUILD_CONSTRAINT=str(PINS)):
        python = prepare(cache_folder(), "label-studio", PINS, "1 GB")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url, log = f"http://127.0.0.1:{port}", data / "server.log"
    email, password, key = "lead@pairwright.example", "a-long-password", secrets.token_hex(20)
    # All that it gets: nothing of ours, and nothing is sent out.
    environment = {
        "PATH": f"{python.parent}:/usr/bin:/bin",
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
        "LABEL_STUDIO_USERNAME": email,
        "LABEL_STUDIO_PASSWORD": password,
        "LABEL_STUDIO_USER_TOKEN": key,
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    }
    options = ("--no-browser", "--internal-host", "127.0.0.1", "--port", str(port))
    data.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        process = subprocess.Popen(
            [str(python.with_name("label-studio")), "start", *options, "--log-level", "INFO"],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            env=environment,
            cwd=data,
            start_new_session=True,
        )
    try:
        first = _wait_until_ours(process, url, key, log)
        yield LabelStudioServer(url, data, ServerAccount(first, email, password, key))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_until_ours(process: "subprocess.Popen[bytes]", url: str, key: str, log: Path) -> int:
    """Wait for the server; the id of its first user."""
    until = time.monotonic() + START_S
    with httpx2.Client(base_url=url, trust_env=False, timeout=5) as client:
        while process.poll() is None and time.monotonic() < until:
            # Where another program was quicker, Label Studio takes the next port without a word.
            if f"development server at {url}/" in log.read_text(errors="replace"):
                try:
                    if client.get("/health").json() == {"status": "UP"}:
                        client.headers["Authorization"] = f"Token {key}"
                        return int(client.get("/api/current-user/whoami").json()["id"])
                except (httpx2.HTTPError, ValueError):
                    pass
            time.sleep(0.1)
    said = log.read_text(errors="replace")[-2_000:]
    raise RuntimeError(f"Label Studio did not come up at {url}. Its log ends with:\n{said}")


# People


class Person(NamedTuple):
    """An annotator, who talks to the server over its API as the page itself would."""

    url: str
    account: ServerAccount

    def annotate(self, task: int, result: list[JsonValue], *, skip: bool = False) -> int:
        body = {"result": result, "was_cancelled": skip, "lead_time": 4.5}
        return int(self._done("POST", f"tasks/{task}/annotations/", 201, body).json()["id"])

    def change(self, annotation: int, result: list[JsonValue]) -> None:
        self._done("PATCH", f"annotations/{annotation}/", 200, {"result": result})

    def draft(self, task: int, result: list[JsonValue]) -> None:
        self._done("POST", f"tasks/{task}/drafts", 201, {"result": result, "lead_time": 1.0})

    def delete_task(self, task: int) -> None:
        self._done("DELETE", f"tasks/{task}/", 204)

    def _done(self, method: str, path: str, status: int, body: object = None) -> httpx2.Response:
        with httpx2.Client(headers=token(self.account), timeout=60, trust_env=False) as client:
            reply = client.request(method, f"{self.url}/api/{path}", json=body)
        assert reply.status_code == status, reply.text
        return reply


def held(server: LabelStudioServer, project: int) -> dict[str, int]:
    """By our ids: the server's ids of the tasks that a project holds, in its order."""
    asked = f"{server.url}/api/tasks/?project={project}&page_size=5000&include=id,data"
    reply = httpx2.get(asked, headers=token(server.account), timeout=900, trust_env=False)
    assert reply.status_code == 200, reply.text
    tasks = sorted(reply.json()["tasks"], key=lambda task: task["id"])
    found = {task["data"]["task"]: task["id"] for task in tasks}
    assert len(found) == len(tasks), "a task is there twice"
    return found


def wait_for(what: str, happened: Callable[[], bool], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, f"{what} did not happen within {seconds} s"
        time.sleep(0.02)
