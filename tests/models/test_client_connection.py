"""What a connection takes from the environment, what it sends, and whom it trusts with the key."""

import base64
import gzip
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web
from exchanges import KEY, exchange

from endpoint import Asked, Handler, ask, completion, raw, say
from pairwright.errors import CallFailed, EndpointRefused, PairwrightError
from pairwright.models import Answer
from pairwright.models import server as connection
from pairwright.models.server import Server, proxy_for

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    told = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS", "SSL_CERT_FILE")
    for name in (*PROXIES, *map(str.lower, PROXIES), *told):
        monkeypatch.delenv(name, raising=False)


async def outcome_of(client: Server) -> Answer | PairwrightError:
    try:
        return await client.fetch(ask())
    except PairwrightError as error:
        return error


def asked_once(
    handler: Handler, through: Callable[[str], str] = str, **changes: Any
) -> tuple[Answer | PairwrightError, list[Asked]]:
    """What one call comes to, and what the server saw; `through` turns its address into ours."""
    given = {"attempts": 1, **changes}
    outcome, asked, _ = exchange(handler, outcome_of, through=through, **given)
    return outcome, asked


# --- headers ---


@pytest.mark.parametrize("status", [301, 307, 308])
def test_a_redirect_is_refused_and_not_followed(status: int) -> None:
    """Its posts and headers are nobody else's, and another server's reply is not the model's."""

    async def moved(_: Asked) -> web.StreamResponse:
        headers = {"Location": "http://else.example/v1/chat/completions?there"}
        return web.Response(status=status, headers=headers)

    outcome, asked = asked_once(moved)
    assert isinstance(outcome, EndpointRefused)
    assert len(asked) == 1
    assert f"({status}) to http://else.example/v1" in str(outcome)
    assert "base_url" in str(outcome)
    assert "?there" not in str(outcome)


# --- secrets ---


CUSTOM = "X-Team: team-secret-0123456789\nX-Login: Basic dXNlcjpwYXNzd29yZA==\nX-Short: abc"


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_a_header_that_a_server_repeats_is_hidden(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", CUSTOM)
    secrets = ("team-secret-0123456789", "dXNlcjpwYXNzd29yZA==")

    async def handler(asked: Asked) -> web.StreamResponse:
        assert all(secret in str(asked.headers) for secret in secrets)
        said = f"headers {dict(asked.headers)} and {secrets[1]}"
        body = completion(said) if status == 200 else {"error": {"message": said}}
        return web.json_response(body, status=status)

    outcome, _ = asked_once(handler)
    shown = outcome.body.decode() if isinstance(outcome, Answer) else repr(outcome)
    assert "headers" in shown
    assert not [secret for secret in secrets if secret in shown]
    assert "abc" in shown


# --- bodies ---


MIB = 1024 * 1024
BOMB = gzip.compress(bytes(16 * MIB))


@pytest.mark.parametrize(("encoding", "status"), [("gzip", 200), (None, 500)])
def test_a_reply_beyond_all_measure_is_not_taken_in(
    encoding: str | None, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few packed bytes may be gigabytes."""
    monkeypatch.setattr(connection, "LARGEST_REPLY", 4 * MIB)
    headers = {"Content-Encoding": encoding} if encoding else {}
    handler = raw(BOMB if encoding else b" " * (4 * MIB + 1), status=status, headers=headers)
    tracemalloc.start()
    try:
        outcome, asked = asked_once(handler, attempts=2)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(outcome, CallFailed)
    assert outcome.reason == "reply_too_large"
    assert f"HTTP {status} with more than 4 MiB" in outcome.detail
    assert len(asked) == 2
    assert peak < 12 * MIB


# --- proxies ---


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # The SDK's own.
def test_another_machine_is_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    def through(url: str) -> str:
        monkeypatch.setenv("HTTP_PROXY", url.removesuffix("/v1").replace("//", "//me:secret@"))
        return "http://model.example:8000/v1"

    answer, (asked,) = asked_once(say("by proxy"), through)
    assert isinstance(answer, Answer)
    assert answer.completion.text == "by proxy"
    assert asked.headers["Host"] == "model.example:8000"
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    login = base64.b64encode(b"me:secret").decode()
    assert asked.headers["Proxy-Authorization"] == f"Basic {login}"


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({}, "http://model.example/v1", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://model.example/v1", "http://p:1"),
        ({"http_proxy": "p:1"}, "http://model.example/v1", "http://p:1"),
        ({"ALL_PROXY": "http://p:3"}, "https://model.example/v1", "http://p:3"),
        ({"ALL_PROXY": "http://p:3"}, "http://localhost:8000/v1", None),
        ({"ALL_PROXY": "http://p:3"}, "http://[::1]:8000/v1", None),
        ({"ALL_PROXY": "http://p:3"}, "http://127.8.9.1/v1", None),
        ({"ALL_PROXY": "socks5://p:3"}, "http://127.0.0.1/v1", None),
        ({"ALL_PROXY": "socks5://p:3", "NO_PROXY": "*"}, "http://model.example/v1", None),
        ({"HTTP_PROXY": "p", "NO_PROXY": "model.example"}, "http://model.example/v1", None),
    ],
)
def test_which_proxy_an_address_is_reached_through(
    environment: dict[str, str], url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(url) == proxy
